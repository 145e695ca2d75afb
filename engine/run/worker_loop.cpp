#include "engine/run/worker_loop.h"

#include <limits>

#include "engine/run/measure.h"
#include "engine/run/worker_messages.h"

namespace sweep {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

/// Null after telling the other side why there is no backend.
std::unique_ptr<Backend> say_hello(Channel& channel,
                                   const std::function<std::unique_ptr<Backend>()>& start_backend) {
  try {
    std::unique_ptr<Backend> backend = start_backend();
    const WorkerHello hello{backend->device(), backend->disturbances(), {}};
    channel.send(encode(hello));
    return backend;
  } catch (const ChannelClosed&) {
    throw;
  } catch (const std::exception& error) {
    WorkerHello hello;
    hello.error = error.what();
    channel.send(encode(hello));
    return nullptr;
  }
}

/// Sends signs of life, but not for every sample of a short kernel.
class Pulse {
 public:
  Pulse(Channel& channel, Clock clock) : channel_(channel), clock_(std::move(clock)) {}
  void beat(std::string_view step) {
    constexpr double interval = 0.1;
    const double now = clock_();
    if (step == step_ && now - last_ < interval) return;
    last_ = now;
    step_ = step;
    channel_.send(encode(WorkerAlive{step_}));
  }

 private:
  Channel& channel_;
  Clock clock_;
  double last_ = -forever;
  std::string step_;
};

/// Measures one job. What no failure of the workload explains takes the worker's health with it.
WorkerResult run_job(Backend& backend, const WorkerJob& job, const Clock& clock, Pulse& pulse) {
  WorkerResult result;
  try {
    result.measurement = measure(backend, job.workload, job.rules, job.useful, clock,
                                 [&](std::string_view step) { pulse.beat(step); });
    result.usable = backend.usable();
  } catch (const ChannelClosed&) {
    throw;
  } catch (const std::exception& error) {
    result.measurement.point.status = PointStatus::failed;
    result.measurement.point.reason = error.what();
    result.usable = false;
  }
  return result;
}

/// The same for a count job.
WorkerCounts run_job(Backend& backend, const WorkerCountJob& job, const Clock& /*clock*/,
                     Pulse& pulse) {
  WorkerCounts counts;
  try {
    counts.results =
        backend.count(job.workloads, job.request, [&](std::string_view step) { pulse.beat(step); });
    counts.usable = backend.usable();
  } catch (const ChannelClosed&) {
    throw;
  } catch (const std::exception& error) {
    counts.results.workloads.resize(job.workloads.size());
    counts.results.problems.push_back(std::string("the hardware's counters were not read: ") +
                                      error.what());
    counts.usable = false;
  }
  return counts;
}

}  // namespace

void serve_jobs(Channel& channel, const std::function<std::unique_ptr<Backend>()>& start_backend) {
  try {
    const std::unique_ptr<Backend> backend = say_hello(channel, start_backend);
    const Clock clock = steady_clock();
    KeptPrograms kept;
    bool is_usable = backend != nullptr && backend->usable();
    while (is_usable) {
      const WorkerTask task = decode_task(channel.receive(forever), kept);
      Pulse pulse(channel, clock);
      std::visit(
          [&](const auto& job) {
            const auto result = run_job(*backend, job, clock, pulse);
            channel.send(encode(result));
            is_usable = result.usable;
          },
          task);
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

}  // namespace sweep
