#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/store/points_view.h"
#include "engine/text/characters.h"
#include "report/findings.h"
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

/// Null for NaN, "inf" and "-inf" for the infinities.
Json json_number(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

/// The same for a figure that is 0 where it is not known: null.
Json json_of(const DeviceRecord& device) {
  const auto ratio = [](const DeviceRatio& of) { return json_figure(of.low, of.ratio, of.high); };
  return {{"index", device.index},
          {"uuid", json_text(device.uuid)},
          {"to_first", ratio(device.to_first)},
          {"to_alone", ratio(device.to_alone)}};
}

template <typename Number>
Json json_known(Number number) {
  if (number == 0) return nullptr;
  if constexpr (std::is_integral_v<Number>) return number;
  return json_number(static_cast<double>(number));
}

/// Null where there is none.
template <typename Value>
Json json_optional(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_pair(double low, double high) {
  return Json::array({json_number(low), json_number(high)});
}

std::vector<Json> patterns_of(const std::vector<StoredPoint>& points) {
  std::vector<Json> patterns;
  std::set<std::pair<std::string, std::string>> met;
  for (const StoredPoint& stored : points) {
    const PointKey& key = stored.point.key;
    if (!met.insert({key.pattern_name, key.pattern_text}).second) continue;
    patterns.push_back({{"name", key.pattern_name},
                        {"text", key.pattern_text},
                        {"derived", stored.point.derived}});
  }
  return patterns;
}

Json metrics_of(const std::vector<MetricColumn>& columns) {
  Json metrics = Json::object();
  for (const MetricColumn& column : columns) {
    metrics[key_of(column)] = {{"name", column.name},
                               {"origin", to_string(column.origin)},
                               {"unit", json_text(unit_of(column.name))},
                               {"better", to_string(better_of(column.name))}};
  }
  return metrics;
}

Json json_of(const StoredPoint& stored, const std::optional<PointVerdict>& verdict) {
  Json samples = Json::array();
  for (const Sample& sample : stored.point.samples) {
    const bool is_plain = sample.mark == SampleMark::plain;
    samples.push_back({{"seconds", json_number(sample.seconds)},
                       {"sm_clock_hz", json_known(sample.sm_clock_hz)},
                       {"mark", is_plain ? "plain" : to_string(sample.mark)}});
  }
  Json point = {{"point", stored.ordinal}, {"id", stored.id}, {"measured_by", stored.measured_by}};
  point.update(json_of(stored.point));
  point["verdict"] = json_of(verdict);
  point["samples"] = std::move(samples);
  return point;
}

Json json_of(const VerdictGroup& group, const RunResults& results) {
  const auto place = [&](std::size_t i) { return results.points[i].ordinal; };
  Json same = Json::array();
  for (const std::size_t i : group.same) same.push_back(place(i));
  return {{"pattern", group.pattern},
          {"group", json_parameters(group.group)},
          {"metric", key_of(group.metric)},
          {"best", place(group.best)},
          {"same", std::move(same)},
          {"not_compared", group.not_compared},
          {"slowest", group.slowest ? Json(place(*group.slowest)) : Json(nullptr)}};
}

Json tuning_of(const RunRecord& run) {
  if (!run.tuning) return nullptr;
  const TuningRecord& tuning = *run.tuning;
  Json groups = Json::array();
  for (const TunedGroup& group : tuning.groups) {
    const Json figure = {json_number(group.figure_low), json_number(group.figure),
                         json_number(group.figure_high)};
    groups.push_back({{"group", json_parameters(group.group)},
                      {"configurations", group.configurations},
                      {"tried", group.tried},
                      {"ended", json_text(group.ended)},
                      {"winner", json_optional(group.winner)},
                      {"no_winner", json_text(group.why_no_winner)},
                      {"rounds", group.rounds},
                      {"figure", group.winner ? figure : Json(nullptr)},
                      {"standard", json_optional(group.default_configuration)},
                      {"no_standard", json_text(group.why_no_default)},
                      {"gain", json_figure(group.gain_low, group.gain, group.gain_high)}});
  }
  return {{"metric", key_of(column_of(tuning))},
          {"better", to_string(tuning.better)},
          {"note", json_text(describe_ranking(tuning))},
          {"strategy", tuning.strategy},
          {"seed", std::to_string(tuning.seed)},
          {"for_each", tuning.for_each},
          {"groups", std::move(groups)}};
}

Json json_of(const MergedPart& part) {
  return {{"run", part.run},
          {"file", json_text(part.file)},
          {"shard", {part.shard, part.shards}},
          {"host", json_text(part.host)},
          {"device", json_text(part.device)},
          {"started", json_text(part.started)},
          {"state", to_string(part.state)},
          {"points", part.points}};
}

Json json_of(const ComparisonRecord& comparison) {
  return {{"point", comparison.ordinal},
          {"rounds", comparison.rounds},
          {"slowdown",
           json_figure(comparison.slowdown_low, comparison.slowdown, comparison.slowdown_high)}};
}

Json json_of(const AnchorRecord& anchor) {
  const bool has_interval = anchor.seconds_low != 0 || anchor.seconds_high != 0;
  const Json interval = json_pair(anchor.seconds_low, anchor.seconds_high);
  return {{"point", anchor.ordinal},
          {"at", json_number(anchor.at)},
          {"seconds", json_number(anchor.seconds)},
          {"interval", has_interval ? interval : Json(nullptr)},
          {"sm_clock_hz", json_known(anchor.sm_clock_hz)},
          {"temperature_celsius", json_known(anchor.temperature_celsius)}};
}

Json json_of(const ExpectationResult& result,
             const std::map<const PointRecord*, std::int64_t>& places) {
  Json broken = Json::array();
  for (const BrokenPoint& point : result.broken) {
    broken.push_back({{"point", places.at(point.point)}, {"found", point.found}});
  }
  const auto& condition = result.expectation.condition;
  return {{"expectation", result.expectation.text},
          {"where", condition ? Json(condition->text()) : Json(nullptr)},
          {"kept", result.kept()},
          {"outcome", verdict_of(result)},
          {"held", result.held},
          {"broken", std::move(broken)},
          {"unchecked", result.unchecked},
          {"missing", result.missing}};
}

Json json_of(const PatternExplanation& explanation) {
  // A database may hold anything, nested so deeply that writing it would overflow the stack.
  constexpr int deepest = 64;
  bool is_too_deep = false;
  const auto keep = [&](int depth, Json::parse_event_t, const Json&) {
    is_too_deep = is_too_deep || depth > deepest;
    return !is_too_deep;
  };
  Json costs = Json::parse(explanation.json, keep, false);
  if (costs.is_discarded() || is_too_deep) costs = nullptr;
  return {{"pattern", explanation.pattern},
          {"point", explanation.ordinal},
          {"parameters", json_parameters(explanation.parameters)},
          {"costs", std::move(costs)}};
}

/// The points of a run, a row each, as CSV and JSON Lines have them. A value is null where the
/// point has none; numbers may be none.
class PointTable {
 public:
  explicit PointTable(const RunAnalysis& run)
      : run_(run), metrics_(metric_columns(run.points)), both_(counted_twice(run.points)) {
    PointColumnNames names;
    columns_.emplace_back("pattern");
    for (const ParameterValues& parameter : run.parameters) {
      const std::string& name = parameter.name;
      const auto& apart = run.results.apart;
      if (name == "pattern" || std::ranges::find(apart, name) != apart.end()) continue;
      const std::string column = names.of_parameter(name);
      if (column.empty()) continue;
      columns_.push_back(column);
      parameters_.push_back(name);
    }
    columns_.insert(columns_.end(), {"status", "reason", "stopped_by", "verdict", "device"});
    if (has_several_gpus()) columns_.emplace_back("gpu");
    for (const MetricColumn& metric : metrics_) {
      columns_.push_back(names.of_metric(metric.name, metric.origin));
      if (!has_interval(metric)) continue;
      for (const char* end : {"_low", "_high"}) columns_.push_back(metric.name + end);
    }
    for (const std::string& metric : both_) columns_.push_back(metric + ".difference");
    columns_.emplace_back("notes");
  }

  const std::vector<std::string>& columns() const { return columns_; }

  std::vector<Json> row(std::size_t place) const {
    const PointRecord& point = *run_.points[place];
    const auto& verdict = run_.verdicts.of_points[place];
    std::vector<Json> row = {point.key.pattern_name};
    const Json values = json_parameters(point.key.parameters);
    for (const std::string& name : parameters_) row.push_back(values.value(name, Json()));
    row.insert(row.end(),
               {point.status == PointStatus::ok ? "ok" : "failed", json_text(point.reason),
                json_text(point.stopped_by),
                json_text(verdict ? describe_among_groups(*verdict) : ""), device_of(point)});
    if (has_several_gpus()) row.push_back(json_optional(run_.results.run.device_of(point)));
    for (const MetricColumn& metric : metrics_) {
      const auto figure = figure_of(point, metric);
      const std::string word = word_of(metric.name, figure.value_or(-1));
      row.push_back(word.empty() ? json_optional(figure) : Json(word));
      if (!has_interval(metric)) continue;
      const auto interval = interval_of(point, {metric.name, Better::higher, metric.origin});
      row.push_back(interval ? Json(interval->low) : Json(nullptr));
      row.push_back(interval ? Json(interval->high) : Json(nullptr));
    }
    for (const std::string& metric : both_) {
      row.push_back(json_optional(count_difference(point, metric)));
    }
    row.push_back(json_text(fmt::format("{}", fmt::join(point.notes, "; "))));
    return row;
  }

 private:
  bool has_several_gpus() const { return !run_.results.run.devices.empty(); }
  static bool has_interval(const MetricColumn& metric) {
    return metric.origin == Origin::measured && has_interval_columns(metric.name);
  }
  /// Of runs that are shown together each has its own.
  Json device_of(const PointRecord& point) const {
    for (const std::string& name : run_.results.apart) {
      if (const Value* device = point.key.parameters.find(name)) return to_string(*device);
    }
    return json_text(run_.results.run.provenance.device.name);
  }

  const RunAnalysis& run_;
  std::vector<std::string> columns_;
  std::vector<std::string> parameters_;
  std::vector<MetricColumn> metrics_;
  std::vector<std::string> both_;
};

std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.is_string() ? csv_text(value.get_ref<const std::string&>()) : value.dump();
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
  const PointTable table(run);
  std::vector<std::string> line;
  for (const std::string& column : table.columns()) line.push_back(csv_text(column));
  std::string csv = fmt::format("{}\r\n", fmt::join(line, ","));
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    line.clear();
    for (const Json& value : table.row(i)) line.push_back(csv_field(value));
    csv += fmt::format("{}\r\n", fmt::join(line, ","));
  }
  return csv;
}

