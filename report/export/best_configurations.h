#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_analysis.h"

namespace sweep {

/// The best of one group of a run's configurations, and how well that is known: what a search
/// found, or the same of a pattern's verdict. Of a run without a search `group` names the pattern,
/// and the configurations are those that were tried.
struct BestConfiguration : TunedGroup {
  std::size_t place = 0;  ///< in the run's points
  MetricColumn column = {};
};

/// A run with the best configuration of each of its groups.
struct ExportedRun {
  RunResults results;
  std::vector<BestConfiguration> best = {};
  std::vector<std::string> without_best = {};  ///< a sentence for each group that has none
  /// Parameters whose values are the emulator's own: what the sweep states for it, the figures of
  /// the device that it stands for, and what follows from these.
  std::vector<std::string> emulators_own = {};

  /// Whether the emulator's counts say what is best.
  bool is_ranked_by_counts() const;
};

/// What a tuning run found for each group of its `for_each`, or the best that the verdict finds for
/// each pattern of another run: see Verdicts. A point without a figure is never the best.
ExportedRun find_best(RunResults results);

/// The configuration's point.
const PointRecord& point_of(const ExportedRun& run, const BestConfiguration& best);

/// For each device of these runs, which come oldest first, the newest run that is finished, or the
/// newest of all where none is. What a run was merged from is left out.
std::vector<RunRecord> newest_runs(const std::vector<RunRecord>& runs);

// What an exported file says in comments about where its values come from.

/// The text as lines that each begin with `mark` ("//" or "#"), broken at `width` columns or not at
/// all when that is 0. Nothing in the text can end the comment: line breaks and other control
/// characters become blanks, those that turn the direction of writing '?', and a line never ends in
/// what joins it to the next one.
std::string comment_lines(std::string_view mark, std::string_view text, std::size_t width = 0);

/// "The best configurations", or of runs that the emulator's counts rank what they are.
std::string title_of(std::span<const ExportedRun> runs);

/// That nothing was measured, where that is so; then the device, driver, compiler, engine,
/// measuring rules, date, metric and command of a run; each is a line of its own.
std::vector<std::string> describe_origin(const ExportedRun& run);

/// How good it is and how it was found: "4263 GB/s (95 % interval 4257 to 4266, compared in 12
/// rounds), 1.12 times as good as the default (1.10 to 1.13); 200 of 1,200 configurations tried".
std::string describe_best(const ExportedRun& run, const BestConfiguration& best);

/// The text as a C++ identifier that is no keyword, no CUDA type and not reserved: every other
/// character, and every run of '_', becomes one '_'; "NVIDIA H200" -> "NVIDIA_H200".
std::string cxx_identifier(std::string_view text);

/// The best configurations as a C++17 header: a namespace for the sweep, in it one for each run's
/// device, in that a struct for each group with its parameters as `static constexpr` values and
/// `using` types, and the figure they reach in its metric's unit:
///
///   best_streams::nvidia_h200::copy_T_float4::BLOCK
///
/// Integers are `int` where they fit, else `long long`, as in the patterns. Needs <cstdint> and,
/// for vector types and half types, CUDA's headers of these; NVRTC needs the latter only. Comments
/// say where the values come from.
std::string write_header(std::span<const ExportedRun> runs);

/// For each pattern the parameters whose values a sweep has to give, since its defaults do not. Of
/// a pattern that is not in it all are given.
using GivenParameters = std::map<std::string, std::vector<std::string>>;

/// A sweep file that measures exactly the best configurations of all these runs, by the newest
/// run's rules: what all have in common as axes of one value, the rest as rows of one `zip:`, and
/// where a row would suit a pattern whose best it is not, a condition under `where:`. Comments say
/// where the values come from.
///
/// Patterns that give one name to different things (an integer and a type) do not fit one file: the
/// sweep's parser refuses what is written then.
std::string write_best_sweep(std::span<const ExportedRun> runs, const GivenParameters& given);

}  // namespace sweep
