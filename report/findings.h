#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/run_analysis.h"

namespace sweep {

struct RunNote {
  std::string text;
  bool is_concern = false;  ///< it may have changed the figures
};

/// What there is to know about a run beside its points, in sentences: what it noted itself, how far
/// its anchor configuration drifted, why sampling ended early, and how many samples stand apart.
std::vector<RunNote> run_notes(const RunResults& results);

/// Their texts.
std::vector<std::string> describe_run_notes(const RunResults& results);

/// The metric that says how much of a point's result was verified, in %.
constexpr const char* verified_share = "verified_share";

/// Points of whose results only a part was verified.
struct PartlyVerified {
  std::size_t points = 0;
  double least = 1;  ///< share of the elements
};

PartlyVerified partly_verified(std::span<const StoredPoint> points);

/// What was verified of their results, why not all, and the way out; empty where all was.
std::string note_on_verification(std::span<const StoredPoint> points);

/// ", 3 verified in part" after "36 ok, 2 failed"; empty where all was verified.
std::string count_partly_verified(std::span<const StoredPoint> points);

/// The points' notes, each once in the order they first appear, with the number of points it
/// applies to: "36 of 192 points: executed 5 of 4096 blocks", "All 4 points: ...". Notes that
/// differ in their numbers alone are one, with the numbers' ranges: "2 to 7 of 16 samples ...".
/// After twenty of them only the number of the others.
std::vector<std::string> describe_notes(std::span<const StoredPoint> points);

/// A sentence taken apart into its numbers and the words between them: "2 of 16 samples" and "3 of
/// 20 samples" are of one kind. Digits within a name (sm_90, 0x1f, T4) are words.
struct NoteParts {
  std::vector<std::string> words;    ///< one more than there are numbers; some are empty
  std::vector<std::string> numbers;  ///< as written: "1,024", "0.5", "-3"
};

NoteParts take_apart(std::string_view note);

/// Many sentences of one kind as one, whose numbers are ranges where they differ: "2 to 3 of 16 to
/// 20 samples".
struct NoteRange {
  explicit NoteRange(const NoteParts& first) : low(first), high(first) {}

  /// Another one of the same words.
  void add(const NoteParts& note);
  std::string text() const;

  NoteParts low;
  NoteParts high;
};

/// "2025-01-31T12:00:00Z" -> "2025-01-31 12:00:00 UTC"; other texts stay.
std::string readable_time(const std::string& time);

/// What a report says about where a run's figures come from, line by line: "driver" and
/// "580.159.04, CUDA 13.0". What is not known is left out.
DocumentTable provenance_table(const RunRecord& run);

/// "shard 2 of 8: 12 of the sweep's 100 configurations"; empty for a run that is no shard.
std::string describe_shard(const RunRecord& run, std::size_t points);

/// "merged from 8 runs, of 2 hosts and 8 devices"; empty for a run that is not merged.
std::string describe_parts(const RunRecord& run);

/// What a merged run that is not whole lacks: how many configurations are there, which shards are
/// not, and which did not finish.
std::vector<std::string> describe_missing_parts(const RunRecord& run, std::size_t points);

/// Which run each of a merged run's parts is, line by line; without rows for others.
DocumentTable parts_table(const RunRecord& run);

/// A point that does not keep an expectation.
struct BrokenPoint {
  const PointRecord* point = nullptr;
  std::string found;  ///< "shared_conflicts = 31"
};

/// How an expectation fares in a run.
struct ExpectationResult {
  Expectation expectation;
  std::size_t held = 0;
  std::vector<BrokenPoint> broken;
  std::size_t unchecked = 0;         ///< points without a metric or value that it needs
  std::size_t uncounted = 0;         ///< of those, points that the emulator has yet to count
  std::vector<std::string> missing;  ///< the metrics that some of these lack
  bool is_implied = false;           ///< by all others: results are verified whole
  bool is_part = false;              ///< the run need not have all points that the sweep is about

