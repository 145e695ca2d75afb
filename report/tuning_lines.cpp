#include "report/tuning_lines.h"

#include <fmt/format.h>

#include "engine/text/units.h"
#include "report/parameter_values.h"
#include "report/point_records.h"
#include "report/tuning_outcome.h"
#include "report/tuning_words.h"
#include "report/verdict.h"

namespace sweep {
namespace {

constexpr std::size_t most_groups = 20;

/// "4301 GB/s (4290 to 4310, 12 rounds), 89.3 % of the peak"
std::string describe_winners_figure(const RunResults& results, const TunedGroup& group) {
  const TuningRecord& tuning = *results.run.tuning;
  const MetricColumn column = {tuning.metric, tuning.origin};
  std::string text = describe_figure(column, group.figure);
  if (has_interval(group)) {
    text += fmt::format(" ({} to {}", format_figure(group.figure_low),
                        format_figure(group.figure_high));
    if (group.rounds > 0) {
      text += ", " + count_of(static_cast<std::uint64_t>(group.rounds), "round");
    }
    text += ')';
  }
  if (const auto share = percent_of_peak(results, group.figure)) {
    text += fmt::format(", {:.1f} % of the peak", *share);
  }
  return text;
}

/// The lines about the groups.
class GroupLines {
 public:
  explicit GroupLines(const RunResults& results) : results_(results), verdicts_(judge(results)) {
    const std::vector<const PointRecord*> points = records_of(results.points);
    chosen_ = chosen_parameters(parameters_of(points), results.run.tuning->for_each);
    outcomes_ = tuning_outcomes(results, verdicts_);
  }

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
                       describe_winners_figure(results_, outcome.found),
                       describe_same(outcome.same.size()));
  }

  void add_in_full(const TuningOutcome& outcome, std::vector<std::string>& lines) const {
    lines.push_back(winner_line(outcome));
    if (!outcome.winner) return;
    const std::string gain = describe_gain(results_, outcome);
    const bool is_told_apart = outcome.standard && outcome.standard != outcome.winner &&
                               verdicts_.of_points[*outcome.standard].has_value();
    if (!is_told_apart) {
      lines.push_back(gain);
      return;
    }
    const TuningRecord& tuning = *results_.run.tuning;
    const MetricColumn column = {tuning.metric, tuning.origin};
    lines.push_back(
        fmt::format("default: {}: {}; {}", configuration(*outcome.standard),
                    describe_figure(column, verdicts_.of_points[*outcome.standard]->figure), gain));
  }

  const RunResults& results_;
  Verdicts verdicts_;
  std::vector<ParameterValues> chosen_;
  std::vector<TuningOutcome> outcomes_;
};

}  // namespace

std::vector<std::string> describe_tuning(const RunResults& results) {
  return results.run.tuning ? GroupLines(results).lines() : std::vector<std::string>();
}

}  // namespace sweep
