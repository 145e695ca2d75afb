#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/count_agreement.h"
#include "report/display_text.h"
#include "report/document.h"
#include "report/expectation_check.h"
#include "report/markdown.h"
#include "report/notes.h"
#include "report/provenance.h"
#include "report/run_tables.h"
#include "report/tuning.h"

namespace sweep {
namespace {

/// So many points are listed that break an expectation, or where counts disagree.
constexpr std::size_t most_points_listed = 10;
constexpr std::string_view no_figure = "–";

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return std::string(no_figure);
  return fmt::format("{}–{}", format_figure(interval->low), format_figure(interval->high));
}

/// "66 points on NVIDIA H200: 64 ok, 2 failed, 40 reused from runs 1 and 2."
std::string count_points(const RunResults& results) {
  const std::size_t failed = results.count_failed();
  std::size_t reused = 0;
  std::set<std::int64_t> earlier;
  for (const StoredPoint& stored : results.points) {
    if (stored.measured_by == results.run.id) continue;
    ++reused;
    earlier.insert(stored.measured_by);
  }
  const std::size_t all = results.points.size();
  const std::string& device = results.run.provenance.device.name;
  std::string text = count_of(all, "point");
  if (!device.empty()) text += " on " + device;
  text +=
      fmt::format(": {} ok, {} failed", format_thousands(all - failed), format_thousands(failed));
  text += count_partly_verified(results.points);
  if (reused > 0) {
    std::vector<std::string> runs;
    for (const std::int64_t run : earlier) runs.push_back(std::to_string(run));
    text += fmt::format(", {} reused from {} {}", format_thousands(reused),
                        runs.size() == 1 ? "run" : "runs", in_words(runs));
  }
  return text + '.';
}

void add_title(const RunAnalysis& run, Document& document) {
  const RunResults& results = run.results;
  document.emplace_back(Heading{1, results.run.provenance.sweep_name});
  if (!results.summary.empty()) document.emplace_back(Paragraph{results.summary});
  if (const std::string state = results.describe_state(); !state.empty()) {
    document.emplace_back(Paragraph{state, Tone::serious});
  }
  document.emplace_back(Paragraph{count_points(results)});
  std::vector<ParameterValues> constant = run.parameters;
  std::erase_if(constant, [](const ParameterValues& parameter) { return parameter.varies(); });
  if (constant.empty() || run.points.empty()) return;
  document.emplace_back(
      Paragraph{"In all points: " + describe(*run.points.front(), constant) + '.'});
}

void add_charts(const RunAnalysis& run, const ChartPictures& pictures, Document& document) {
  const bool has_any =
      std::ranges::any_of(pictures.files, [](const std::string& file) { return !file.empty(); });
  if (!has_any && pictures.note.empty()) return;
  const std::vector<Chart> charts = charts_of(run.results);
  if (charts.empty()) return;
  document.emplace_back(Heading{2, "Charts"});
  for (std::size_t i = 0; i < std::min(charts.size(), pictures.files.size()); ++i) {
    if (pictures.files[i].empty()) continue;
    const Chart& chart = charts[i];
    document.emplace_back(Heading{3, chart.title});
    document.emplace_back(Picture{pictures.files[i], chart.description});
    if (!chart.caption.empty()) document.emplace_back(Paragraph{chart.caption});
  }
  if (!pictures.note.empty()) document.emplace_back(Paragraph{pictures.note});
}

/// What a search found: of each group the winner, those that cannot be told from it, the worst, the
/// default and the gain over it; of more than eight groups a line of one table each.
class TuningSection {
 public:
  TuningSection(const RunAnalysis& run, Document& document)
      : results_(run.results),
        tuning_(*results_.run.tuning),
        chosen_(chosen_parameters(run.parameters, tuning_.for_each)),
        verdicts_(run.verdicts),
        outcomes_(tuning_outcomes(run)),
        document_(document) {}

  void write() {
    document_.emplace_back(Heading{2, "Tuning"});
    add_text(describe_search(tuning_, outcomes_) + '.');
    const std::string ranking = describe_ranking(tuning_);
    add_text(!ranking.empty()
                 ? as_sentence(ranking)
                 : "A configuration is not distinguishable from the winner where the measuring "
                   "cannot tell them apart: by rounds in turn where there were any, else by "
                   "intervals that overlap.");
    if (outcomes_.size() > most_groups_in_full) {
      write_all_groups();
    } else {
      for (const TuningOutcome& outcome : outcomes_) write_group(outcome);
    }
  }

 private:
  using Rows = std::vector<std::vector<std::string>>;

