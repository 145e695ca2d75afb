#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/compare/run_comparison.h"
#include "report/compare/version_causes.h"
#include "report/display_text.h"
#include "report/document.h"
#include "report/findings.h"
#include "report/html/page_parts.h"
#include "report/run_report.h"

namespace sweep {
namespace {

Cell cell_of(const std::optional<Estimate>& figure) {
  const bool is_shown = figure && std::isfinite(figure->value);
  return is_shown ? Cell{Cell::Kind::figure, figure->value, 0} : Cell();
}

}  // namespace

TableModel comparison_table(const RunComparison& comparison,
                            const std::vector<ComparisonRow>& rows) {
  const bool is_of_several = comparison.metrics.size() > 1;
  const bool has_intervals = std::ranges::any_of(rows, [&](const ComparisonRow& row) {
    const Interval ends = row.change->ratio.ends();
    return ends.low < ends.high;
  });
  TableModel table;
  for (const ParameterValues& parameter : comparison.parameters) {
    table.key_columns.push_back({parameter.name, parameter.is_numeric()});
  }
  if (is_of_several) table.key_columns.push_back({"metric", false});
  table.headings = {{"A"}, {"B"}, {"B / A"}};
  if (has_intervals) table.headings.insert(table.headings.end(), {{"from"}, {"to"}});
  table.remark_heading = "B against A";
  for (const ComparisonRow& row : rows) {
    const MetricChange& change = *row.change;
    TableModel::Row& line = table.rows.emplace_back();
    for (const ParameterValues& parameter : comparison.parameters) {
      const auto value = row.configuration->value_of(parameter.name);
      line.keys.push_back(value ? parameter.show(*value) : std::string());
    }
    if (is_of_several) line.keys.push_back(row.metric->after.name);
    const bool has_both = change.change != Change::missing;
    line.cells = {cell_of(change.before), cell_of(change.after),
                  has_both ? cell_of(change.ratio) : Cell()};
    if (has_intervals) {
      const auto& interval = change.ratio.interval;
      line.cells.push_back(interval ? cell_of(Estimate{interval->low}) : Cell());
      line.cells.push_back(interval ? cell_of(Estimate{interval->high}) : Cell());
    }
    line.remark = describe_change(change, *row.metric);
    line.is_alarming = change.change == Change::worse;
  }
  return table;
}

namespace {

List summary_list(const RunComparison& comparison) {
  List list;
  for (const std::string& line : describe_summary(comparison)) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    list.items.push_back({line.substr(indent), Tone::usual, {}, indent > 0});
  }
  return list;
}

/// "stride", or both names where the sweeps' differ.
std::string name_of(const RunComparison& comparison) {
  const std::string& before = comparison.before.results.run.provenance.sweep_name;
  const std::string& after = comparison.after.results.run.provenance.sweep_name;
  return before == after ? after : before + " and " + after;
}

/// "2025-01-31 12:00:00 UTC, NVIDIA H200, 36 points, 2 failed"
std::string describe_run(const ComparedRun& run) {
  const std::string& started = run.results.run.started;
  const std::size_t failed = run.results.count_failed();
  std::vector<std::string> parts = {started.empty() ? started : readable_time(started),
                                    run.results.run.provenance.device.name,
                                    count_of(run.results.points.size(), "point"),
                                    failed > 0 ? format_thousands(failed) + " failed" : ""};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, ", "));
}

DocumentTable runs_table(const RunComparison& comparison) {
  const auto& [a, b] = std::tie(comparison.before, comparison.after);
  return {{{""}, {"run"}, {""}},
          {{"A, before", a.label, describe_run(a)}, {"B, after", b.label, describe_run(b)}}};
}

/// What sets the runs apart besides the figures, and how their configurations were matched.
void add_differences(const RunComparison& comparison, DocumentBlock heading, Document& document) {
  List list;
  for (const RunDifference& difference : comparison.differences) {
    list.items.push_back({difference.text, difference.is_serious ? Tone::serious : Tone::usual});
  }
  for (const std::string& note : comparison.notes) list.items.push_back({note});
  if (list.items.empty()) return;
  document.push_back(std::move(heading));
  document.emplace_back(std::move(list));
}

