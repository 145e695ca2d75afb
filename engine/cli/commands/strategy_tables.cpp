#include "engine/cli/commands/strategy_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/display_text.h"
#include "report/document.h"
#include "report/run_report.h"

namespace sweep {
namespace {

constexpr std::string_view solid = "\u2588";
constexpr std::string_view shaded = "\u2591";

double largest_of(std::span<const ChartBar> bars) {
  double largest = 1;
  for (const ChartBar& bar : bars) largest = std::max(largest, bar.upper);
  return largest;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

/// How many columns a value's bar takes, one at least.
std::size_t columns(double value, double largest, std::size_t width, bool logarithmic) {
  const double share = logarithmic ? std::log(value) / std::log(largest) : value / largest;
  const auto rounded = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
  return std::clamp<std::size_t>(rounded, 1, width);
}

}  // namespace

bool is_logarithmic(std::span<const ChartBar> bars) {
  constexpr double spread = 20;
  double smallest = largest_of(bars);
  for (const ChartBar& bar : bars) smallest = std::min(smallest, bar.value);
  return largest_of(bars) > spread * smallest;
}

std::vector<std::string> draw_bars(std::span<const ChartBar> bars, std::size_t width) {
  constexpr std::size_t gap = 2;
  constexpr std::size_t shortest = 8;
  constexpr std::size_t longest = 60;
  std::size_t names = 0;
  std::size_t labels = 0;
  for (const ChartBar& bar : bars) {
    names = std::max(names, display_width(bar.name));
    labels = std::max(labels, display_width(bar.label));
  }
  const std::size_t taken = names + labels + 2 * gap;
  const std::size_t room = std::clamp(width > taken ? width - taken : 0, shortest, longest);
  const double largest = largest_of(bars);
  const bool logarithmic = is_logarithmic(bars);
  std::vector<std::string> lines;
  for (const ChartBar& bar : bars) {
    const std::size_t value = columns(bar.value, largest, room, logarithmic);
    const std::size_t upper = columns(bar.upper, largest, room, logarithmic);
    std::string line = pad_right(bar.name, names) + std::string(gap, ' ');
    line += repeated(solid, value) + repeated(shaded, upper - value);
    line += std::string(gap, ' ') + bar.label;
    lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

struct TextTable {
  std::vector<std::string> headings;  ///< the first column is names, the others are figures
  std::vector<std::vector<std::string>> rows;
};

std::string percent(double share) {
  return fmt::format("{:g} %", share * 100);
}

std::string count_text(std::size_t count, std::size_t most) {
  return count > most ? fmt::format("> {}", most) : std::to_string(count);
}

std::string ratio_text(double ratio) {
  return fmt::format("{:.2f}", ratio);
}

std::vector<std::string> strategies_of(const StrategyComparison& comparison) {
  std::vector<std::string> names;
  for (const Standing& standing : comparison.standings) {
    if (std::ranges::find(names, standing.strategy) == names.end()) {
      names.push_back(standing.strategy);
    }
  }
  return names;
}

const Standing* find_standing(const StrategyComparison& comparison, const std::string& name,
                              double share) {
  const auto found = std::ranges::find_if(comparison.standings, [&](const Standing& standing) {
    return standing.strategy == name && standing.share == share;
  });
  return found != comparison.standings.end() ? &*found : nullptr;
}

TextTable table_of(const StrategyComparison& comparison) {
  TextTable table{{"strategy"}, {}};
  for (const double share : comparison.shares) {
    table.headings.push_back(percent(share));
    table.headings.emplace_back("90th");
    table.headings.emplace_back("/ random");
  }
  for (const std::string& name : strategies_of(comparison)) {
    std::vector<std::string> row = {name};
    for (const double share : comparison.shares) {
      const Standing& standing = *find_standing(comparison, name, share);
      row.push_back(count_text(standing.median, comparison.most));
      row.push_back(count_text(standing.ninetieth, comparison.most));
      row.push_back(ratio_text(ratio_to_random(comparison, standing)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string explanation(const StrategyComparison& comparison) {
  std::vector<std::string> shares;
  for (const double share : comparison.shares) shares.push_back(percent(share));
  return fmt::format(
      "Configurations tried until one reaches {} of the best: the median and the 90th percentile "
      "over {} seed{}, and the median over that of random.",
      in_words(shares, "or"), comparison.seeds, comparison.seeds == 1 ? "" : "s");
}

/// How far the strategies' ratios to random go on all recordings together.
TextTable mean_table(std::span<const StrategyComparison> comparisons) {
  const StrategyComparison& first = comparisons.front();
  TextTable table{{"strategy"}, {}};
  for (const double share : first.shares) table.headings.push_back(percent(share));
  for (const std::string& name : strategies_of(first)) {
    std::vector<std::string> row = {name};
    for (const double share : first.shares) {
      double logarithms = 0;
      for (const StrategyComparison& comparison : comparisons) {
        const Standing* standing = find_standing(comparison, name, share);
        if (standing != nullptr) logarithms += std::log(ratio_to_random(comparison, *standing));
      }
      row.push_back(ratio_text(std::exp(logarithms / static_cast<double>(comparisons.size()))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string mean_caption(std::size_t recordings) {
  return fmt::format(
      "All {} recordings: the geometric mean of the medians over those of random; below 1 is fewer "
      "configurations than random needs.",
      recordings);
}

struct Chart {
  std::string caption;
  std::vector<std::string> lines;
};

Chart chart_of(const StrategyComparison& comparison, double share, std::size_t width) {
  std::vector<ChartBar> bars;
  for (const std::string& name : strategies_of(comparison)) {
    const Standing& standing = *find_standing(comparison, name, share);
    bars.push_back({name, static_cast<double>(std::max<std::size_t>(standing.median, 1)),
                    static_cast<double>(std::max<std::size_t>(standing.ninetieth, 1)),
                    count_text(standing.median, comparison.most)});
  }
  return {fmt::format("To {} of the best: median, shaded to the 90th percentile{}", percent(share),
                      is_logarithmic(bars) ? "; logarithmic" : ""),
          draw_bars(bars, width)};
}

std::string terminal_lines(const std::string& text, std::size_t width) {
  std::string result;
  for (const std::string& line : wrap(printable(text), width)) result += line + '\n';
  return result;
}

std::string terminal_text(const TextTable& table, bool color) {
  constexpr std::string_view gap = "  ";
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    widths.push_back(display_width(table.headings[i]));
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  const auto line_of = [&](const std::vector<std::string>& cells) {
    std::string line = pad_right(cells[0], widths[0]);
    for (std::size_t i = 1; i < cells.size(); ++i) {
      line += gap;
      line += pad_left(cells[i], widths[i]);
    }
    return line;
  };
  std::string text = painted(line_of(table.headings), bold, color) + '\n';
  for (const auto& row : table.rows) text += line_of(row) + '\n';
  return text;
}

std::string markdown_text(const TextTable& table) {
  std::vector<ReportColumn> columns;
  for (const std::string& heading : table.headings) {
    columns.push_back({heading, !columns.empty()});
  }
  return markdown_table(columns, table.rows);
}

}  // namespace

double ratio_to_random(const StrategyComparison& comparison, const Standing& standing) {
  const Standing* random = find_standing(comparison, "random", standing.share);
  const double base = random != nullptr ? static_cast<double>(random->median) : 1;
  return static_cast<double>(std::max<std::size_t>(standing.median, 1)) / std::max(base, 1.0);
}

std::string write_strategies_terminal(std::span<const StrategyComparison> comparisons,
                                      std::size_t width, bool color) {
  std::string text;
  for (const StrategyComparison& comparison : comparisons) {
    if (!text.empty()) text += '\n';
    text += painted(printable(comparison.file), bold, color) + '\n';
    text += terminal_lines(comparison.about, width);
    text += terminal_lines(explanation(comparison), width) + '\n';
    text += terminal_text(table_of(comparison), color);
    for (const double share : comparison.shares) {
      const Chart chart = chart_of(comparison, share, width);
      text += '\n' + terminal_lines(chart.caption, width);
      for (const std::string& line : chart.lines) text += line + '\n';
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
    text += fmt::format("\n## {}\n\n{}\n\n{}\n\n", escape_markdown(comparison.file),
                        escape_markdown(comparison.about), explanation(comparison));
    text += markdown_text(table_of(comparison));
    for (const double share : comparison.shares) {
      const Chart chart = chart_of(comparison, share, width);
      std::string lines;
      for (const std::string& line : chart.lines) lines += line + '\n';
      text += fmt::format("\n{}:\n\n{}", chart.caption, markdown_code(lines, "text"));
    }
  }
  if (comparisons.size() > 1) {
    text += fmt::format("\n## All recordings\n\n{}\n\n{}", mean_caption(comparisons.size()),
                        markdown_text(mean_table(comparisons)));
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

}  // namespace sweep
