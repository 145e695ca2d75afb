#include "engine/cli/commands/strategy_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/display_text.h"
#include "report/document.h"
#include "report/run_report.h"

namespace sweep {
namespace {

double largest_of(std::span<const ChartBar> bars) {
  return bars.empty() ? 1 : std::ranges::max_element(bars, {}, &ChartBar::upper)->upper;
}

std::string percent(double share) {
  return fmt::format("{:g} %", share * 100);
}

std::string count_text(std::size_t count, std::size_t most) {
  return count > most ? fmt::format("> {}", most) : std::to_string(count);
}

double at_least_one(std::size_t count) {
  return static_cast<double>(std::max<std::size_t>(count, 1));
}

/// A row for each strategy, whose figures `add_cells` puts together of its standings, one for each
/// share.
template <typename AddCells>
DocumentTable table_with(const StrategyComparison& comparison,
                         std::span<const std::string> more_headings, AddCells add_cells) {
  DocumentTable table = {{"strategy"}, {}};
  for (const double share : comparison.shares) {
    table.columns.push_back(figure_column(percent(share)));
    for (const std::string& heading : more_headings) {
      table.columns.push_back(figure_column(heading));
    }
  }
  for (std::size_t i = 0; i < comparison.standings.size(); ++i) {
    if (i % comparison.shares.size() == 0) {
      table.rows.push_back({comparison.standings[i].strategy});
    }
    add_cells(i, table.rows.back());
  }
  return table;
}

DocumentTable table_of(const StrategyComparison& comparison) {
  const std::vector<std::string> headings = {"90th", "/ random"};
  return table_with(comparison, headings, [&](std::size_t i, std::vector<std::string>& row) {
    const Standing& standing = comparison.standings[i];
    row.push_back(count_text(standing.median, comparison.most));
    row.push_back(count_text(standing.ninetieth, comparison.most));
    row.push_back(fmt::format("{:.2f}", ratio_to_random(comparison, standing)));
  });
}

/// How far the strategies' ratios to random go on all recordings together.
DocumentTable mean_table(std::span<const StrategyComparison> all) {
  // Some may have standings with predictions, after the others.
  StrategyComparison shared = all.front();
  for (const StrategyComparison& comparison : all) {
    shared.standings.resize(std::min(shared.standings.size(), comparison.standings.size()));
  }
  return table_with(shared, {}, [&](std::size_t i, std::vector<std::string>& row) {
    double logarithms = 0;
    for (const StrategyComparison& comparison : all) {
      logarithms += std::log(ratio_to_random(comparison, comparison.standings[i]));
    }
    row.push_back(fmt::format("{:.2f}", std::exp(logarithms / static_cast<double>(all.size()))));
  });
}

std::string explanation_of(const StrategyComparison& comparison) {
  std::vector<std::string> shares;
  std::ranges::transform(comparison.shares, std::back_inserter(shares), percent);
  return fmt::format(
      "Configurations tried until one reaches {} of the best: the median and the 90th percentile "
      "over {} seed{}, and the median over that of random.",
      in_words(shares, "or"), comparison.seeds, comparison.seeds == 1 ? "" : "s");
}

std::string mean_caption(std::size_t recordings) {
  return fmt::format(
      "All {} recordings: the geometric mean of the medians over those of random; below 1 is fewer "
      "configurations than random needs.",
      recordings);
}

/// For each share of the best a caption, and a bar chart in lines.
std::vector<std::pair<std::string, std::string>> charts_for(const StrategyComparison& comparison,
                                                            std::size_t width) {
  std::vector<std::pair<std::string, std::string>> charts;
  for (const double share : comparison.shares) {
    std::vector<ChartBar> bars;
    for (const Standing& standing : comparison.standings) {
      if (standing.share != share) continue;
      bars.push_back({standing.strategy, at_least_one(standing.median),
                      at_least_one(standing.ninetieth),
                      count_text(standing.median, comparison.most)});
    }
    charts.emplace_back(fmt::format("To {} of the best: median, shaded to the 90th percentile{}",
                                    percent(share), is_logarithmic(bars) ? "; logarithmic" : ""),
                        fmt::format("{}\n", fmt::join(draw_bars(bars, width), "\n")));
  }
  return charts;
}

std::string terminal_lines(const std::string& text, std::size_t width) {
  return fmt::format("{}\n", fmt::join(wrap(printable(text), width), "\n"));
}

std::string terminal_text(const DocumentTable& table, bool color) {
  std::vector<std::vector<std::string>> lines = {{}};
  for (const ReportColumn& column : table.columns) lines.front().push_back(column.heading);
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::size_t width = 0;
      for (const auto& other : lines) width = std::max(width, columns_of(other[i]));
      line += i == 0 ? pad_right(cells[i], width) : "  " + pad_left(cells[i], width);
    }
    text += painted(line, text.empty() ? bold : std::string_view(), color) + '\n';
  }
  return text;
}

