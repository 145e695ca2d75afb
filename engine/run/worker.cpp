#include "engine/run/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

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
constexpr Place last_choice(Place) {
  return Place::compressed;
}
constexpr SampleMark last_choice(SampleMark) {
  return SampleMark::outlier;
}
constexpr PointStatus last_choice(PointStatus) {
  return PointStatus::failed;
}

constexpr TensorElement last_choice(TensorElement) {
  return TensorElement::bfloat16;
}
constexpr TextureComponent last_choice(TextureComponent) {
  return TextureComponent::float32;
}
constexpr Texture::Address last_choice(Texture::Address) {
  return Texture::Address::border;
}
constexpr WorkerTask::Kind last_choice(WorkerTask::Kind) {
  return WorkerTask::Kind::count;
}

/// A workload's program travels by its slot.
void serialize(auto& /*archive*/, const std::shared_ptr<const Program>& /*program*/) {}

void serialize(ByteWriter& write, const std::shared_ptr<const ReferencePlan>& plan) {
  write(plan != nullptr);
  if (plan != nullptr) write(*plan);
}

void serialize(ByteReader& read, std::shared_ptr<const ReferencePlan>& plan) {
  bool is_there = false;
  read(is_there);
  if (!is_there) return;
  auto there = std::make_shared<ReferencePlan>();
  read(*there);
  plan = std::move(there);
}

/// The process that asked for a point knows its key.
void serialize(auto& /*archive*/, const PointKey& /*key*/) {}

template <class Times>
requires std::is_same_v<std::remove_const_t<Times>, PhaseTimes>
void serialize(auto& archive, Times& times) {
  for (auto& seconds : times.seconds) archive(seconds);
}

// A task's programs come before it: of each workload its own and then its reference's.

std::string encode(const WorkerTask& task, SentPrograms& sent) {
  std::vector<const std::shared_ptr<const Program>*> programs;
  for (const Workload& workload : task.workloads) {
    programs.push_back(&workload.program);
    if (workload.reference != nullptr) programs.push_back(&workload.reference->workload.program);
  }
  ByteWriter write;
  write(std::uint64_t{programs.size()});
  for (const auto* program : programs) {
    const SentPrograms::Place place = sent.place_of(*program);
    write(place);
    if (place.is_new) write(**program);
  }
  write(task);
  return write.take();
}

