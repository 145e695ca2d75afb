#pragma once

#include <array>
#include <atomic>

#include "engine/predict/timing_profile.h"
#include "engine/run/statistics.h"
#include "engine/run/workload.h"
#include "engine/space/enumerate.h"
#include "engine/store/store.h"

namespace sweep {

/// Where a run's wall time went.
struct RunTiming {
  double wall_seconds = 0;
  PhaseTimes phases;          ///< of the thread that measures; together the wall time
  double busy_seconds = 0;    ///< the device worked on points, in the mean; 0 where not known
  std::size_t measured = 0;   ///< points
  std::size_t counted = 0;    ///< points whose hardware counters were read
  CompileStatistics compile;  ///< of the compilers beside that thread
  std::size_t devices = 1;    ///< that measured; `phases` are the mean of their threads
};

/// Hears how a run goes on.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// Before the first point: how many there are, and how many of them a former run measured.
  virtual void on_start(std::size_t points, std::size_t reused) = 0;
  /// A point that a former run measured: one of those that on_start told of, or in a search, where
  /// they show on the way, another.
  virtual void on_reuse(const PointRecord& /*point*/) {}
  /// The next point is not compiled yet; and then, with false, that it is.
  virtual void on_compiler_wait(bool /*waits*/) {}
  /// Of several devices one has measured so many points, and is at something: empty for measuring,
  /// else as in "waits for the compiler".
  virtual void on_device(const Device& /*device*/, std::size_t /*points*/,
                         const std::string& /*state*/) {}
  virtual void on_point(const Configuration& configuration, const PointRecord& point) = 0;
  /// Figures that a point gets after it was told of, which are its only ones of their origin.
  virtual void on_metrics(const Configuration& /*configuration*/,
                          const std::vector<Metric>& /*metrics*/,
                          const std::vector<std::string>& /*notes*/) {}
  virtual void on_warning(const Diagnostic& warning) = 0;
  /// Something about the whole run that its results are to be read with; it is in the store.
  virtual void on_note(const std::string& note) = 0;
  /// What begins before or after the points: "comparing the best 4 configurations".
  virtual void on_stage(const std::string& stage) = 0;
};

/// Emulators that work at a time, each in a thread of its own.
struct EmulatorThreads {
  MakeBackend make_backend;  ///< empty where there are none
  unsigned threads = 1;
};

struct RunRequest {
  const Sweep& sweep;
  /// Where the sweep is tuned, `tuning_groups` has added the default configurations.
  const Space& space;
  Provenance provenance;    ///< everything but what the runner knows itself: device and compiler
  CompileSettings compile;  ///< the capability is the runner's to fill in
  bool fresh = false;       ///< measure points anew that the store has already
  EmulatorThreads emulate;  ///< beside a device that only times
  std::vector<std::string> counters;  ///< the hardware's, to read after the points are measured
  /// The GPU whose times are predicted from the emulator's counts, if any is.
  std::optional<TimingProfile> predicted_gpu = {};
  /// In the place of the measurer, which is an emulator too: several points at a time.
  EmulatorThreads measure = {};
  /// Gives points in the place of measuring. Then nothing is compiled, compared again or counted,
  /// and NVRTC is not needed.
  std::function<PointRecord(const Configuration&)> replay = {};
  /// Waits for the emulators' counts as long as it takes; else for a small share of its time.
  bool waits_for_counts = false;
  /// Called with the run's id when every point is measured, before the best are compared: what
  /// takes other cores can begin.
  std::function<void(std::int64_t run, const RecentWorkloads& recent)> on_measured = {};
  /// The indices of the configurations to measure, where these are not all.
  std::optional<std::vector<std::size_t>> share = {};
  std::vector<TuningGroup> groups = {};  ///< to search; empty: every configuration is measured
  /// Point indices of what is to be compared with each other, two and two, in the place of the
  /// best.
  std::vector<std::array<std::size_t, 2>> pairs = {};
  /// Measures those that may be the best again, in turn, unless there are pairs.
  bool compares_best = true;
  /// Devices of the measurer's kind that measure at the same time as it does; a search's groups
  /// are shared out among them.
  std::vector<Measurer*> further = {};
  Clock clock = steady_clock();  ///< what the run's own time goes by
};

struct RunSummary {
  std::int64_t run = 0;
  std::size_t measured = 0;
  std::size_t reused = 0;
  std::size_t failed = 0;
  bool interrupted = false;
  RunTiming timing;
  RecentWorkloads recent = {};  ///< what was executed last
  /// Of each of the request's pairs how many times as long the second one takes, measured in turn;
  /// nothing where nothing was timed, one failed, or the run was stopped before.
  std::vector<std::optional<PairedComparison>> pairs = {};

  /// Of another run, or of another device of this one.
  RunSummary& operator+=(const RunSummary& other);
};

/// Measures every configuration of a space that the store does not have yet, in the order that the
/// provenance's seed gives, and records each point before the next begins. In between the first of
/// them is measured again now and then, which shows drift. Then measures the best ones again, or
/// the request's pairs, in turn, and reads the hardware's counters. A sweep that is tuned has its
/// groups searched instead
/// (`tune_groups`). Ends early, after the point under way, once `stop` is set. Throws StoreError,
/// DeviceError and LibraryError; what was recorded stays.
RunSummary run_sweep(const RunRequest& request, Measurer& measurer, Store& store,
                     RunObserver& observer, const std::atomic<bool>& stop);

}  // namespace sweep