/// The scores by evaluations, or by the time of those recordings that have one.
DocumentTable score_table(std::span<const StrategyScores> all, bool by_time) {
  DocumentTable table = {{"recording", figure_column("budget")}, {}};
  std::vector<double> sums(all.front().scores.size(), 0);
  for (const Score& score : all.front().scores) {
    table.columns.push_back(figure_column(score.strategy));
  }
  for (const StrategyScores& one : all) {
    if (by_time && !one.scores.front().by_time) continue;
    table.rows.push_back({one.file, std::to_string(one.budget)});
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Score& score = one.scores[i];
      const double figure = by_time ? *score.by_time : score.by_evaluations;
      table.rows.back().push_back(fmt::format("{:.3f}", figure));
      sums[i] += figure;
    }
  }
  if (const std::size_t rows = table.rows.size(); rows > 1) {
    table.rows.push_back({"mean", ""});
    for (const double sum : sums) {
      table.rows.back().push_back(fmt::format("{:.3f}", sum / static_cast<double>(rows)));
    }
  }
  return table;
}

/// A caption for each table of scores.
std::vector<std::pair<std::string, DocumentTable>> score_tables(
    std::span<const StrategyScores> all) {
  std::vector<std::pair<std::string, DocumentTable>> tables;
  const std::size_t seeds = all.front().seeds;
  tables.emplace_back(
      fmt::format("P scores by evaluations, the mean over {} seed{}: 1 is the best at once, 0 what "
                  "random search is expected to find; the budget is in configurations tried.",
                  seeds, seeds == 1 ? "" : "s"),
      score_table(all, false));
  DocumentTable by_time = score_table(all, true);
  if (by_time.rows.empty()) return tables;
  tables.emplace_back("P scores by the recorded time of compiling, verifying and measuring.",
                      std::move(by_time));
  return tables;
}

}  // namespace

bool is_logarithmic(std::span<const ChartBar> bars) {
  constexpr double spread = 20;
  const double largest = largest_of(bars);
  return std::ranges::any_of(bars,
                             [&](const ChartBar& bar) { return largest > spread * bar.value; });
}

std::vector<std::string> draw_bars(std::span<const ChartBar> bars, std::size_t width) {
  constexpr std::size_t gap = 2;
  constexpr std::size_t shortest = 8;
  constexpr std::size_t longest = 60;
  std::size_t names = 0;
  std::size_t labels = 0;
  for (const ChartBar& bar : bars) {
    names = std::max(names, columns_of(bar.name));
    labels = std::max(labels, columns_of(bar.label));
  }
  const std::size_t taken = names + labels + 2 * gap;
  const std::size_t room = std::clamp(width > taken ? width - taken : 0, shortest, longest);
  const double largest = largest_of(bars);
  const bool logarithmic = is_logarithmic(bars);
  // How many columns a value's bar takes, one at least.
  const auto columns = [&](double value) {
    const double share = logarithmic ? std::log(value) / std::log(largest) : value / largest;
    const auto rounded = static_cast<std::size_t>(std::lround(share * static_cast<double>(room)));
    return std::clamp<std::size_t>(rounded, 1, room);
  };
  std::vector<std::string> lines;
  for (const ChartBar& bar : bars) {
    std::string line = pad_right(bar.name, names) + std::string(gap, ' ');
    for (std::size_t i = 0; i < columns(bar.upper); ++i) {
      line += i < columns(bar.value) ? "\u2588" : "\u2591";
    }
    lines.push_back(line + std::string(gap, ' ') + bar.label);
  }
  return lines;
}

