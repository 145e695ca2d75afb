#include "report/tuning_lines.h"

#include <fmt/format.h>

#include "engine/text/units.h"
#include "report/tuning_outcome.h"
#include "report/tuning_words.h"

namespace sweep {
namespace {

constexpr std::size_t most_groups = 20;

/// "4301 GB/s, 89.3 % of the peak; 4304 GB/s (4290 to 4310) in the final comparison of 12 rounds"
std::string describe_winners_figure(const RunResults& results, const TuningOutcome& outcome) {
  const MetricColumn column = {results.run.tuning->metric, results.run.tuning->origin};
  const double figure = winners_figure(results, outcome);
  std::string text = describe_figure(column, figure);
  if (const auto share = percent_of_peak(results, figure)) {
    text += fmt::format(", {:.1f} % of the peak", *share);
  }
  if (const std::string compared = describe_final_comparison(results, outcome); !compared.empty()) {
    text += "; " + compared;
  }
  return text;
}

/// The lines about the groups.
class GroupLines {
 public:
  explicit GroupLines(const RunAnalysis& run)
      : results_(run.results),
        verdicts_(run.verdicts),
        chosen_(chosen_parameters(run.parameters, results_.run.tuning->for_each)),
        outcomes_(tuning_outcomes(run)) {}

  std::vector<std::string> lines() const {
    std::vector<std::string> lines = {describe_search(*results_.run.tuning, outcomes_)};
    const std::string ranking = describe_ranking(*results_.run.tuning);
    if (!ranking.empty()) lines.push_back(ranking);
    for (const TuningOutcome& outcome : outcomes_) {
      if (outcomes_.size() <= most_groups_in_full) {
        add_in_full(outcome, lines);
      } else if (lines.size() > most_groups) {
        lines.push_back(fmt::format("and {} more: the Markdown report has all groups",
                                    format_thousands(outcomes_.size() - most_groups)));
        break;
      } else {
        std::string line = winner_line(outcome);
        if (outcome.winner) line += "; " + describe_gain(results_, outcome);
        lines.push_back(std::move(line));
      }
    }
    return lines;
  }

 private:
  std::string configuration(std::size_t place) const {
    return describe(environment_of(results_.points[place].point), chosen_);
  }

  std::string winner_line(const TuningOutcome& outcome) const {
    const std::string best = outcome.label.empty() ? "best" : "best of " + outcome.label;
    if (!outcome.winner) return best + ": none: the search " + describe_course(outcome);
    return fmt::format("{}: {}: {}{}", best, configuration(*outcome.winner),
                       describe_winners_figure(results_, outcome),
                       describe_same(outcome.same.size()));
  }

  void add_in_full(const TuningOutcome& outcome, std::vector<std::string>& lines) const {
    lines.push_back(winner_line(outcome));
    if (!outcome.winner) return;
    const std::string gain = describe_gain(results_, outcome);
    const bool is_told_apart = outcome.default_configuration &&
                               outcome.default_configuration != outcome.winner &&
                               verdicts_.of_points[*outcome.default_configuration].has_value();
    if (!is_told_apart) {
      lines.push_back(gain);
      return;
    }
    const TuningRecord& tuning = *results_.run.tuning;
    const MetricColumn column = {tuning.metric, tuning.origin};
    lines.push_back(fmt::format(
        "default: {}: {}; {}", configuration(*outcome.default_configuration),
        describe_figure(column, verdicts_.of_points[*outcome.default_configuration]->figure),
        gain));
  }

  const RunResults& results_;
  const Verdicts& verdicts_;
  std::vector<ParameterValues> chosen_;
  std::vector<TuningOutcome> outcomes_;
};

}  // namespace

std::vector<std::string> describe_tuning(const RunAnalysis& run) {
  return run.results.run.tuning ? GroupLines(run).lines() : std::vector<std::string>();
}

std::vector<std::string> describe_best(const RunAnalysis& run) {
  const auto& tuning = run.results.run.tuning;
  std::vector<ParameterValues> told =
      tuning ? chosen_parameters(run.parameters, tuning->for_each) : run.told;
  // The label says it.
  if (!tuning && run.verdicts.groups.size() > 1) {
    std::erase_if(told, [](const ParameterValues& each) { return each.name == "pattern"; });
  }
  std::vector<std::string> lines;
  for (const VerdictGroup& group : run.verdicts.groups) {
    if (is_won(run.results, group)) continue;
    std::string line = tuning && !group.tuned ? "best so far" : "best";
    if (!group.label.empty()) line += " of " + group.label;
    line += fmt::format(": {}: {}", describe(environment_of(*run.points[group.best]), told),
                        describe_figure(group.metric, run.verdicts.of_points[group.best]->figure));
    line += describe_same(group.same.size());
    if (group.not_compared > 0) {
      line +=
          fmt::format("; {} {} not compared, for want of an interval",
                      format_thousands(group.not_compared), group.not_compared == 1 ? "is" : "are");
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sweep
