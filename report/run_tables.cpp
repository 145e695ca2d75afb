#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

Cell cell_of(const PointRecord& point, const MetricColumn& column) {
  if (point.status == PointStatus::failed) return {Cell::Kind::failed};
  const auto figure = figure_of(point, column);
  return figure ? Cell{Cell::Kind::figure, *figure, *figure} : Cell{};
}

/// Marks the best cells of a table whose columns show these metrics in turn: of each metric the
/// cells that show its best figure, so that what reads the same is marked alike. Figures of cut-off
/// points are none, nor is anything marked where neither is better or all figures read the same.
void mark_best_cells(TableModel& table, std::span<const Better> metrics) {
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    if (metrics[metric] == Better::neither) continue;
    std::vector<Cell*> cells;
    for (TableModel::Row& row : table.rows) {
      for (std::size_t i = metric; i < row.cells.size(); i += metrics.size()) {
        Cell& cell = row.cells[i];
        const bool is_figure = cell.kind == Cell::Kind::figure && !std::isnan(cell.low);
        if (is_figure && !cell.is_cut_off) cells.push_back(&cell);
      }
    }
    if (cells.empty()) continue;
    const auto [least, most] =
        std::ranges::minmax_element(cells, {}, [](const Cell* cell) { return cell->low; });
    const std::string best =
        format_figure(metrics[metric] == Better::higher ? (*most)->low : (*least)->low);
    const auto reads_as_best = [&](const Cell* cell) { return format_figure(cell->low) == best; };
    if (std::ranges::all_of(cells, reads_as_best)) continue;
    for (Cell* cell : cells) cell->is_best = reads_as_best(cell);
  }
}

/// The places of some parameters' values in the order of the table.
using Ranks = std::vector<std::size_t>;
/// The place of a value that a point lacks, after all others.
constexpr std::size_t not_there = std::numeric_limits<std::size_t>::max();

Cell cell_of(const PointList& points, const MetricColumn& column, Better better) {
  // Figures, and whether they are of cut-off points.
  std::optional<std::pair<double, bool>> low;
  std::optional<std::pair<double, bool>> high;
  for (const PointRecord* point : points) {
    const auto value = figure_of(*point, column);
    if (point->status != PointStatus::ok || !value) continue;
    // Counts are of one launch, whole in any case.
    const std::pair figure(*value, column.origin == Origin::measured && is_cut_off(*point));
    const bool is_first = !low || std::isnan(low->first);
    if (is_first || *value < low->first) low = figure;
    if (is_first || *value > high->first) high = figure;
  }
  if (!low) {
    const bool all_failed = std::ranges::all_of(
        points, [](const auto* each) { return each->status == PointStatus::failed; });
    return {all_failed ? Cell::Kind::failed : Cell::Kind::missing};
  }
  if (better == Better::higher) low = high;
  if (better == Better::lower) high = low;
  const bool is_range = low->first != high->first && !std::isnan(low->first);
  return {is_range ? Cell::Kind::range : Cell::Kind::figure,
          low->first,
          high->first,
          false,
          low->second || high->second,
          word_of(column.name, low->first)};
}

class Pivot {
 public:
  Pivot(const TableLayout& layout, std::span<const StoredPoint> points,
        const std::optional<TuningRecord>& tuning, TableLimits limits)
      : layout_(layout) {
    std::vector<std::string> needed = layout.columns;
    // Patterns side by side need not have the same parameters.
    if (std::ranges::find(layout.rows, "pattern") == layout.rows.end()) {
      needed.insert(needed.end(), layout.rows.begin(), layout.rows.end());
    }
    points_ = matching_points(points, needed, layout.where);
    parameters_ = parameters_of(points_);
    has_success_ = std::ranges::any_of(
        points_, [](const PointRecord* point) { return point->status == PointStatus::ok; });

    const auto chosen = choose_metric(points_, layout.values);
    has_metric_ = chosen.has_value();
    shown_ = {chosen.value_or(MetricColumn{layout.values.empty() ? "" : layout.values.front()})};
    // The hardware's counts have the emulated ones beside them, where there are any.
    const MetricColumn emulated{shown_.front().name, Origin::emulated};
    if (shown_.front().origin == Origin::hardware && any_has(points_, emulated)) {
      shown_.push_back(emulated);
    }
    for (const MetricColumn& metric : shown_) better_.push_back(better_for(metric, tuning));

    for (const PointRecord* point : points_) {
      const Bindings environment = environment_of(*point);
      const Ranks row = ranks(environment, layout_.rows);
      const Ranks column = ranks(environment, layout_.columns);
      rows_.insert(row);
      columns_.insert(column);
      cells_[{row, column}].push_back(point);
    }
    keep_first(rows_, limits.rows, "rows");
    keep_first(columns_, limits.columns, "columns");
  }

