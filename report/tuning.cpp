#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

/// Of more groups a report tells less of each.
constexpr std::size_t most_groups_in_full = 8;
constexpr std::size_t most_groups_in_lines = 20;
constexpr std::size_t most_same_listed = 5;

std::uint64_t whole(std::int64_t number) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0));
}

/// "200 of 5,376"; without the second number where it is not known.
std::string describe_tried(const TunedGroup& found) {
  const std::string tried = format_thousands(whole(found.tried));
  if (found.configurations <= 0) return tried;
  return tried + " of " + format_thousands(whole(found.configurations));
}

/// "tried 200 of 5,376 configurations"
std::string describe_search_of(const TunedGroup& found) {
  const bool is_one = (found.configurations > 0 ? found.configurations : found.tried) == 1;
  return "tried " + describe_tried(found) + (is_one ? " configuration" : " configurations");
}

/// "57 were cut off"
std::string describe_cut_off(std::size_t count) {
  return format_thousands(count) + (count == 1 ? " was" : " were") + " cut off";
}

/// "Searched for the highest bandwidth by the strategy 'forest' with the seed 1, for each T: tried
/// 400 of 10,752 configurations in 2 groups; 3 failed, 57 were cut off after their first samples"
std::string describe_search(const TuningRecord& tuning,
                            const std::vector<TuningOutcome>& outcomes) {
  std::string goal = tuning.metric;
  if (tuning.origin == Origin::hardware) goal += ", by the hardware's counters,";
  if (tuning.origin == Origin::emulated) goal += ", emulated,";
  std::string text = fmt::format("Searched for the {} {} by the strategy '{}' with the seed {}",
                                 tuning.better == Better::lower ? "lowest" : "highest", goal,
                                 tuning.strategy, tuning.seed);
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
  text += ": " + describe_search_of(all.found);
  if (!tuning.for_each.empty()) text += " in " + count_of(outcomes.size(), "group");
  text += all.failed > 0 ? "; " + format_thousands(all.failed) + " failed" : "; none failed";
  if (all.cut_off == 0) return text;
  return text + fmt::format(", {} after {} first samples", describe_cut_off(all.cut_off),
                            all.cut_off == 1 ? "its" : "their");
}

/// Why a group's search ended, or that it has not: "stopped after 200 configurations".
std::string describe_end(const TunedGroup& group) {
  return group.ended.empty() ? "has not ended" : group.ended;
}

/// What a group's search did: "tried 200 of 5,376 configurations, 3 failed, 57 were cut off; it
/// stopped after 200 configurations"
std::string describe_course(const TuningOutcome& outcome) {
  std::string text = describe_search_of(outcome.found);
  if (outcome.failed > 0) text += fmt::format(", {} failed", format_thousands(outcome.failed));
  if (outcome.cut_off > 0) text += ", " + describe_cut_off(outcome.cut_off);
  return text + "; it " + describe_end(outcome.found);
}

/// Why a search with results has no winner, and what to do, to stand behind that; empty where that
/// is not so.
std::string describe_disturbance(const TunedGroup& group) {
  if (group.why_no_winner.empty()) return {};
  return fmt::format("; {}; run it again with --fresh when nothing else computes there",
                     group.why_no_winner);
}

std::string describe_known_gain(const TuningRecord& tuning, const TunedGroup& group) {
  constexpr double twice = 2;
  const bool has_interval = group.gain_low > 0 && group.gain_high > group.gain_low;
  if (has_interval ? group.gain_low <= 1 && group.gain_high >= 1 : group.gain == 1) {
    return "the winner is no different from the default";
  }
  const bool is_more = group.gain >= 1;
  const auto size = [&](auto show, std::string_view unit, std::string_view unit_of_interval) {
    // Without an interval what was measured is near the truth only.
    std::string text = has_interval || tuning.origin == Origin::emulated ? "" : "about ";
    text.append(show(group.gain)).append(unit);
    if (!has_interval) return text;
    return text + fmt::format(" ({} to {}{})", show(is_more ? group.gain_low : group.gain_high),
                              show(is_more ? group.gain_high : group.gain_low), unit_of_interval);
  };
  if (is_time(column_of(tuning))) {
    const auto times = [&](double gain) { return times_text(is_more ? gain : 1 / gain); };
    return fmt::format("the default is {} than the winner",
                       size(times, is_more ? " times slower" : " times faster", ""));
  }
  std::string noun = tuning.metric;
  if (find_metric(noun) != nullptr) std::ranges::replace(noun, '_', ' ');
  std::string_view subject = "winner";
  std::string_view other = "default";
  if (tuning.better == Better::lower) std::swap(subject, other);
  if (group.gain >= twice) {
    const auto times = [](double gain) { return fmt::format("{:.2f}", gain); };
    return fmt::format("the {} has {} the {}'s {}", subject, size(times, " times", ""), other,
                       noun);
  }
  constexpr double fine = 0.995;
  const auto percent = [&](double gain) { return (gain - 1) * (is_more ? 100 : -100); };
  const int decimals = percent(group.gain) >= fine ? 1 : 2;
  const auto percents = [&](double gain) {
    return fmt::format("{:.{}f}", percent(gain), decimals);
  };
  return fmt::format("the {} has {} {} {} than the {}", subject, size(percents, " %", " %"),
                     is_more ? "more" : "less", noun, other);
}

