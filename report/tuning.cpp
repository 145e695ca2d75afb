#include "report/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/metric_column.h"
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

namespace {

std::uint64_t whole(std::int64_t number) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
}

/// "200 of 5,376 configurations"
std::string describe_tried_ones(std::int64_t tried, std::int64_t configurations) {
  const bool is_one = (configurations > 0 ? configurations : tried) == 1;
  return describe_tried(tried, configurations) + (is_one ? " configuration" : " configurations");
}

/// "the highest bandwidth", "the lowest shared_conflicts, emulated,"
std::string describe_goal(const TuningRecord& tuning) {
  std::string goal = tuning.better == Better::lower ? "the lowest " : "the highest ";
  goal += tuning.metric;
  if (tuning.origin == Origin::hardware) goal += ", by the hardware's counters,";
  if (tuning.origin == Origin::emulated) goal += ", emulated,";
  return goal;
}

/// "bandwidth" of what there is more of.
std::string noun_of(const std::string& metric) {
  std::string noun = metric;
  if (find_metric(metric) != nullptr) std::ranges::replace(noun, '_', ' ');
  return noun;
}

/// "the default is 1.12 times slower (1.10 to 1.13) than the winner"
std::string describe_slower_default(const TunedGroup& group, bool with_interval) {
  const bool is_slower = group.gain >= 1;
  const auto times = [&](double gain) { return times_text(is_slower ? gain : 1 / gain); };
  std::string text = fmt::format("{} times {}", times(group.gain), is_slower ? "slower" : "faster");
  if (with_interval) {
    text += fmt::format(" ({} to {})", times(is_slower ? group.gain_low : group.gain_high),
                        times(is_slower ? group.gain_high : group.gain_low));
  }
  return text;
}

/// A ratio with its interval, if it has one, as a difference in percent or a multiple.
struct GainText {
  std::string size;  ///< "12.3 % (12.0 to 12.6 %)", "2.31 times (2.29 to 2.33)"
  bool is_times = false;
  bool is_more = true;
};

GainText gain_text(const TunedGroup& group, bool with_interval) {
  constexpr double twice = 2;
  GainText text;
  text.is_more = group.gain >= 1;
  text.is_times = group.gain >= twice;
  if (text.is_times) {
    text.size = fmt::format("{:.2f} times", group.gain);
    if (with_interval)
      text.size += fmt::format(" ({:.2f} to {:.2f})", group.gain_low, group.gain_high);
    return text;
  }
  const auto percent = [&](double ratio) { return (ratio - 1) * (text.is_more ? 100 : -100); };
  constexpr double fine = 0.995;
  const int decimals = percent(group.gain) >= fine ? 1 : 2;
  text.size = fmt::format("{:.{}f} %", percent(group.gain), decimals);
  if (with_interval) {
    const double low = percent(text.is_more ? group.gain_low : group.gain_high);
    const double high = percent(text.is_more ? group.gain_high : group.gain_low);
    text.size += fmt::format(" ({:.{}f} to {:.{}f} %)", low, decimals, high, decimals);
  }
  return text;
}

std::string describe_known_gain(const TuningRecord& tuning, const TunedGroup& group) {
  const bool with_interval = group.gain_low > 0 && group.gain_high > group.gain_low;
  if (with_interval ? group.gain_low <= 1 && group.gain_high >= 1 : group.gain == 1) {
    return "the winner is no different from the default";
  }
  // Without an interval what was measured is near the truth only.
  const std::string about = with_interval || tuning.origin == Origin::emulated ? "" : "about ";
  if (is_time(column_of(tuning))) {
    return fmt::format("the default is {}{} than the winner", about,
                       describe_slower_default(group, with_interval));
  }
  const GainText text = gain_text(group, with_interval);
  const std::string size = about + text.size;
  const std::string noun = noun_of(tuning.metric);
  const std::string_view more = text.is_more ? "more" : "less";
  if (tuning.better != Better::lower) {
    if (text.is_times) return fmt::format("the winner has {} the default's {}", size, noun);
    return fmt::format("the winner has {} {} {} than the default", size, more, noun);
  }
  if (text.is_times) return fmt::format("the default has {} the winner's {}", size, noun);
  return fmt::format("the default has {} {} {} than the winner", size, more, noun);
}

/// Of figures that have no ratio, such as a count of 0, the figures themselves.
std::string describe_without_gain(const RunResults& results, const TuningOutcome& outcome) {
  const std::string unknown = "the gain over the default is not known";
  if (!outcome.winner || !outcome.default_configuration) return unknown;
  const MetricColumn column = column_of(*results.run.tuning);
  const auto figure = figure_of(results.points[*outcome.default_configuration].point, column);
  if (!figure || *figure <= 0 || outcome.found.figure != 0) return unknown;
  return fmt::format("the winner has {}, the default {}", format_figure(outcome.found.figure),
                     format_figure(*figure));
}

}  // namespace

