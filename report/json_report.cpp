#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "report/expectation_check.h"
#include "report/json_records.h"
#include "report/run_report.h"

namespace sweep {
namespace {

std::string_view name_of(SampleMark mark) {
  return mark == SampleMark::plain ? "plain" : to_string(mark);
}

Json json_of(const MetricColumn& column) {
  return {{"name", column.name},
          {"origin", to_string(column.origin)},
          {"unit", json_text(unit_of(column.name))},
          {"better", to_string(better_of(column.name))}};
}

Json sweep_of(const RunResults& results) {
  const Provenance& provenance = results.run.provenance;
  return {{"name", provenance.sweep_name},
          {"summary", json_text(results.summary)},
          {"text", provenance.sweep_text}};
}

Json run_of(const RunRecord& run) {
  const Provenance& provenance = run.provenance;
  return {{"id", run.id},
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
  for (const MetricColumn& column : columns) metrics[key_of(column)] = json_of(column);
  return metrics;
}

Json samples_of(const PointRecord& point) {
  Json samples = Json::array();
  for (const Sample& sample : point.samples) {
    samples.push_back({{"seconds", json_number(sample.seconds)},
                       {"sm_clock_hz", json_known(sample.sm_clock_hz)},
                       {"mark", name_of(sample.mark)}});
  }
  return samples;
}

Json json_of(const StoredPoint& stored, const std::optional<PointVerdict>& verdict) {
  Json point = {{"point", stored.ordinal}, {"id", stored.id}, {"measured_by", stored.measured_by}};
  point.update(json_of(stored.point));
  point["verdict"] = json_of(verdict);
  point["samples"] = samples_of(stored.point);
  return point;
}

std::vector<Json> verdicts_of(const RunResults& results, const Verdicts& verdicts) {
  const auto place = [&](std::size_t i) { return results.points[i].ordinal; };
  std::vector<Json> groups;
  for (const VerdictGroup& group : verdicts.groups) {
    Json same = Json::array();
    for (const std::size_t i : group.same) same.push_back(place(i));
    groups.push_back({{"pattern", group.pattern},
                      {"group", json_parameters(group.group)},
                      {"metric", key_of(group.metric)},
                      {"best", place(group.best)},
                      {"same", std::move(same)},
                      {"not_compared", group.not_compared},
                      {"slowest", group.slowest ? Json(place(*group.slowest)) : Json(nullptr)}});
  }
  return groups;
}

Json json_of(const TunedGroup& group) {
  return {{"group", json_parameters(group.group)},
          {"configurations", group.configurations},
          {"tried", group.tried},
          {"ended", json_text(group.ended)},
          {"winner", json_place(group.winner)},
          {"rounds", group.rounds},
          {"figure", group.winner
                         ? Json::array({json_number(group.figure_low), json_number(group.figure),
                                        json_number(group.figure_high)})
                         : Json(nullptr)},
          {"standard", json_place(group.default_configuration)},
          {"no_standard", json_text(group.why_no_default)},
          {"gain", json_figure(group.gain_low, group.gain, group.gain_high)}};
}

Json tuning_of(const RunRecord& run) {
  if (!run.tuning) return nullptr;
  const TuningRecord& tuning = *run.tuning;
  Json groups = Json::array();
  for (const TunedGroup& group : tuning.groups) groups.push_back(json_of(group));
  return {{"metric", key_of(column_of(tuning))},
          {"better", to_string(tuning.better)},
          {"note", json_text(describe_ranking(tuning))},
          {"strategy", tuning.strategy},
          {"seed", std::to_string(tuning.seed)},
          {"for_each", tuning.for_each},
          {"groups", std::move(groups)}};
}

std::vector<Json> comparisons_of(const RunRecord& run) {
  std::vector<Json> comparisons;
  for (const ComparisonRecord& comparison : run.comparisons) {
    comparisons.push_back({{"point", comparison.ordinal},
                           {"rounds", comparison.rounds},
                           {"slowdown", json_figure(comparison.slowdown_low, comparison.slowdown,
                                                    comparison.slowdown_high)}});
  }
  return comparisons;
}

std::vector<Json> anchors_of(const RunRecord& run) {
  std::vector<Json> anchors;
  for (const AnchorRecord& anchor : run.anchors) {
    anchors.push_back({{"point", anchor.ordinal},
                       {"at", json_number(anchor.at)},
                       {"seconds", json_number(anchor.seconds)},
                       {"interval", json_interval(anchor.seconds_low, anchor.seconds_high)},
                       {"sm_clock_hz", json_known(anchor.sm_clock_hz)},
                       {"temperature_celsius", json_known(anchor.temperature_celsius)}});
  }
  return anchors;
}

std::vector<Json> expectations_of(const RunResults& results) {
  std::map<const PointRecord*, std::int64_t> places;
  for (const StoredPoint& stored : results.points) places[&stored.point] = stored.ordinal;
  std::vector<Json> outcomes;
  for (const ExpectationResult& result :
       check_expectations_on(results.expectations, results.points)) {
    Json broken = Json::array();
    for (const BrokenPoint& point : result.broken) {
      broken.push_back({{"point", places.at(point.point)}, {"found", point.found}});
    }
    const auto& condition = result.expectation.condition;
    outcomes.push_back({{"expectation", result.expectation.text},
                        {"where", condition ? Json(condition->text()) : Json(nullptr)},
                        {"kept", result.kept()},
                        {"outcome", verdict_of(result)},
                        {"held", result.held},
                        {"broken", std::move(broken)},
                        {"unchecked", result.unchecked},
                        {"missing", result.missing}});
  }
  return outcomes;
}

std::vector<Json> explanations_of(const RunRecord& run) {
  std::vector<Json> explanations;
  for (const PatternExplanation& explanation : run.explanations) {
    // A database may hold anything, nested so deeply that writing it would overflow the stack.
    constexpr int deepest = 64;
    bool is_too_deep = false;
    const auto keep = [&](int depth, Json::parse_event_t, const Json&) {
      is_too_deep = is_too_deep || depth > deepest;
      return !is_too_deep;
    };
    Json costs = Json::parse(explanation.json, keep, false);
    if (costs.is_discarded() || is_too_deep) costs = nullptr;
    explanations.push_back({{"pattern", explanation.pattern},
                            {"point", explanation.ordinal},
                            {"parameters", json_parameters(explanation.parameters)},
                            {"costs", std::move(costs)}});
  }
  return explanations;
}

/// An object's text, key by key.
class ObjectText {
 public:
  void add(std::string_view key, const Json& value) { begin(key) += json_line(value); }

  /// One element a line.
  void add(std::string_view key, const std::vector<Json>& elements) {
    add(key, elements.size(), [&](std::size_t i) { return elements[i]; });
  }
  /// The same of as many elements as there are, of which one at a time is in memory.
  void add(std::string_view key, std::size_t count,
           const std::function<Json(std::size_t)>& element) {
    begin(key) += '[';
    for (std::size_t i = 0; i < count; ++i) {
      text_ += (i == 0 ? "\n " : ",\n ") + json_line(element(i));
    }
    text_ += count == 0 ? "]" : "\n]";
  }

  std::string finish() && { return std::move(text_) + "\n}\n"; }

 private:
  std::string& begin(std::string_view key) {
    text_ += text_.empty() ? "{\n" : ",\n";
    return text_ += fmt::format("\"{}\": ", key);
  }

  std::string text_;
};

}  // namespace

std::string write_json(const RunAnalysis& analysis) {
  const RunResults& results = analysis.results;
  const Verdicts& verdicts = analysis.verdicts;
  const std::vector<MetricColumn> columns = metric_columns(analysis.points);
  ObjectText text;
  text.add("schema_version", Json(json_report_version));
  text.add("sweep", sweep_of(results));
  text.add("run", run_of(results.run));
  text.add("device", json_of(results.run.provenance.device));
  text.add("patterns", patterns_of(results.points));
  text.add("metrics", metrics_of(columns));
  text.add("points", results.points.size(),
           [&](std::size_t i) { return json_of(results.points[i], verdicts.of_points[i]); });
  text.add("verdicts", verdicts_of(results, verdicts));
  text.add("tuning", tuning_of(results.run));
  text.add("comparisons", comparisons_of(results.run));
  text.add("anchors", anchors_of(results.run));
  text.add("expectations", expectations_of(results));
  text.add("explanations", explanations_of(results.run));
  return std::move(text).finish();
}

}  // namespace sweep
