#include "engine/run/worker.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "engine/text/byte_sequence.h"

namespace sweep {

SentPrograms::Place SentPrograms::place_of(const std::shared_ptr<const Program>& program) {
  auto slot = std::ranges::find_if(slots_, [&](const Slot& candidate) {
    return candidate.last_use > 0 && candidate.program == program;
  });
  const bool is_new = slot == slots_.end();
  if (is_new) slot = std::ranges::min_element(slots_, {}, &Slot::last_use);
  slot->program = program;
  slot->last_use = ++uses_;
  return {static_cast<std::uint32_t>(slot - slots_.begin()), is_new};
}

/// The last of each enumeration that travels.
constexpr CacheState last_choice(CacheState) {
  return CacheState::warm;
}
constexpr Origin last_choice(Origin) {
  return Origin::emulated;
}
constexpr SampleMark last_choice(SampleMark) {
  return SampleMark::outlier;
}
constexpr PointStatus last_choice(PointStatus) {
  return PointStatus::failed;
}

/// A workload's program travels by its slot.
void serialize(auto& /*archive*/, const std::shared_ptr<const Program>& /*program*/) {}
/// The process that asked for a point knows its key.
void serialize(auto& /*archive*/, const PointKey& /*key*/) {}

template <class Times>
requires std::is_same_v<std::remove_const_t<Times>, PhaseTimes>
void serialize(auto& archive, Times& times) {
  for (auto& seconds : times.seconds) archive(seconds);
}

namespace {

std::span<Workload> workloads_of(WorkerTask& task) {
  if (auto* job = std::get_if<WorkerCountJob>(&task)) return job->workloads;
  if (auto* job = std::get_if<WorkerJob>(&task)) return {&job->workload, 1};
  return {&std::get<WorkerLoadJob>(task).workload, 1};
}

}  // namespace

// A task's programs come before it.

std::string encode(WorkerTask task, SentPrograms& sent) {
  ByteWriter write;
  const std::span<Workload> workloads = workloads_of(task);
  write(std::uint64_t{workloads.size()});
  for (const Workload& workload : workloads) {
    const SentPrograms::Place place = sent.place_of(workload.program);
    write(place.slot, place.is_new);
    if (place.is_new) write(*workload.program);
  }
  write(task);
  return write.take();
}

WorkerTask decode_task(std::string_view message, KeptPrograms& kept) {
  ByteReader read(message, short_message);
  std::uint64_t count = 0;
  read(count);
  std::vector<std::shared_ptr<const Program>> programs;
  for (; count > 0; --count) {
    SentPrograms::Place place;
    read(place);
    if (place.slot >= kept.size()) throw std::runtime_error("a slot that there is not");
    if (place.is_new) {
      Program program;
      read(program);
      kept[place.slot] = std::make_shared<const Program>(std::move(program));
    }
    programs.push_back(kept[place.slot]);
  }
  WorkerTask task;
  read(task);
  read.end();
  const std::span<Workload> workloads = workloads_of(task);
  if (workloads.size() != programs.size() || std::ranges::count(programs, nullptr) > 0) {
    throw std::runtime_error("a job without a program");
  }
  for (std::size_t i = 0; i < programs.size(); ++i) workloads[i].program = std::move(programs[i]);
  return task;
}

std::string encode(const WorkerReply& reply) {
  return encode_message(reply);
}

WorkerReply decode_reply(std::string_view message) {
  return decode_message<WorkerReply>(message);
}

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

/// Does a job's work and sends what came of it. What no failure of the workload explains takes the
/// worker's health with it. Whether the worker goes on.
template <class Answer>
bool answer(Heartbeat& heartbeat, const Backend& backend, const auto& work, const auto& failed) {
  Answer answer;
  try {
    answer = {work(), backend.usable()};
  } catch (const std::exception& error) {
    answer = {failed(error.what()), false};
  }
  heartbeat.send(answer);
  return answer.usable;
}

}  // namespace

void serve_jobs(Channel& channel, const WorkerDevice& device) {
  try {
    WorkerHello hello;
    std::unique_ptr<Backend> backend;
    try {
      hello.device = device.find();
      channel.send(encode(hello));
      backend = device.start(hello.device);
      hello.disturbances = backend->disturbances();
    } catch (const std::exception& error) {
      hello.error = error.what();
    }
    channel.send(encode(hello));
    if (!hello.error.empty()) return;
    const Clock clock = steady_clock();
    KeptPrograms kept;
    Heartbeat heartbeat(channel);
    const StepListener on_step = [&](std::string_view step) { heartbeat.beat(step); };
    // The next job usually comes within a moment, during which the device has nothing to do.
    const double moment = busy_wait(1e-3, 3);
    bool is_usable = backend->usable();
    while (is_usable) {
      const WorkerTask task = decode_task(channel.receive(Channel::forever, moment), kept);
      if (const auto* load = std::get_if<WorkerLoadJob>(&task)) {
        backend->load(load->workload);
      } else if (const auto* job = std::get_if<WorkerJob>(&task)) {
        is_usable = answer<WorkerResult>(
            heartbeat, *backend,
            [&] { return measure(*backend, job->workload, job->rules, clock, on_step); },
            failed_measurement);
      } else {
        const auto& counting = std::get<WorkerCountJob>(task);
        is_usable = answer<WorkerCounts>(
            heartbeat, *backend,
            [&] { return backend->count(counting.workloads, counting.request, on_step); },
            [&](const std::string& why) { return failed_counts(counting.workloads.size(), why); });
      }
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

}  // namespace sweep
