#pragma once

#include <functional>

#include "engine/backend/backend.h"
#include "engine/run/measure.h"
#include "engine/run/said_once.h"
#include "engine/store/record.h"

namespace sweep {

/// Measures one workload after the other, come what may: a failure, even one that takes the
/// device's context or a whole process with it, is a failed point, and the next can be measured.
class Measurer {
 public:
  virtual ~Measurer() = default;
  virtual const Device& device() const = 0;
  /// What may disturb measuring, as the backend said when it started; waits for that. Throws
  /// DeviceError when it does not start.
  virtual const std::vector<std::string>& disturbances() = 0;
  /// Does `meanwhile`, if it is given, beside the measuring where that happens elsewhere, else
  /// before it. Throws DeviceError when the device is lost for good, and what `meanwhile` throws,
  /// after which the next workload can be measured.
  virtual Measurement measure(const Workload& workload, const MeasureRules& rules,
                              const UsefulTraffic& useful,
                              const std::function<void()>& meanwhile = nullptr) = 0;
  /// The workload is to be measured soon: what can be done before, without using the device, is.
  virtual void load(const Workload& /*workload*/) {}
  /// Counts workloads with the hardware's counters, as Backend::count: several at once cost far
  /// less than one after the other. Says each problem once. Throws as measure does.
  virtual CounterResults count(std::span<const Workload> workloads,
                               const CounterRequest& request) = 0;
  /// Lets the device go, without waiting for it, once nothing more is to be measured.
  virtual void close() {}
};

/// Measures in this process, on a backend that every failure leaves usable.
class LocalMeasurer : public Measurer {
 public:
  explicit LocalMeasurer(Backend& backend)
      : backend_(backend), clock_(steady_clock()), disturbances_(backend.disturbances()) {}
  const Device& device() const override { return backend_.device(); }
  const std::vector<std::string>& disturbances() override { return disturbances_; }
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const UsefulTraffic& useful,
                      const std::function<void()>& meanwhile = nullptr) override {
    if (meanwhile) meanwhile();
    return sweep::measure(backend_, workload, rules, useful, clock_, [](std::string_view) {});
  }
  CounterResults count(std::span<const Workload> workloads,
                       const CounterRequest& request) override {
    CounterResults results = backend_.count(workloads, request, [](std::string_view) {});
    said_.keep_new(results.problems);
    return results;
  }

 private:
  Backend& backend_;
  Clock clock_;
  std::vector<std::string> disturbances_;
  SaidOnce said_;  ///< the problems of counting
};

}  // namespace sweep
