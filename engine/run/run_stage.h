#pragma once

#include <deque>
#include <future>

#include "engine/predict/predicted_metrics.h"
#include "engine/run/device_team.h"
#include "engine/run/runner.h"

namespace sweep {

class CountsBeside;

/// What emulators give, once it is there. Throws CompilingStopped soon after `stop`, which may be
/// null, is set before.
template <class Result>
Result await(std::future<Result>& result, const std::atomic<bool>* stop,
             const std::function<void()>& meanwhile = nullptr) {
  constexpr std::chrono::milliseconds pause(20);
  while (result.wait_for(pause) != std::future_status::ready) {
    if (stop != nullptr && *stop) throw CompilingStopped();
    if (meanwhile) meanwhile();
  }
  return result.get();
}

/// One of a run's devices beside the first.
struct DeviceSeat {
  Measurer* measurer;
  std::size_t number;  ///< among the run's devices
};

/// What the stages of one run work with, on one of its devices.
struct RunStage {
  const RunRequest& request;
  CompileSettings compile;
  Measurer* measurer;
  Store& store;
  RunObserver& observer;
  const std::atomic<bool>& stop;
  RunSummary summary = {};
  PhaseStopwatch watch{summary.timing.phases, request.clock};
  CountsBeside* counts = nullptr;     ///< null: nothing counts beside the device
  EmulateAhead* emulators = nullptr;  ///< that measure; null: the measurer does
  /// The compiler's, which every configuration repeats.
  std::shared_ptr<MessageDeduplicator> warnings = std::make_shared<MessageDeduplicator>();
  std::shared_ptr<DeviceTeam> team = std::make_shared<DeviceTeam>();
  std::size_t number = 0;  ///< of the device
  std::vector<DeviceSeat> further = {};
  std::vector<DeviceRecord> devices = {};  ///< of a run on several, those that have fallen out too
  double device_spread = 0;                ///< by which share figures of two devices may differ
  bool has_lost_process = false;           ///< the device, with what was measured last

  /// Whether there is a device that measures, and can do so again.
  bool can_time() const { return !request.replay && !measurer->device().is_emulated(); }
  const Configuration& configuration(std::size_t point_index) const {
    return request.space.configurations.at(point_index);
  }
  PointKey key_of(const Configuration& configuration) const {
    return key_of(configuration, measurer->device());
  }
  PointKey key_of(const Configuration& configuration, const Device& device) const;

  /// Records a sentence about the run and shows it.
  void note(const std::string& text);
  /// Shows what the device is at, where it is one of several: "" while it measures.
  void tell_state(const std::string& state);
  /// The compiler is waited for, or not any more.
  void tell_wait(bool waits);
  /// Measures; the time goes to the measurement's own phases, or to `phase` if that is given.
  PointRecord measure(const Workload& workload, const MeasureRules& rules,
                      Phase phase = Phase::other, const std::function<void()>& meanwhile = nullptr);
  /// The same until the run is to stop; the time goes to the phase of that name.
  template <class Result>
  Result await(std::future<Result>& result, const std::function<void()>& meanwhile = nullptr) {
    return watch.time(Phase::emulate, [&] { return sweep::await(result, &stop, meanwhile); });
  }
  /// Reads the hardware's counters that the request asks for. Problems become notes of the run.
  std::vector<Observation> count(std::span<const Workload> workloads);
  /// Computes what follows from a point's metrics: predictions, and the metrics of one's own. Null
  /// where nothing does.
  ChangeMetrics deriving(const Configuration& of) const {
    std::vector<OwnMetric> own = own_metrics_of(request.sweep, *of.pattern);
    if (own.empty() && !request.predicted_gpu) return nullptr;
    return [of, own = std::move(own), gpu = request.predicted_gpu](std::vector<Metric>& metrics) {
      if (gpu) predict_metrics(*gpu, useful_traffic_of(of), metrics);
      if (!own.empty()) derive_metrics(own, of, metrics);
    };
  }
  void derive(std::size_t point_index, PointRecord& point) const {
    const ChangeMetrics change = deriving(configuration(point_index));
    if (change) change(point.metrics);
  }
  /// Records a configuration's point, under its own key unless another is given; gives its id.
  std::int64_t record(std::size_t point_index, PointRecord& point,
                      std::optional<PointKey> key = std::nullopt);
  /// The point that the run has of a configuration.
  std::optional<StoredPoint> stored(std::size_t point_index) const {
    return store.point(summary.run, static_cast<std::int64_t>(point_index));
  }
};

/// Notes what may disturb measuring on the device, as soon as that has started.
void note_disturbances(RunStage& stage);

/// A random order of `count` configurations, the same for the same seed on every machine: so what
/// changes slowly, clocks or heat, does not pass for an effect of a parameter.
std::vector<std::size_t> measuring_order(std::size_t count, std::uint64_t seed);

/// Says when to measure the drift reference, one configuration of the run, again. The caller tells
/// it what happens; times are seconds on any clock that never goes back.
class DriftSchedule {
 public:
  static constexpr double pause = 5;            ///< at the earliest so long after the last time
  static constexpr double share = 0.02;         ///< of the run's time so far, that it may take
  static constexpr double share_at_end = 0.05;  ///< the same, for the last time

