#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/search/comparison.h"

namespace sweep {

/// A bar: solid to `value`, shaded to `upper`.
struct ChartBar {
  std::string name;
  double value = 1;  ///< 1 or more
  double upper = 1;  ///< `value` or more
  std::string label;
};

/// Whether bars of these values are drawn over a logarithmic scale: where they differ much.
bool is_logarithmic(std::span<const ChartBar> bars);

/// A line for each bar: name, bar, label. `width` is the columns that a line may take; with few of
/// them bars become short, not lines longer.
std::vector<std::string> draw_bars(std::span<const ChartBar> bars, std::size_t width);

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

/// The P scores of strategies on one recording.
struct StrategyScores {
  std::string file;
  std::string about;       ///< what the recording is, in a line
  std::size_t budget = 0;  ///< evaluations
  std::size_t seeds = 0;
  std::vector<Score> scores;  ///< of the same strategies for each recording
};

// A table of the scores by evaluations, and one by the time where a recording has times: a row for
// each recording, and where there are several one for their means.

/// For a terminal; `width` is its columns.
std::string write_scores_terminal(std::span<const StrategyScores> all, std::size_t width,
                                  bool color);
std::string write_scores_markdown(std::span<const StrategyScores> all);
/// RFC 4180: file, strategy, score, score_by_time, budget, seeds; no time is an empty field.
std::string write_scores_csv(std::span<const StrategyScores> all);

}  // namespace sweep