  /// A line of a group's table: one point and what it is there.
  struct Role {
    std::size_t place = 0;
    std::vector<std::string> names;
  };

  void add_text(std::string text) { document_.emplace_back(Paragraph{std::move(text)}); }

  /// Without the columns that say nothing in any row.
  void add_table(DocumentTable table) {
    for (std::size_t i = table.columns.size(); i-- > 0;) {
      const bool is_empty = std::ranges::all_of(
          table.rows, [&](const auto& row) { return row[i].empty() || row[i] == no_figure; });
      if (!is_empty) continue;
      const auto place = static_cast<std::ptrdiff_t>(i);
      table.columns.erase(table.columns.begin() + place);
      for (auto& row : table.rows) row.erase(row.begin() + place);
    }
    document_.emplace_back(std::move(table));
  }

  std::string heading() const { return heading_of(column_of(tuning_)); }

  const PointRecord& point(std::size_t place) const { return results_.points[place].point; }

  /// Nothing for a figure that is exact.
  static std::string width_text(const std::optional<Interval>& interval) {
    const bool is_exact = interval && interval->low >= interval->high;
    return is_exact ? std::string(no_figure) : interval_text(interval);
  }

  std::string winners_interval(const TuningOutcome& outcome) const {
    const auto& verdict = verdicts_.of_points[*outcome.winner];
    return width_text(verdict ? verdict->interval : std::nullopt);
  }

  static std::string rounds_text(int rounds) { return rounds > 0 ? std::to_string(rounds) : ""; }

  std::string share_of_peak(double figure) const {
    const auto share = percent_of_peak(results_, figure);
    return share ? format_figure(*share) : std::string();
  }

  std::string figure_text(std::size_t place) const {
    return (is_cut_off(point(place)) ? "about " : "") +
           format_figure(verdicts_.of_points[place]->figure);
  }

  /// The lines of a group's table: what is two things at once has one line.
  static std::vector<Role> roles_of(const TuningOutcome& outcome) {
    constexpr std::size_t most = most_same_listed;
    std::vector<Role> roles = {{*outcome.winner, {"winner"}}};
    const auto add = [&](std::size_t place, const std::string& name) {
      auto found = std::ranges::find(roles, place, &Role::place);
      if (found == roles.end()) found = roles.insert(found, {place, {}});
      found->names.push_back(name);
    };
    for (const std::size_t same :
         std::span(outcome.same).first(std::min(outcome.same.size(), most))) {
      add(same, "not distinguishable");
    }
    if (outcome.worst) add(*outcome.worst, "worst");
    if (outcome.default_configuration) add(*outcome.default_configuration, "default");
    return roles;
  }

  /// The cells of one line: what it is, configuration, figure, interval, share of the peak, verdict
  /// and rounds.
  std::vector<std::string> cells_of(const Role& role, const TuningOutcome& outcome) const {
    const std::string name = in_words(role.names);
    const std::string configuration = describe(point(role.place), chosen_);
    const auto& verdict = verdicts_.of_points[role.place];
    if (role.place == *outcome.winner) {
      const double figure = winners_figure(results_, outcome);
      return {name,
              configuration,
              format_figure(figure),
              winners_interval(outcome),
              share_of_peak(figure),
              "best",
              rounds_text(outcome.found.rounds)};
    }
    if (!verdict) {
      const bool is_failed = point(role.place).status == PointStatus::failed;
      const std::string none(no_figure);
      return {name, configuration, is_failed ? "failed" : none, none, "", "", ""};
    }
    return {name,
            configuration,
            figure_text(role.place),
            width_text(is_cut_off(point(role.place)) ? std::nullopt : verdict->interval),
            share_of_peak(verdict->figure),
            to_string(*verdict),
            rounds_text(verdict->rounds)};
  }

  void write_group(const TuningOutcome& outcome) {
    if (!outcome.label.empty()) document_.emplace_back(Heading{3, outcome.label});
    // What all groups tried has been told.
    add_text("The search " +
             (outcome.label.empty() ? describe_end(outcome.found) : describe_course(outcome)) +
             '.');
    if (!outcome.winner) return add_text("There is no winner.");
    DocumentTable table = {{{"", false},
                            {"configuration", false},
                            {heading(), true},
                            {"95 % interval", true},
                            {"of the peak [%]", true},
                            {"verdict", false},
                            {"rounds", true}},
                           {}};
    for (const Role& role : roles_of(outcome)) table.rows.push_back(cells_of(role, outcome));
    add_table(std::move(table));
    if (outcome.same.size() > most_same_listed) {
      add_text(fmt::format("And {} more cannot be told from the winner.",
                           format_thousands(outcome.same.size() - most_same_listed)));
    }
    const std::string compared = describe_final_comparison(results_, outcome);
    if (!compared.empty()) add_text("The winner has " + compared + '.');
    add_text(as_sentence(describe_gain(results_, outcome)));
  }

