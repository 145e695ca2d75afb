#include "engine/cli/run_events.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "engine/cli/json_lines.h"
#include "report/json_value.h"
#include "report/partly_verified.h"
#include "report/run_notes.h"
#include "report/verdict.h"

namespace sweep {
namespace {

using nlohmann::ordered_json;

constexpr int schema_version = 1;

/// "1" for what has none, such as a counter in NVIDIA's words.
std::string unit_in_full(const std::string& metric) {
  const MetricDefinition* definition = find_metric(metric);
  return definition != nullptr ? definition->unit : "1";
}

ordered_json json_of(const std::vector<Metric>& metrics) {
  ordered_json list = ordered_json::array();
  for (const Metric& metric : metrics) {
    list.push_back({{"name", metric.name},
                    {"origin", to_string(metric.origin)},
                    {"unit", unit_in_full(metric.name)},
                    {"value", metric.value}});
  }
  return list;
}

ordered_json json_of(const PointRecord& point, bool reused) {
  return {{"event", "point"},
          {"pattern", point.key.pattern_name},
          {"parameters", json_parameters(point.key.parameters)},
          {"status", point.status == PointStatus::ok ? "ok" : "failed"},
          {"reused", reused},
          {"reason", point.reason},
          {"stopped_by", point.stopped_by},
          {"samples", point.samples.size()},
          {"metrics", json_of(point.metrics)},
          {"notes", point.notes}};
}

ordered_json text_event(const char* event, const std::string& text) {
  return {{"event", event}, {"text", text}};
}

void add_search(ordered_json& best, const TunedGroup& found) {
  best["tried"] = found.tried;
  best["configurations"] = found.configurations;
  best["ended"] = found.ended;
  if (found.gain > 0) best["gain"] = found.gain;
}

ordered_json json_of(const VerdictGroup& group, const Verdicts& verdicts,
                     const RunResults& results) {
  const PointRecord& point = results.points.at(group.best).point;
  const std::optional<PointVerdict>& verdict = verdicts.of_points.at(group.best);
  ordered_json best = {{"pattern", point.key.pattern_name}};
  if (!group.group.empty()) best["group"] = json_parameters(group.group);
  best["metric"] = group.metric.name;
  best["origin"] = to_string(group.metric.origin);
  best["unit"] = unit_in_full(group.metric.name);
  if (verdict) {
    best["value"] = verdict->figure;
    if (verdict->interval) {
      best["low"] = verdict->interval->low;
      best["high"] = verdict->interval->high;
    }
  }
  best["parameters"] = json_parameters(point.key.parameters);
  best["same"] = group.same.size();
  if (group.tuned && results.run.tuning) {
    add_search(best, results.run.tuning->groups.at(*group.tuned));
  }
  return best;
}

void add_verdicts(ordered_json& end, const RunAnalysis& run) {
  const RunResults& results = run.results;
  const Verdicts& verdicts = run.verdicts;
  end["best"] = ordered_json::array();
  for (const VerdictGroup& group : verdicts.groups) {
    end["best"].push_back(json_of(group, verdicts, results));
  }
  end["verdicts"] = ordered_json::array();
  for (std::size_t i = 0; i < verdicts.of_points.size(); ++i) {
    if (!verdicts.of_points[i]) continue;
    const PointKey& key = results.points.at(i).point.key;
    end["verdicts"].push_back({{"pattern", key.pattern_name},
                               {"parameters", json_parameters(key.parameters)},
                               {"verdict", describe_among_groups(*verdicts.of_points[i])}});
  }
}

void add_expectations(ordered_json& end, const std::vector<ExpectationResult>& expectations) {
  end["expectations"] = ordered_json::array();
  for (const ExpectationResult& result : expectations) {
    end["expectations"].push_back({{"text", describe(result.expectation)},
                                   {"kept", result.kept()},
                                   {"verdict", verdict_of(result)}});
  }
}

}  // namespace

RunEvents::RunEvents(const RunRequest& request, const Device& device,
                     std::filesystem::path database)
    : request_(request), device_(device), database_(std::move(database)) {}

void RunEvents::on_start(std::size_t points, std::size_t reused) {
  const Provenance& provenance = request_.provenance;
  ordered_json start = {
      {"event", "start"},
      {"schema_version", schema_version},
      {"engine_version", provenance.engine_version},
      {"sweep", provenance.sweep_name},
      {"summary", request_.sweep.summary},
      {"command", provenance.command},
      {"host", provenance.host},
      {"database", database_.string()},
      {"device", json_of(device_)},
      {"compiler", request_.compile.nvrtc != nullptr ? request_.compile.nvrtc->version() : ""},
      {"measure", device_.is_emulated() ? counting_rules_text(request_.sweep.measure)
                                        : to_string(request_.sweep.measure)},
      {"seed", provenance.seed},
      {"points", points},
      {"reused", reused},
      {"is_search", !request_.groups.empty()}};
  print_json_line(start);
}

void RunEvents::on_reuse(const PointRecord& point) {
  print_json_line(json_of(point, true));
}

void RunEvents::on_point(const Configuration& /*configuration*/, const PointRecord& point) {
  print_json_line(json_of(point, false));
}

void RunEvents::on_metrics(const Configuration& configuration, const std::vector<Metric>& metrics,
                           const std::vector<std::string>& notes) {
  const ordered_json event = {{"event", "metrics"},
                              {"pattern", configuration.pattern->name},
                              {"parameters", json_parameters(configuration.parameters)},
                              {"metrics", json_of(metrics)},
                              {"notes", notes}};
  print_json_line(event);
}

void RunEvents::on_warning(const Diagnostic& warning) {
  const ordered_json event = {
      {"event", "warning"},
      {"file", warning.where.source != nullptr ? warning.where.source->name : ""},
      {"line", warning.where.line},
      {"column", warning.where.column},
      {"message", warning.message},
      {"help", warning.help}};
  print_json_line(event);
}

void RunEvents::on_note(const std::string& note) {
  print_json_line(text_event("note", note));
}

void RunEvents::on_stage(const std::string& stage) {
  print_json_line(text_event("stage", stage));
}

void RunEvents::on_end(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end) {
  ordered_json event = {{"event", "end"},
                        {"run", summary.run},
                        {"state", summary.interrupted ? "interrupted" : "finished"},
                        {"measured", summary.measured},
                        {"failed", summary.failed},
                        {"verified_in_part", partly_verified(results.points).points},
                        {"reused", summary.reused}};
  add_verdicts(event, run);
  add_expectations(event, end.expectations);
  event["notes"] = describe_run_notes(run.results);
  const auto& tuning = run.results.run.tuning;
  const std::string ranking = tuning ? describe_ranking(*tuning) : "";
  if (!ranking.empty()) event["notes"].push_back(ranking);
  event["files"] = ordered_json::array();
  for (const auto* files : {&end.files, &end.pictures}) {
    for (const std::filesystem::path& file : *files) event["files"].push_back(file.string());
  }
  event["exit_code"] = end.exit_code;
  if (!end.resume.empty()) event["resume"] = end.resume;
  print_json_line(event);
}

void print_error_event(const std::string& message) {
  const ordered_json event = {{"event", "error"}, {"message", message}};
  print_json_line(event);
}

}  // namespace sweep
