#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "engine/text/characters.h"
#include "report/metric_column.h"
#include "report/parameter_values.h"
#include "report/run_analysis.h"
#include "report/run_report.h"

namespace sweep {
namespace {

std::string quoted_if_needed(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string parameter_field(const Value* value) {
  if (value == nullptr) return {};
  const bool is_text = kind_of(*value) == ValueKind::word;
  return is_text ? csv_text(to_string(*value)) : to_string(*value);
}

std::string number_field(std::optional<double> number) {
  return number ? fmt::format("{}", *number) : std::string();
}

std::string metric_heading(const MetricColumn& column) {
  std::string heading = fmt::format("{}.{}", column.name, to_string(column.origin));
  if (const std::string unit = unit_of(column.name); !unit.empty()) heading += " [" + unit + "]";
  return heading;
}

/// "load_sectors.difference [%]"; of a metric in % the unit is percentage points.
std::string difference_heading(const std::string& metric) {
  return fmt::format("{}.difference [{}]", metric,
                     unit_of(metric) == "%" ? "percentage points" : "%");
}

void append_line(std::string& csv, const std::vector<std::string>& fields) {
  csv += fmt::format("{}\r\n", fmt::join(fields, ","));
}

}  // namespace

std::string csv_text(std::string_view text) {
  const std::string clean = printable_text(text, "\t\r\n", "?");
  constexpr std::array<std::string_view, 11> begins = {"=",  "+",  "-",  "@",  "\t", "\r",
                                                       "\n", "＝", "＋", "－", "＠"};
  const bool like_a_formula =
      std::ranges::any_of(begins, [&](std::string_view begin) { return clean.starts_with(begin); });
  return quoted_if_needed(like_a_formula ? "'" + clean : clean);
}

std::string write_csv(const RunAnalysis& run) {
  const std::vector<const PointRecord*>& points = run.points;
  std::vector<ParameterValues> parameters = run.parameters;
  std::erase_if(parameters, [](const ParameterValues& p) { return p.name == "pattern"; });
  const std::vector<MetricColumn> metrics = metric_columns(points);
  const std::vector<std::string> both = counted_twice(points);

  std::string csv;
  std::vector<std::string> line = {"pattern"};
  for (const ParameterValues& parameter : parameters) line.push_back(csv_text(parameter.name));
  line.insert(line.end(), {"status", "reason", "stopped_by", "verdict"});
  for (const MetricColumn& column : metrics) line.push_back(csv_text(metric_heading(column)));
  for (const std::string& metric : both) line.push_back(csv_text(difference_heading(metric)));
  line.emplace_back("notes");
  append_line(csv, line);

  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointRecord* point = points[i];
    const auto& verdict = run.verdicts.of_points[i];
    line = {csv_text(point->key.pattern_name)};
    for (const ParameterValues& parameter : parameters) {
      line.push_back(parameter_field(point->key.parameters.find(parameter.name)));
    }
    line.emplace_back(point->status == PointStatus::ok ? "ok" : "failed");
    line.push_back(csv_text(point->reason));
    line.push_back(csv_text(point->stopped_by));
    line.push_back(verdict ? quoted_if_needed(describe_among_groups(*verdict)) : std::string());
    for (const MetricColumn& column : metrics) {
      line.push_back(number_field(figure_of(*point, column)));
    }
    for (const std::string& metric : both) {
      line.push_back(number_field(count_difference(*point, metric)));
    }
    line.push_back(csv_text(fmt::format("{}", fmt::join(point->notes, "; "))));
    append_line(csv, line);
  }
  return csv;
}

}  // namespace sweep
