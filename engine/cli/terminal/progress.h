#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/cli/terminal/terminal.h"
#include "engine/run/measurer.h"
#include "engine/run/runner.h"
#include "engine/spec/sweep.h"
#include "engine/store/record.h"

namespace sweep {

/// Follows which point is the best so far: of a search's groups, of that of the newest point.
class BestSoFar {
 public:
  /// `telling`: the names to show of a point; `for_each`: those that groups differ in.
  BestSoFar(std::vector<TuneObjective> by, std::vector<std::string> telling,
            std::vector<std::string> for_each)
      : by_(std::move(by)), telling_(std::move(telling)), for_each_(std::move(for_each)) {}
  /// Compares by the objectives of a search; without one by the first that there is of the
  /// bandwidths, the time, what the tables show, and the counts that tell access patterns apart.
  /// Shows of a point what the sweep varies.
  explicit BestSoFar(const Sweep& sweep);

  /// Points that failed or were cut off, or that lack the metric, are none. The first point that
  /// has one of the metrics decides which it is.
  void add(const PointRecord& point);

  /// "best 2738 GB/s: STRIDE=1 T=float", "best of T=float 4.000 load_sectors_per_request:
  /// STRIDE=1"; empty while there is none. Without names only what stands before the colon.
  std::string describe(bool with_names = true) const;

 private:
  struct Best {
    Bindings group;
    double figure = 0;
    std::string parameters;  ///< that tell the point from others of the group
  };

  std::vector<TuneObjective> by_;  ///< once a point has one of them, that alone
  std::vector<std::string> telling_;
  std::vector<std::string> for_each_;
  std::vector<Best> bests_;  ///< one for each group
  std::size_t newest_ = 0;   ///< the group of the newest point
};

/// How fast a run gets on, and how long the rest takes. Recent points count more than old ones, by
/// an exponential weight whose time grows with the run, so that the estimate follows a change
/// without jumping. The time to the first point, in which compilers and devices start, is left out.
class Pace {
 public:
  /// Another point is done at this time, in seconds.
  void add(double now);

  /// Points a second; nothing before the second point.
  std::optional<double> rate() const;
  /// Seconds until so many more points are done, seen from `now`; nothing before the second point.
  std::optional<double> seconds_left(std::size_t points, double now) const;

 private:
  std::optional<double> first_;
  double last_ = 0;
  double points_ = 0;   ///< weighted, those after the first
  double seconds_ = 0;  ///< that they took, weighted alike
};

/// "about 3 min 20 s left", rounded so that it does not flicker; "a moment left" below a second.
std::string describe_left(double seconds);

/// What `Progress` works with.
struct ProgressSettings {
  std::function<Terminal()> terminal;  ///< asked each time, since its width may change
  Clock clock;
  BestSoFar best;
  const std::atomic<bool>* stop = nullptr;  ///< once set, a live line says what happens, and goes
  bool is_quiet = false;                    ///< only failed points and the compiler's warnings
};

/// Shows how a run goes on, on stderr: in a live terminal one line written over, elsewhere a plain
/// line now and then. It has the points that are done of those to do (of a search those it may
/// try), when the rest will be done, how many failed, what each of several GPUs has done and is at,
/// the best so far, and the points a second; in a narrow terminal less, the last first. Failed
/// points, warnings and notes get lines of their own. What cannot be written is lost, and the run
/// goes on.
///
/// `tick` may be called from another thread.
class Progress : public RunObserver {
 public:
  explicit Progress(ProgressSettings settings) : settings_(std::move(settings)) {}

  void on_start(std::size_t points, std::size_t reused) override;
  void on_reuse(const PointRecord& point) override;
  void on_compiler_wait(bool waits) override;
  void on_device(const Device& device, std::size_t points, const std::string& state) override;
  void on_point(const Configuration& configuration, const PointRecord& point) override;
  void on_warning(const Diagnostic& warning) override;
  void on_note(const std::string& note) override;
  void on_stage(const std::string& stage) override;
  /// Brings the live line up to date: the time left, the terminal's width, a stop.
  void tick();
  /// Takes the live line away for good.
  void finish();

 private:
  /// The parts of the line by how soon they are left out where not all fit: the last first.
  enum class PartKind { count, stage, time_left, failures, devices, best, rate };

  struct Part {
    std::string text;
    PartKind kind = PartKind::count;
  };

  void print_line(const std::string& text);
  void draw();
  void show_failure(const Configuration& configuration, const PointRecord& point);
  void show_repeated_failures();
  std::vector<Part> parts(double now) const;
  std::string line_text(const Terminal& terminal, double now) const;

  ProgressSettings settings_;
  std::mutex mutex_;
  LiveLine line_;
  Pace pace_;
  std::map<int, std::string> devices_;  ///< of several: "GPU 1 96", "GPU 2 94 is out"
  std::string stage_;                   ///< what the run is at beside its points; empty: at those
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t announced_reused_ = 0;
  std::size_t failed_ = 0;
  /// Points that failed by one mistake, which was shown with the first of them.
  struct Failures {
    std::string message;  ///< its first line
    std::vector<std::string> first;
    std::size_t points = 0;
  };
  std::map<std::string, std::size_t> mistakes_;  ///< places in what follows
  std::vector<Failures> failures_;
  double last_shown_ = 0;
  bool has_started_ = false;
  bool is_over_ = false;
};

/// Shows on stderr how far a long job is that prints nothing else meanwhile: in a live terminal in
/// one line, which goes with this, elsewhere in a line every ten seconds; also while nothing gets
/// done.
class StepProgress {
 public:
  /// `job` names it: "compiling copy.yaml". A quiet one shows nothing.
  StepProgress(std::string job, std::size_t steps, bool is_quiet);

  /// Another step is done.
  void step();

 private:
  void tick();

  const std::string job_;
  const std::size_t steps_;
  const Clock clock_;
  const double begin_;
  std::mutex mutex_;  ///< over what follows
  std::size_t done_ = 0;
  Pace pace_;
  PassingLine line_;
  double last_shown_;
  std::jthread ticker_;  ///< begins last, ends first
};

}  // namespace sweep