  TableModel table() const {
    TableModel table;
    table.title = layout_.title.empty() ? default_title() : layout_.title;
    table.caption = caption();
    for (const std::string& name : layout_.rows) {
      const ParameterValues* found = find_parameter(parameters_, name);
      table.key_columns.push_back({name, found != nullptr && found->is_numeric()});
    }
    // The caption says why; rows of gaps would add nothing.
    if (!has_metric_ && has_success_) return table;
    for (const Ranks& column : columns_) {
      for (const MetricColumn& metric : shown_) table.headings.push_back(heading(column, metric));
    }
    for (const Ranks& place : rows_) {
      TableModel::Row& row = table.rows.emplace_back();
      for (std::size_t i = 0; i < place.size(); ++i) {
        row.keys.push_back(value_text(layout_.rows[i], place[i]));
      }
      for (const Ranks& column : columns_) {
        const auto found = cells_.find({place, column});
        for (std::size_t i = 0; i < shown_.size(); ++i) {
          row.cells.push_back(found != cells_.end() ? cell_of(found->second, shown_[i], better_[i])
                                                    : Cell{});
        }
      }
    }
    if (left_out_.empty()) mark_best_cells(table, better_);
    return table;
  }

 private:
  void keep_first(std::set<Ranks>& places, std::size_t most, std::string_view what) {
    if (places.size() <= most) return;
    left_out_.push_back(fmt::format("the first {} of {} {}", format_thousands(most),
                                    format_thousands(places.size()), what));
    places.erase(std::next(places.begin(), static_cast<std::ptrdiff_t>(most)), places.end());
  }

  Ranks ranks(const Bindings& environment, const std::vector<std::string>& names) const {
    Ranks ranks;
    for (const std::string& name : names) {
      const Value* value = environment.find(name);
      ranks.push_back(value != nullptr ? find_parameter(parameters_, name)->rank_of(*value)
                                       : not_there);
    }
    return ranks;
  }

  std::string value_text(const std::string& name, std::size_t rank) const {
    if (rank == not_there) return "-";
    const ParameterValues& parameter = *find_parameter(parameters_, name);
    return parameter.show(parameter.values()[rank]);
  }