std::string write_json_lines(const RunAnalysis& run) {
  const PointTable table(run);
  std::string text;
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    Json line = Json::object();
    std::size_t column = 0;
    for (const Json& value : table.row(i)) {
      line[table.columns()[column++]] =
          value.is_number_float() ? json_number(value.get<double>()) : value;
    }
    text += json_line(line) + '\n';
  }
  return text;
}

Json json_text(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_figure(double low, double figure, double high) {
  if (figure == 0) return nullptr;
  return Json::array({json_number(low), json_number(figure), json_number(high)});
}

Json json_parameters(const Bindings& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) object[name] = *number;
    if (const auto* truth = std::get_if<bool>(&value)) object[name] = *truth;
    if (const auto* type = std::get_if<ElementType>(&value)) object[name] = type->name();
    if (const auto* word = std::get_if<std::string>(&value)) object[name] = *word;
  }
  return object;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string key_of(const MetricColumn& column) {
  return display_name(column.name, column.origin);
}

Json json_of(const Device& device) {
  return {{"backend", device.backend},
          {"name", device.name},
          {"uuid", json_text(device.uuid)},
          {"compute_capability", json_known(device.compute_capability)},
          {"multiprocessors", json_known(device.multiprocessors)},
          {"l2_bytes", json_known(device.l2_bytes)},
          {"memory_bytes", json_known(device.memory_bytes)},
          {"memory_clock_hz", json_known(device.memory_clock_hz)},
          {"memory_bus_bits", json_known(device.memory_bus_bits)},
          {"peak_bandwidth", json_known(device.peak_bandwidth())},
          {"driver", json_text(device.driver)},
          {"cuda", json_text(device.cuda)}};
}

