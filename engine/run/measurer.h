#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/phase_times.h"
#include "engine/run/sampling.h"
#include "engine/store/record.h"

namespace sweep {

/// Remembers messages, so that a person reads each once.
class MessageDeduplicator {
 public:
  bool is_new(const std::string& message) { return seen_.insert(message).second; }
  /// Takes away what is not new.
  void keep_new(std::vector<std::string>& messages) {
    std::erase_if(messages, [&](const std::string& message) { return !is_new(message); });
  }

 private:
  std::set<std::string> seen_;
};

/// A point without its key, and where the time went.
struct Measurement {
  PointRecord point;
  PhaseTimes times;
  double busy_seconds = 0;  ///< the device worked, timed or not; 0 where not known
};

Measurement failed_measurement(const std::string& reason);
/// Of so many workloads, none of which was counted.
CounterResults failed_counts(std::size_t workloads, const std::string& reason);

/// Executes a workload: initialise, one launch, verify, observe what it counted; then, where the
/// backend can time, warm up with samples that are thrown away and take samples, in growing
/// chunks (`next_chunk_size`), until the stopping rule holds for those that are part of the figures
/// (`mark_samples`); at most half as many as these are repeats. Fills in status, reason, samples,
/// stop, metrics and notes; the key is the caller's. Failures of the workload are part of the
/// result, and the time until one is that of the phase that failed. `on_step` is called before
/// every step, every sample to warm up and every chunk.
Measurement measure(Backend& backend, const Workload& workload, const MeasureRules& rules,
                    const Clock& clock, const StepListener& on_step);

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
                      const std::function<void()>& meanwhile = nullptr) override {
    if (meanwhile) meanwhile();
    return sweep::measure(backend_, workload, rules, clock_, [](std::string_view) {});
  }
  CounterResults count(std::span<const Workload> workloads,
                       const CounterRequest& request) override {
    CounterResults results = backend_.count(workloads, request, [](std::string_view) {});
    problems_.keep_new(results.problems);
    return results;
  }

 private:
  Backend& backend_;
  Clock clock_;
  std::vector<std::string> disturbances_;
  MessageDeduplicator problems_;  ///< of counting
};

}  // namespace sweep
