#include "report/tuning_outcome.h"

#include <algorithm>
#include <map>

#include "report/parameter_values.h"

namespace sweep {
namespace {

std::optional<std::size_t> find_place(const std::map<std::int64_t, std::size_t>& place_of,
                                      std::optional<std::int64_t> ordinal) {
  const auto found = ordinal ? place_of.find(*ordinal) : place_of.end();
  return found != place_of.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace

std::vector<TuningOutcome> tuning_outcomes(const RunAnalysis& run) {
  const RunResults& results = run.results;
  if (!results.run.tuning) return {};
  const TuningRecord& tuning = *results.run.tuning;
  std::map<std::int64_t, std::size_t> place_of;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    place_of.emplace(results.points[i].ordinal, i);
  }

  std::vector<TuningOutcome> outcomes;
  for (const TunedGroup& found : tuning.groups) {
    TuningOutcome outcome;
    outcome.found = found;
    outcome.label = describe_group(found.group, tuning.for_each, run.parameters);
    outcome.winner = find_place(place_of, found.winner);
    outcome.default_configuration = find_place(place_of, found.default_configuration);
    outcomes.push_back(std::move(outcome));
  }
  const auto groups = tuned_groups_of(results.points, tuning);
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    if (!groups[i]) continue;
    TuningOutcome& outcome = outcomes[*groups[i]];
    if (run.points[i]->status == PointStatus::failed) ++outcome.failed;
    if (is_cut_off(*run.points[i])) ++outcome.cut_off;
  }
  for (const VerdictGroup& group : run.verdicts.groups) {
    if (!group.tuned) continue;
    TuningOutcome& outcome = outcomes[*group.tuned];
    if (outcome.winner != group.best) continue;
    outcome.same = group.same;
    outcome.worst = group.slowest;
  }
  return outcomes;
}

}  // namespace sweep
