#include "engine/run/worker_measurer.h"

#include <fmt/format.h>

#include <system_error>

#include "engine/run/worker_messages.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

/// How long a device may take to start; a first start on a machine with many GPUs is slow.
constexpr double start_patience = 120;

Measurement failed_measurement(const std::string& reason) {
  Measurement measurement;
  measurement.point.status = PointStatus::failed;
  measurement.point.reason = reason;
  return measurement;
}

}  // namespace

WorkerMeasurer::WorkerMeasurer(std::vector<std::string> command, double patience)
    : command_(std::move(command)), patience_(patience) {
  start();
}

WorkerMeasurer::~WorkerMeasurer() = default;

void WorkerMeasurer::start() {
  sent_program_.reset();
  try {
    worker_ = std::make_unique<WorkerProcess>(command_, worker_channel);
    const WorkerHello hello = decode_hello(worker_->channel().receive(start_patience));
    if (!hello.error.empty()) throw DeviceError(hello.error);
    device_ = hello.device;
  } catch (const ChannelClosed&) {
    throw DeviceError("the worker process " + worker_->wait() + " before its device had started");
  } catch (const ChannelTimeout&) {
    throw DeviceError(fmt::format("the device has not started after {} s", start_patience));
  } catch (const std::system_error& error) {
    throw DeviceError(fmt::format("no worker process can be started: {}", error.what()));
  }
}

Measurement WorkerMeasurer::replace_after(const std::string& reason) {
  worker_.reset();
  return failed_measurement(reason);
}

Measurement WorkerMeasurer::measure(const Workload& workload, const MeasureRules& rules,
                                    const UsefulTraffic& useful) {
  if (worker_ == nullptr) start();
  std::string step = "start";
  try {
    const bool with_program = sent_program_ != workload.program;
    worker_->channel().send(encode(WorkerJob{workload, rules, useful}, with_program));
    sent_program_ = workload.program;
    for (;;) {
      auto reply = decode_reply(worker_->channel().receive(patience_));
      if (const auto* alive = std::get_if<WorkerAlive>(&reply)) {
        step = alive->step;
        continue;
      }
      auto* result = std::get_if<WorkerResult>(&reply);
      if (!result->usable) worker_.reset();
      return std::move(result->measurement);
    }
  } catch (const ChannelTimeout&) {
    return replace_after(
        fmt::format("stopped after {} s without a sign of life during the {}", patience_, step));
  } catch (const ChannelClosed&) {
    return replace_after("the process that runs the kernel " + worker_->wait());
  } catch (const std::runtime_error& error) {
    return replace_after(
        fmt::format("the process that runs the kernel talks nonsense: {}", error.what()));
  }
}

}  // namespace sweep