  std::vector<std::string> heading(const Ranks& column, const MetricColumn& metric) const {
    if (layout_.columns.empty()) return {heading_of(metric)};
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::string& name = layout_.columns[i];
      lines.push_back(name + " = " + value_text(name, column[i]));
    }
    if (shown_.size() > 1) lines.emplace_back(to_string(metric.origin));
    return lines;
  }

  /// "bandwidth [GB/s] by STRIDE and T"
  std::string default_title() const {
    std::vector<std::string> names = layout_.rows;
    names.insert(names.end(), layout_.columns.begin(), layout_.columns.end());
    // Without points none of the metrics is drawn.
    const std::string what = points_.empty() ? in_words(layout_.values, "or") : metric_text();
    return names.empty() ? what : what + " by " + in_words(names);
  }

  std::string metric_text() const {
    return heading_of(shown_.front()) + (shown_.size() > 1 ? " and emulated" : "");
  }

  std::string caption() const {
    std::vector<std::string> sentences;
    const std::string condition = layout_.where ? "where " + layout_.where->text() : std::string();
    if (points_.empty()) {
      return "No point belongs to this table" + (condition.empty() ? "" : ", " + condition) + '.';
    }
    if (!layout_.title.empty()) {  // The default title names the metric.
      sentences.push_back(metric_text() + (condition.empty() ? "" : ", ") + condition);
    } else if (!condition.empty()) {
      sentences.push_back("Only points " + condition);
    }
    if (has_success_ && !has_metric_) {
      sentences.push_back("No point has " + in_words(layout_.values, "or") +
                          ": the device did not give it");
    } else {
      // What a cell shows of several points; empty when no cell has several.
      std::vector<PointList> cells;
      for (const auto& [place, points] : cells_) cells.push_back(points);
      const bool has_best = better_.front() != Better::neither;
      sentences.push_back(describe_choice("cell", has_best ? "best" : "range", cells, parameters_));
    }
    if (!left_out_.empty()) {
      sentences.push_back("Shown are " + in_words(left_out_) + "; the CSV has all points");
    }
    return as_paragraph(sentences);
  }

  const TableLayout& layout_;
  PointList points_;
  std::vector<ParameterValues> parameters_;
  bool has_success_ = false;
  bool has_metric_ = false;  ///< some point has the first of `shown_`
  std::vector<MetricColumn> shown_;
  std::vector<Better> better_;  ///< of each of these
  std::set<Ranks> rows_;
  std::set<Ranks> columns_;
  std::vector<std::string> left_out_;  ///< "the first 1,000 of 100,000 rows"
  std::map<std::pair<Ranks, Ranks>, PointList> cells_;
};

}  // namespace

std::string text_of(const Cell& cell, std::string_view dash) {
  if (cell.kind == Cell::Kind::missing) return std::string(dash);
  if (cell.kind == Cell::Kind::failed) return "failed";
  if (!cell.word.empty()) return cell.word;
  std::string text = (cell.is_cut_off ? "~" : "") + format_figure(cell.low);
  if (cell.kind == Cell::Kind::range) text.append(dash).append(format_figure(cell.high));
  return text;
}

std::size_t longest_fraction(const TableModel& table, std::size_t column) {
  std::size_t longest = 0;
  for (const TableModel::Row& row : table.rows) {
    const Cell& cell = row.cells[column];
    if (cell.kind != Cell::Kind::figure) continue;
    longest = std::max(longest, fraction_of(format_figure(cell.low)).size());
  }
  return longest;
}

std::string caption_of(const TableModel& table) {
  const bool has_cut_off = std::ranges::any_of(table.rows, [](const TableModel::Row& row) {
    return std::ranges::any_of(row.cells, &Cell::is_cut_off);
  });
  if (!has_cut_off) return table.caption;
  return table.caption + (table.caption.empty() ? "" : " ") +
         "~ stands before what a few samples say of a configuration that the search then gave up.";
}

std::vector<TableModel> tables_of(const RunAnalysis& run, TableLimits limits) {
  const RunResults& results = run.results;
  const auto& tuning = results.run.tuning;
  std::vector<TableModel> tables;
  for (const TableLayout& layout : results.layout.tables) {
    tables.push_back(pivot(layout, results.points, tuning, limits));
  }
  if (!tables.empty()) return tables;
  const bool is_long = results.points.size() > limits.rows && !run.verdicts.groups.empty();
  const bool is_selected = tuning || is_long;
  tables.push_back(list_points(results.points, run.verdicts.of_points,
                               tuning ? std::optional(column_of(*tuning)) : std::nullopt,
                               is_selected ? results.points.size() : limits.rows));
  if (is_selected) keep_best_and_worst(tables.back(), run.verdicts.of_points);
  return tables;
}

