#include "engine/run/worker_measurer.h"

#include <fmt/format.h>

#include <system_error>

namespace sweep {
namespace {

/// How long a device may take to start; a first start on a machine with many GPUs is slow.
constexpr double start_patience = 120;

/// One of a worker's first messages. Throws DeviceError with what it says is wrong, or why it did
/// not come.
template <class Message>
Message receive_first(WorkerProcess& worker) {
  try {
    WorkerReply reply = decode_reply(worker.channel().receive(start_patience));
    auto* message = std::get_if<Message>(&reply);
    if (message == nullptr) throw std::runtime_error("a message of another kind than expected");
    if (!message->error.empty()) throw DeviceError(message->error);
    return std::move(*message);
  } catch (const ChannelClosed&) {
    throw DeviceError("the worker process " + worker.wait() + " before its device had started");
  } catch (const ChannelTimeout&) {
    throw DeviceError(fmt::format("the device has not started after {} s", start_patience));
  }
}

Measurement failed_measurement(const std::string& reason) {
  Measurement measurement;
  measurement.point.status = PointStatus::failed;
  measurement.point.reason = reason;
  return measurement;
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
  sent_.clear();
  has_started_ = false;
  try {
    if (worker == nullptr) worker = std::make_unique<WorkerProcess>(command_);
  } catch (const std::system_error& error) {
    throw DeviceError(fmt::format("no worker process can be started: {}", error.what()));
  }
  device_ = receive_first<WorkerHello>(*worker).device;
  worker_ = std::move(worker);
}

/// Sees to it that there is a worker whose device has started.
void WorkerMeasurer::await_start() {
  if (worker_ == nullptr) start(nullptr);
  if (has_started_) return;
  disturbances_ = receive_first<WorkerReady>(*worker_).disturbances;
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

/// False when the worker is gone; null after that when it was there and did not take the job, of
/// which it has a part now.
template <class Job>
bool WorkerMeasurer::send(const Job& job) {
  try {
    worker_->channel().send(encode(job, sent_), patience_);
    return true;
  } catch (const ChannelClosed&) {
    return false;
  } catch (const ChannelTimeout&) {
    worker_.reset();
    return false;
  }
}

/// What becomes of the work meanwhile is the caller's; nobody waits for the worker's answer then.
void WorkerMeasurer::do_beside(const std::function<void()>& work) {
  if (!work) return;
  try {
    work();
  } catch (...) {
    worker_.reset();
    throw;
  }
}

/// The answer to what was sent, or what became of the worker.
template <class Answer>
std::variant<Answer, std::string> WorkerMeasurer::receive() {
  // Most points take less; the device waits for the next one meanwhile.
  const double busy_seconds = busy_wait(20e-3, 8);
  std::string step = "start";
  try {
    for (;;) {
      WorkerReply reply = decode_reply(worker_->channel().receive(patience_, busy_seconds));
      if (const auto* alive = std::get_if<WorkerAlive>(&reply)) {
        step = alive->step;
        continue;
      }
      auto* answer = std::get_if<Answer>(&reply);
      if (answer == nullptr) throw std::runtime_error("an answer to another question");
      return std::move(*answer);
    }
  } catch (const ChannelTimeout&) {
    return fmt::format("stopped after {} s without a sign of life during the {}", patience_, step);
  } catch (const ChannelClosed&) {
    return describe_end();
  } catch (const std::runtime_error& error) {
    return fmt::format("the process that runs the kernel talks nonsense: {}", error.what());
  }
}

std::string WorkerMeasurer::describe_end() {
  return "the process that runs the kernel " + worker_->wait();
}

/// The worker's answer, or what became of it; it is replaced then.
template <class Answer, class Job>
std::variant<Answer, std::string> WorkerMeasurer::ask(const Job& job,
                                                      const std::function<void()>& meanwhile) {
  await_start();
  std::variant<Answer, std::string> answer;
  if (send(job)) {
    do_beside(meanwhile);
    answer = receive<Answer>();
  } else if (worker_ != nullptr) {
    answer = describe_end();
  } else {
    answer = fmt::format("the process that runs the kernel did not take its work within {} s",
                         patience_);
  }
  const auto* given = std::get_if<Answer>(&answer);
  if (given == nullptr || !given->usable) worker_.reset();
  return answer;
}

Measurement WorkerMeasurer::measure(const Workload& workload, const MeasureRules& rules,
                                    const UsefulTraffic& useful,
                                    const std::function<void()>& meanwhile) {
  const WorkerJob job{workload, rules, useful};
  auto answer = ask<WorkerResult>(job, meanwhile);
  if (const auto* fate = std::get_if<std::string>(&answer)) return failed_measurement(*fate);
  return std::move(std::get<WorkerResult>(answer).measurement);
}

void WorkerMeasurer::load(const Workload& workload) {
  if (worker_ == nullptr || !has_started_) return;
  const WorkerLoadJob job{workload};
  // The measurement finds a worker that is gone, and says so, or starts another.
  send(job);
}

CounterResults WorkerMeasurer::count(std::span<const Workload> workloads,
                                     const CounterRequest& request) {
  const WorkerCountJob job{{workloads.begin(), workloads.end()}, request};
  auto answer = ask<WorkerCounts>(job, nullptr);
  if (const auto* fate = std::get_if<std::string>(&answer)) {
    CounterResults results;
    results.workloads.resize(workloads.size());
    results.problems.push_back("the hardware's counters were not read: " + *fate);
    return results;
  }
  CounterResults results = std::move(std::get<WorkerCounts>(answer).results);
  results.workloads.resize(workloads.size());
  problems_.keep_new(results.problems);
  return results;
}

}  // namespace sweep
