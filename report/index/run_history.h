#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/run_comparison.h"

namespace sweep {

/// How a run compares with the one that it is held against.
enum class Course {
  first,       ///< there is none before it
  unfinished,  ///< left out, since it lacks configurations, as a shard does
  apart,       ///< nothing of it can be compared with the run before: a new beginning
  same,        ///< nothing is surely better or worse
  better,      ///< something is, and nothing worse
  worse,       ///< a regression: `has_regression`
};

/// A run in the history of its sweep on its device.
struct HistoryStep {
  std::string label;    ///< "stride.db:3"
  std::string started;  ///< UTC, "2025-01-31T12:00:00Z"
  Course course = Course::first;
  std::optional<std::size_t> against = {};  ///< the place of the run that it was compared with
  std::string verdict = {};                 ///< `describe_verdict`, or why there is no comparison
  /// What changed most: "STRIDE = 8: 4000 to 3000 GB/s, 25 % less; B / A = ...", or what now fails.
  std::string largest = {};
  std::vector<RunDifference> differences = {};  ///< that may be the reason
  bool is_made_good = false;  ///< better, and now as good as before something got worse
  /// How good it is beside the first run: the geometric mean over the configurations that both
  /// have, 2 is twice as fast. Runs that were not compared have none.
  std::optional<Estimate> level = {};
};

/// Where a history has come to: the newest run that finished beside the last one that was as good
/// as any before it.
struct Regression {
  std::size_t since = 0;  ///< the place of the run that got worse
  std::size_t good = 0;   ///< that of the run before it
  HistoryStep step;       ///< the newest run against that one
};

/// The runs of one sweep on one device, one after the other from the oldest on, each compared by
/// `compare_runs` with the last run that was told from the one before it, so that what creeps in
/// over many runs is found as well. Of searches the winners of the groups are compared, whatever
/// their parameters are.
class RunHistory {
 public:
  using OnComparison = std::function<void(const RunComparison&)>;

  /// Adds a run and returns what became of it; `on_change` gets each comparison that found one to
  /// be better or worse.
  const HistoryStep& add(ComparedRun run, const OnComparison& on_change = nullptr);

  const std::vector<HistoryStep>& steps() const { return steps_; }

  /// Nothing unless the newest run is worse than one before it.
  std::optional<Regression> regression(const OnComparison& on_change = nullptr) const;

 private:
  /// What a run is compared by.
  struct Entry {
    std::size_t place = 0;
    ComparedRun run;  ///< of a search the winners alone, as a point for each group
    std::vector<Bindings> winners = {};  ///< their parameters
  };
  /// A regression that no later run has made good.
  struct Open {
    std::size_t since = 0;
    Entry good;
  };
  static Entry entry_of(std::size_t place, ComparedRun run);
  /// Nothing where they have nothing in common; `why` then says so.
  static std::optional<RunComparison> compare(const Entry& before, const Entry& after,
                                              std::string& why);

  std::vector<HistoryStep> steps_;
  std::optional<Entry> reference_;
  std::optional<Entry> newest_;
  std::optional<Open> open_;
};

}  // namespace sweep