/// Says what a run's search found.
class TuningWords {
 public:
  explicit TuningWords(const RunAnalysis& run)
      : run_(run),
        tuning_(*run.results.run.tuning),
        column_(column_of(tuning_)),
        outcomes_(tuning_outcomes(run)),
        groups_(tuned_groups_of(run.results.points, tuning_)) {}

  std::vector<std::string> lines() const {
    std::vector<std::string> lines = {describe_search(tuning_, outcomes_)};
    const std::string ranking = describe_ranking(tuning_);
    if (!ranking.empty()) lines.push_back(ranking);
    for (const TuningOutcome& outcome : outcomes_) {
      const bool is_in_full = outcomes_.size() <= most_groups_in_full;
      if (!is_in_full && lines.size() > most_groups_in_lines) {
        lines.push_back(fmt::format("and {} more: the Markdown report has all groups",
                                    format_thousands(outcomes_.size() - most_groups_in_lines)));
        break;
      }
      lines.push_back(winner_line(outcome));
      if (!outcome.winner) continue;
      const std::string gain = describe_gain(run_.results, outcome);
      if (is_in_full) {
        lines.push_back(default_words(outcome) + gain);
      } else {
        lines.back() += "; " + gain;
      }
    }
    return lines;
  }

  Document section() const {
    Document content = {Paragraph{describe_search(tuning_, outcomes_) + '.'}};
    const std::string ranking = describe_ranking(tuning_);
    content.emplace_back(Paragraph{
        !ranking.empty()
            ? as_sentence(ranking)
            : "A configuration is not distinguishable from the winner where the measuring cannot "
              "tell them apart: by rounds in turn where there were any, else by intervals that "
              "overlap."});
    if (outcomes_.size() > most_groups_in_full) {
      add_all_groups(content);
    } else {
      for (const TuningOutcome& outcome : outcomes_) add_group(outcome, content);
    }
    return content;
  }

 private:
  using Cells = std::vector<std::string>;