/// The configurations of one status; of failures the reasons too.
List status_list(const RunComparison& comparison, PairStatus status, std::size_t most,
                 std::string_view rest = "") {
  std::vector<const ConfigurationComparison*> meant;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status == status) meant.push_back(&each);
  }
  List list = list_first(
      meant, most,
      [&](const ConfigurationComparison* each) { return describe(*each, comparison.parameters); },
      rest);
  for (std::size_t i = 0; i < std::min(meant.size(), most); ++i) {
    list.items[i].detail = meant[i]->reason;
  }
  return list;
}

void fold_status(const RunComparison& comparison, PairStatus status, std::size_t most,
                 Document& document) {
  const std::size_t count = comparison.count(status);
  if (count == 0) return;
  const bool is_regression = status == PairStatus::failed_after;
  document.emplace_back(
      Fold{fmt::format("{} {}", count_of(count, "configuration"), describe(status)),
           {status_list(comparison, status, most)},
           is_regression ? Tone::worse : Tone::usual,
           is_regression});
}

void append(Document& document, Document more) {
  for (DocumentBlock& block : more) document.push_back(std::move(block));
}

/// The statuses that are no verdict, in the order of their weight.
constexpr std::array other_statuses = {PairStatus::fixed, PairStatus::failed_both,
                                       PairStatus::only_before, PairStatus::only_after};

/// GitHub shows comments of up to 65,536 characters, and long tables are for the JSON.
void add_rows(const RunComparison& comparison, std::vector<ComparisonRow> rows, std::size_t most,
              const std::string& order, Document& document) {
  const std::size_t all = rows.size();
  if (all > most) rows.resize(most);
  TableModel table = comparison_table(comparison, rows);
  if (comparison.metrics.size() == 1) table.caption = heading_of(comparison.metrics[0]) + ". ";
  table.caption += fmt::format("B / A with its 95 % interval{}.", order);
  document.emplace_back(std::move(table));
  if (rows.size() == all) return;
  document.emplace_back(Paragraph{
      fmt::format("and {} more, which the JSON has", format_thousands(all - rows.size()))});
}

/// Everything that was compared, for the page's script to sort and to filter.
std::string sortable_table(const RunComparison& comparison) {
  // A browser shows more only slowly; the JSON has them all.
  constexpr std::size_t most_rows = 10'000;
  std::vector<ComparisonRow> rows = changed_rows(comparison);
  for (const ComparisonRow& row : all_rows(comparison)) {
    if (row.change->change == Change::same) rows.push_back(row);
  }
  const std::size_t all = rows.size();
  if (all > most_rows) rows.resize(most_rows);
  if (rows.empty()) return {};
  const TableModel table = comparison_table(comparison, rows);
  std::string text =
      "<h2>All configurations compared</h2>\n<input id=\"filter\" type=\"search\" hidden "
      "placeholder=\"filter: T=float slower\" aria-label=\"Filter the rows\">\n";
  if (rows.size() < all) {
    text += fmt::format("<p class=\"dim\">{} of {} rows; the JSON has them all.</p>\n",
                        format_thousands(rows.size()), format_thousands(all));
  }
  text += "<div class=\"scroll\"><table id=\"all\" class=\"sortable\"><thead><tr>";
  std::string names;
  const auto add_heading = [&](const std::string& name, bool is_figure) {
    names += escape_html(name) + '\n';
    text += fmt::format("<th scope=\"col\"{}>{}</th>", is_figure ? " class=\"n\"" : "",
                        escape_html(name));
  };
  for (const auto& key : table.key_columns) add_heading(key.name, key.numeric);
  for (const auto& heading : table.headings) add_heading(heading.front(), true);
  text +=
      fmt::format("<th scope=\"col\" class=\"n\">{}</th></tr></thead>\n<tbody data-names=\"{}\">\n",
                  escape_html(table.remark_heading), names);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TableModel::Row& row = table.rows[i];
    text += "<tr>";
    for (std::size_t k = 0; k < table.key_columns.size(); ++k) {
      text += fmt::format("<td{}>{}</td>", table.key_columns[k].numeric ? " class=\"n\"" : "",
                          escape_html(row.keys[k]));
    }
    for (const Cell& cell : row.cells) {
      text += cell.kind == Cell::Kind::figure ? fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>",
                                                            cell.low, format_figure(cell.low))
                                              : "<td class=\"n\">–</td>";
    }
    // The words of a change sort by how much worse it is.
    const Change change = rows[i].change->change;
    const bool is_told = change == Change::worse || change == Change::better;
    const double cost = rows[i].cost();
    text += fmt::format(
        "<td class=\"n {}\" data-v=\"{}\">{}</td></tr>\n", is_told ? to_string(change) : "dim",
        std::isinf(cost) ? "Infinity" : fmt::format("{}", cost), escape_html(row.remark));
  }
  return text + "</tbody></table></div>\n";
}

