#include "engine/run/worker_measurer.h"

#include <fmt/format.h>

#include <system_error>

#include "engine/run/worker_messages.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

/// How long a device may take to start; a first start on a machine with many GPUs is slow.
constexpr double start_patience = 120;

PointRecord failed_point(const std::string& reason) {
  PointRecord point;
  point.status = PointStatus::failed;
  point.reason = reason;
  return point;
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

PointRecord WorkerMeasurer::replace_after(const std::string& reason) {
  worker_.reset();
  return failed_point(reason);
}

PointRecord WorkerMeasurer::measure(const Workload& workload, const MeasureRules& rules,
                                    std::uint64_t useful_bytes) {
  if (worker_ == nullptr) start();
  try {
    const bool with_program = sent_program_ != workload.program;
    worker_->channel().send(encode(WorkerJob{workload, rules, useful_bytes}, with_program));
    sent_program_ = workload.program;
    for (;;) {
      auto reply = decode_reply(worker_->channel().receive(patience_));
      auto* result = std::get_if<WorkerResult>(&reply);
      if (result == nullptr) continue;
      if (!result->usable) worker_.reset();
      return std::move(result->point);
    }
  } catch (const ChannelTimeout&) {
    return replace_after(
        fmt::format("the kernel does not end: no launch finished within {} s", patience_));
  } catch (const ChannelClosed&) {
    return replace_after("the process that runs the kernel " + worker_->wait());
  }
}

}  // namespace sweep
