#include "engine/run/worker_loop.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "engine/run/measurer.h"
#include "engine/run/worker_messages.h"

namespace sweep {
namespace {

/// Sends a worker's signs of life from a thread of its own: saying that a step begins costs the
/// thread that measures next to nothing, and a step that never ends is the last one that was sent.
class Heartbeat {
 public:
  /// All of the worker's messages go through this from now on.
  explicit Heartbeat(Channel& channel) : channel_(channel), thread_([this] { run(); }) {}
  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ending_.notify_one();
    thread_.join();
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// A step begins, or goes on.
  void beat(std::string_view step) {
    const std::lock_guard lock(mutex_);
    if (step_ != step) step_ = step;
    ++beats_;
  }
  /// Throws ChannelClosed.
  void send(const WorkerReply& reply) {
    const std::string message = encode(reply);
    const std::lock_guard lock(sending_);
    channel_.send(message);
  }

 private:
  void run() {
    constexpr auto interval = std::chrono::milliseconds(100);
    std::uint64_t sent = 0;
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, interval, [this] { return is_ending_; })) {
      if (beats_ == sent) continue;
      sent = beats_;
      const WorkerAlive alive{step_};
      lock.unlock();
      try {
        send(alive);
      } catch (const std::exception&) {
        return;  // nobody listens any more; the thread that measures finds out by itself
      }
      lock.lock();
    }
  }

  Channel& channel_;
  std::mutex sending_;
  std::mutex mutex_;  ///< over what follows
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::string step_;
  std::uint64_t beats_ = 0;
  std::thread thread_;
};

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
WorkerResult run_job(Backend& backend, const WorkerJob& job, const Clock& clock,
                     Heartbeat& heartbeat) {
  WorkerResult result;
  try {
    result.measurement = measure(backend, job.workload, job.rules, job.useful, clock,
                                 [&](std::string_view step) { heartbeat.beat(step); });
    result.usable = backend.usable();
  } catch (const std::exception& error) {
    result.measurement.point.status = PointStatus::failed;
    result.measurement.point.reason = error.what();
    result.usable = false;
  }
  return result;
}

/// The same for a count job.
WorkerCounts run_job(Backend& backend, const WorkerCountJob& job, Heartbeat& heartbeat) {
  WorkerCounts counts;
  try {
    counts.results = backend.count(job.workloads, job.request,
                                   [&](std::string_view step) { heartbeat.beat(step); });
    counts.usable = backend.usable();
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
bool answer(Answer result, Heartbeat& heartbeat) {
  const bool is_usable = result.usable;
  heartbeat.send(std::move(result));
  return is_usable;
}

}  // namespace

void serve_jobs(Channel& channel, const WorkerDevice& device) {
  try {
    const std::unique_ptr<Backend> backend = start_backend(channel, device);
    const Clock clock = steady_clock();
    KeptPrograms kept;
    bool is_usable = backend != nullptr && backend->usable();
    Heartbeat heartbeat(channel);
    // The next job usually comes within a moment, during which the device has nothing to do.
    const double moment = busy_wait(1e-3, 3);
    while (is_usable) {
      const WorkerTask task = decode_task(channel.receive(Channel::forever, moment), kept);
      if (const auto* load = std::get_if<WorkerLoadJob>(&task)) {
        backend->load(load->workload);
      } else if (const auto* job = std::get_if<WorkerJob>(&task)) {
        is_usable = answer(run_job(*backend, *job, clock, heartbeat), heartbeat);
      } else {
        is_usable = answer(run_job(*backend, std::get<WorkerCountJob>(task), heartbeat), heartbeat);
      }
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

}  // namespace sweep