Fold provenance_of(const ComparedRun& run, const char* name) {
  DocumentTable table = provenance_table(run.results.run);
  table.rows.push_back({"command", run.results.run.provenance.command});
  return {fmt::format("Where the figures of {} come from", name), {std::move(table)}};
}

std::string title_of(const RunComparison& comparison) {
  return name_of(comparison) + ": B against A";
}

Document title_and_verdict(const RunComparison& comparison) {
  return {Heading{1, title_of(comparison)},
          Paragraph{describe_verdict(comparison),
                    has_regression(comparison) ? Tone::worse : Tone::better}};
}

Json json_of(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  const auto& [value, interval] = *estimate;
  return {{"value", value},
          {"low", interval ? Json(interval->low) : Json()},
          {"high", interval ? Json(interval->high) : Json()}};
}

Json json_of(const ComparedRun& run) {
  const RunRecord& record = run.results.run;
  const Provenance& provenance = record.provenance;
  return {{"run", run.label},
          {"id", record.id},
          {"sweep", provenance.sweep_name},
          {"started", record.started},
          {"state", to_string(record.state)},
          {"device", provenance.device.name},
          {"driver", provenance.device.driver},
          {"compiler", provenance.compiler},
          {"engine", provenance.engine_version},
          {"measure", provenance.measure},
          {"command", provenance.command},
          {"points", run.results.points.size()}};
}

Json json_of(const ComparedMetric& metric) {
  const MetricSummary& summary = metric.summary;
  return {{"name", metric.after.name},
          {"origin_before", to_string(metric.before.origin)},
          {"origin_after", to_string(metric.after.origin)},
          {"unit", unit_of(metric.after.name)},
          {"better", to_string(metric.better)},
          {"threshold", metric.threshold},
          {"judged", metric.judges},
          {"worse", summary.count(Change::worse)},
          {"better_count", summary.count(Change::better)},
          {"same", summary.count(Change::same)},
          {"changed", summary.count(Change::changed)},
          {"unclear", summary.count(Change::unclear)},
          {"missing", summary.count(Change::missing)},
          {"mean", json_of(summary.mean)}};
}

Json json_of(const MetricChange& change, const ComparedMetric& metric) {
  const bool has_both = change.change != Change::missing;
  return {{"metric", metric.after.name},
          {"change", to_string(change.change)},
          {"before", json_of(change.before)},
          {"after", json_of(change.after)},
          {"ratio", has_both ? json_of(change.ratio) : nullptr},
          {"words", describe_change(change, metric)}};
}

Json causes_json(const RunComparison& comparison) {
  const VersionCauses& causes = *comparison.causes;
  Json counts = Json::array();
  if (causes.counts) {
    for (const ComparisonRow& row : changed_rows(*causes.counts)) {
      Json& count = counts.emplace_back(json_of(*row.change, *row.metric));
      count["origin"] = to_string(row.metric->after.origin);
      count["unit"] = unit_of(row.metric->after.name);
    }
  }
  const auto number = [](std::size_t line) { return line > 0 ? Json(line) : Json(); };
  const auto name = [](const std::string& file) { return file.empty() ? Json() : Json(file); };
  Json files = Json::array();
  for (const ChangedFile& file : causes.files) {
    Json lines = Json::array();
    for (const ChangedLine& line : file.lines) {
      lines.push_back({{"before", number(line.before)},
                       {"after", number(line.after)},
                       {"text", line.text},
                       {"costs_before", line.costs_before},
                       {"costs_after", line.costs_after}});
    }
    files.push_back(
        {{"before", name(file.before)}, {"after", name(file.after)}, {"lines", std::move(lines)}});
  }
  return {{"summary", describe_versions(comparison)},
          {"configuration", causes.configuration},
          {"notes", causes.notes},
          {"counts", std::move(counts)},
          {"files", std::move(files)}};
}

}  // namespace