  std::vector<std::string> line_of(const TuningOutcome& outcome) const {
    const TunedGroup& found = outcome.found;
    const std::string none(no_figure);
    std::vector<std::string> cells = {outcome.label, "none", none, none, "", none, "", none, ""};
    if (outcome.winner) {
      const double figure = winners_figure(results_, outcome);
      cells = {outcome.label,
               describe(point(*outcome.winner), chosen_),
               format_figure(figure),
               winners_interval(outcome),
               share_of_peak(figure),
               found.rounds > 0 ? format_figure(found.figure) : none,
               format_thousands(outcome.same.size()),
               outcome.worst ? figure_text(*outcome.worst) : none,
               describe_gain(results_, outcome)};
    }
    cells.insert(cells.end(), {describe_tried(found.tried, found.configurations),
                               format_thousands(outcome.failed), format_thousands(outcome.cut_off),
                               describe_end(found)});
    return cells;
  }

  void write_all_groups() {
    DocumentTable table = {{{"group", false},
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
                            {"the search", false}},
                           {}};
    for (const TuningOutcome& outcome : outcomes_) table.rows.push_back(line_of(outcome));
    const std::string end = table.rows.front().back();
    if (std::ranges::all_of(table.rows, [&](const auto& row) { return row.back() == end; })) {
      add_text("Each search " + end + '.');
      for (auto& row : table.rows) row.back().clear();
    }
    add_table(std::move(table));
  }

  static constexpr std::size_t most_same_listed = 5;