  explicit DriftSchedule(double start) : start_(start) {}

  /// The reference was measured, the first time as a point like any other, which is not counted
  /// among the time spent on it.
  void on_reference(double begin, double end) {
    last_cost_ = end - begin;
    if (last_end_) spent_ += last_cost_;
    last_end_ = end;
    has_point_since_ = false;
  }
  /// Another point was measured.
  void on_point() { has_point_since_ = true; }

  /// Whether to measure it before the next point, or after the last. Never before its first time,
  /// nor before another point was measured since.
  bool is_due(double now, bool is_end = false) const {
    if (!last_end_ || !has_point_since_) return false;
    const double allowed = (is_end ? share_at_end : share) * (now - start_);
    return (is_end || now - *last_end_ >= pause) && spent_ + last_cost_ <= allowed;
  }

 private:
  double start_;
  std::optional<double> last_end_;
  double last_cost_ = 0;
  double spent_ = 0;
  bool has_point_since_ = false;
};

/// Measures the run's first timed configuration again now and then and records each time, so that
/// drift of the clocks or heat is seen.
class DriftReference {
 public:
  explicit DriftReference(RunStage& stage) : stage_(stage), schedule_(stage.watch.elapsed()) {}

  /// A point was measured from `begin` on, in seconds of the stage's watch.
  void on_point(std::size_t point_index, const PreparedPoint& prepared, const PointRecord& point,
                double begin);
  void measure_if_due(bool is_end = false);

 private:
  void on_reference(const PointRecord& point, double begin);

  RunStage& stage_;
  DriftSchedule schedule_;
  std::size_t point_index_ = 0;
  std::optional<Workload> workload_;
};

/// A configuration of the run, compiled.
struct SourcedPoint {
  std::size_t point_index = 0;
  PreparedPoint prepared = {};
  std::optional<std::size_t> tried_by = {};  ///< the device that lost its process with it
};

/// Compiles a run's configurations, which may become known one after the other, and hands them out
/// to devices. Where the request has a recording nothing is compiled.
class PointSource {
 public:
  /// `emulated`: whether the stage's emulators count beside the devices. `is_shared`: between
  /// devices that measure for each other.
  PointSource(RunStage& stage, bool emulated, bool is_shared = false);

  void add(const std::vector<std::size_t>& point_indices);
  /// The next one for a device; waits for the compiler, and for what other devices may give back.
  /// Nothing where none is left for it. Throws DeviceError where others have measured too much of
  /// what the device could not.
  std::optional<SourcedPoint> take(RunStage& by);
  /// The same if it is there.
  std::optional<SourcedPoint> take_ready(RunStage& by);
  /// What was taken is measured, or another device is to.
  void done(const SourcedPoint& point);
  void give_back(SourcedPoint point);

  bool is_shared() const { return is_shared_; }
  /// Takes further points from the compiler.
  void look_ahead();
  CompileStatistics statistics() const;

 private:
  std::optional<SourcedPoint> take_returned(const RunStage& by);
  void await_program(RunStage& by);

