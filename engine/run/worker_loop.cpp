#include "engine/run/worker_loop.h"

#include <limits>

#include "engine/run/measure.h"
#include "engine/run/pulse.h"
#include "engine/run/worker_messages.h"

namespace sweep {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

/// Sends what `make` gives or, in the same message, why it gives nothing. False then.
template <class Message, class Make>
bool report(Channel& channel, const Make& make) {
  Message message;
  try {
    message = make();
  } catch (const std::exception& error) {
    message.error = error.what();
  }
  channel.send(encode(message));
  return message.error.empty();
}

/// Null after telling the other side why there is no backend.
std::unique_ptr<Backend> start_backend(Channel& channel, const WorkerDevice& device) {
  Device found;
  std::unique_ptr<Backend> backend;
  const bool is_there = report<WorkerHello>(channel, [&] {
    found = device.find();
    return WorkerHello{found, {}};
  });
  const bool has_started = is_there && report<WorkerReady>(channel, [&] {
                             backend = device.start(found);
                             return WorkerReady{backend->disturbances(), {}};
                           });
  return has_started ? std::move(backend) : nullptr;
}

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
WorkerCounts run_job(Backend& backend, const WorkerCountJob& job, Pulse& pulse) {
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

/// Whether the worker goes on.
template <class Answer>
bool answer(const Answer& result, Pulse& pulse) {
  pulse.send(encode(result));
  return result.usable;
}

}  // namespace

void serve_jobs(Channel& channel, const WorkerDevice& device) {
  try {
    const std::unique_ptr<Backend> backend = start_backend(channel, device);
    const Clock clock = steady_clock();
    KeptPrograms kept;
    bool is_usable = backend != nullptr && backend->usable();
    Pulse pulse(channel);
    // The next job usually comes within a moment, during which the device has nothing to do.
    const double moment = busy_wait(1e-3, 3);
    while (is_usable) {
      const WorkerTask task = decode_task(channel.receive(forever, moment), kept);
      if (const auto* load = std::get_if<WorkerLoadJob>(&task)) {
        backend->load(load->workload);
      } else if (const auto* job = std::get_if<WorkerJob>(&task)) {
        is_usable = answer(run_job(*backend, *job, clock, pulse), pulse);
      } else {
        is_usable = answer(run_job(*backend, std::get<WorkerCountJob>(task), pulse), pulse);
      }
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

}  // namespace sweep
