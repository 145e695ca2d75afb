#pragma once

#include <chrono>
#include <set>

#include "engine/backend/backend.h"
#include "engine/run/statistics.h"
#include "engine/spec/sweep.h"
#include "engine/store/record.h"

namespace sweep {

/// Why sampling ended.
enum class StopReason {
  noise,    ///< the median is known well enough
  samples,  ///< the most samples allowed were taken
  seconds,  ///< the time allowed is over
  cut_off,  ///< each of the first samples took longer than is worth waiting for
};
/// "noise", "samples", "seconds" or "cut-off".
std::string_view to_string(StopReason reason);

/// So many samples decide whether to give up.
constexpr std::size_t samples_to_give_up = 3;

/// Whether to stop after these samples, `elapsed` seconds of wall time after the first began.
/// Never before the fewest samples are taken, but for giving up.
///
/// The interval holds the true median with at least 95 % where the number of samples is fixed
/// beforehand (`median_interval`). Here it is looked at again and again until it is narrow, which
/// says little about on which side of the median it lies: the confidence stays near 95 % (Chow and
/// Robbins, 1965). For independent samples, looked at whenever a fifth more are there, it is at
/// least 92 %, whatever their spread; the tests try it.
std::optional<StopReason> should_stop(const MeasureRules& rules, std::span<const double> samples,
                                      double elapsed);

/// Half the median's confidence interval, as a share of the median.
double noise_of(std::span<const double> samples);

/// A sentence for a point whose sampling ended by the most samples or seconds, `elapsed` seconds
/// after it began; nothing for another.
std::optional<std::string> note_on_stop(StopReason reason, const MeasureRules& rules,
                                        std::span<const double> samples, double elapsed);

/// How many samples to take at once before the stopping rule is asked again, at least one, after
/// `figures` that are part of the figures and `elapsed` seconds of wall time; `seconds_per_sample`
/// is an estimate, 0 where there is none. They are first those that decide whether to give up, if
/// the rules say when, and the fewest that the rules want, then a fifth of those taken. Never more
/// than the most allowed or, once the fewest are there, than the seconds left have room for, nor
/// than a tenth of a second's work, so that signs of life come often.
int next_chunk_size(const MeasureRules& rules, std::size_t figures, double elapsed,
                    double seconds_per_sample);

/// Marks each sample of a point anew, from all of them.
///
/// `low_clock`: the multiprocessors' clock is known and more than 2 % below the median of the known
/// ones. Such samples are no part of the figures, whatever their time, and another is to be taken
/// in the place of each. When they are more than half as many as the others, or as many as that lie
/// more than 2 % above, it was not a dip: the clock itself changed, and none is left out.
///
/// `outlier`: the time lies beyond the fences (`far_fences`) of those that are part of the figures.
/// It stays part of them: a median does not mind.
///
/// Gives the lowest and the highest clock in Hz where the clock itself changed.
std::optional<Interval> mark_samples(std::vector<Sample>& samples);

/// The seconds of the samples that the figures are made of.
std::vector<double> figures_of(std::span<const Sample> samples);

/// Sentences for the point: that its clock changed, that more than 3 % of the samples (and more
/// than one) are outliers.
std::vector<std::string> notes_on_marks(std::span<const Sample> samples,
                                        const std::optional<Interval>& changed_clock);

/// The metrics of a point with these samples, marked. None when none is part of the figures,
/// no interval when fewer than `fewest_for_interval` are.
std::vector<Metric> timing_metrics(std::span<const Sample> samples, int launches_per_sample,
                                   const UsefulTraffic& useful, const Device& device);

/// What the device was like: its clock while the samples were taken or, where that is not known,
/// after them; what else the state after them says.
std::vector<Metric> state_metrics(std::span<const Sample> samples, const DeviceState& state);

/// Seconds on a clock that never goes back.
using Clock = std::function<double()>;
inline Clock steady_clock() {
  return [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

/// The energy of one launch in joules, all that the device draws meanwhile included: repeats
/// launches of about `seconds_per_launch` for at least `seconds`, from one step of the device's
/// counter to another. Nothing where there is no such counter or it does not go on.
std::optional<double> launch_energy(Backend& backend, Execution& execution, double seconds,
                                    double seconds_per_launch, const Clock& clock,
                                    const StepListener& on_step);

/// "the device held its clocks back: power cap", nothing when it did not.
std::optional<std::string> note_on_throttling(const DeviceState& state);

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
  /// Counts the time from when the other one started.
  void begin_with(const PhaseStopwatch& other) { begin_ = other.begin_; }
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
  /// The process that executed it ended, or has to: the failure may be the device's.
  bool has_lost_process = false;
};

/// "its steps, timed apart: sums 12.30 us, add 8.10 us (3 launches)"
std::string note_on_steps(std::span<const LaunchPlan> launches, std::span<const double> seconds);

Measurement failed_measurement(const std::string& reason);
/// Of so many workloads, none of which was counted.
CounterResults failed_counts(std::size_t workloads, const std::string& reason);

/// Executes a workload: initialise, one launch, verify, observe what it counted; then, where the
/// backend can time, warm up with samples that are thrown away and take samples, in growing
/// chunks (`next_chunk_size`), until the stopping rule holds for those that are part of the figures
/// (`mark_samples`); at most half as many as these are repeats. Fills in status, reason, samples,
/// stop, metrics and notes; the key is the caller's. Failures of the workload are part of the
/// result, and the time until one is that of the phase that failed. `on_step` is called before
/// every step and every chunk.
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
