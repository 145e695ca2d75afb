#include "engine/store/points_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/store/sqlite.h"
#include "engine/text/characters.h"

namespace sweep {
namespace {

using sqlite::Database;
using sqlite::Statement;

/// Columns of tables of points that are neither parameters nor metrics.
constexpr std::array fixed_columns = {"run",        "point",   "sweep", "started", "measured_by",
                                      "pattern",    "device",  "gpu",   "status",  "reason",
                                      "stopped_by", "verdict", "notes"};

/// Metrics with columns in the view also where no point has them.
constexpr std::array usual_metrics = {"time", "time_low", "time_high", "bandwidth",
                                      "percent_of_peak"};

/// SQLite has at most 2,000 columns, and an interval takes three. What is left out is in the
/// tables.
constexpr std::size_t most_parameters = 300;
constexpr std::size_t most_metrics = 1000;

bool is_column_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_word(c) || c == '.'; });
}

/// A metric, and its place in each of the lists of metrics that points have.
struct ViewedMetric {
  std::string name;
  Origin origin = Origin::measured;
  std::map<std::int64_t, std::vector<std::int64_t>> lists = {};  ///< by the place

  std::string sql() const {
    if (lists.empty()) return "NULL";
    std::string places;
    for (const auto& [place, ids] : lists) {
      places += fmt::format(" WHEN metric_list IN ({}) THEN '$[{}]'", fmt::join(ids, ","), place);
    }
    return fmt::format("CAST(json_extract(metric_values, CASE{} END) AS REAL)", places);
  }
};

/// In the order of the table of metrics, others behind them.
std::vector<ViewedMetric> viewed_metrics(Database& database) {
  std::map<std::tuple<std::ptrdiff_t, std::string, std::ptrdiff_t>, ViewedMetric> sorted;
  const auto table = metric_definitions();
  const auto find = [&](const std::string& name, Origin origin) -> ViewedMetric& {
    const auto place = std::ranges::find(table, name, &MetricDefinition::name) - table.begin();
    const auto rank = std::ranges::find(all_origins, origin) - all_origins.begin();
    return sorted.try_emplace({place, name, rank}, ViewedMetric{name, origin}).first->second;
  };
  for (const char* name : usual_metrics) find(name, Origin::measured);
  Statement rows(database, "SELECT name, origin, list_id, ordinal FROM metric_list");
  while (rows.step()) {
    const auto origin = find_origin(rows.text(1));
    if (!origin || !is_column_name(rows.text(0))) continue;
    find(rows.text(0), *origin).lists[rows.integer(3)].push_back(rows.integer(2));
  }
  std::vector<ViewedMetric> metrics;
  for (auto& [key, metric] : sorted) metrics.push_back(std::move(metric));
  metrics.resize(std::min(metrics.size(), most_metrics));
  return metrics;
}

