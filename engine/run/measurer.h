#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/sampling.h"
#include "engine/store/record.h"

namespace sweep {

/// Seconds on a clock that never goes back.
using Clock = std::function<double()>;
inline Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

/// What wall time is spent on in a run.
enum class Phase {
  compile,   ///< waiting for the compiler
  emulate,   ///< waiting for the emulator's counts
  allocate,  ///< loading the program, allocating the buffers
  initialise,
  first_launch,
  verify,
  warm_up,
  sample,
  count,            ///< the hardware's counters
  drift_reference,  ///< measuring it again
  compare,          ///< measuring the best configurations again, in turn
  store,
  other,
};
constexpr std::size_t phase_count = static_cast<std::size_t>(Phase::other) + 1;

/// Seconds of wall time by phase.
struct PhaseTimes {
  double& operator[](Phase phase) { return seconds.at(static_cast<std::size_t>(phase)); }
  double operator[](Phase phase) const { return seconds.at(static_cast<std::size_t>(phase)); }

  std::array<double, phase_count> seconds{};
  friend bool operator==(const PhaseTimes&, const PhaseTimes&) = default;
};

/// Adds the wall time of pieces of work to phases, also of work that ends by an exception. A piece
/// within another is the inner one's.
class PhaseStopwatch {
 public:
  /// Starts. `times` must outlive this.
  explicit PhaseStopwatch(PhaseTimes& times, Clock clock = steady_clock())
      : times_(times), clock_(std::move(clock)), begin_(clock_()), last_(begin_) {}

  template <class Work>
  auto time(Phase phase, const Work& work) {
    const Section section(*this, phase);
    return work();
  }
  /// Time measured elsewhere within the piece under way is not this piece's but that of its phases.
  void move(const PhaseTimes& times) {
    for (std::size_t i = 0; i < phase_count; ++i) {
      times_.seconds[i] += times.seconds[i];
      times_[phase_] -= times.seconds[i];
    }
  }
  /// Gives the time since the last change of phases to the one under way.
  void stop() { enter(phase_); }
  /// Seconds since the start.
  double elapsed() const { return clock_() - begin_; }

 private:
  class Section {
   public:
    Section(PhaseStopwatch& watch, Phase phase) : watch_(watch), outer_(watch.enter(phase)) {}
    ~Section() { watch_.enter(outer_); }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    PhaseStopwatch& watch_;
    Phase outer_;
  };

  /// Ends the phase under way, begins another and returns the former.
  Phase enter(Phase phase) {
    const double now = clock_();
    times_[phase_] += now - last_;
    last_ = now;
    return std::exchange(phase_, phase);
  }

  PhaseTimes& times_;
  Clock clock_;
  Phase phase_ = Phase::other;
  double begin_;
  double last_;
};

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