  /// How many points that succeeded are meant by it.
  std::size_t meant() const { return held + broken.size() + unchecked; }
  bool applies() const { return meant() > 0; }
  /// False also when no point could be checked; but a part of the sweep need not have one, and
  /// counts may follow where they alone are missing.
  bool kept() const {
    const bool is_open = held == 0 && uncounted > 0 && uncounted == unchecked;
    return broken.empty() && (held > 0 || is_open || (is_part && !applies()));
  }
};

/// Checks each expectation on each point that succeeded, has the parameters it names, and is meant
/// by its condition. Of a metric's figures the measured one counts before the hardware's and the
/// emulated one. Where a point's result was verified in part and no expectation names
/// verified_share, one more is that it is 100 %, but where the emulator counts
/// for predictions. The points must
/// outlive the results. `is_part`: they are of a space that was narrowed, as by `--set`, or
/// searched.
std::vector<ExpectationResult> check_expectations_on(const std::vector<Expectation>& expectations,
                                                     std::span<const StoredPoint> points,
                                                     bool is_part = false);

/// "shared_conflicts == 0, where BLOCK == 256"
std::string describe(const Expectation& expectation);

/// "holds", "broken by 3 of 36 points", "cannot be checked: no point has load_sectors". Points that
/// could not be checked beside others that could are mentioned.
std::string verdict_of(const ExpectationResult& result);

/// A message at an expectation's place.
struct ExpectationMessage {
  Diagnostic message = {};
  std::string broken = {};  ///< the first ten points that break it, a line each
};

/// What a person has to know: an error for each expectation that is not kept, a warning where some
/// points could not be checked, and a note where a part of the sweep has no point to check. Empty
/// when all is well.
std::vector<ExpectationMessage> expectation_messages(std::span<const ExpectationResult> results,
                                                     std::span<const StoredPoint> points);
/// The same as a compiler would print it.
std::string describe_broken(std::span<const ExpectationResult> results,
                            std::span<const StoredPoint> points, bool color);

/// What a search found in one group, beside the run's points. Places are those in the points.
struct TuningOutcome {
  TunedGroup found;
  std::string label;        ///< "T = float"; empty when all is one group
  std::size_t failed = 0;   ///< of the group's points
  std::size_t cut_off = 0;  ///< the same
  std::optional<std::size_t> winner = {};
  std::vector<std::size_t> same = {};     ///< as the winner, by what was measured
  std::optional<std::size_t> worst = {};  ///< of those that have a figure; not the winner
  std::optional<std::size_t> default_configuration = {};
};

/// One per group of the run's search, in its order; empty for a run that did not search.
std::vector<TuningOutcome> tuning_outcomes(const RunAnalysis& run);

/// What sets a point apart from its group's default, "BLOCK = 256, else the default"; all of its
/// configuration where the default was not tried or has nothing in common with it.
std::string describe_changes(const RunAnalysis& run, std::size_t place,
                             const TuningOutcome& outcome);

/// "T = float, STRIDE = 4"; of a point of a search only what sets it apart from its group's
/// default: "pattern = copy: BLOCK = 256, else the default".
std::string describe_in_short(const RunAnalysis& run, std::size_t place);

/// How much better the winner is than the default, or why that is not known: "the winner has 12.3 %
/// (12.0 to 12.6 %) more bandwidth than the default", "the default is 2.3 times slower (2.3 to 2.4)
/// than the winner", "the winner is no different from the default", "the default is the
/// best", "there is no default configuration: N % BLOCK == 0 does not hold".
std::string describe_gain(const RunResults& results, const TuningOutcome& outcome);

/// The winner's figure as a share of the device's peak, in %; nothing unless it is a measured
/// bandwidth and the peak is known.
std::optional<double> percent_of_peak(const RunResults& results, double figure);

/// What the run found, in short. Of a search a line for it, one that says so where it did not
/// search by what was measured, then for each group one for the winner and one for the default; of
/// more than eight groups there is one line each, and of more than twenty not all. Then a line for
/// each group that no search has won: "best: T = float4, BLOCK = 256: 4301 GB/s; 3 configurations
/// are the same", of several groups "best of copy: BLOCK = 256: ...", in a search's run "best so
/// far of T = float4: BLOCK = 256: ...". Empty without a search and verdicts.
std::vector<std::string> describe_best(const RunAnalysis& run);

/// What the run's search found as a report's section: of each group the winner, those that cannot
/// be told from it, the worst, the default and the gain over it; of more than eight groups a line
/// of one table each.
Document tuning_section(const RunAnalysis& run);

/// What may keep a point from being faster, as far as its figures tell, in predicates: "asks in its
/// loads for 8 times the sectors that the bytes fill: 32 a request, where 4 would do (emulated), of
/// which caches may serve part". The hardware's counts go before the emulated ones. What was timed
/// is not said to wait for what cannot take a large part of its time, nor for anything but memory
/// where the bytes it wants come near the device's peak. Empty when nothing stands out.
std::vector<std::string> describe_waste(const PointRecord& point, const Device& device);

/// The best point and the worst by the count that says most of a run without times.
struct CountRange {
  MetricColumn metric;
  std::size_t best = 0;   ///< places in the run's points
  std::size_t worst = 0;  ///< the same where all have one figure
};

/// By the first metric of the sweep's tables, else by the first of the main ones of which one is
/// better; nothing where no point has it.
std::optional<CountRange> main_count_range(const RunAnalysis& run);

/// What one would tell of a run in a line.
struct Headline {
  std::string label;  ///< "best bandwidth"
  MetricColumn metric;
  std::size_t place = 0;                     ///< of the best point among the run's
  std::optional<double> share_of_peak = {};  ///< in %
  std::optional<std::size_t> worst = {};     ///< the place of the worst point
  std::string worst_label = {};              ///< "slowest"
  std::string distance = {};                 ///< "94 % less than the best: "
};

/// By the verdict, without one by the run's main count; nothing where there is neither.
std::optional<Headline> headline_of(const RunAnalysis& run);

/// What limits the best configuration and the slowest, of each of the first groups of the verdict;
/// without a verdict, as without a GPU, the best and the worst by the run's main count. In whole
/// sentences.
std::vector<std::string> describe_limits(const RunAnalysis& run);

/// What a reader wants to know first: both; beside a ranking without the best that it has.
std::vector<std::string> findings_of(const RunAnalysis& run, bool has_ranking = false);

/// What stands in a table where there is no figure.
constexpr const char* no_figure = "–";
/// "4290–4310"
std::string interval_text(const std::optional<Interval>& interval);

/// The tables that the run's sweep asks for; when it asks for none, one of all points, of
/// which a search's run shows the best and the worst, and so does one with more points than
/// `limits` allows. Where points cannot be ranked the first stand for all of them.
std::vector<TableModel> tables_of(const RunAnalysis& run, TableLimits limits = {});

/// The main metrics that any point has: times, or without them, as without a GPU, counts; without
/// either the first others.
std::vector<MetricColumn> main_columns(std::span<const PointRecord* const> points);

/// A table with one line per point in their order: the parameters that vary, the main metrics,
/// and the verdicts, one per point, if there are any. A metric to show beside the main ones may be
/// given. Of more than `most` points the first are listed, as the caption says.
TableModel list_points(std::span<const StoredPoint> points,
                       std::span<const std::optional<PointVerdict>> verdicts = {},
                       const std::optional<MetricColumn>& also = {},
                       std::size_t most = std::numeric_limits<std::size_t>::max());

/// Leaves of a list of points the rows of the best 20 and the worst 3, by how far they are behind
/// the best of their group, in this order; as it is when it has no more than these. The caption
/// says what is left out.
void keep_best_and_worst(TableModel& table, std::span<const std::optional<PointVerdict>> verdicts);

/// Arranges points as a sweep file's `tables:` ask for it.
///
/// Rows and columns stand in the order in which their parameters' values first appear in the
/// points. Of several points in one cell the best is shown (see better_for), or the range when
/// neither is better; the caption says over which parameters. A point that lacks a parameter of the
/// layout, or for which `where` has no value, is not in the table; but where `pattern` is one of
/// the rows' names, a dash stands for others that a pattern does not have. The hardware's counts
/// have the emulated ones beside them, column by column. When none of the metrics is there, the
/// caption says so and there are no rows, unless every point failed. Of more rows or columns than
/// `limits` allows the first are there, as the caption says, without a mark on the best cells.
TableModel pivot(const TableLayout& layout, std::span<const StoredPoint> points,
                 const std::optional<TuningRecord>& tuning = std::nullopt, TableLimits limits = {});

}  // namespace sweep