Json json_of(const std::vector<Metric>& metrics) {
  Json object = Json::object();
  for (const Metric& metric : metrics) {
    // Of several of one name and origin the first counts.
    object.emplace(key_of({metric.name, metric.origin}), json_number(metric.value));
  }
  return object;
}

Json json_of(const PointRecord& point) {
  return {{"pattern", point.key.pattern_name},
          {"parameters", json_parameters(point.key.parameters)},
          {"status", point.status == PointStatus::ok ? "ok" : "failed"},
          {"reason", json_text(point.reason)},
          {"stopped_by", json_text(point.stopped_by)},
          {"counted", json_text(point.collected_counters)},
          {"device", json_text(point.key.device)},
          {"metrics", json_of(point.metrics)},
          {"notes", point.notes}};
}

Json json_of(const std::optional<PointVerdict>& verdict) {
  constexpr std::array kinds = {"best", "same", "slower", "not_compared", "cut_off"};
  if (!verdict) return nullptr;
  const auto& interval = verdict->interval;
  return {{"kind", kinds.at(static_cast<std::size_t>(verdict->kind))},
          {"words", describe_among_groups(*verdict)},
          {"slower", json_number(verdict->slower)},
          {"figure", json_number(verdict->figure)},
          {"interval", interval ? json_pair(interval->low, interval->high) : Json(nullptr)},
          {"rounds", verdict->rounds}};
}