std::vector<ComparisonRow> all_rows(const RunComparison& comparison) {
  std::vector<ComparisonRow> rows;
  for (const ConfigurationComparison& each : comparison.configurations) {
    for (std::size_t i = 0; i < each.changes.size(); ++i) {
      rows.push_back({&each, &comparison.metrics[i], &each.changes[i]});
    }
  }
  return rows;
}

std::vector<ComparisonRow> changed_rows(const RunComparison& comparison) {
  constexpr std::array order = {Change::worse,   Change::better,  Change::changed,
                                Change::missing, Change::unclear, Change::same};
  std::vector<ComparisonRow> rows = all_rows(comparison);
  std::erase_if(rows, [](const ComparisonRow& row) { return row.change->change == Change::same; });
  std::ranges::stable_sort(rows, {}, [&](const ComparisonRow& row) {
    const Change change = row.change->change;
    return std::pair(std::ranges::find(order, change) - order.begin(),
                     change == Change::better ? row.cost() : -row.cost());
  });
  return rows;
}

std::string write_comparison_markdown(const RunComparison& comparison) {
  constexpr std::size_t most_changed = 50;
  constexpr std::size_t most_rows = 2000;
  constexpr std::size_t most_listed = 200;
  Document document = title_and_verdict(comparison);
  document.emplace_back(summary_list(comparison));
  document.emplace_back(runs_table(comparison));
  add_differences(comparison, Paragraph{"What else differs between the runs:"}, document);
  if (const auto changed = changed_rows(comparison); !changed.empty()) {
    document.emplace_back(Heading{2, "What changed"});
    add_rows(comparison, changed, most_changed, ", the worst first", document);
  }
  append(document, cause_document(comparison, "diff"));
  if (comparison.count(PairStatus::failed_after) > 0) {
    document.emplace_back(Heading{2, "Failed in B"});
    document.emplace_back(status_list(comparison, PairStatus::failed_after, most_listed));
  }
  if (const auto all = all_rows(comparison); !all.empty()) {
    const std::size_t compared = comparison.count(PairStatus::compared);
    Fold fold{compared == 1
                  ? "The configuration compared"
                  : fmt::format("All {} configurations compared", format_thousands(compared)),
              {}};
    add_rows(comparison, all, most_rows, "", fold.content);
    document.emplace_back(std::move(fold));
  }
  for (const PairStatus status : other_statuses) {
    fold_status(comparison, status, most_listed, document);
  }
  return render_markdown(document);
}

std::string write_comparison_html(const RunComparison& comparison) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  Document document = title_and_verdict(comparison);
  document.emplace_back(runs_table(comparison));
  document.emplace_back(Heading{2, "Summary"});
  document.emplace_back(summary_list(comparison));
  add_differences(comparison, Heading{2, "What else differs"}, document);
  append(document, cause_document(comparison, "text"));
  fold_status(comparison, PairStatus::failed_after, all, document);
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    document.emplace_back(Heading{2, heading_of(comparison.metrics[i])});
    std::string plot = write_forest_plot(comparison, i);
    if (plot.empty()) {
      document.emplace_back(Paragraph{"The same in all configurations.", Tone::quiet});
    } else {
      document.emplace_back(PageBlock{std::move(plot)});
    }
  }
  document.emplace_back(PageBlock{sortable_table(comparison)});
  for (const PairStatus status : other_statuses) fold_status(comparison, status, all, document);
  document.emplace_back(provenance_of(comparison.before, "A"));
  document.emplace_back(provenance_of(comparison.after, "B"));
  const std::array scripts = {comparison_script()};
  return page_head(title_of(comparison), comparison_style(), scripts) + "<body>\n" +
         render_html(document) +
         fmt::format("<script>{}</script>\n</body>\n</html>\n", comparison_script().text);
}