  /// Without the columns that say nothing in any row.
  static void add_table(DocumentTable table, Document& content) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
      const bool is_empty = std::ranges::all_of(
          table.rows, [&](const Cells& row) { return row[i].empty() || row[i] == no_figure; });
      if (!is_empty) continue;
      const auto place = static_cast<std::ptrdiff_t>(i);
      table.columns.erase(table.columns.begin() + place);
      for (Cells& row : table.rows) row.erase(row.begin() + place);
    }
    content.emplace_back(std::move(table));
  }

  const std::optional<PointVerdict>& verdict(std::size_t place) const {
    return run_.verdicts.of_points[place];
  }
  std::string configuration(std::size_t place) const {
    return describe(*run_.points[place], run_.told_in_group);
  }
  std::string changes_of(std::size_t place, const TuningOutcome& outcome) const {
    return describe_changes(run_, place, outcome);
  }

  /// The winner's figure as it was measured among all others: what every table shows of it. Where
  /// its point is not there that of the final comparison.
  double winners_figure(const TuningOutcome& outcome) const {
    return figure_of(*run_.points[*outcome.winner], column_).value_or(outcome.found.figure);
  }

  /// "4304 GB/s (4290 to 4310) in the final comparison of 12 rounds"; empty where there was none.
  std::string describe_final_comparison(const TunedGroup& group) const {
    if (group.rounds <= 0) return {};
    std::string text = describe_figure(column_, group.figure);
    if (group.figure_low > 0 && group.figure_high > group.figure_low) {
      text += fmt::format(" ({} to {})", format_figure(group.figure_low),
                          format_figure(group.figure_high));
    }
    return text + " in the final comparison of " + count_of(whole(group.rounds), "round");
  }

  /// "best of T = float: BLOCK = 256: 4301 GB/s, 89.3 % of the peak; 4304 GB/s (4290 to 4310) in
  /// the final comparison of 12 rounds; 2 configurations are the same"
  std::string winner_line(const TuningOutcome& outcome) const {
    const std::string best = outcome.label.empty() ? "best" : "best of " + outcome.label;
    if (!outcome.winner) {
      return best + ": none: the search " + describe_course(outcome) +
             describe_disturbance(outcome.found);
    }
    const double figure = winners_figure(outcome);
    std::string text = fmt::format("{}: {}: {}", best, changes_of(*outcome.winner, outcome),
                                   describe_figure(column_, figure));
    if (const auto share = percent_of_peak(run_.results, figure)) {
      text += fmt::format(", {:.1f} % of the peak", *share);
    }
    const std::string compared = describe_final_comparison(outcome.found);
    return text + (compared.empty() ? "" : "; ") + compared + describe_same(outcome.same.size());
  }

  /// "default: BLOCK = 128: 3980 GB/s; ", to stand before the gain over it. Its configuration is
  /// left out where the winner is told by what sets it apart.
  std::string default_words(const TuningOutcome& outcome) const {
    const auto& place = outcome.default_configuration;
    if (!place || place == outcome.winner || !verdict(*place)) return {};
    const bool is_known = changes_of(*outcome.winner, outcome) != configuration(*outcome.winner);
    return fmt::format("default: {}{}; ", is_known ? "" : configuration(*place) + ": ",
                       describe_figure(column_, verdict(*place)->figure));
  }

  /// The point's interval; nothing for a figure that is exact, or of a few samples.
  std::string interval_of_point(std::size_t place) const {
    const auto& own = verdict(place);
    const auto interval = own ? own->interval : std::nullopt;
    const bool is_exact = interval && interval->low >= interval->high;
    return is_exact || is_cut_off(*run_.points[place]) ? no_figure : interval_text(interval);
  }

  std::string share_of_peak(double figure) const {
    const auto share = percent_of_peak(run_.results, figure);
    return share ? format_figure(*share) : std::string();
  }

  std::string figure_text(std::size_t place) const {
    const bool is_rough = is_cut_off(*run_.points[place]);
    return (is_rough ? "about " : "") + format_figure(verdict(place)->figure);
  }

  /// A point in its group's table.
  Cells line_of(std::size_t place, const std::vector<std::string>& roles,
                const TuningOutcome& outcome) const {
    const bool is_winner = place == *outcome.winner;
    const auto& own = verdict(place);
    if (!is_winner && !own) {
      const bool has_failed = run_.points[place]->status == PointStatus::failed;
      const char* figure = has_failed ? "failed" : no_figure;
      return {in_words(roles), configuration(place), figure, no_figure, "", "", ""};
    }
    const double figure = is_winner ? winners_figure(outcome) : own->figure;
    const int rounds = is_winner ? outcome.found.rounds : own->rounds;
    return {in_words(roles),
            configuration(place),
            is_winner ? format_figure(figure) : figure_text(place),
            interval_of_point(place),
            share_of_peak(figure),
            is_winner ? "best" : to_string(*own),
            rounds > 0 ? std::to_string(rounds) : ""};
  }

  void add_group(const TuningOutcome& outcome, Document& content) const {
    const auto add_text = [&](std::string text) {
      content.emplace_back(Paragraph{std::move(text)});
    };
    if (!outcome.label.empty()) content.emplace_back(Heading{3, outcome.label});
    // What all groups tried has been told.
    add_text("The search " +
             (outcome.label.empty() ? describe_end(outcome.found) : describe_course(outcome)) +
             '.');
    if (!outcome.winner) {
      return add_text("There is no winner" + describe_disturbance(outcome.found) + '.');
    }
    // What is two things at once has one line.
    std::vector<std::pair<std::size_t, std::vector<std::string>>> roles;
    const auto add = [&](std::size_t place, const char* role) {
      auto found = std::ranges::find(roles, place, [](const auto& each) { return each.first; });
      if (found == roles.end()) found = roles.insert(found, {place, {}});
      found->second.emplace_back(role);
    };
    const std::size_t listed = std::min(outcome.same.size(), most_same_listed);
    add(*outcome.winner, "winner");
    for (std::size_t i = 0; i < listed; ++i) add(outcome.same[i], "not distinguishable");
    if (outcome.worst) add(*outcome.worst, "worst");
    if (outcome.default_configuration) add(*outcome.default_configuration, "default");
    DocumentTable table = {{"", "configuration", figure_column(heading_of(column_)),
                            figure_column("95 % interval"), figure_column("of the peak [%]"),
                            "verdict", figure_column("rounds")}};
    for (const auto& [place, names] : roles) table.rows.push_back(line_of(place, names, outcome));
    add_table(std::move(table), content);
    if (outcome.same.size() > listed) {
      add_text(fmt::format("And {} more cannot be told from the winner.",
                           format_thousands(outcome.same.size() - listed)));
    }
    const std::string compared = describe_final_comparison(outcome.found);
    if (!compared.empty()) add_text("The winner has " + compared + '.');
    add_text(as_sentence(describe_gain(run_.results, outcome)));
    add_importance(outcome, content);
  }

  /// What the best of the group's tries with other values of a parameter has, the parameter first
  /// that matters most.
  void add_importance(const TuningOutcome& outcome, Document& content) const {
    constexpr std::size_t most_rows = 12;
    const auto own_group = groups_[*outcome.winner];
    const Bindings winner = environment_of(*run_.points[*outcome.winner]);
    std::vector<std::pair<const PointRecord*, Bindings>> tried;
    for (std::size_t i = 0; i < run_.points.size(); ++i) {
      if (groups_[i] != own_group || is_cut_off(*run_.points[i])) continue;
      tried.emplace_back(run_.points[i], environment_of(*run_.points[i]));
    }
    const double figure = winners_figure(outcome);
    struct Other {
      const ParameterValues* parameter;
      const PointRecord* best;
      double ratio;
    };
    std::vector<Other> others;
    for (const ParameterValues& parameter : run_.told_in_group) {
      const Value* value = winner.find(parameter.name);
      if (value == nullptr) continue;
      PointList points;
      for (const auto& [point, environment] : tried) {
        const Value* other = environment.find(parameter.name);
        if (other != nullptr && *other != *value) points.push_back(point);
      }
      if (const PointRecord* best = best_point(points, column_, tuning_.better)) {
        others.push_back({&parameter, best, *figure_of(*best, column_) / figure});
      }
    }
    if (others.size() < 2) return;
    const auto loss = [&](const Other& other) {
      return tuning_.better == Better::lower ? 1 / other.ratio : other.ratio;
    };
    std::ranges::stable_sort(others, {}, loss);
    if (others.size() > most_rows) others.resize(most_rows);
    DocumentTable table = {{"parameter", "the winner's", "the best other",
                            figure_column(heading_of(column_)), "difference"}};
    for (const Other& other : others) {
      const Bindings environment = environment_of(*other.best);
      const std::string& name = other.parameter->name;
      table.rows.push_back({name, other.parameter->show(*winner.find(name)),
                            other.parameter->show(*environment.find(name)),
                            format_figure(*figure_of(*other.best, column_)),
                            std::isfinite(other.ratio) && other.ratio > 0
                                ? describe_difference(other.ratio, column_)
                                : std::string()});
    }
    content.emplace_back(Paragraph{
        "How much depends on a parameter: the best that was tried with another value of it."});
    content.emplace_back(std::move(table));
  }

  /// A group in the table of all.
  Cells line_of(const TuningOutcome& outcome) const {
    const TunedGroup& found = outcome.found;
    Cells cells = {outcome.label, "none", no_figure, no_figure,          "",
                   no_figure,     "",     no_figure, found.why_no_winner};
    if (outcome.winner) {
      const double figure = winners_figure(outcome);
      cells = {outcome.label,
               configuration(*outcome.winner),
               format_figure(figure),
               interval_of_point(*outcome.winner),
               share_of_peak(figure),
               found.rounds > 0 ? format_figure(found.figure) : no_figure,
               format_thousands(outcome.same.size()),
               outcome.worst ? figure_text(*outcome.worst) : no_figure,
               describe_gain(run_.results, outcome)};
    }
    cells.insert(cells.end(), {describe_tried(found), format_thousands(outcome.failed),
                               format_thousands(outcome.cut_off), describe_end(found)});
    return cells;
  }

  void add_all_groups(Document& content) const {
    DocumentTable table = {
        {"group", "winner", figure_column(heading_of(column_)), figure_column("95 % interval"),
         figure_column("of the peak [%]"), figure_column("in the final comparison"),
         figure_column("not distinguishable"), figure_column("worst"), "gain over the default",
         figure_column("tried"), figure_column("failed"), figure_column("cut off"), "the search"}};
    for (const TuningOutcome& outcome : outcomes_) table.rows.push_back(line_of(outcome));
    const std::string end = table.rows.front().back();
    if (std::ranges::all_of(table.rows, [&](const Cells& row) { return row.back() == end; })) {
      content.emplace_back(Paragraph{"Each search " + end + '.'});
      for (Cells& row : table.rows) row.back().clear();
    }
    add_table(std::move(table), content);
  }

  const RunAnalysis& run_;
  const TuningRecord& tuning_;
  const MetricColumn column_;
  const std::vector<TuningOutcome> outcomes_;
  const std::vector<std::optional<std::size_t>> groups_;  ///< of the points
};

}  // namespace

