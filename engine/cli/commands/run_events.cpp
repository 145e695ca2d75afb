#include "engine/cli/commands/run_events.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "report/json_records.h"
#include "report/notes.h"

namespace sweep {
namespace {

using nlohmann::ordered_json;

constexpr int schema_version = 1;

/// On a line of its own, at once, so that a reader sees it live. After a write that failed nothing
/// more is printed; the command ends with exit_io.
void print_event(const ordered_json& event) {
  std::cout << json_line(event) + '\n' << std::flush;
}

/// The unit of each metric that has one: {"bandwidth": "GB/s"}
ordered_json units() {
  ordered_json units = ordered_json::object();
  for (const MetricDefinition& metric : metric_definitions()) {
    if (const std::string unit = unit_of(metric.name); !unit.empty()) units[metric.name] = unit;
  }
  return units;
}

ordered_json point_event(const PointRecord& point, bool reused) {
  ordered_json event = {{"event", "point"}, {"reused", reused}};
  event.update(json_of(point));
  return event;
}

ordered_json text_event(const char* event, const std::string& text) {
  return {{"event", event}, {"text", text}};
}

void add_search(ordered_json& best, const TunedGroup& found) {
  best["tried"] = found.tried;
  best["configurations"] = found.configurations;
  best["ended"] = json_text(found.ended);
  best["gain"] = json_figure(found.gain_low, found.gain, found.gain_high);
}

ordered_json best_of(const VerdictGroup& group, const RunAnalysis& run) {
  const PointKey& key = run.points[group.best]->key;
  ordered_json best = {{"pattern", key.pattern_name},
                       {"group", json_parameters(group.group)},
                       {"metric", key_of(group.metric)},
                       {"parameters", json_parameters(key.parameters)},
                       {"verdict", json_of(run.verdicts.of_points[group.best])},
                       {"same", group.same.size()}};
  if (group.tuned) add_search(best, run.results.run.tuning->groups[*group.tuned]);
  return best;
}

void add_verdicts(ordered_json& end, const RunAnalysis& run) {
  end["best"] = ordered_json::array();
  for (const VerdictGroup& group : run.verdicts.groups) {
    end["best"].push_back(best_of(group, run));
  }
  end["verdicts"] = ordered_json::array();
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    if (!run.verdicts.of_points[i]) continue;
    const PointKey& key = run.points[i]->key;
    end["verdicts"].push_back({{"pattern", key.pattern_name},
                               {"parameters", json_parameters(key.parameters)},
                               {"verdict", json_of(run.verdicts.of_points[i])}});
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
      {"seed", std::to_string(provenance.seed)},
      {"points", points},
      {"reused", reused},
      {"is_search", !request_.groups.empty()},
      {"units", units()}};
  print_event(start);
}

void RunEvents::on_reuse(const PointRecord& point) {
  print_event(point_event(point, true));
}

void RunEvents::on_point(const Configuration& /*configuration*/, const PointRecord& point) {
  print_event(point_event(point, false));
}

void RunEvents::on_metrics(const Configuration& configuration, const std::vector<Metric>& metrics,
                           const std::vector<std::string>& notes) {
  const ordered_json event = {{"event", "metrics"},
                              {"pattern", configuration.pattern->name},
                              {"parameters", json_parameters(configuration.parameters)},
                              {"metrics", json_of(metrics)},
                              {"notes", notes}};
  print_event(event);
}

void RunEvents::on_warning(const Diagnostic& warning) {
  const ordered_json event = {
      {"event", "warning"},
      {"file", warning.where.source != nullptr ? warning.where.source->name : ""},
      {"line", warning.where.line},
      {"column", warning.where.column},
      {"message", warning.message},
      {"help", warning.help}};
  print_event(event);
}

void RunEvents::on_note(const std::string& note) {
  print_event(text_event("note", note));
}

void RunEvents::on_stage(const std::string& stage) {
  print_event(text_event("stage", stage));
}

void RunEvents::on_end(const RunSummary& summary, const RunAnalysis& run, const RunEnd& end) {
  ordered_json event = {{"event", "end"},
                        {"run", summary.run},
                        {"state", summary.interrupted ? "interrupted" : "finished"},
                        {"measured", summary.measured},
                        {"failed", summary.failed},
                        {"verified_in_part", partly_verified(run.results.points).points},
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
  print_event(event);
}

void print_error_event(const std::string& message) {
  const ordered_json event = {{"event", "error"}, {"message", message}};
  print_event(event);
}

}  // namespace sweep
