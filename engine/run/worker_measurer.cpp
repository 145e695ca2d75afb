#include <fmt/format.h>

#include <system_error>

#include "engine/run/worker.h"

namespace sweep {
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

std::string describe_end(WorkerProcess& worker) {
  return "the process that runs the kernel " + worker.wait();
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
    throw WorkerFailure(describe_end(worker));
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
    throw WorkerFailure(describe_end(*worker));
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
    return ask<WorkerResult>(WorkerJob{workload, rules}, meanwhile).measurement;
  } catch (const WorkerFailure& failure) {
    return failed_measurement(failure.what());
  }
}

void WorkerMeasurer::load(const Workload& workload) {
  if (worker_ == nullptr || !has_started_) return;
  try {
    worker_->channel().send(encode(WorkerLoadJob{workload}, sent_), patience_);
  } catch (const ChannelClosed&) {
    // The measurement finds that it is gone, and says so.
  } catch (const ChannelTimeout&) {
    worker_.reset();  // it has a part of the message now
  }
}

CounterResults WorkerMeasurer::count(std::span<const Workload> workloads,
                                     const CounterRequest& request) {
  const WorkerCountJob job{{workloads.begin(), workloads.end()}, request};
  try {
    CounterResults results = ask<WorkerCounts>(job, nullptr).results;
    results.workloads.resize(workloads.size());
    problems_.keep_new(results.problems);
    return results;
  } catch (const WorkerFailure& failure) {
    return failed_counts(workloads.size(), failure.what());
  }
}

}  // namespace sweep
