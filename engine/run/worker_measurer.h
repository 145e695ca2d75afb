#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run/measurer.h"
#include "engine/run/worker.h"

namespace sweep {

/// Measures in a process of its own, since an illegal access leaves a process without CUDA for
/// good and a kernel that never ends can be stopped in no other way. A worker that dies, hangs or
/// loses its device is replaced; its point fails.
class WorkerMeasurer : public Measurer {
 public:
  static constexpr double usual_patience = 30;  ///< seconds

  /// `command` starts a worker that talks over the file descriptor `WorkerProcess::child_channel`
  /// (see serve_jobs). A worker is taken to hang after `patience` seconds without a sign of life.
  /// `started` is such a worker that was started ahead, or null. Waits until the device is known,
  /// not until it has started. Throws DeviceError with the worker's own words when there is none.
  explicit WorkerMeasurer(std::vector<std::string> command, double patience = usual_patience,
                          std::unique_ptr<WorkerProcess> started = nullptr);
  ~WorkerMeasurer() override;
  WorkerMeasurer(const WorkerMeasurer&) = delete;
  WorkerMeasurer& operator=(const WorkerMeasurer&) = delete;

  const Device& device() const override { return device_; }
  const std::vector<std::string>& disturbances() override;
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const std::function<void()>& meanwhile = nullptr) override;
  void load(const Workload& workload) override;
  CounterResults count(std::span<const Workload> workloads, const CounterRequest& request) override;
  void close() override;

 private:
  void start(std::unique_ptr<WorkerProcess> worker);
  void await_start();
  template <class Answer>
  Answer receive(WorkerProcess& worker) const;
  template <class Answer>
  Answer ask(const WorkerTask& task, const std::function<void()>& meanwhile);

  std::vector<std::string> command_;
  double patience_;
  Device device_;
  std::vector<std::string> disturbances_;
  std::unique_ptr<WorkerProcess> worker_;
  bool has_started_ = false;  ///< the worker's device
  SentPrograms sent_;
  MessageDeduplicator problems_;  ///< of counting; a new worker says them again
};

}  // namespace sweep