/// The names of the points' parameters, in the order in which they came up.
std::vector<std::string> viewed_parameters(Database& database) {
  std::vector<std::string> names;
  // Points of one pattern have the same.
  Statement rows(database, R"sql(
      SELECT each.key
      FROM (SELECT min(id) AS id FROM point GROUP BY pattern_id) AS first
           JOIN point ON point.id = first.id
           JOIN json_each(CASE WHEN json_valid(point.parameters) THEN point.parameters
                          ELSE '{}' END) AS each
      ORDER BY point.id, each.id)sql");
  while (rows.step() && names.size() < most_parameters) {
    const std::string name = rows.text(0);
    if (is_column_name(name) && std::ranges::find(names, name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

std::string view_text(Database& database) {
  PointColumnNames names;
  std::string columns;
  const auto add = [&](const std::string& sql, std::string_view name) {
    if (!name.empty()) columns += fmt::format("{} AS \"{}\",\n  ", sql, name);
  };
  add("run.id", "run");
  add("run_point.ordinal", "point");
  add("run.sweep_name", "sweep");
  add("run.started", "started");
  add("point.run_id", "measured_by");
  add("pattern.name", "pattern");
  for (const std::string& parameter : viewed_parameters(database)) {
    // An element type is an object with its name.
    add(fmt::format("coalesce(json_extract(parameters, '$.\"{0}\".element'), "
                    "json_extract(parameters, '$.\"{0}\"'))",
                    parameter),
        names.of_parameter(parameter));
  }
  add("status", "status");
  add("nullif(reason, '')", "reason");
  add("nullif(stopped_by, '')", "stopped_by");
  add("run.device_name", "device");
  add("(SELECT device_index FROM run_device WHERE run_device.run_id = run.id AND uuid <> '' "
      "AND substr(point.device, -length(uuid)) = uuid)",
      "gpu");
  const std::vector<ViewedMetric> metrics = viewed_metrics(database);
  const auto sql_of = [&](std::string_view name) {
    return std::ranges::find(metrics, name, &ViewedMetric::name)->sql();
  };
  for (const ViewedMetric& metric : metrics) {
    const std::string name = names.of_metric(metric.name, metric.origin);
    const MetricDefinition* known = find_metric(metric.name);
    std::string sql = metric.sql();
    if (known != nullptr && !known->words.empty()) {
      std::string words;
      for (std::size_t i = 0; i < known->words.size(); ++i) {
        words += fmt::format(" WHEN {} THEN '{}'", i, known->words[i]);
      }
      sql = fmt::format("CASE {}{} END", sql, words);
    }
    add(sql, name);
    if (metric.origin != Origin::measured || !has_interval_columns(metric.name)) continue;
    add(fmt::format("{} * {} / {}", sql, sql_of("time"), sql_of("time_high")), name + "_low");
    add(fmt::format("{} * {} / {}", sql, sql_of("time"), sql_of("time_low")), name + "_high");
  }
  return "CREATE VIEW points AS SELECT\n  " + columns + R"sql((
    SELECT group_concat(text, '; ')
    FROM (SELECT text FROM note WHERE point_id = point.id ORDER BY note.ordinal)) AS "notes"
FROM run_point JOIN run ON run.id = run_point.run_id JOIN point ON point.id = run_point.point_id
     JOIN pattern ON pattern.id = point.pattern_id)sql";
}

std::string version_text() {
  return fmt::format("CREATE VIEW points_version AS SELECT {} AS version", points_view_version);
}

bool has_view(Database& database, std::string_view text) {
  Statement found(database, "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND sql = ?");
  return found.bind(text).step();
}

/// Gives the view this text. What is no view of that name is somebody else's.
void replace_view(Database& database, const std::string& name, const std::string& text) {
  const std::int64_t others = database.integer(
      fmt::format("SELECT count(*) FROM sqlite_schema WHERE name = '{}' AND type <> 'view'", name));
  if (others > 0 || has_view(database, text)) return;
  database.execute(fmt::format("DROP VIEW IF EXISTS {}; {}", name, text));
}

}  // namespace

PointColumnNames::PointColumnNames() : taken_(fixed_columns.begin(), fixed_columns.end()) {
  taken_.insert(usual_metrics.begin(), usual_metrics.end());
  for (const MetricDefinition& metric : metric_definitions()) {
    if (!has_interval_columns(metric.name)) continue;
    taken_.insert({metric.name + "_low", metric.name + "_high"});
  }
}

std::string PointColumnNames::first_free(const std::string& one, const std::string& other) {
  for (const std::string& name : {one, other}) {
    if (!name.empty() && taken_.insert(in_small_letters(name)).second) return name;
  }
  return {};
}

std::string PointColumnNames::of_parameter(const std::string& name) {
  return first_free(name, "parameter." + name);
}

std::string PointColumnNames::of_metric(const std::string& name, Origin origin) {
  const bool is_usual = std::ranges::find(usual_metrics, name) != usual_metrics.end();
  if (is_usual && origin == Origin::measured) return name;
  return first_free(display_name(name, origin), fmt::format("{}.{}", name, to_string(origin)));
}

std::string display_name(std::string_view name, Origin origin) {
  std::string result(name);
  if (origin != Origin::measured) result += '.' + std::string(to_string(origin));
  return result;
}

bool has_interval_columns(std::string_view metric) {
  const auto table = metric_definitions();
  const auto known = std::ranges::find(table, metric, &MetricDefinition::name);
  return known != table.end() && known->relation == TimeRelation::inverse;
}

bool has_points_view(Database& database) {
  return has_view(database, version_text());
}

void write_points_view(Database& database) {
  replace_view(database, "points", view_text(database));
  replace_view(database, "points_version", version_text());
}

}  // namespace sweep
