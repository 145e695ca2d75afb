#include "report/run_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/yaml.h"

namespace sweep {
namespace {

RunRecord find_run(const Store& store, std::optional<std::int64_t> id) {
  const std::vector<RunRecord> runs = store.runs();
  const auto fail = [&](const std::string& what) {
    throw StoreError(fmt::format("the file '{}' {}", store.path().string(), what),
                     StoreFault::missing);
  };
  if (runs.empty()) fail("holds no runs");
  if (!id) return runs.back();
  const auto found = std::ranges::find(runs, *id, &RunRecord::id);
  if (found == runs.end()) {
    fail(fmt::format("has no run {}; its newest is run {}", *id, runs.back().id));
  }
  return *found;
}

std::string summary_of(const std::string& sweep_text) {
  Diagnostics ignored;
  const auto source = std::make_shared<Source>(Source{"the stored sweep", sweep_text});
  const auto root = read_yaml(source, ignored);
  const YamlNode* summary = root ? root->find("summary") : nullptr;
  return summary != nullptr && summary->is_scalar() ? summary->text : std::string();
}

}  // namespace

std::size_t RunResults::count_failed() const {
  return static_cast<std::size_t>(std::ranges::count_if(points, [](const StoredPoint& stored) {
    return stored.point.status == PointStatus::failed;
  }));
}

std::string RunResults::describe_state() const {
  if (run.state == RunState::finished) return {};
  return run.state == RunState::interrupted
             ? "The run was interrupted: not all of its points are here."
             : "The run has not finished: it is still going on, or it was killed.";
}

RunResults load_results(const Store& store, std::optional<std::int64_t> run_id) {
  RunResults results;
  results.run = find_run(store, run_id);
  results.points = store.points(results.run.id);
  const auto& derived = results.run.provenance.derived;
  for (StoredPoint& stored : results.points) {
    const auto found = derived.find(stored.point.key.pattern_name);
    if (found != derived.end()) stored.point.derived = found->second;
  }
  results.layout = report_layout_of(results.run.provenance.sweep_text);
  results.expectations = expectations_of(results.run.provenance.sweep_text);
  results.summary = summary_of(results.run.provenance.sweep_text);
  return results;
}

std::vector<const PointRecord*> records_of(std::span<const StoredPoint> points) {
  std::vector<const PointRecord*> records;
  records.reserve(points.size());
  for (const StoredPoint& stored : points) records.push_back(&stored.point);
  return records;
}

}  // namespace sweep