std::string describe_search(const TuningRecord& tuning,
                            const std::vector<TuningOutcome>& outcomes) {
  std::string text = fmt::format("Searched for {} by the strategy '{}' with the seed {}",
                                 describe_goal(tuning), tuning.strategy, tuning.seed);
  if (!tuning.for_each.empty()) {
    text += fmt::format(", for each {}{}", tuning.for_each.size() > 1 ? "combination of " : "",
                        in_words(tuning.for_each));
  }
  TuningOutcome all;
  for (const TuningOutcome& outcome : outcomes) {
    all.found.tried += outcome.found.tried;
    all.found.configurations += outcome.found.configurations;
    all.failed += outcome.failed;
    all.cut_off += outcome.cut_off;
  }
  text += ": tried " + describe_tried_ones(all.found.tried, all.found.configurations);
  if (!tuning.for_each.empty()) text += " in " + count_of(outcomes.size(), "group");
  text += all.failed > 0 ? "; " + format_thousands(all.failed) + " failed" : "; none failed";
  if (all.cut_off > 0) {
    text += fmt::format(", {} {} cut off after {} first samples", format_thousands(all.cut_off),
                        all.cut_off == 1 ? "was" : "were", all.cut_off == 1 ? "its" : "their");
  }
  return text;
}

std::string describe_tried(std::int64_t tried, std::int64_t configurations) {
  if (configurations <= 0) return format_thousands(whole(tried));
  return format_thousands(whole(tried)) + " of " + format_thousands(whole(configurations));
}

std::string describe_end(const TunedGroup& group) {
  return group.ended.empty() ? "has not ended" : group.ended;
}

std::string describe_course(const TuningOutcome& outcome) {
  std::string text =
      "tried " + describe_tried_ones(outcome.found.tried, outcome.found.configurations);
  if (outcome.failed > 0) text += fmt::format(", {} failed", format_thousands(outcome.failed));
  if (outcome.cut_off > 0) {
    text += fmt::format(", {} {} cut off", format_thousands(outcome.cut_off),
                        outcome.cut_off == 1 ? "was" : "were");
  }
  return text + "; it " + describe_end(outcome.found);
}

std::string describe_gain(const RunResults& results, const TuningOutcome& outcome) {
  const TunedGroup& found = outcome.found;
  if (!found.default_configuration) {
    const std::string none = "there is no default configuration";
    return found.why_no_default.empty() ? none : none + ": " + found.why_no_default;
  }
  if (outcome.default_configuration &&
      results.points[*outcome.default_configuration].point.status == PointStatus::failed) {
    return "the default failed";
  }
  if (found.winner && found.winner == found.default_configuration) return "the default is the best";
  if (!found.winner || !std::isfinite(found.gain) || found.gain <= 0) {
    return describe_without_gain(results, outcome);
  }
  return describe_known_gain(*results.run.tuning, found);
}

std::optional<double> percent_of_peak(const RunResults& results, double figure) {
  if (!results.run.tuning) return std::nullopt;
  const TuningRecord& tuning = *results.run.tuning;
  const double peak = results.run.provenance.device.peak_bandwidth();
  const bool is_bandwidth = tuning.metric == "bandwidth" && tuning.origin == Origin::measured;
  if (!is_bandwidth || peak <= 0) return std::nullopt;
  constexpr double giga = 1e9;
  return figure * giga / peak * 100;
}

double winners_figure(const RunResults& results, const TuningOutcome& outcome) {
  const MetricColumn column = column_of(*results.run.tuning);
  const auto own =
      outcome.winner ? figure_of(results.points[*outcome.winner].point, column) : std::nullopt;
  return own.value_or(outcome.found.figure);
}

std::string describe_final_comparison(const RunResults& results, const TuningOutcome& outcome) {
  const TunedGroup& group = outcome.found;
  if (group.rounds <= 0) return {};
  const MetricColumn column = column_of(*results.run.tuning);
  std::string text = describe_figure(column, group.figure);
  if (group.figure_low > 0 && group.figure_high > group.figure_low) {
    text += fmt::format(" ({} to {})", format_figure(group.figure_low),
                        format_figure(group.figure_high));
  }
  return text + fmt::format(" in the final comparison of {}",
                            count_of(static_cast<std::uint64_t>(group.rounds), "round"));
}

namespace {

constexpr std::size_t most_groups = 20;

/// "4301 GB/s, 89.3 % of the peak; 4304 GB/s (4290 to 4310) in the final comparison of 12 rounds"
std::string describe_winners_figure(const RunResults& results, const TuningOutcome& outcome) {
  const MetricColumn column = column_of(*results.run.tuning);
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
    return describe(results_.points[place].point, chosen_);
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
    const MetricColumn column = column_of(tuning);
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
    line += fmt::format(": {}: {}", describe(*run.points[group.best], told),
                        describe_figure(group.metric, run.verdicts.of_points[group.best]->figure));
    line += describe_same(group.same.size());
    if (group.not_compared > 0) line += "; " + describe_not_compared(group);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sweep
