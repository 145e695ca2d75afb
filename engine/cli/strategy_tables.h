#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/cli/terminal.h"
#include "engine/search/comparison.h"

namespace sweep {

/// How strategies stand on one recording.
struct StrategyComparison {
  std::string file;
  std::string about;     ///< what the recording is, in a line
  std::size_t most = 0;  ///< rows that a strategy could try
  std::size_t seeds = 0;
  std::vector<double> shares;
  std::vector<Standing> standings;  ///< for each strategy each share; "random" is among them
};

/// The strategy's median over that of random search; a share not reached counts as one row more
/// than could be tried.
double ratio_to_random(const StrategyComparison& comparison, const Standing& standing);

// A table and a bar chart for each comparison, and where there are several a table of the geometric
// means of their ratios.

/// For a terminal; `width` is its columns.
std::string write_strategies_terminal(std::span<const StrategyComparison> comparisons,
                                      std::size_t width, bool color);
std::string write_strategies_markdown(std::span<const StrategyComparison> comparisons);
/// RFC 4180: file, strategy, share, median, ninetieth, ratio, most, seeds.
std::string write_strategies_csv(std::span<const StrategyComparison> comparisons);

}  // namespace sweep
