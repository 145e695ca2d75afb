#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run/channel.h"
#include "engine/run/measurer.h"

namespace sweep {

/// A worker process that has been started and has said hello.
class WorkerProcess;

/// Measures in a process of its own, since an illegal access leaves a process without CUDA for
/// good and a kernel that never ends can be stopped in no other way. A worker that dies, hangs or
/// loses its device is replaced; its point fails.
class WorkerMeasurer : public Measurer {
 public:
  /// `command` starts a worker that talks over the file descriptor `worker_channel` (see
  /// serve_jobs). A worker is taken to hang after `patience` seconds without a sign of life.
  /// Throws DeviceError with the worker's own words when it has no device.
  explicit WorkerMeasurer(std::vector<std::string> command, double patience = 30);
  ~WorkerMeasurer() override;
  WorkerMeasurer(const WorkerMeasurer&) = delete;
  WorkerMeasurer& operator=(const WorkerMeasurer&) = delete;

  const Device& device() const override { return device_; }
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const UsefulTraffic& useful) override;

  /// The file descriptor that a worker finds its channel at.
  static constexpr int worker_channel = 3;

 private:
  void start();
  Measurement replace_after(const std::string& reason);

  std::vector<std::string> command_;
  double patience_;
  Device device_;
  std::unique_ptr<WorkerProcess> worker_;
  std::shared_ptr<const Program> sent_program_;
};

}  // namespace sweep
