#pragma once

#include <utility>
#include <vector>

#include "engine/run/runner.h"

namespace sweep {

/// Tells several observers of one run, in their order.
class RunListeners : public RunObserver {
 public:
  /// They must outlive this.
  explicit RunListeners(std::vector<RunObserver*> observers) : observers_(std::move(observers)) {}

  void on_start(std::size_t points, std::size_t reused) override {
    for (RunObserver* observer : observers_) observer->on_start(points, reused);
  }
  void on_reuse(const PointRecord& point) override {
    for (RunObserver* observer : observers_) observer->on_reuse(point);
  }
  void on_compiler_wait(bool waits) override {
    for (RunObserver* observer : observers_) observer->on_compiler_wait(waits);
  }
  void on_point(const Configuration& configuration, const PointRecord& point) override {
    for (RunObserver* observer : observers_) observer->on_point(configuration, point);
  }
  void on_metrics(const Configuration& configuration, const std::vector<Metric>& metrics,
                  const std::vector<std::string>& notes) override {
    for (RunObserver* observer : observers_) observer->on_metrics(configuration, metrics, notes);
  }
  void on_warning(const Diagnostic& warning) override {
    for (RunObserver* observer : observers_) observer->on_warning(warning);
  }
  void on_note(const std::string& note) override {
    for (RunObserver* observer : observers_) observer->on_note(note);
  }
  void on_stage(const std::string& stage) override {
    for (RunObserver* observer : observers_) observer->on_stage(stage);
  }

 private:
  std::vector<RunObserver*> observers_;
};

}  // namespace sweep