std::vector<TuningOutcome> tuning_outcomes(const RunAnalysis& run) {
  const RunResults& results = run.results;
  if (!results.run.tuning) return {};
  const TuningRecord& tuning = *results.run.tuning;
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    places.emplace(results.points[i].ordinal, i);
  }
  const auto place_of = [&](std::optional<std::int64_t> ordinal) {
    const auto found = ordinal ? places.find(*ordinal) : places.end();
    return found != places.end() ? std::optional(found->second) : std::nullopt;
  };
  std::vector<TuningOutcome> outcomes;
  for (const TunedGroup& found : tuning.groups) {
    TuningOutcome& outcome = outcomes.emplace_back();
    outcome.found = found;
    outcome.label = describe_group(found.group, tuning.for_each, run.parameters);
    outcome.winner = place_of(found.winner);
    outcome.default_configuration = place_of(found.default_configuration);
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

std::string describe_changes(const RunAnalysis& run, std::size_t place,
                             const TuningOutcome& outcome) {
  std::vector<ParameterValues> shown = run.told_in_group;
  if (outcome.default_configuration && outcome.default_configuration != place) {
    const Bindings own = environment_of(*run.points[place]);
    const Bindings others = environment_of(*run.points[*outcome.default_configuration]);
    std::erase_if(shown, [&](const ParameterValues& parameter) {
      const Value* value = own.find(parameter.name);
      const Value* other = others.find(parameter.name);
      return value == nullptr || (other != nullptr && *value == *other);
    });
    const bool is_shorter = std::ranges::any_of(run.told_in_group, [&](const auto& parameter) {
      return own.find(parameter.name) != nullptr && !find_parameter(shown, parameter.name);
    });
    if (is_shorter && !shown.empty()) {
      return describe(*run.points[place], shown) + ", else the default";
    }
    shown = run.told_in_group;
  }
  return describe(*run.points[place], shown);
}

std::string describe_in_short(const RunAnalysis& run, std::size_t place) {
  const auto& tuning = run.results.run.tuning;
  const auto group = tuning ? tuned_groups_of(run.results.points, *tuning)[place] : std::nullopt;
  if (!group) return describe(*run.points[place], run.told);
  const TuningOutcome outcome = tuning_outcomes(run)[*group];
  const std::string changes = describe_changes(run, place, outcome);
  return outcome.label.empty() ? changes : outcome.label + ": " + changes;
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
  const bool is_known = found.winner && std::isfinite(found.gain) && found.gain > 0;
  if (is_known) return describe_known_gain(*results.run.tuning, found);
  // Of figures that have no ratio, such as a count of 0, the figures themselves.
  if (outcome.winner && outcome.default_configuration && found.figure == 0) {
    const auto figure = figure_of(results.points[*outcome.default_configuration].point,
                                  column_of(*results.run.tuning));
    if (figure && *figure > 0) {
      return fmt::format("the winner has {}, the default {}", format_figure(found.figure),
                         format_figure(*figure));
    }
  }
  return "the gain over the default is not known";
}

std::optional<double> percent_of_peak(const RunResults& results, double figure) {
  constexpr double giga = 1e9;
  const auto& tuning = results.run.tuning;
  const double peak = results.run.provenance.device.peak_bandwidth();
  if (!tuning || column_of(*tuning) != MetricColumn{"bandwidth"} || peak <= 0) return std::nullopt;
  return figure * giga / peak * 100;
}

Document tuning_section(const RunAnalysis& run) {
  return run.results.run.tuning ? TuningWords(run).section() : Document();
}

std::vector<std::string> describe_best(const RunAnalysis& run) {
  const auto& tuning = run.results.run.tuning;
  std::vector<std::string> lines;
  if (tuning) lines = TuningWords(run).lines();
  for (const VerdictGroup& group : run.verdicts.groups) {
    if (is_won(run.results, group)) continue;
    std::string line = tuning ? "best so far" : "best";
    if (!group.label.empty()) line += " of " + group.label;
    line += fmt::format(": {}: {}", describe(*run.points[group.best], run.told_in_group),
                        describe_figure(group.metric, run.verdicts.of_points[group.best]->figure));
    line += describe_same(group.same.size());
    if (group.not_compared > 0) line += "; " + describe_not_compared(group);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return no_figure;
  return fmt::format("{}–{}", format_figure(interval->low), format_figure(interval->high));
}

}  // namespace sweep
