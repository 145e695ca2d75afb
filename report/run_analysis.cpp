#include "report/run_analysis.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "report/run_results.h"

namespace sweep {

RunAnalysis::RunAnalysis(const RunResults& run_results)
    : results(run_results),
      points(records_of(results.points)),
      parameters(parameters_of(points)),
      told(telling_parameters(parameters)),
      verdicts(judge(results, parameters)) {}

namespace {

/// Of two groups' bests the better one; groups of different metrics cannot be compared.
bool is_better_best(const VerdictGroup& group, const VerdictGroup& other, const RunAnalysis& run) {
  const auto& a = run.verdicts.of_points[group.best];
  const auto& b = run.verdicts.of_points[other.best];
  if (!a || !b || group.metric != other.metric) return false;
  const Better better = better_for(group.metric, run.results.run.tuning);
  return better == Better::lower ? a->figure < b->figure : a->figure > b->figure;
}

}  // namespace

std::vector<std::size_t> best_of_patterns(const RunAnalysis& run) {
  std::map<std::string, const VerdictGroup*> best;
  for (const VerdictGroup& group : run.verdicts.groups) {
    const VerdictGroup*& known = best[group.pattern];
    if (known == nullptr || is_better_best(group, *known, run)) known = &group;
  }
  std::vector<std::size_t> places;
  std::map<std::string, bool> met;
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    const PointRecord& point = *run.points[i];
    bool& is_met = met[point.key.pattern_name];
    if (is_met || point.status != PointStatus::ok) continue;
    is_met = true;
    const auto found = best.find(point.key.pattern_name);
    places.push_back(found != best.end() ? found->second->best : i);
  }
  return places;
}

std::vector<Failure> failures_of(std::span<const PointRecord* const> points) {
  std::vector<Failure> failures;
  std::map<std::string_view, std::size_t> place_of;
  for (const PointRecord* point : points) {
    if (point->status != PointStatus::failed) continue;
    const auto [place, is_new] = place_of.emplace(point->reason, failures.size());
    if (is_new) {
      Failure failure;
      failure.reason = point->reason.empty() ? "no reason is known" : point->reason;
      failures.push_back(std::move(failure));
    }
    failures[place->second].points.push_back(point);
  }
  return failures;
}

}  // namespace sweep
