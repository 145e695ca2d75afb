#include "report/markdown_count_agreement.h"

#include <fmt/format.h>

#include <utility>

#include "engine/text/units.h"
#include "report/count_agreement.h"
#include "report/markdown_text.h"
#include "report/metric_column.h"

namespace sweep {
namespace {

std::string write_disagreeing(const std::vector<CountAgreement>& agreements,
                              const std::vector<ParameterValues>& told) {
  constexpr std::size_t most_shown = 10;
  std::size_t all = 0;
  std::string text;
  for (const CountAgreement& agreement : agreements) {
    const std::string& metric = agreement.metric;
    for (const PointRecord* point : agreement.disagreeing) {
      if (++all > most_shown) continue;
      text += fmt::format("- {}: {} is {} by the hardware, {} emulated ({})\n",
                          escape_markdown(describe(environment_of(*point), told)),
                          escape_markdown(metric),
                          format_figure(*figure_of(*point, {metric, Origin::hardware})),
                          format_figure(*figure_of(*point, {metric, Origin::emulated})),
                          describe_difference(*point, metric));
    }
  }
  if (all == 0) return {};
  if (all > most_shown) text += fmt::format("- and {} more\n", format_thousands(all - most_shown));
  return "They disagree at\n\n" + text + '\n';
}

}  // namespace

std::string write_count_agreement(std::span<const PointRecord* const> points,
                                  const std::vector<ParameterValues>& parameters) {
  const std::vector<CountAgreement> agreements = compare_counts(points);
  if (agreements.empty()) return {};
  const std::vector<ParameterValues> told = telling_parameters(parameters);
  std::vector<std::vector<std::string>> rows;
  for (const CountAgreement& agreement : agreements) {
    std::vector<std::string> row = agreement_row(agreement, told);
    for (std::string& text : row) text = escape_markdown(text);
    rows.push_back(std::move(row));
  }
  return "## Hardware and emulated counts\n\n" +
         markdown_table({{"metric", false},
                         {"points agree", true},
                         {"disagree", true},
                         {"largest difference", true},
                         {"at", false},
                         {"agreement means", false}},
                        rows) +
         '\n' + write_disagreeing(agreements, told);
}

}  // namespace sweep
