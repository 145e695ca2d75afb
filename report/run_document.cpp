#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "engine/text/units.h"
#include "report/charts/chart.h"
#include "report/display_text.h"
#include "report/findings.h"
#include "report/html/page_parts.h"
#include "report/run_report.h"

namespace sweep {
namespace {

/// So many points are listed that break an expectation, or where counts disagree.
constexpr std::size_t most_points_listed = 10;

/// What a run that has not finished lacks, as a sentence; empty for one that has.
std::string describe_state(const RunRecord& run) {
  if (run.state == RunState::finished) return {};
  if (!run.parts.empty()) return "Not all of the sweep's points are here.";
  return run.state == RunState::interrupted
             ? "The run was interrupted: not all of its points are here."
             : "The run has not finished: it is still going on, or it was killed.";
}

/// "66 points on NVIDIA H200: 64 ok, 2 failed, 40 reused from runs 1 and 2."
std::string count_points(const RunResults& results) {
  const std::size_t failed = results.count_failed();
  std::size_t reused = 0;
  std::set<std::int64_t> earlier;
  for (const StoredPoint& stored : results.points) {
    // A merged run's points are all of others, which are its parts.
    if (stored.measured_by == results.run.id || !results.run.parts.empty()) continue;
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

/// "36 configurations of the pattern stride over T (float, double) and BLOCK (12 values), measured
/// on NVIDIA H200 on 2025-01-31."
std::string describe_subject(const RunAnalysis& run) {
  constexpr std::size_t most_values = 4;
  const RunResults& results = run.results;
  std::string text = count_of(results.points.size(), "configuration");
  const ParameterValues* patterns = find_parameter(run.parameters, "pattern");
  const std::size_t count = patterns != nullptr ? patterns->values().size() : 0;
  if (count == 1) text += " of the pattern " + patterns->show(patterns->values().front());
  if (count > 1) text += fmt::format(" of {} patterns", count);
  std::vector<std::string> axes;
  for (const ParameterValues& parameter : run.parameters) {
    if (parameter.values().size() < 2 || parameter.is_derived) continue;
    axes.push_back(with_values(parameter, most_values));
  }
  constexpr std::size_t most_axes = 4;
  if (!axes.empty()) {
    text +=
        " over " + (axes.size() > most_axes ? count_of(axes.size(), "parameter") : in_words(axes));
  }
  const Device& device = results.run.provenance.device;
  if (!device.name.empty()) {
    const bool is_predicted = any_has(run.points, {"time", Origin::predicted});
    text += (device.is_emulated() ? ", executed by the " : ", measured on ") + device.name;
    if (is_predicted && device.is_emulated()) text += ", which predicts times";
  }
  if (results.run.started.size() >= 10) text += " on " + results.run.started.substr(0, 10);
  return text + '.';
}

Document chart_pictures(const RunResults& results, const ChartPictures& pictures) {
  Document content;
  if (pictures.files.empty() && pictures.note.empty()) return content;
  const std::vector<Chart> charts = charts_of(results);
  for (std::size_t i = 0; i < std::min(charts.size(), pictures.files.size()); ++i) {
    if (pictures.files[i].empty()) continue;
    content.emplace_back(Heading{3, charts[i].title});
    content.emplace_back(Picture{pictures.files[i], charts[i].description});
    if (!charts[i].caption.empty()) content.emplace_back(Paragraph{charts[i].caption});
  }
  if (!charts.empty() && !pictures.note.empty()) content.emplace_back(Paragraph{pictures.note});
  return content;
}

/// The best configuration of a group, those that are the same, at most ten in all, and the slowest.
void add_verdict_on(const VerdictGroup& group, const RunAnalysis& run, Document& content) {
  const bool is_searched = run.results.run.tuning.has_value();  // without a winner
  const std::size_t same = std::min(group.same.size(), most_points_listed - 1);
  std::vector<std::size_t> shown = {group.best};
  std::ranges::copy(std::span(group.same).first(same), std::back_inserter(shown));
  if (group.slowest) shown.push_back(*group.slowest);
  DocumentTable table = {
      {"configuration", figure_column(heading_of(group.metric)),
       figure_column(group.metric.origin == Origin::predicted ? "90 % interval" : "95 % interval"),
       "verdict", "compared in"}};
  for (const std::size_t i : shown) {
    const PointVerdict& verdict = *run.verdicts.of_points[i];
    std::string words = to_string(verdict);
    if (i == group.slowest) words = fmt::format("{}: {}", word_for_slowest(group.metric), words);
    if (i == group.best && is_searched) words += " so far";
    const auto rounds = static_cast<std::uint64_t>(std::max(verdict.rounds, 0));
    table.rows.push_back({describe(*run.points[i], run.told), format_figure(verdict.figure),
                          interval_text(verdict.interval), std::move(words),
                          rounds > 0 ? count_of(rounds, "round") : std::string()});
  }
  content.emplace_back(std::move(table));
  if (const std::size_t left_out = group.same.size() - same; left_out > 0) {
    content.emplace_back(
        Paragraph{fmt::format("{} more {} the same as the best.", format_thousands(left_out),
                              left_out == 1 ? "is" : "are")});
  }
  if (group.not_compared > 0) content.emplace_back(Paragraph{describe_not_compared(group) + '.'});
}

/// Without the groups that a search has won: they are in the section "Tuning".
Document verdict_section(const RunAnalysis& run) {
  std::vector<VerdictGroup> groups = run.verdicts.groups;
  std::erase_if(groups, [&](const VerdictGroup& group) { return is_won(run.results, group); });
  if (groups.empty()) return {};
  Document content = {
      Paragraph{"A configuration is the same as the best where the measuring cannot tell them "
                "apart: by rounds in turn where there were any, else by intervals that overlap."}};
  if (run.results.run.tuning) {
    content.emplace_back(Paragraph{"The search in these groups has no winner."});
  }
  for (const VerdictGroup& group : groups) {
    if (!group.label.empty()) content.emplace_back(Heading{3, group.label});
    add_verdict_on(group, run, content);
  }
  return content;
}

/// How each metric that was counted twice agrees, and the first points where one does not.
Document agreement_section(const RunAnalysis& run) {
  const std::vector<CountAgreement> agreements = compare_counts(run.points);
  if (agreements.empty()) return {};
  DocumentTable table = {{"metric", figure_column("points agree"), figure_column("disagree"),
                          figure_column("largest difference"), "at", "agreement means"}};
  std::vector<std::pair<const PointRecord*, std::string>> disagreeing;
  for (const CountAgreement& agreement : agreements) {
    const std::string& metric = agreement.metric;
    const PointRecord* farthest = agreement.farthest;
    table.rows.push_back({metric, format_thousands(agreement.agreeing),
                          format_thousands(agreement.disagreeing.size()),
                          farthest != nullptr ? describe_difference(*farthest, metric) : "0",
                          farthest != nullptr ? describe(*farthest, run.told) : "",
                          describe_tolerance(metric)});
    for (const PointRecord* point : agreement.disagreeing) disagreeing.emplace_back(point, metric);
  }
  Document content = {std::move(table)};
  if (disagreeing.empty()) return content;
  content.emplace_back(Paragraph{"They disagree at"});
  content.emplace_back(list_first(disagreeing, most_points_listed, [&](const auto& each) {
    const auto& [point, metric] = each;
    return fmt::format("{}: {} is {} by the hardware, {} emulated ({})", describe(*point, run.told),
                       metric, format_figure(*figure_of(*point, {metric, Origin::hardware})),
                       format_figure(*figure_of(*point, {metric, Origin::emulated})),
                       describe_difference(*point, metric));
  }));
  return content;
}

Document expectations_section(const RunAnalysis& run,
                              const std::vector<ExpectationResult>& results) {
  if (results.empty()) return {};
  DocumentTable table = {
      {"expectation", "verdict", figure_column("held"), figure_column("broken")}};
  Document broken;
  for (const ExpectationResult& result : results) {
    table.rows.push_back({describe(result.expectation), verdict_of(result),
                          format_thousands(result.held), format_thousands(result.broken.size())});
    if (result.broken.empty()) continue;
    broken.emplace_back(Paragraph{describe(result.expectation) + " is broken at"});
    broken.emplace_back(
        list_first(result.broken, most_points_listed, [&](const BrokenPoint& point) {
          return describe(*point.point, run.told) + ": " + point.found;
        }));
  }
  broken.insert(broken.begin(), std::move(table));
  return broken;
}

Document failures_section(const RunAnalysis& run) {
  constexpr std::size_t most_reasons = 20;
  constexpr std::size_t most_points = 2;
  Document content;
  const std::vector<Failure> failures = failures_of(run.points);
  const std::size_t shown = std::min(failures.size(), most_reasons);
  for (const Failure& failure : std::span(failures).first(shown)) {
    content.emplace_back(Paragraph{describe_share(failure, run.points.size())});
    content.emplace_back(list_first(
        failure.points, most_points,
        [&](const PointRecord* point) { return describe(*point, run.told); },
        ", which the CSV has"));
    content.emplace_back(Code{failure.reason, "text"});
  }
  if (failures.size() > shown) {
    content.emplace_back(
        Paragraph{fmt::format("Others failed for {} other reasons, which the CSV has.",
                              format_thousands(failures.size() - shown))});
  }
  return content;
}

template <typename Describe = std::identity>
Document list_of(const std::vector<std::string>& texts, Describe describe_text = {}) {
  if (texts.empty()) return {};
  return {list_first(texts, texts.size(), describe_text)};
}

Document block_of(std::string html) {
  if (html.empty()) return {};
  return {PageBlock{std::move(html)}};
}

/// The best of each group side by side, the best of all first; without rows where there is one
/// group, or they are ranked by different metrics.
DocumentTable ranking_of(const RunAnalysis& run) {
  const auto& tuning = run.results.run.tuning;
  const auto& groups = run.verdicts.groups;
  if (groups.size() < 2 || !run.verdicts.overall) return {};
  const MetricColumn metric = run.verdicts.overall->metric;
  DocumentTable table = {{"", figure_column(heading_of(metric)), figure_column("of the peak [%]"),
                          tuning ? "the default" : "slowest", "best"}};
  const std::vector<TuningOutcome> outcomes = tuning_outcomes(run);
  std::vector<std::pair<double, std::vector<std::string>>> rows;
  constexpr double whole = 100;
  for (const VerdictGroup& group : groups) {
    const PointRecord& best = *run.points[group.best];
    const double figure = run.verdicts.of_points[group.best]->figure;
    const auto share = figure_of(best, MetricColumn{"percent_of_peak"});
    std::string configuration = describe(best, run.told_in_group);
    std::string other;
    if (group.tuned) {
      configuration = describe_changes(run, group.best, outcomes[*group.tuned]);
      other = describe_gain(run.results, outcomes[*group.tuned]);
    } else if (group.slowest) {
      other = to_string(*run.verdicts.of_points[*group.slowest]);
    }
    const bool is_lower_better = better_for(metric, tuning) == Better::lower;
    rows.push_back({is_lower_better ? figure : -figure,
                    {group.label, format_figure(figure),
                     !share            ? no_figure
                     : *share <= whole ? format_figure(*share)
                                       : "caches served it",
                     other, configuration + describe_same(group.same.size())}});
  }
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
  for (auto& [order, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

/// What a run's report says, in its order, in Markdown or on a page. A page has charts, all points
/// and the patterns' sources as blocks of its own.
class RunDocument {
 public:
  explicit RunDocument(const RunAnalysis& run)
      : run_(run),
        results_(run.results),
        expectations_(check_expectations_on(results_.expectations, results_.points)) {}

  Document markdown(const ChartPictures& pictures) && {
    std::vector<std::string> notes = describe_run_notes(results_);
    std::ranges::move(describe_notes(results_.points), std::back_inserter(notes));
    Document title;
    if (const std::string state = describe_state(results_.run); !state.empty()) {
      title.emplace_back(Paragraph{state, Tone::serious});
    }
    add_title(std::move(title), count_points(results_));
    add_findings(findings_of(run_));
    add("tuning", "Tuning", tuning_section(run_));
    add("charts", "Charts", chart_pictures(results_, pictures));
    std::ranges::move(tables_of(run_), std::back_inserter(document_));
    add("verdict", "Verdict", verdict_section(run_));
    add("counts", "Hardware and emulated counts", agreement_section(run_));
    add("notes", "Notes", list_of(notes));
    add_end();
    Document origin = {provenance_table(results_.run)};
    add_constants(origin);
    add_parts(origin);
    add_command(origin);
    document_.emplace_back(Fold{"Where the figures come from", std::move(origin)});
    return std::move(document_);
  }

  Document page(const std::vector<Chart>& charts, PageCharts kind) && {
    add_title({}, describe_subject(run_));
    Document& title = std::get<Section>(document_.front()).content;
    title.emplace_back(PageBlock{summary_tiles(run_)});
    DocumentTable ranking = ranking_of(run_);
    std::vector<std::string> findings = findings_of(run_, !ranking.rows.empty());
    if (!ranking.rows.empty()) title.emplace_back(std::move(ranking));
    // A reader looks for the picture then.
    constexpr std::size_t most_first = 3;
    const std::size_t first = std::min(findings.size(), most_first);
    add_findings({findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(first)});
    findings.erase(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(first));
    std::vector<std::string> notes = add_warnings();
    add("charts", "Charts", block_of(chart_figures(charts, kind)));
    add("findings", "Further findings", list_of(findings, as_sentence));
    // Of all points a page has a better one.
    Document tables;
    if (!results_.layout.tables.empty()) {
      std::ranges::move(tables_of(run_), std::back_inserter(tables));
    }
    add("tables", "Tables", std::move(tables));
    add("tuning", "Tuning", tuning_section(run_));
    add("verdict", "Verdict", verdict_section(run_));
    if (!run_.points.empty()) add("points", "All points", block_of(points_frame()));
    add("source", "Source and what its accesses cost", block_of(source_listings(results_)));
    Document counts = agreement_section(run_);
    if (!counts.empty()) {
      counts.insert(counts.begin(),
                    Paragraph{"By how much the emulator's count is larger than the hardware's. A "
                              "point's detail has both.",
                              Tone::quiet});
    }
    add("counts", "Hardware and emulated counts", std::move(counts));
    add("notes", "Notes", list_of(notes, as_sentence));
    add_end();
    const Provenance& provenance = results_.run.provenance;
    Document origin = {
        Fold{"Device, driver, compiler, measuring rules", {provenance_table(results_.run)}}};
    add_constants(origin);
    add_parts(origin);
    if (!provenance.sweep_text.empty()) {
      origin.emplace_back(Fold{"The sweep's text", {Code{provenance.sweep_text, "yaml"}}});
    }
    if (!provenance.command.empty()) origin.emplace_back(Paragraph{"Run it again:"});
    add_command(origin);
    add("provenance", "Where the figures come from", std::move(origin));
    return std::move(document_);
  }

 private:
  void add(const char* id, const char* heading, Document content) {
    if (content.empty()) return;
    document_.emplace_back(Section{id, heading, std::move(content)});
  }

  void add_title(Document content, std::string subject) {
    if (!results_.summary.empty()) {
      content.insert(content.begin(), Paragraph{results_.summary, Tone::quiet});
    }
    content.emplace_back(Paragraph{std::move(subject)});
    document_.emplace_back(
        Section{"summary", results_.run.provenance.sweep_name, std::move(content), 1});
  }

  void add_findings(const std::vector<std::string>& findings) {
    std::ranges::move(list_of(findings, as_sentence),
                      std::back_inserter(std::get<Section>(document_.front()).content));
  }

  /// A page says at its beginning what to be careful about. Gives the other notes.
  std::vector<std::string> add_warnings() {
    std::vector<std::string> warnings;
    std::vector<std::string> notes;
    if (std::string state = describe_state(results_.run); !state.empty()) {
      warnings.push_back(std::move(state));
    }
    if (const std::size_t failed = results_.count_failed(); failed > 0) {
      warnings.push_back(fmt::format("{} of {} failed; the reasons stand below",
                                     format_thousands(failed),
                                     count_of(results_.points.size(), "point")));
    }
    for (const ExpectationResult& result : expectations_) {
      if (result.kept()) continue;
      (result.applies() ? warnings : notes)
          .push_back("the expectation " + describe(result.expectation) + ": " + verdict_of(result));
    }
    for (RunNote& note : run_notes(results_)) {
      (note.is_concern ? warnings : notes).push_back(std::move(note.text));
    }
    std::ranges::move(describe_notes(results_.points), std::back_inserter(notes));
    if (warnings.size() == 1)
      add("warnings", "Warning", {Paragraph{as_sentence(warnings.front())}});
    if (warnings.size() > 1) {
      const std::vector<std::string> others(warnings.begin() + 1, warnings.end());
      add("warnings", "Warnings",
          {Fold{fmt::format("{} And {} more.", as_sentence(warnings.front()), others.size()),
                list_of(others, as_sentence)}});
    }
    return notes;
  }

  void add_constants(Document& content) const {
    std::vector<ParameterValues> constant = run_.parameters;
    std::erase_if(constant, [](const ParameterValues& parameter) { return parameter.varies(); });
    if (constant.empty() || run_.points.empty()) return;
    content.emplace_back(
        Paragraph{"In all points: " + describe(*run_.points.front(), constant) + '.'});
  }

  void add_parts(Document& content) const {
    DocumentTable parts = parts_table(results_.run);
    if (!parts.rows.empty()) content.emplace_back(std::move(parts));
  }

  void add_command(Document& content) const {
    const std::string& command = results_.run.provenance.command;
    if (!command.empty()) content.emplace_back(Code{command, "sh"});
  }

  void add_end() {
    add("expectations", "Expectations", expectations_section(run_, expectations_));
    add("failures", "Failed points", failures_section(run_));
  }

  const RunAnalysis& run_;
  const RunResults& results_;
  const std::vector<ExpectationResult> expectations_;
  Document document_;
};

}  // namespace

std::string write_markdown(const RunAnalysis& run, const ChartPictures& pictures) {
  std::string text = render_markdown(RunDocument(run).markdown(pictures));
  text.pop_back();  // the empty line at the end
  return text;
}

std::string write_markdown(const RunAnalysis& run) {
  return write_markdown(run, {});
}

Document run_page(const RunAnalysis& run, const std::vector<Chart>& charts, PageCharts kind) {
  return RunDocument(run).page(charts, kind);
}

}  // namespace sweep
