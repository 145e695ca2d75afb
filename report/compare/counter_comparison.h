#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare/run_comparison.h"
#include "report/document.h"

// The counters that a profiler read of kernels, held against what the emulator counted of the same.

namespace sweep {

/// A launch that a profiler counted.
struct ProfiledLaunch {
  std::string number;  ///< the profiler's, for people
  std::string kernel;  ///< its name
  std::string signature;
  std::int64_t blocks = 0;           ///< 0: not known
  std::int64_t threads = 0;          ///< of a block
  std::vector<Metric> metrics = {};  ///< those of the engine's table
};

/// Launches and the points of a run that they are.
struct CounterComparison {
  struct Match {
    std::string launch;
    PointRecord point;  ///< its metrics of the hardware are the profiler's
  };

  std::string file;  ///< of the profiler
  ComparedRun run;
  std::vector<Match> matches = {};
  std::vector<std::string> notes = {};  ///< which launches are of no point, what the file lacks
  std::vector<ParameterValues> told = {};

  std::size_t agreeing = 0;  ///< figures
  std::size_t disagreeing = 0;
};

/// Finds the point of each launch: it has the kernel's name among those that `kernels_of` gives for
/// its pattern, and as many blocks and warps. Of several launches of one signature and size the
/// last counts. Throws ComparisonError where no launch is of one point alone, or no figure is in
/// both.
CounterComparison compare_counters(
    std::span<const ProfiledLaunch> launches, std::string file, ComparedRun run,
    std::span<const Expression> where,
    const std::function<std::vector<std::string>(const PointKey&)>& kernels_of);

/// "agreement: 12 of 12 figures agree", "disagreement: 3 of 12 figures agree"
std::string describe_verdict(const CounterComparison& comparison);

/// The verdict, a table of the figures, and the notes.
Document counter_document(const CounterComparison& comparison);

/// One JSON object:
///
///     schema_version  1
///     agree           whether all figures do: the exit code
///     verdict         the same in words
///     file, run       the profiler's file, and the run in a database
///     figures         [{launch, pattern, parameters, metric, unit, hardware, emulated, difference
///                     (null where it is infinite), agrees}]
///     notes           [text]
std::string write_counters_json(const CounterComparison& comparison);

}  // namespace sweep
