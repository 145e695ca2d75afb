#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/expectation_check.h"
#include "report/failures.h"
#include "report/markdown_charts.h"
#include "report/markdown_count_agreement.h"
#include "report/markdown_text.h"
#include "report/markdown_tuning.h"
#include "report/markdown_verdict.h"
#include "report/parameter_values.h"
#include "report/partly_verified.h"
#include "report/point_notes.h"
#include "report/provenance.h"
#include "report/run_notes.h"
#include "report/run_tables.h"

namespace sweep {
namespace {

std::string markdown_cell(const Cell& cell) {
  const std::string text = text_of(cell, "–");
  return cell.is_best ? "**" + text + "**" : text;
}

std::string write_table(const TableModel& model) {
  std::vector<MarkdownColumn> columns;
  for (const auto& key : model.key_columns) {
    columns.push_back({escape_markdown(key.name), key.numeric});
  }
  for (const auto& lines : model.headings) {
    std::string heading;
    for (const std::string& line : lines) heading += (heading.empty() ? "" : ", ") + line;
    columns.push_back({escape_markdown(heading), true});
  }
  const bool has_remarks = !model.remark_heading.empty();
  if (has_remarks) columns.push_back({escape_markdown(model.remark_heading), false});
  std::vector<std::vector<std::string>> rows;
  for (const TableModel::Row& row : model.rows) {
    std::vector<std::string> cells;
    for (const std::string& key : row.keys) cells.push_back(escape_markdown(key));
    for (const Cell& cell : row.cells) cells.push_back(markdown_cell(cell));
    if (has_remarks) cells.push_back(escape_markdown(row.remark));
    rows.push_back(std::move(cells));
  }
  std::string text = "## " + escape_markdown(model.title) + "\n\n";
  const std::string caption = caption_of(model);
  if (!caption.empty()) text += escape_markdown(caption) + "\n\n";
  if (!rows.empty()) text += markdown_table(columns, rows) + '\n';
  return text;
}

std::string write_failures(const std::vector<Failure>& failures,
                           const std::vector<ParameterValues>& parameters) {
  constexpr std::size_t most_shown = most_failed_points_shown;
  if (failures.empty()) return {};
  const std::vector<ParameterValues> told = telling_parameters(parameters);
  std::string text = "## Failed points\n\n";
  for (const Failure& failure :
       std::span(failures).first(std::min(failures.size(), most_failures_shown))) {
    for (std::size_t i = 0; i < std::min(failure.points.size(), most_shown); ++i) {
      text += "- " + escape_markdown(describe(environment_of(*failure.points[i]), told)) + '\n';
    }
    if (failure.points.size() > most_shown) {
      text += fmt::format("- and {} more, which the CSV has\n",
                          format_thousands(failure.points.size() - most_shown));
    }
    text += '\n' + markdown_code(failure.reason, "text") + '\n';
  }
  if (failures.size() > most_failures_shown) {
    text += fmt::format("Others failed for {} other reasons, which the CSV has.\n\n",
                        format_thousands(failures.size() - most_failures_shown));
  }
  return text;
}

/// "66 points on NVIDIA H200: 64 ok, 2 failed, 40 reused from runs 1 and 2."
std::string count_points(const RunResults& results) {
  std::size_t failed = 0;
  std::size_t reused = 0;
  std::set<std::int64_t> earlier;
  for (const StoredPoint& stored : results.points) {
    if (stored.point.status == PointStatus::failed) ++failed;
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

std::string write_opening(const RunResults& results,
                          const std::vector<ParameterValues>& parameters) {
  const Provenance& provenance = results.run.provenance;
  std::string text = "# " + escape_markdown(provenance.sweep_name) + "\n\n";
  if (!results.summary.empty()) text += escape_markdown(results.summary) + "\n\n";
  if (results.run.state == RunState::interrupted) {
    text += "**The run was interrupted: not all of its points are here.**\n\n";
  } else if (results.run.state == RunState::running) {
    text += "**The run has not finished: it is still going on, or it was killed.**\n\n";
  }
  text += escape_markdown(count_points(results)) + "\n\n";

  std::vector<ParameterValues> constant = parameters;
  std::erase_if(constant, [](const ParameterValues& parameter) { return parameter.varies(); });
  if (constant.empty() || results.points.empty()) return text;
  const Bindings environment = environment_of(results.points.front().point);
  return text + "In all points: " + escape_markdown(describe(environment, constant)) + ".\n\n";
}

std::string write_notes(const RunResults& results) {
  std::vector<std::string> notes = describe_run_notes(results);
  std::ranges::move(describe_notes(results.points), std::back_inserter(notes));
  if (notes.empty()) return {};
  std::string text = "## Notes\n\n";
  for (const std::string& note : notes) text += "- " + escape_markdown(note) + '\n';
  return text + '\n';
}

/// The first points that break an expectation, as a list.
std::string list_broken(const ExpectationResult& result,
                        const std::vector<ParameterValues>& parameters) {
  constexpr std::size_t most_shown = 10;
  if (result.broken.empty()) return {};
  std::string text = escape_markdown(describe(result.expectation)) + " is broken at\n\n";
  for (std::size_t i = 0; i < std::min(result.broken.size(), most_shown); ++i) {
    const BrokenPoint& broken = result.broken[i];
    text += "- " + escape_markdown(describe(environment_of(*broken.point), parameters)) + ": " +
            escape_markdown(broken.found) + '\n';
  }
  if (result.broken.size() > most_shown) {
    text += fmt::format("- and {} more\n", format_thousands(result.broken.size() - most_shown));
  }
  return text + '\n';
}

std::string write_expectations(const RunResults& results,
                               const std::vector<ParameterValues>& parameters) {
  if (results.expectations.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  std::string broken;
  for (const ExpectationResult& result :
       check_expectations_on(results.expectations, results.points)) {
    rows.push_back({escape_markdown(describe(result.expectation)),
                    escape_markdown(verdict_of(result)), format_thousands(result.held),
                    format_thousands(result.broken.size())});
    broken += list_broken(result, telling_parameters(parameters));
  }
  return "## Expectations\n\n" +
         markdown_table(
             {{"expectation", false}, {"verdict", false}, {"held", true}, {"broken", true}}, rows) +
         '\n' + broken;
}

std::string write_provenance(const RunRecord& run) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [what, text] : describe_provenance(run)) {
    rows.push_back({escape_markdown(what), escape_markdown(text)});
  }
  // GitHub takes what stands between blank lines for Markdown.
  std::string text = "<details>\n<summary>Where the figures come from</summary>\n\n";
  text += markdown_table({{"", false}, {"", false}}, rows) + '\n';
  if (!run.provenance.command.empty()) {
    text += markdown_code(run.provenance.command, "sh") + '\n';
  }
  return text + "</details>\n";
}

}  // namespace

std::string write_markdown(const RunAnalysis& run, const ChartPictures& pictures) {
  const RunResults& results = run.results;
  const std::vector<ParameterValues>& parameters = run.parameters;
  std::string text = write_opening(results, parameters);
  text += write_tuning(run);
  text += write_charts(results, pictures);
  for (const TableModel& table : tables_of(run)) text += write_table(table);
  text += write_verdict(run);
  text += write_count_agreement(run.points, parameters);
  text += write_notes(results);
  text += write_expectations(results, parameters);
  text += write_failures(failures_of(run.points), parameters);
  return text + write_provenance(results.run);
}

std::string write_markdown(const RunAnalysis& run) {
  return write_markdown(run, {});
}

}  // namespace sweep
