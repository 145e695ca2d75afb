#include "report/markdown_tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/markdown_text.h"
#include "report/sentences.h"
#include "report/tuning_outcome.h"
#include "report/tuning_words.h"
#include "report/verdict.h"

namespace sweep {
namespace {

constexpr std::size_t most_same = 5;

using Rows = std::vector<std::vector<std::string>>;

std::string describe_rounds(int rounds) {
  return rounds > 0 ? std::to_string(rounds) : std::string();
}

/// Leaves out the columns that say nothing in any row.
void drop_empty_columns(std::vector<MarkdownColumn>& columns, Rows& rows) {
  for (std::size_t i = columns.size(); i-- > 0;) {
    const bool is_empty =
        std::ranges::all_of(rows, [&](const auto& row) { return row[i].empty() || row[i] == "–"; });
    if (!is_empty) continue;
    const auto place = static_cast<std::ptrdiff_t>(i);
    columns.erase(columns.begin() + place);
    for (auto& row : rows) row.erase(row.begin() + place);
  }
}

/// A line of a group's table: one point and what it is there.
struct Role {
  std::size_t place = 0;
  std::vector<std::string> names;
};

class TuningSection {
 public:
  explicit TuningSection(const RunAnalysis& run)
      : results_(run.results),
        tuning_(*results_.run.tuning),
        chosen_(chosen_parameters(run.parameters, tuning_.for_each)),
        verdicts_(run.verdicts),
        outcomes_(tuning_outcomes(run)) {}

  std::string write() const {
    std::string text = "## Tuning\n\n";
    text += escape_markdown(describe_search(tuning_, outcomes_)) + ".\n\n";
    if (const std::string ranking = describe_ranking(tuning_); !ranking.empty()) {
      text += escape_markdown(as_sentence(ranking)) + "\n\n";
    } else {
      text +=
          "A configuration is not distinguishable from the winner where the measuring cannot tell "
          "them apart: by rounds in turn where there were any, else by intervals that overlap.\n\n";
    }
    if (outcomes_.size() > most_groups_in_full) return text + write_all_groups();
    for (const TuningOutcome& outcome : outcomes_) text += write_group(outcome);
    return text;
  }

 private:
  std::string heading() const {
    return escape_markdown(heading_of({tuning_.metric, tuning_.origin}));
  }

  std::string configuration(std::size_t place) const {
    return escape_markdown(describe(environment_of(results_.points[place].point), chosen_));
  }

  static std::string interval_text(const std::optional<Interval>& interval) {
    if (!interval || interval->low >= interval->high) return "–";
    return format_figure(interval->low) + "–" + format_figure(interval->high);
  }

  std::string winners_interval(const TuningOutcome& outcome) const {
    const auto& verdict = verdicts_.of_points[*outcome.winner];
    return interval_text(verdict ? verdict->interval : std::nullopt);
  }

  /// The lines of a group's table: what is two things at once has one line.
  std::vector<Role> roles_of(const TuningOutcome& outcome) const {
    std::vector<Role> roles = {{*outcome.winner, {"winner"}}};
    const auto add = [&](std::size_t place, const std::string& name) {
      const auto found = std::ranges::find(roles, place, &Role::place);
      if (found != roles.end()) {
        found->names.push_back(name);
      } else {
        roles.push_back({place, {name}});
      }
    };
    for (std::size_t i = 0; i < std::min(outcome.same.size(), most_same); ++i) {
      add(outcome.same[i], "not distinguishable");
    }
    if (outcome.worst) add(*outcome.worst, "worst");
    if (outcome.default_configuration) add(*outcome.default_configuration, "default");
    return roles;
  }

  /// The cells of one line: what it is, configuration, figure, interval, share of the peak, verdict
  /// and rounds.
  std::vector<std::string> cells_of(const Role& role, const TuningOutcome& outcome) const {
    std::vector<std::string> cells = {in_words(role.names), configuration(role.place)};
    const auto& verdict = verdicts_.of_points[role.place];
    const PointRecord& point = results_.points[role.place].point;
    if (role.place == *outcome.winner) {
      const double figure = winners_figure(results_, outcome);
      cells.insert(cells.end(),
                   {format_figure(figure), winners_interval(outcome), share_of_peak(figure), "best",
                    describe_rounds(outcome.found.rounds)});
    } else if (!verdict) {
      const std::string status = point.status == PointStatus::failed ? "failed" : "–";
      cells.insert(cells.end(), {status, "–", "", "", ""});
    } else {
      const bool is_rough = is_cut_off(point);
      cells.insert(cells.end(), {(is_rough ? "about " : "") + format_figure(verdict->figure),
                                 is_rough ? "–" : interval_text(verdict->interval),
                                 share_of_peak(verdict->figure), to_string(*verdict),
                                 describe_rounds(verdict->rounds)});
    }
    return cells;
  }