double ratio_to_random(const StrategyComparison& comparison, const Standing& standing) {
  double base = 1;
  for (const Standing& other : comparison.standings) {
    if (other.strategy == "random" && other.share == standing.share) {
      base = at_least_one(other.median);
    }
  }
  return at_least_one(standing.median) / base;
}

std::string write_strategies_terminal(std::span<const StrategyComparison> comparisons,
                                      std::size_t width, bool color) {
  std::string text;
  for (const StrategyComparison& comparison : comparisons) {
    if (!text.empty()) text += '\n';
    text += painted(printable(comparison.file), bold, color) + '\n';
    text += terminal_lines(comparison.about, width);
    text += terminal_lines(explanation_of(comparison), width) + '\n';
    text += terminal_text(table_of(comparison), color);
    for (const auto& [caption, lines] : charts_for(comparison, width)) {
      text += '\n' + terminal_lines(caption, width) + lines;
    }
  }
  if (comparisons.size() > 1) {
    text += '\n' + terminal_lines(mean_caption(comparisons.size()), width) + '\n';
    text += terminal_text(mean_table(comparisons), color);
  }
  return text;
}

std::string write_strategies_markdown(std::span<const StrategyComparison> comparisons) {
  constexpr std::size_t width = 80;
  std::string text = "# Search strategies\n";
  for (const StrategyComparison& comparison : comparisons) {
    const DocumentTable table = table_of(comparison);
    text += fmt::format("\n## {}\n\n{}\n\n{}\n\n{}", escape_markdown(comparison.file),
                        escape_markdown(comparison.about), explanation_of(comparison),
                        markdown_table(table.columns, table.rows));
    for (const auto& [caption, lines] : charts_for(comparison, width)) {
      text += fmt::format("\n{}:\n\n{}", caption, markdown_code(lines, "text"));
    }
  }
  if (comparisons.size() > 1) {
    const DocumentTable table = mean_table(comparisons);
    text += fmt::format("\n## All recordings\n\n{}\n\n{}", mean_caption(comparisons.size()),
                        markdown_table(table.columns, table.rows));
  }
  return text;
}

std::string write_strategies_csv(std::span<const StrategyComparison> comparisons) {
  std::string text = "file,strategy,share,median,ninetieth,ratio,most,seeds\r\n";
  for (const StrategyComparison& comparison : comparisons) {
    for (const Standing& standing : comparison.standings) {
      text += fmt::format("{},{},{},{},{},{},{},{}\r\n", csv_text(comparison.file),
                          standing.strategy, standing.share, standing.median, standing.ninetieth,
                          ratio_to_random(comparison, standing), comparison.most, comparison.seeds);
    }
  }
  return text;
}

std::string write_scores_terminal(std::span<const StrategyScores> all, std::size_t width,
                                  bool color) {
  std::string text;
  for (const StrategyScores& one : all) {
    text += painted(printable(one.file), bold, color) + '\n' + terminal_lines(one.about, width);
  }
  for (const auto& [caption, table] : score_tables(all)) {
    text += '\n' + terminal_lines(caption, width) + '\n' + terminal_text(table, color);
  }
  return text;
}

std::string write_scores_markdown(std::span<const StrategyScores> all) {
  std::string text = "# Search strategies\n\n";
  for (const StrategyScores& one : all) {
    text += fmt::format("- {}: {}\n", escape_markdown(one.file), escape_markdown(one.about));
  }
  for (auto& [caption, table] : score_tables(all)) {
    text += fmt::format("\n{}\n\n{}", caption, markdown_table(table.columns, table.rows));
  }
  return text;
}

std::string write_scores_csv(std::span<const StrategyScores> all) {
  std::string text = "file,strategy,score,score_by_time,budget,seeds\r\n";
  for (const StrategyScores& one : all) {
    for (const Score& score : one.scores) {
      text += fmt::format(
          "{},{},{},{},{},{}\r\n", csv_text(one.file), score.strategy, score.by_evaluations,
          score.by_time ? fmt::to_string(*score.by_time) : std::string(), one.budget, one.seeds);
    }
  }
  return text;
}

}  // namespace sweep