std::string write_comparison_terminal(const RunComparison& comparison, std::size_t width,
                                      bool color, ComparedRows shown) {
  constexpr std::size_t most_rows = 30;
  constexpr std::size_t most_failures = 10;
  std::string text = painted(printable(title_of(comparison)), bold, color) + '\n';
  // A paragraph in lines, the further ones indented by `margin`.
  const auto add = [&](const std::string& paragraph, std::size_t margin,
                       std::string_view escape = {}) {
    constexpr std::size_t narrowest = 20;
    const std::size_t indent = std::min(paragraph.find_first_not_of(' '), paragraph.size());
    const std::size_t taken = indent + margin + narrowest;
    const std::size_t room = width > taken ? width - indent - margin : narrowest;
    std::size_t before = indent;
    for (const std::string& line : wrap(printable(paragraph.substr(indent)), room)) {
      text += std::string(before, ' ') + painted(line, escape, color) + '\n';
      before = indent + margin;
    }
  };
  const std::size_t label =
      std::max(columns_of(comparison.before.label), columns_of(comparison.after.label));
  for (const auto& [name, run] :
       {std::pair("A (before)", &comparison.before), std::pair("B (after) ", &comparison.after)}) {
    add(fmt::format("  {}  {}  {}", name, pad_right(run->label, label), describe_run(*run)), 4);
  }
  for (const auto& [sentence, is_serious] : comparison.differences) {
    add((is_serious ? "  warning: " : "  note: ") + sentence, 2, is_serious ? yellow : "");
  }
  for (const std::string& note : comparison.notes) add("  note: " + note, 2);

  const bool shows_all = shown == ComparedRows::all;
  std::vector<ComparisonRow> rows = shows_all ? all_rows(comparison) : changed_rows(comparison);
  const std::size_t more = shows_all || rows.size() <= most_rows ? 0 : rows.size() - most_rows;
  rows.resize(rows.size() - more);
  if (!rows.empty()) {
    TableModel table = comparison_table(comparison, rows);
    if (comparison.metrics.size() == 1) table.caption = heading_of(comparison.metrics.front());
    text += '\n' + terminal_table(table, width, color);
  }
  if (more > 0) {
    add(fmt::format("and {} more, which --all and the other formats show", format_thousands(more)),
        0);
  }

  const List failures =
      status_list(comparison, PairStatus::failed_after, most_failures, " that fail in B");
  if (!failures.items.empty()) text += '\n';
  for (std::size_t i = 0; i < failures.items.size(); ++i) {
    const auto& [name, tone, reason, is_sub] = failures.items[i];
    const std::string line = reason.substr(0, reason.find('\n'));
    add(i < most_failures ? fmt::format("failed in B: {}: {}", name, line) : name, 2);
  }
  if (comparison.causes) text += causes_for_terminal(comparison, width, color);
  text += '\n';
  for (const std::string& line : describe_summary(comparison)) add(line, 2);
  if (comparison.causes) add(describe_versions(comparison), 2, bold);
  add(describe_verdict(comparison), 2, has_regression(comparison) ? red : green);
  return text;
}

std::string write_comparison_json(const RunComparison& comparison) {
  Json differences = Json::array();
  for (const auto& [text, is_serious] : comparison.differences) {
    differences.push_back({{"text", text}, {"serious", is_serious}});
  }
  Json metrics = Json::array();
  for (const ComparedMetric& metric : comparison.metrics) metrics.push_back(json_of(metric));
  Json configurations = Json::array();
  for (const ConfigurationComparison& each : comparison.configurations) {
    configurations.push_back({{"pattern", each.pattern},
                              {"parameters", json_parameters(each.parameters)},
                              {"status", to_string(each.status)},
                              {"reason", each.reason},
                              {"changes", Json::array()}});
    for (std::size_t i = 0; i < each.changes.size(); ++i) {
      configurations.back()["changes"].push_back(json_of(each.changes[i], comparison.metrics[i]));
    }
  }
  Json root = {{"schema_version", 1},
               {"sweep", name_of(comparison)},
               {"regression", has_regression(comparison)},
               {"verdict", describe_verdict(comparison)},
               {"before", json_of(comparison.before)},
               {"after", json_of(comparison.after)},
               {"differences", std::move(differences)},
               {"notes", comparison.notes},
               {"metrics", std::move(metrics)},
               {"configurations", std::move(configurations)}};
  if (comparison.causes) root["causes"] = causes_json(comparison);
  // Texts from a database need not be UTF-8.
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace sweep