  std::string share_of_peak(double figure) const {
    const auto share = percent_of_peak(results_, figure);
    return share ? format_figure(*share) : std::string();
  }

  std::string write_group(const TuningOutcome& outcome) const {
    std::string text;
    if (!outcome.label.empty()) text += "### " + escape_markdown(outcome.label) + "\n\n";
    // What all groups tried has been told.
    const std::string course =
        outcome.label.empty() ? describe_end(outcome.found) : describe_course(outcome);
    text += "The search " + escape_markdown(course) + ".\n\n";
    if (!outcome.winner) return text + "There is no winner.\n\n";
    std::vector<MarkdownColumn> columns = {{"", false},
                                           {"configuration", false},
                                           {heading(), true},
                                           {"95 % interval", true},
                                           {"of the peak [%]", true},
                                           {"verdict", false},
                                           {"rounds", true}};
    Rows rows;
    for (const Role& role : roles_of(outcome)) rows.push_back(cells_of(role, outcome));
    drop_empty_columns(columns, rows);
    text += markdown_table(columns, rows) + '\n';
    if (outcome.same.size() > most_same) {
      text += fmt::format("And {} more cannot be told from the winner.\n\n",
                          format_thousands(outcome.same.size() - most_same));
    }
    if (const std::string compared = describe_final_comparison(results_, outcome);
        !compared.empty()) {
      text += "The winner has " + escape_markdown(compared) + ".\n\n";
    }
    return text + escape_markdown(as_sentence(describe_gain(results_, outcome))) + "\n\n";
  }

  std::string worst_of(const TuningOutcome& outcome) const {
    if (!outcome.worst) return "–";
    const bool is_rough = is_cut_off(results_.points[*outcome.worst].point);
    return (is_rough ? "about " : "") + format_figure(verdicts_.of_points[*outcome.worst]->figure);
  }

  std::vector<std::string> line_of(const TuningOutcome& outcome) const {
    std::vector<std::string> cells = {escape_markdown(outcome.label)};
    const TunedGroup& found = outcome.found;
    if (outcome.winner) {
      const double figure = winners_figure(results_, outcome);
      cells.insert(cells.end(), {configuration(*outcome.winner), format_figure(figure),
                                 winners_interval(outcome), share_of_peak(figure),
                                 found.rounds > 0 ? format_figure(found.figure) : "–",
                                 format_thousands(outcome.same.size()), worst_of(outcome),
                                 escape_markdown(describe_gain(results_, outcome))});
    } else {
      cells.insert(cells.end(), {"none", "–", "–", "", "–", "", "–", ""});
    }
    cells.insert(cells.end(), {describe_tried(found.tried, found.configurations),
                               format_thousands(outcome.failed), format_thousands(outcome.cut_off),
                               escape_markdown(describe_end(found))});
    return cells;
  }

  std::string write_all_groups() const {
    std::vector<MarkdownColumn> columns = {{"group", false},
                                           {"winner", false},
                                           {heading(), true},
                                           {"95 % interval", true},
                                           {"of the peak [%]", true},
                                           {"in the final comparison", true},
                                           {"not distinguishable", true},
                                           {"worst", true},
                                           {"gain over the default", false},
                                           {"tried", true},
                                           {"failed", true},
                                           {"cut off", true},
                                           {"the search", false}};
    Rows rows;
    for (const TuningOutcome& outcome : outcomes_) rows.push_back(line_of(outcome));
    std::string text;
    const bool end_alike =
        std::ranges::all_of(rows, [&](const auto& row) { return row.back() == rows[0].back(); });
    if (end_alike) {
      text = "Each search " + rows[0].back() + ".\n\n";
      for (auto& row : rows) row.back().clear();
    }
    drop_empty_columns(columns, rows);
    return text + markdown_table(columns, rows) + '\n';
  }

  const RunResults& results_;
  const TuningRecord& tuning_;
  std::vector<ParameterValues> chosen_;
  const Verdicts& verdicts_;
  std::vector<TuningOutcome> outcomes_;
};

}  // namespace

std::string write_tuning(const RunAnalysis& run) {
  return run.results.run.tuning ? TuningSection(run).write() : std::string();
}

}  // namespace sweep