  RunStage& stage_;
  bool is_shared_;
  std::optional<PreparedPoints> prepared_;  ///< nothing where the request has a recording
  std::deque<std::size_t> point_indices_;   ///< not handed out yet
  std::deque<SourcedPoint> returned_;
  std::size_t under_way_ = 0;
  std::map<std::size_t, int> lost_;  ///< by device: points that another then measured
};

/// Gives the points of what a source hands out to one device: measures them, or takes them from the
/// request's recording.
class PointMeasurement {
 public:
  /// What the points are to have beside their times.
  struct Counts {
    bool emulated = false;  ///< what the stage's emulators count
    bool waits = false;     ///< for these, as long as it takes
    bool hardware = false;  ///< the request's counters, read at once: some ten milliseconds each
  };
  /// After how many seconds of a launch to give up.
  using GiveUp = std::function<double(const Workload&)>;
  struct Point {
    std::size_t point_index = 0;
    PointRecord record;  ///< without its key
  };

  PointMeasurement(RunStage& stage, PointSource& source, DriftReference& drift, Counts counts);
  /// Gives back what it has taken.
  ~PointMeasurement();
  PointMeasurement(const PointMeasurement&) = delete;
  PointMeasurement& operator=(const PointMeasurement&) = delete;

  /// The next one's; nothing where none is left. Throws DeviceError where the device is lost.
  std::optional<Point> next(const GiveUp& give_up_seconds = nullptr);

 private:
  std::optional<SourcedPoint> take();
  PointRecord measure(const SourcedPoint& point, PreparedPoint& prepared,
                      const GiveUp& give_up_seconds);

  RunStage& stage_;
  PointSource& source_;
  DriftReference& drift_;
  Counts counts_;
  std::optional<SourcedPoint> next_;  ///< loaded while the one before is recorded
};

/// Counts a run's points on emulators while a device times them. A point gets its counts once they
/// are there; for those that are late the run waits a small share of its time, and the others stay
/// without.
class CountsBeside {
 public:
  /// On the request's emulators.
  explicit CountsBeside(const RunRequest& request);

  EmulateAhead& emulators() { return *emulators_; }

  /// Gives a point its counts if they are there, or waits for them where the run or the caller
  /// does. Late ones are expected: `recorded` is to tell the point's id. `counts` has no state
  /// where there was no room to count the point.
  void add_to(RunStage& stage, PointRecord& point, std::size_t point_index,
              std::future<Observation>& counts, bool waits);
  /// The point has been recorded. Records the late counts that have come.
  void recorded(RunStage& stage, std::size_t point_index, std::int64_t id);
  /// Begins to count a point of the run unless it has counts.
  void begin(RunStage& stage, std::size_t point_index, const Workload& workload);
  /// Records those that have come.
  void take_ready(RunStage& stage);
  /// Waits for those that have not come, as long as the run may wait.
  void wait(RunStage& stage);
  /// The same, drops the rest, and notes that there was one.
  void finish(RunStage& stage);

 private:
  struct Late {
    std::int64_t id = 0;  ///< of the point; 0 until it is recorded
    std::size_t point_index = 0;
    std::future<Observation> counts;
  };

  std::optional<EmulateAhead> emulators_;  ///< until it finishes
  std::deque<Late> late_;
  bool lacks_some_ = false;  ///< counts that nobody began
};

/// A recorded point that the emulator is to count.
struct UncountedPoint {
  std::int64_t id = 0;
  Configuration configuration;
  ChangeMetrics derive = nullptr;  ///< what follows from its counts; null: nothing
};

/// Compiles points and counts them on emulators, as many at a time as there are threads, and
/// records the counts, or why there are none. `on_point` is called after each. Ends early once the
/// compile settings' `stop` is set. Throws as CompilePool and Store do.
void count_points(std::span<const UncountedPoint> points, const CompileSettings& compile,
                  const MeasureRules& rules, const EmulatorThreads& emulate, Store& store,
                  const std::function<void(const UncountedPoint&, const Observation&)>& on_point);

/// The same for the points of a run whose counts an earlier run left out.
void count_the_rest(RunStage& stage);

/// Reads the hardware's counters that the run asks for, for those of its points that do not have
/// them yet, and records them. What cannot be counted becomes a note of the run.
void read_counters(RunStage& stage);

}  // namespace sweep
