#include "report/compare/comparison_report.h"
#include "report/json_records.h"

namespace sweep {
namespace {

constexpr int schema_version = 1;

Json json_of(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json object = {{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->interval) {
    object["low"] = estimate->interval->low;
    object["high"] = estimate->interval->high;
  }
  return object;
}

Json json_of(const ComparedRun& run) {
  const RunRecord& record = run.results.run;
  const Provenance& provenance = record.provenance;
  return {{"run", run.label},
          {"id", record.id},
          {"sweep", provenance.sweep_name},
          {"started", record.started},
          {"state", to_string(record.state)},
          {"device", provenance.device.name},
          {"driver", provenance.device.driver},
          {"compiler", provenance.compiler},
          {"engine", provenance.engine_version},
          {"measure", provenance.measure},
          {"command", provenance.command},
          {"points", run.results.points.size()}};
}

Json json_of(const ComparedMetric& metric, const MetricSummary& summary) {
  return {{"name", metric.after.name},
          {"origin_before", to_string(metric.before.origin)},
          {"origin_after", to_string(metric.after.origin)},
          {"unit", unit_of(metric.after.name)},
          {"better", to_string(metric.better)},
          {"threshold", metric.threshold},
          {"judged", metric.judges},
          {"worse", summary.count(Change::worse)},
          {"better_count", summary.count(Change::better)},
          {"same", summary.count(Change::same)},
          {"changed", summary.count(Change::changed)},
          {"unclear", summary.count(Change::unclear)},
          {"missing", summary.count(Change::missing)},
          {"mean", json_of(summary.mean)}};
}

Json json_of(const MetricChange& change, const ComparedMetric& metric) {
  const bool has_both = change.change != Change::missing;
  return {{"metric", metric.after.name},
          {"change", to_string(change.change)},
          {"before", json_of(change.before)},
          {"after", json_of(change.after)},
          {"ratio", has_both ? json_of(change.ratio) : nullptr},
          {"words", describe_change(change, metric)}};
}

}  // namespace

std::string write_comparison_json(const RunComparison& comparison) {
  Json differences = Json::array();
  for (const auto& [text, is_serious] : comparison.differences) {
    differences.push_back({{"text", text}, {"serious", is_serious}});
  }
  Json metrics = Json::array();
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    metrics.push_back(json_of(comparison.metrics[i], comparison.summaries[i]));
  }
  Json configurations = Json::array();
  for (const ConfigurationComparison& each : comparison.configurations) {
    Json changes = Json::array();
    for (std::size_t i = 0; i < each.changes.size(); ++i) {
      changes.push_back(json_of(each.changes[i], comparison.metrics[i]));
    }
    configurations.push_back({{"pattern", each.pattern},
                              {"parameters", json_parameters(each.parameters)},
                              {"status", to_string(each.status)},
                              {"reason", each.reason},
                              {"changes", std::move(changes)}});
  }
  const Json root = {{"schema_version", schema_version},
                     {"sweep", name_of(comparison)},
                     {"regression", has_regression(comparison)},
                     {"verdict", describe_verdict(comparison)},
                     {"before", json_of(comparison.before)},
                     {"after", json_of(comparison.after)},
                     {"differences", std::move(differences)},
                     {"notes", comparison.notes},
                     {"metrics", std::move(metrics)},
                     {"configurations", std::move(configurations)}};
  // Texts from a database need not be UTF-8.
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace sweep