  const RunResults& results_;
  const TuningRecord& tuning_;
  std::vector<ParameterValues> chosen_;
  const Verdicts& verdicts_;
  std::vector<TuningOutcome> outcomes_;
  Document& document_;
};

/// The best configuration of a group, those that are the same, at most ten in all, and the slowest.
void add_verdict_on(const VerdictGroup& group, const RunAnalysis& run, Document& document) {
  const bool is_unfinished = run.results.run.tuning && !group.tuned;
  const std::size_t same = std::min(group.same.size(), most_points_listed - 1);
  std::vector<std::size_t> shown = {group.best};
  shown.insert(shown.end(), group.same.begin(),
               group.same.begin() + static_cast<std::ptrdiff_t>(same));
  if (group.slowest) shown.push_back(*group.slowest);
  DocumentTable table = {{{"configuration", false},
                          {heading_of(group.metric), true},
                          {"95 % interval", true},
                          {"verdict", false},
                          {"compared in", false}},
                         {}};
  for (const std::size_t i : shown) {
    const PointVerdict& verdict = *run.verdicts.of_points[i];
    std::string words = to_string(verdict);
    if (i == group.slowest) words = fmt::format("{}: {}", word_for_slowest(group.metric), words);
    if (i == group.best && is_unfinished) words += " so far";
    const auto rounds = static_cast<std::uint64_t>(std::max(verdict.rounds, 0));
    table.rows.push_back({describe(*run.points[i], run.told), format_figure(verdict.figure),
                          interval_text(verdict.interval), std::move(words),
                          rounds > 0 ? count_of(rounds, "round") : std::string()});
  }
  document.emplace_back(std::move(table));
  if (const std::size_t left_out = group.same.size() - same; left_out > 0) {
    document.emplace_back(
        Paragraph{fmt::format("{} more {} the same as the best.", format_thousands(left_out),
                              left_out == 1 ? "is" : "are")});
  }
  if (group.not_compared > 0) {
    document.emplace_back(Paragraph{describe_not_compared(group) + '.'});
  }
}

/// Without the groups that a search has won: they are in the section "Tuning".
void add_verdict(const RunAnalysis& run, Document& document) {
  std::vector<VerdictGroup> groups = run.verdicts.groups;
  std::erase_if(groups, [&](const VerdictGroup& group) { return is_won(run.results, group); });
  if (groups.empty()) return;
  document.emplace_back(Heading{2, "Verdict"});
  document.emplace_back(
      Paragraph{"A configuration is the same as the best where the measuring cannot tell them "
                "apart: by rounds in turn where there were any, else by intervals that overlap."});
  if (run.results.run.tuning) {
    document.emplace_back(Paragraph{"The search in these groups has not come to an end."});
  }
  for (const VerdictGroup& group : groups) {
    if (!group.label.empty()) document.emplace_back(Heading{3, group.label});
    add_verdict_on(group, run, document);
  }
}

/// How each metric that was counted twice agrees, and the first points where one does not.
void add_count_agreement(const RunAnalysis& run, Document& document) {
  const std::vector<CountAgreement> agreements = compare_counts(run.points);
  if (agreements.empty()) return;
  DocumentTable table = {agreement_columns(), {}};
  std::vector<std::pair<const PointRecord*, std::string>> disagreeing;
  for (const CountAgreement& agreement : agreements) {
    table.rows.push_back(agreement_row(agreement, run.told));
    for (const PointRecord* point : agreement.disagreeing) {
      disagreeing.emplace_back(point, agreement.metric);
    }
  }
  document.emplace_back(Heading{2, "Hardware and emulated counts"});
  document.emplace_back(std::move(table));
  if (disagreeing.empty()) return;
  document.emplace_back(Paragraph{"They disagree at"});
  document.emplace_back(list_first(disagreeing, most_points_listed, [&](const auto& each) {
    const auto& [point, metric] = each;
    return fmt::format("{}: {} is {} by the hardware, {} emulated ({})", describe(*point, run.told),
                       metric, format_figure(*figure_of(*point, {metric, Origin::hardware})),
                       format_figure(*figure_of(*point, {metric, Origin::emulated})),
                       describe_difference(*point, metric));
  }));
}

void add_notes(const RunResults& results, Document& document) {
  std::vector<std::string> notes = describe_run_notes(results);
  std::ranges::move(describe_notes(results.points), std::back_inserter(notes));
  if (notes.empty()) return;
  document.emplace_back(Heading{2, "Notes"});
  document.emplace_back(list_first(notes, notes.size(), std::identity()));
}

void add_expectations(const RunAnalysis& run, Document& document) {
  const RunResults& results = run.results;
  if (results.expectations.empty()) return;
  DocumentTable table = {
      {{"expectation", false}, {"verdict", false}, {"held", true}, {"broken", true}}, {}};
  Document broken;
  for (const ExpectationResult& result :
       check_expectations_on(results.expectations, results.points)) {
    table.rows.push_back({describe(result.expectation), verdict_of(result),
                          format_thousands(result.held), format_thousands(result.broken.size())});
    if (result.broken.empty()) continue;
    broken.emplace_back(Paragraph{describe(result.expectation) + " is broken at"});
    broken.emplace_back(
        list_first(result.broken, most_points_listed, [&](const BrokenPoint& point) {
          return describe(*point.point, run.told) + ": " + point.found;
        }));
  }
  document.emplace_back(Heading{2, "Expectations"});
  document.emplace_back(std::move(table));
  std::ranges::move(broken, std::back_inserter(document));
}

void add_failures(const RunAnalysis& run, Document& document) {
  const std::vector<Failure> failures = failures_of(run.points);
  if (failures.empty()) return;
  document.emplace_back(Heading{2, "Failed points"});
  for (const Failure& failure :
       std::span(failures).first(std::min(failures.size(), most_failures_shown))) {
    document.emplace_back(list_first(
        failure.points, most_failed_points_shown,
        [&](const PointRecord* point) { return describe(*point, run.told); },
        ", which the CSV has"));
    document.emplace_back(Code{failure.reason, "text"});
  }
  if (failures.size() > most_failures_shown) {
    document.emplace_back(
        Paragraph{fmt::format("Others failed for {} other reasons, which the CSV has.",
                              format_thousands(failures.size() - most_failures_shown))});
  }
}

void add_provenance(const RunRecord& run, Document& document) {
  Fold fold{"Where the figures come from", {}};
  fold.content.emplace_back(provenance_table(run));
  if (!run.provenance.command.empty()) {
    fold.content.emplace_back(Code{run.provenance.command, "sh"});
  }
  document.emplace_back(std::move(fold));
}

}  // namespace

std::string write_markdown(const RunAnalysis& run, const ChartPictures& pictures) {
  Document document;
  add_title(run, document);
  if (run.results.run.tuning) TuningSection(run, document).write();
  add_charts(run, pictures, document);
  for (TableModel& table : tables_of(run)) document.emplace_back(std::move(table));
  add_verdict(run, document);
  add_count_agreement(run, document);
  add_notes(run.results, document);
  add_expectations(run, document);
  add_failures(run, document);
  add_provenance(run.results.run, document);
  std::string text = render_markdown(document);
  text.pop_back();  // the empty line at the end
  return text;
}

std::string write_markdown(const RunAnalysis& run) {
  return write_markdown(run, {});
}

}  // namespace sweep
