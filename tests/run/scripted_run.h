#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/run_stage.h"
#include "tests/run/fake_backend.h"
#include "tests/temporary_folder.h"

namespace sweep {

/// The configuration of the pattern `tuned` that a workload is of.
struct Tried {
  std::int64_t k = 0;
  std::int64_t g = 0;

  friend bool operator==(const Tried&, const Tried&) = default;
};
std::ostream& operator<<(std::ostream& out, const Tried& tried);
Tried tried_of(const Workload& workload);
Tried tried_of(const Configuration& configuration);
Tried tried_of(const PointRecord& point);

/// Runs of sweeps over the pattern `tuned`, which has the parameters K and G, on a device whose
/// times a script gives and whose clock only goes on with what it does. Each run goes into the
/// folder's store. K = 13 does not compile.
class ScriptedRun : private RunObserver {
 public:
  /// Begins with kernels that take 100 us.
  ScriptedRun();

  /// Reads a sweep file's text and runs it, or goes on.
  RunSummary run(const std::string& text, bool fresh = false);

  RunRecord record(std::int64_t run) const;
  /// What the run's search found among the configurations of a group.
  TunedGroup found(const RunSummary& summary, std::size_t group = 0) const;
  /// The winner of a group.
  std::optional<Tried> winner(const RunSummary& summary, std::size_t group = 0) const;
  std::vector<StoredPoint> points(std::int64_t run) const;
  /// The point of a configuration in a run.
  std::optional<StoredPoint> point(std::int64_t run, Tried tried) const;
  /// Those that the run has points of, by their place.
  std::vector<Tried> tried(std::int64_t run) const;
  /// How often the device was asked to prepare the configuration in the last run.
  std::size_t times_prepared(Tried tried) const;

  FakeBackend backend;
  /// Seconds that a sample takes, and what launching a configuration comes to: may throw.
  std::function<double(Tried)> seconds_of;
  std::function<void(Tried)> on_execute;
  /// What counts, beside the device where that times; nothing counts unless it is given.
  std::function<std::vector<Metric>(Tried)> counts_of;
  Measurer* measurer = nullptr;         ///< in the place of the backend
  std::vector<Measurer*> further = {};  ///< that measure at the same time
  /// Whose times the counts predict.
  std::optional<TimingProfile> predicted_gpu;
  double now = 0;           ///< on the clock, in seconds
  double preparing = 0.01;  ///< takes so many seconds
  std::atomic<bool> stop = false;
  std::function<void(Tried)> on_each;                     ///< point measured
  std::function<void(const std::string&)> on_each_stage;  ///< that begins
  std::uint64_t seed = 1;                                 ///< of the order of measuring

  // What the last run told.
  std::size_t planned = 0;
  std::vector<Tried> order;  ///< in which the points were measured
  std::size_t reused = 0;
  std::vector<std::string> stages;

 private:
  friend class ScriptedStage;

  RunRequest request(const Sweep& sweep, const Space& space);
  void begin();

  void on_start(std::size_t points, std::size_t reused) override;
  void on_reuse(const PointRecord&) override { ++reused; }
  void on_point(const Configuration& configuration, const PointRecord& point) override;
  void on_warning(const Diagnostic&) override {}
  void on_note(const std::string&) override {}
  void on_stage(const std::string& stage) override;

  TemporaryFolder folder_;
  std::vector<Tried> prepared_;
};

/// One stage of such a run, for what works on that. Configurations keep their places.
class ScriptedStage {
 public:
  ScriptedStage(ScriptedRun& script, const std::string& text);

  /// Measures a configuration as a search does and records the point.
  PointRecord add_point(std::size_t point_index);

  Sweep sweep;
  Space space;
  Store store;

 private:
  LocalMeasurer measurer_;

 public:
  RunRequest request;
  RunStage stage;
};

}  // namespace sweep
