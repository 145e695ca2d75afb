#include "report/run_tables.h"

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

namespace sweep {

std::string text_of(const Cell& cell, std::string_view dash) {
  if (cell.kind == Cell::Kind::missing) return std::string(dash);
  if (cell.kind == Cell::Kind::failed) return "failed";
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
  std::vector<TableModel> tables;
  for (const TableLayout& layout : results.layout.tables) {
    tables.push_back(pivot(layout, results.points, results.run.tuning, limits));
  }
  if (!tables.empty()) return tables;
  const Verdicts& verdicts = run.verdicts;
  const auto& tuning = results.run.tuning;
  std::optional<MetricColumn> searched_by;
  if (tuning) searched_by = column_of(*tuning);
  const bool is_long = results.points.size() > limits.rows && !verdicts.groups.empty();
  const bool is_selected = tuning || is_long;
  tables.push_back(list_points(results.points, verdicts.of_points, searched_by,
                               is_selected ? results.points.size() : limits.rows));
  if (is_selected) keep_best_and_worst(tables.back(), verdicts.of_points);
  return tables;
}

namespace {

/// Those of the columns that are headlines, in their order: of metrics that are measured alone, or
/// of the others.
std::vector<MetricColumn> headlines(const std::vector<MetricColumn>& all, bool of_measured) {
  std::multimap<int, MetricColumn> chosen;
  for (const MetricColumn& column : all) {
    const MetricDefinition& metric = definition_of(column.name);
    const bool is_measured = metric.origins == std::vector{Origin::measured};
    if (metric.headline != 0 && is_measured == of_measured) chosen.emplace(metric.headline, column);
  }
  std::vector<MetricColumn> columns;
  for (const auto& [place, column] : chosen) columns.push_back(column);
  return columns;
}

Cell cell_of(const PointRecord& point, const MetricColumn& column) {
  if (point.status == PointStatus::failed) return {Cell::Kind::failed, 0, 0};
  const auto figure = figure_of(point, column);
  return figure ? Cell{Cell::Kind::figure, *figure, *figure} : Cell{};
}

void add_verdicts(TableModel& table, std::span<const std::optional<PointVerdict>> verdicts) {
  for (std::size_t i = 0; i < table.rows.size() && i < verdicts.size(); ++i) {
    if (!verdicts[i]) continue;
    table.remark_heading = verdicts[i]->group.empty() ? "verdict" : "verdict in its group";
    table.rows.at(i).remark = describe_among_groups(*verdicts[i]);
  }
}

}  // namespace

std::vector<MetricColumn> main_columns(std::span<const PointRecord* const> points) {
  constexpr std::size_t most_others = 6;
  std::vector<MetricColumn> all = metric_columns(points);
  for (const bool of_measured : {true, false}) {
    std::vector<MetricColumn> columns = headlines(all, of_measured);
    if (!columns.empty()) return columns;
  }
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
  for (const PointRecord* point : points) {
    TableModel::Row row;
    const Bindings environment = environment_of(*point);
    for (const ParameterValues& parameter : varying) {
      const Value* value = environment.find(parameter.name);
      row.keys.push_back(value != nullptr ? parameter.show(*value) : std::string());
    }
    for (const MetricColumn& column : columns) row.cells.push_back(cell_of(*point, column));
    table.rows.push_back(std::move(row));
  }
  add_verdicts(table, verdicts);
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
  const auto before = [&](std::size_t a, std::size_t b) {
    const bool is_best = verdicts[a]->kind == PointVerdict::Kind::best;
    const bool other_is_best = verdicts[b]->kind == PointVerdict::Kind::best;
    if (is_best != other_is_best) return is_best;
    return !is_best && verdicts[a]->slower < verdicts[b]->slower;
  };
  std::ranges::stable_sort(ranked, before);
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

namespace {

/// Marks the best cells of a table whose columns show these metrics in turn: of each metric the
/// cells that show its best figure, so that what reads the same is marked alike. Figures of cut-off
/// points are none, nor is anything marked where neither is better or all figures read the same.
void mark_best_cells(TableModel& table, std::span<const Better> metrics) {
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    if (metrics[metric] == Better::neither) continue;
    std::vector<std::pair<std::string, Cell*>> cells;
    const Cell* best = nullptr;
    for (TableModel::Row& row : table.rows) {
      for (std::size_t i = metric; i < row.cells.size(); i += metrics.size()) {
        Cell& cell = row.cells[i];
        const bool is_figure = cell.kind == Cell::Kind::figure && !std::isnan(cell.low);
        if (!is_figure || cell.is_cut_off) continue;
        cells.emplace_back(format_figure(cell.low), &cell);
        if (best == nullptr ||
            (metrics[metric] == Better::higher ? cell.low > best->low : cell.low < best->low)) {
          best = &cell;
        }
      }
    }
    if (best == nullptr) continue;
    const std::string shown = format_figure(best->low);
    const auto reads_the_same = [&](const auto& each) { return each.first == shown; };
    if (std::ranges::all_of(cells, reads_the_same)) continue;
    for (const auto& each : cells) each.second->is_best = reads_the_same(each);
  }
}

/// The places of some parameters' values in the order of the table.
using Ranks = std::vector<std::size_t>;
/// The place of a value that a point lacks, after all others.
constexpr std::size_t not_there = std::numeric_limits<std::size_t>::max();

/// Patterns side by side need not have the same parameters.
std::vector<std::string> needed_by(const TableLayout& layout) {
  std::vector<std::string> needed = layout.columns;
  if (std::ranges::find(layout.rows, "pattern") == layout.rows.end()) {
    needed.insert(needed.end(), layout.rows.begin(), layout.rows.end());
  }
  return needed;
}

Cell cell_of(const PointList& points, const MetricColumn& column, Better better) {
  struct Figure {
    double value = 0;
    bool is_cut_off = false;
  };
  std::optional<Figure> low;
  std::optional<Figure> high;
  for (const PointRecord* point : points) {
    const auto value = figure_of(*point, column);
    if (point->status != PointStatus::ok || !value) continue;
    // Counts are of one launch, whole in any case.
    const Figure figure = {*value, column.origin == Origin::measured && is_cut_off(*point)};
    const bool is_first = !low || std::isnan(low->value);
    if (is_first || *value < low->value) low = figure;
    if (is_first || *value > high->value) high = figure;
  }
  Cell cell;
  if (!low) {
    const bool all_failed = std::ranges::all_of(
        points, [](const auto* each) { return each->status == PointStatus::failed; });
    if (all_failed) cell.kind = Cell::Kind::failed;
    return cell;
  }
  if (better == Better::higher) low = high;
  if (better == Better::lower) high = low;
  const bool is_range = low->value != high->value && !std::isnan(low->value);
  return {is_range ? Cell::Kind::range : Cell::Kind::figure, low->value, high->value, false,
          low->is_cut_off || high->is_cut_off};
}

class Pivot {
 public:
  Pivot(const TableLayout& layout, std::span<const StoredPoint> points,
        const std::optional<TuningRecord>& tuning, TableLimits limits)
      : layout_(layout),
        tuning_(tuning),
        points_(matching_points(points, needed_by(layout), layout.where)),
        parameters_(parameters_of(points_)) {
    for (const PointRecord* point : points_) {
      const Bindings environment = environment_of(*point);
      const Ranks row = ranks(environment, layout_.rows);
      const Ranks column = ranks(environment, layout_.columns);
      rows_.insert(row);
      columns_.insert(column);
      cells_[{row, column}].push_back(point);
    }
    all_rows_ = rows_.size();
    all_columns_ = columns_.size();
    keep_first(rows_, limits.rows);
    keep_first(columns_, limits.columns);
  }

  TableModel table() const {
    const auto chosen = choose_metric(points_, layout_.values);
    const std::string wanted = layout_.values.empty() ? std::string() : layout_.values.front();
    const MetricColumn metric = chosen.value_or(MetricColumn{wanted, Origin::measured});
    const std::vector<MetricColumn> shown = shown_beside(metric);

    TableModel table;
    table.title = layout_.title.empty() ? default_title(metric) : layout_.title;
    table.caption = caption(metric);
    for (const std::string& name : layout_.rows) {
      const ParameterValues* found = find_parameter(parameters_, name);
      table.key_columns.push_back({name, found != nullptr && found->is_numeric()});
    }
    for (const Ranks& column : columns_) {
      for (const MetricColumn& each : shown) {
        table.headings.push_back(heading(column, each, shown.size() > 1));
      }
    }
    for (const Ranks& row : rows_) table.rows.push_back(table_row(row, shown));
    if (is_whole()) {
      std::vector<Better> better;
      for (const MetricColumn& each : shown) better.push_back(better_for(each, tuning_));
      mark_best_cells(table, better);
    }
    if (!chosen && has_success()) {
      // The caption says why; rows of gaps would add nothing.
      table.headings.clear();
      table.rows.clear();
    }
    return table;
  }

 private:
  static void keep_first(std::set<Ranks>& places, std::size_t most) {
    if (places.size() > most) {
      places.erase(std::next(places.begin(), static_cast<std::ptrdiff_t>(most)), places.end());
    }
  }

  bool is_whole() const { return rows_.size() == all_rows_ && columns_.size() == all_columns_; }

  Ranks ranks(const Bindings& environment, const std::vector<std::string>& names) const {
    Ranks ranks;
    for (const std::string& name : names) {
      const Value* value = environment.find(name);
      ranks.push_back(value != nullptr ? find_parameter(parameters_, name)->rank_of(*value)
                                       : not_there);
    }
    return ranks;
  }

  std::string shown(const std::string& name, std::size_t rank) const {
    if (rank == not_there) return "-";
    const ParameterValues& parameter = *find_parameter(parameters_, name);
    return parameter.show(parameter.values()[rank]);
  }

  /// The hardware's counts have the emulated ones beside them, where there are any.
  std::vector<MetricColumn> shown_beside(const MetricColumn& metric) const {
    const MetricColumn emulated{metric.name, Origin::emulated};
    const bool is_compared = metric.origin == Origin::hardware && any_has(points_, emulated);
    return is_compared ? std::vector{metric, emulated} : std::vector{metric};
  }

  std::vector<std::string> heading(const Ranks& column, const MetricColumn& metric,
                                   bool with_origin) const {
    if (layout_.columns.empty()) return {heading_of(metric)};
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::string& name = layout_.columns[i];
      lines.push_back(name + " = " + shown(name, column[i]));
    }
    if (with_origin) lines.emplace_back(to_string(metric.origin));
    return lines;
  }

  TableModel::Row table_row(const Ranks& row, const std::vector<MetricColumn>& metrics) const {
    TableModel::Row result;
    for (std::size_t i = 0; i < row.size(); ++i) {
      result.keys.push_back(shown(layout_.rows[i], row[i]));
    }
    for (const Ranks& column : columns_) {
      const auto found = cells_.find({row, column});
      for (const MetricColumn& metric : metrics) {
        const Better better = better_for(metric, tuning_);
        result.cells.push_back(found != cells_.end() ? cell_of(found->second, metric, better)
                                                     : Cell{});
      }
    }
    return result;
  }

  bool has_success() const {
    return std::ranges::any_of(
        points_, [](const PointRecord* point) { return point->status == PointStatus::ok; });
  }

  /// "bandwidth [GB/s] by STRIDE and T"
  std::string default_title(const MetricColumn& metric) const {
    std::vector<std::string> names = layout_.rows;
    names.insert(names.end(), layout_.columns.begin(), layout_.columns.end());
    // Without points none of the metrics is drawn.
    const std::string what = points_.empty() ? in_words(layout_.values, "or") : name_of(metric);
    return names.empty() ? what : what + " by " + in_words(names);
  }

  std::string name_of(const MetricColumn& metric) const {
    return heading_of(metric) + (shown_beside(metric).size() > 1 ? " and emulated" : "");
  }

  std::string caption(const MetricColumn& metric) const {
    std::vector<std::string> sentences;
    const std::string condition = layout_.where ? "where " + layout_.where->text() : std::string();
    if (points_.empty()) {
      return "No point belongs to this table" + (condition.empty() ? "" : ", " + condition) + '.';
    }
    if (!layout_.title.empty()) {  // The default title names the metric.
      sentences.push_back(name_of(metric) + (condition.empty() ? "" : ", ") + condition);
    } else if (!condition.empty()) {
      sentences.push_back("Only points " + condition);
    }
    if (has_success() && !choose_metric(points_, layout_.values)) {
      sentences.push_back("No point has " + in_words(layout_.values, "or") +
                          ": the device did not give it");
    } else {
      // What a cell shows of several points; empty when no cell has several.
      std::vector<PointList> cells;
      for (const auto& [place, points] : cells_) cells.push_back(points);
      const bool has_best = better_for(metric, tuning_) != Better::neither;
      sentences.push_back(describe_choice("cell", has_best ? "best" : "range", cells, parameters_));
    }
    if (!is_whole()) sentences.push_back(describe_part());
    return as_paragraph(sentences);
  }

  /// "Shown are the first 1,000 of 100,000 rows; the CSV has all points"
  std::string describe_part() const {
    std::vector<std::string> parts;
    const auto add = [&](std::size_t shown, std::size_t all, std::string_view what) {
      if (shown == all) return;
      parts.push_back(fmt::format("the first {} of {} {}", format_thousands(shown),
                                  format_thousands(all), what));
    };
    add(rows_.size(), all_rows_, "rows");
    add(columns_.size(), all_columns_, "columns");
    return "Shown are " + in_words(parts) + "; the CSV has all points";
  }

  const TableLayout& layout_;
  const std::optional<TuningRecord>& tuning_;
  const PointList points_;
  const std::vector<ParameterValues> parameters_;
  std::set<Ranks> rows_;
  std::set<Ranks> columns_;
  std::size_t all_rows_ = 0;  ///< those that are not shown included
  std::size_t all_columns_ = 0;
  std::map<std::pair<Ranks, Ranks>, PointList> cells_;
};

}  // namespace

TableModel pivot(const TableLayout& layout, std::span<const StoredPoint> points,
                 const std::optional<TuningRecord>& tuning, TableLimits limits) {
  return Pivot(layout, points, tuning, limits).table();
}

}  // namespace sweep