std::vector<MetricColumn> main_columns(std::span<const PointRecord* const> points) {
  constexpr std::size_t most_others = 6;
  std::vector<MetricColumn> all = metric_columns(points);
  // Headlines in their order, those that are measured alone apart.
  std::multimap<int, MetricColumn> measured;
  std::multimap<int, MetricColumn> counts;
  for (const MetricColumn& column : all) {
    const MetricDefinition& metric = definition_of(column.name);
    const bool is_measured = is_of_time(metric);
    if (metric.headline != 0) (is_measured ? measured : counts).emplace(metric.headline, column);
  }
  std::vector<MetricColumn> columns;
  for (const auto& [place, column] : measured.empty() ? counts : measured) {
    columns.push_back(column);
  }
  if (!columns.empty()) return columns;
  all.resize(std::min(all.size(), most_others));
  return all;
}

TableModel list_points(std::span<const StoredPoint> stored,
                       std::span<const std::optional<PointVerdict>> verdicts,
                       const std::optional<MetricColumn>& also, std::size_t most) {
  std::vector<const PointRecord*> points = records_of(stored);
  std::vector<ParameterValues> varying = parameters_of(points);
  std::erase_if(varying, [](const ParameterValues& parameter) { return !parameter.varies(); });
  std::vector<MetricColumn> columns = main_columns(points);
  const bool none_succeeded = columns.empty();
  if (none_succeeded) {
    columns.emplace_back();
  } else if (also && std::ranges::find(columns, *also) == columns.end()) {
    columns.push_back(*also);
  }

  TableModel table;
  table.title = "All points";
  for (const ParameterValues& parameter : varying) {
    table.key_columns.push_back({parameter.name, parameter.is_numeric()});
  }
  for (const MetricColumn& column : columns) {
    table.headings.push_back({none_succeeded ? "result" : heading_of(column)});
  }
  if (points.size() > most) {
    table.caption = fmt::format("Shown are the first {} of {} points; the CSV has all.",
                                format_thousands(most), format_thousands(points.size()));
    points.resize(most);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    TableModel::Row& row = table.rows.emplace_back();
    const Bindings environment = environment_of(*points[i]);
    for (const ParameterValues& parameter : varying) {
      const Value* value = environment.find(parameter.name);
      row.keys.push_back(value != nullptr ? parameter.show(*value) : std::string());
    }
    for (const MetricColumn& column : columns) row.cells.push_back(cell_of(*points[i], column));
    if (i >= verdicts.size() || !verdicts[i]) continue;
    table.remark_heading = verdicts[i]->group.empty() ? "verdict" : "verdict in its group";
    row.remark = describe_among_groups(*verdicts[i]);
  }
  return table;
}

void keep_best_and_worst(TableModel& table, std::span<const std::optional<PointVerdict>> verdicts) {
  constexpr std::size_t best = 20;
  constexpr std::size_t worst = 3;
  if (table.rows.size() <= best + worst) return;
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i]) ranked.push_back(i);
  }
  std::ranges::stable_sort(ranked, {}, [&](std::size_t i) {
    const bool is_best = verdicts[i]->kind == PointVerdict::Kind::best;
    return std::pair(!is_best, is_best ? 0 : verdicts[i]->slower);
  });
  const std::size_t all = ranked.size();
  if (all > best + worst) {
    ranked.erase(ranked.begin() + best, ranked.end() - worst);
    table.title = fmt::format("The best {} and the worst {} points", best, worst);
  } else {
    table.title = "All points that can be compared";
  }
  std::vector<TableModel::Row> rows;
  for (const std::size_t i : ranked) rows.push_back(std::move(table.rows[i]));
  table.caption = fmt::format(
      "Of {} points, of which {} can be compared, by how far they are behind the best of their "
      "group; the CSV has all.",
      format_thousands(table.rows.size()), format_thousands(all));
  table.rows = std::move(rows);
}

TableModel pivot(const TableLayout& layout, std::span<const StoredPoint> points,
                 const std::optional<TuningRecord>& tuning, TableLimits limits) {
  return Pivot(layout, points, tuning, limits).table();
}

}  // namespace sweep