std::string write_json(const RunAnalysis& analysis) {
  const RunResults& results = analysis.results;
  const RunRecord& run = results.run;
  const Provenance& provenance = run.provenance;
  std::string text;
  const auto begin = [&](std::string_view key) {
    text += fmt::format("{}\"{}\": ", text.empty() ? "{\n" : ",\n", key);
  };
  const auto add = [&](std::string_view key, const Json& value) {
    begin(key);
    text += json_line(value);
  };
  // One element a line, of which one at a time is in memory.
  const auto add_list = [&](std::string_view key, const auto& items, auto json_of_item) {
    begin(key);
    const char* before = "[\n ";
    for (const auto& item : items) {
      text += before + json_line(json_of_item(item));
      before = ",\n ";
    }
    text += items.empty() ? "[]" : "\n]";
  };
  const auto by_itself = [](const auto& item) -> Json { return json_of(item); };
  std::map<const PointRecord*, std::int64_t> places;
  for (const StoredPoint& stored : results.points) places[&stored.point] = stored.ordinal;

  add("schema_version", json_report_version);
  add("sweep", {{"name", provenance.sweep_name},
                {"summary", json_text(results.summary)},
                {"text", provenance.sweep_text}});
  Json about_run = {{"id", run.id},
                    {"state", to_string(run.state)},
                    {"started", json_text(run.started)},
                    {"finished", json_text(run.finished)},
                    {"command", provenance.command},
                    {"host", json_text(provenance.host)},
                    {"engine_version", json_text(provenance.engine_version)},
                    {"compiler", json_text(provenance.compiler)},
                    {"measure", provenance.measure},
                    {"seed", std::to_string(provenance.seed)},
                    {"notes", run.notes}};
  if (const RunShare& share = provenance.share; share.is_part()) {
    about_run["shard"] = {share.shard, share.shards};
  }
  for (const MergedPart& part : run.parts) about_run["parts"].push_back(json_of(part));
  add("run", about_run);
  add("device", json_of(provenance.device));
  if (!run.devices.empty()) add_list("devices", run.devices, by_itself);
  add_list("patterns", patterns_of(results.points), [](const Json& pattern) { return pattern; });
  add("metrics", metrics_of(metric_columns(analysis.points)));
  add_list("points", results.points, [&](const StoredPoint& stored) {
    return json_of(
        stored,
        analysis.verdicts.of_points[static_cast<std::size_t>(&stored - results.points.data())]);
  });
  add_list("verdicts", analysis.verdicts.groups,
           [&](const VerdictGroup& group) { return json_of(group, results); });
  add("tuning", tuning_of(run));
  add_list("comparisons", run.comparisons, by_itself);
  add_list("anchors", run.anchors, by_itself);
  add_list("expectations", check_expectations_on(results.expectations, results.points),
           [&](const ExpectationResult& result) { return json_of(result, places); });
  add_list("explanations", run.explanations, by_itself);
  return text + "\n}\n";
}

}  // namespace sweep
