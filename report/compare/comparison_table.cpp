#include <algorithm>
#include <array>
#include <cmath>

#include "report/compare/comparison_report.h"
#include "report/compare/comparison_words.h"

namespace sweep {
namespace {

const MetricChange& change_at(const RunComparison& comparison, const ComparisonRow& row) {
  return comparison.configurations[row.configuration].changes[row.metric];
}

int rank_of(Change change) {
  constexpr std::array order = {Change::worse,   Change::better,  Change::changed,
                                Change::missing, Change::unclear, Change::same};
  return static_cast<int>(std::ranges::find(order, change) - order.begin());
}

Cell cell_of(const std::optional<ComparedFigure>& figure) {
  if (!figure) return {};
  return {Cell::Kind::figure, figure->value, 0};
}

Cell cell_of(double figure) {
  if (!std::isfinite(figure)) return {};
  return {Cell::Kind::figure, figure, 0};
}

bool has_width(const RunComparison& comparison, const std::vector<ComparisonRow>& rows) {
  return std::ranges::any_of(rows, [&](const ComparisonRow& row) {
    const auto& interval = change_at(comparison, row).ratio.interval;
    return interval && interval->low < interval->high;
  });
}

}  // namespace

std::vector<ComparisonRow> all_rows(const RunComparison& comparison) {
  std::vector<ComparisonRow> rows;
  for (std::size_t i = 0; i < comparison.configurations.size(); ++i) {
    const std::size_t metrics = comparison.configurations[i].changes.size();
    for (std::size_t metric = 0; metric < metrics; ++metric) rows.push_back({i, metric});
  }
  return rows;
}

std::vector<ComparisonRow> changed_rows(const RunComparison& comparison) {
  std::vector<ComparisonRow> rows = all_rows(comparison);
  std::erase_if(rows, [&](const ComparisonRow& row) {
    return change_at(comparison, row).change == Change::same;
  });
  const auto cost = [&](const ComparisonRow& row) {
    return cost_of(change_at(comparison, row), comparison.metrics[row.metric]).value;
  };
  std::ranges::stable_sort(rows, [&](const ComparisonRow& a, const ComparisonRow& b) {
    const int left = rank_of(change_at(comparison, a).change);
    const int right = rank_of(change_at(comparison, b).change);
    if (left != right) return left < right;
    return change_at(comparison, a).change == Change::better ? cost(a) < cost(b)
                                                             : cost(a) > cost(b);
  });
  return rows;
}

TableModel comparison_table(const RunComparison& comparison,
                            const std::vector<ComparisonRow>& rows) {
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  const bool several = comparison.metrics.size() > 1;
  const bool intervals = has_width(comparison, rows);
  TableModel table;
  for (const ParameterValues& parameter : parameters) {
    table.key_columns.push_back({parameter.name, parameter.is_numeric()});
  }
  if (several) table.key_columns.push_back({"metric", false});
  table.headings = {{"A"}, {"B"}, {"B / A"}};
  if (intervals) table.headings.insert(table.headings.end(), {{"from"}, {"to"}});
  table.remark_heading = "B against A";
  for (const ComparisonRow& row : rows) {
    const ConfigurationComparison& configuration = comparison.configurations[row.configuration];
    const MetricChange& change = change_at(comparison, row);
    TableModel::Row line;
    for (const ParameterValues& parameter : parameters) {
      const Value* value = configuration.parameters.find(parameter.name);
      if (parameter.name == "pattern") {
        line.keys.push_back(configuration.pattern);
      } else {
        line.keys.push_back(value != nullptr ? parameter.show(*value) : std::string());
      }
    }
    if (several) line.keys.push_back(comparison.metrics[row.metric].after.name);
    const bool has_both = change.change != Change::missing;
    line.cells = {cell_of(change.before), cell_of(change.after),
                  has_both ? cell_of(change.ratio.value) : Cell()};
    if (intervals) {
      const auto& interval = change.ratio.interval;
      line.cells.push_back(has_both && interval ? cell_of(interval->low) : Cell());
      line.cells.push_back(has_both && interval ? cell_of(interval->high) : Cell());
    }
    line.remark = describe_change(change, comparison.metrics[row.metric]);
    line.is_alarming = change.change == Change::worse;
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace sweep