WorkerTask decode_task(std::string_view message, KeptPrograms& kept) {
  ByteReader read(message);
  std::vector<std::shared_ptr<const Program>> programs;
  for (auto left = read.number<std::uint64_t>(); left > 0; --left) {
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
  const std::size_t count = task.workloads.size();
  std::size_t next = 0;
  const auto take_program = [&](Workload& workload) {
    if (next == programs.size() || programs[next] == nullptr) {
      throw std::runtime_error("a job without a program");
    }
    workload.program = std::move(programs[next++]);
  };
  for (Workload& workload : task.workloads) {
    take_program(workload);
    if (workload.reference == nullptr) continue;
    auto reference = std::make_shared<ReferencePlan>(*workload.reference);
    take_program(reference->workload);
    workload.reference = std::move(reference);
  }
  if (next != programs.size() || (task.kind != WorkerTask::Kind::count && count != 1)) {
    throw std::runtime_error("a job without a program");
  }
  return task;
}

std::string encode(const WorkerReply& reply) {
  return encode_message(reply);
}

WorkerReply decode_reply(std::string_view message) {
  return decode_message<WorkerReply>(message);
}

namespace {

/// Does a job's work and sends what came of it. What no failure of the workload explains takes the
/// worker's health with it. Whether the worker goes on.
template <class Answer>
bool answer(Channel& channel, const Backend& backend, const auto& work, const auto& failed) {
  Answer answer;
  try {
    answer = {work(), backend.usable()};
  } catch (const std::exception& error) {
    answer = {failed(error.what()), false};
  }
  channel.send(encode(answer));
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
    // A sign of life when a step begins, and now and then as it goes on: one that never ends is the
    // last that was sent.
    std::string last_step;
    double last_sign = 0;
    const StepListener on_step = [&](std::string_view step) {
      constexpr double interval = 0.1;
      const double now = clock();
      if (step == last_step && now - last_sign < interval) return;
      last_step = step;
      last_sign = now;
      channel.send(encode(WorkerAlive{last_step}));
    };
    // The next job usually comes within a moment, during which the device has nothing to do.
    const double moment = busy_wait(1e-3, 3);
    bool is_usable = backend->usable();
    while (is_usable) {
      const WorkerTask task = decode_task(channel.receive(Channel::forever, moment), kept);
      last_step.clear();
      if (task.kind == WorkerTask::Kind::load) {
        backend->load(task.workloads.front());
      } else if (task.kind == WorkerTask::Kind::measure) {
        const Workload& workload = task.workloads.front();
        is_usable = answer<WorkerResult>(
            channel, *backend,
            [&] { return measure(*backend, workload, task.rules, clock, on_step); },
            failed_measurement);
      } else {
        is_usable = answer<WorkerCounts>(
            channel, *backend,
            [&] { return backend->count(task.workloads, task.request, on_step); },
            [&](const std::string& why) { return failed_counts(task.workloads.size(), why); });
      }
    }
  } catch (const ChannelClosed&) {
    // The process that wanted the results is gone or done.
  }
}

namespace {

/// How long a device may take to start; a first start on a machine with many GPUs is slow.
constexpr double start_patience = 120;

/// One of a worker's first messages. Throws DeviceError with what it says is wrong, or why it did
/// not come.
WorkerHello receive_hello(WorkerProcess& worker) {
  try {
    WorkerReply reply = decode_reply(worker.channel().receive(start_patience));
    auto* hello = std::get_if<WorkerHello>(&reply);
    if (hello == nullptr) throw std::runtime_error("a message of another kind than expected");
    if (!hello->error.empty()) throw DeviceError(hello->error);
    return std::move(*hello);
  } catch (const ChannelClosed&) {
    throw DeviceError("the worker process " + worker.wait() + " before its device had started");
  } catch (const ChannelTimeout&) {
    throw DeviceError(fmt::format("the device has not started after {} s", start_patience));
  }
}

/// What became of a worker that gave no answer.
class WorkerFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

WorkerFailure failure_of_ended(WorkerProcess& worker) {
  return WorkerFailure("the process that runs the kernel " + worker.wait());
}

}  // namespace

WorkerMeasurer::WorkerMeasurer(std::vector<std::string> command, double patience,
                               std::unique_ptr<WorkerProcess> started)
    : command_(std::move(command)), patience_(patience) {
  start(std::move(started));
}

WorkerMeasurer::~WorkerMeasurer() = default;

/// `worker` may be null.
void WorkerMeasurer::start(std::unique_ptr<WorkerProcess> worker) {
  sent_ = {};  // it has none
  has_started_ = false;
  try {
    if (worker == nullptr) worker = std::make_unique<WorkerProcess>(command_);
  } catch (const std::system_error& error) {
    throw DeviceError(fmt::format("no worker process can be started: {}", error.what()));
  }
  device_ = receive_hello(*worker).device;
  worker_ = std::move(worker);
}

/// Sees to it that there is a worker whose device has started.
void WorkerMeasurer::await_start() {
  if (worker_ == nullptr) start(nullptr);
  if (has_started_) return;
  disturbances_ = receive_hello(*worker_).disturbances;
  has_started_ = true;
}

const std::vector<std::string>& WorkerMeasurer::disturbances() {
  await_start();
  return disturbances_;
}

void WorkerMeasurer::close() {
  if (worker_ != nullptr) worker_->abandon();
  worker_.reset();
}

/// The answer to what was sent.
template <class Answer>
Answer WorkerMeasurer::receive(WorkerProcess& worker) const {
  // Most points take less; the device waits for the next one meanwhile.
  const double busy_seconds = busy_wait(20e-3, 8);
  std::string step = "start";
  try {
    for (;;) {
      WorkerReply reply = decode_reply(worker.channel().receive(patience_, busy_seconds));
      if (const auto* alive = std::get_if<WorkerAlive>(&reply)) {
        step = alive->step;
        continue;
      }
      auto* answer = std::get_if<Answer>(&reply);
      if (answer == nullptr) throw std::runtime_error("an answer to another question");
      return std::move(*answer);
    }
  } catch (const ChannelTimeout&) {
    throw WorkerFailure(
        fmt::format("stopped after {} s without a sign of life during the {}", patience_, step));
  } catch (const ChannelClosed&) {
    throw failure_of_ended(worker);
  } catch (const std::runtime_error& error) {
    throw WorkerFailure(
        fmt::format("the process that runs the kernel talks nonsense: {}", error.what()));
  }
}

/// The worker's answer. Throws WorkerFailure, and what `meanwhile` throws.
template <class Answer>
Answer WorkerMeasurer::ask(const WorkerTask& task, const std::function<void()>& meanwhile) {
  await_start();
  // Whatever goes wrong, it is replaced: nobody waits for its answer then.
  std::unique_ptr<WorkerProcess> worker = std::move(worker_);
  try {
    worker->channel().send(encode(task, sent_), patience_);
  } catch (const ChannelClosed&) {
    throw failure_of_ended(*worker);
  } catch (const ChannelTimeout&) {
    throw WorkerFailure(fmt::format(
        "the process that runs the kernel did not take its work within {} s", patience_));
  }
  if (meanwhile) meanwhile();
  Answer answer = receive<Answer>(*worker);
  if (answer.usable) worker_ = std::move(worker);
  return answer;
}

Measurement WorkerMeasurer::measure(const Workload& workload, const MeasureRules& rules,
                                    const std::function<void()>& meanwhile) {
  try {
    Measurement measurement =
        ask<WorkerResult>({WorkerTask::Kind::measure, {workload}, rules}, meanwhile).measurement;
    measurement.has_lost_process = worker_ == nullptr;
    return measurement;
  } catch (const WorkerFailure& failure) {
    Measurement measurement = failed_measurement(failure.what());
    measurement.has_lost_process = true;
    return measurement;
  }
}

void WorkerMeasurer::load(const Workload& workload) {
  if (worker_ == nullptr || !has_started_) return;
  try {
    worker_->channel().send(encode({WorkerTask::Kind::load, {workload}}, sent_), patience_);
  } catch (const ChannelClosed&) {
    // The measurement finds that it is gone, and says so.
  } catch (const ChannelTimeout&) {
    worker_.reset();  // it has a part of the message now
  }
}

CounterResults WorkerMeasurer::count(std::span<const Workload> workloads,
                                     const CounterRequest& request) {
  const std::vector<Workload> all(workloads.begin(), workloads.end());
  try {
    CounterResults results =
        ask<WorkerCounts>({WorkerTask::Kind::count, all, {}, request}, nullptr).results;
    results.workloads.resize(workloads.size());
    problems_.keep_new(results.problems);
    return results;
  } catch (const WorkerFailure& failure) {
    return failed_counts(workloads.size(), failure.what());
  }
}

}  // namespace sweep
