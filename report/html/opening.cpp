#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/expectation_check.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"
#include "report/limit_words.h"
#include "report/notes.h"
#include "report/parameter_values.h"
#include "report/run_results.h"
#include "report/tuning.h"

namespace sweep {
namespace {

/// "STRIDE (1, 2, 4), BLOCK (12 values) and T (float, double)"
std::string describe_axes(const std::vector<ParameterValues>& parameters) {
  constexpr std::size_t most_values = 6;
  std::vector<std::string> texts;
  for (const ParameterValues& parameter : parameters) {
    if (parameter.values().size() < 2 || parameter.is_derived) continue;
    texts.push_back(with_values(parameter, most_values));
  }
  return in_words(texts);
}

/// "36 configurations of stride over STRIDE (1, 2, 4) and T (float, double), measured on NVIDIA
/// H200 on 2025-01-31."
std::string describe_subject(const RunResults& results,
                             const std::vector<ParameterValues>& parameters) {
  std::set<std::string> patterns;
  for (const StoredPoint& stored : results.points) patterns.insert(stored.point.key.pattern_name);
  std::string text = count_of(results.points.size(), "configuration");
  if (patterns.size() == 1) text += " of the pattern " + *patterns.begin();
  if (patterns.size() > 1) text += fmt::format(" of {} patterns", patterns.size());
  if (const std::string axes = describe_axes(parameters); !axes.empty()) text += " over " + axes;
  const Device& device = results.run.provenance.device;
  const bool is_emulated = device.backend == "emulator";
  if (!device.name.empty())
    text += (is_emulated ? ", executed by the " : ", measured on ") + device.name;
  if (results.run.started.size() >= 10) text += " on " + results.run.started.substr(0, 10);
  return text + '.';
}

std::string describe_constants(const RunResults& results, std::vector<ParameterValues> parameters) {
  std::erase_if(parameters,
                [](const ParameterValues& p) { return p.varies() || p.name == "pattern"; });
  if (parameters.empty() || results.points.empty()) return {};
  return "In all points: " + describe(results.points.front().point, parameters) + '.';
}

std::string tile(const std::string& label, const std::string& figure, const std::string& unit,
                 const std::string& detail) {
  return fmt::format(
      "<div class=\"tile\"><dt>{}</dt><dd><span class=\"large\">{}</span> {}"
      "<span class=\"detail\">{}</span></dd></div>\n",
      escape_html(label), escape_html(figure), escape_html(unit), escape_html(detail));
}

class Tiles {
 public:
  explicit Tiles(const RunAnalysis& run) : run_(run), results_(run.results) {}

  std::string html() const {
    std::string html;
    if (const auto& ends = run_.verdicts.overall) {
      const std::string what = ends->metric.name == "time" ? "shortest" : "best";
      html += tile(fmt::format("{} {}", what, ends->metric.name), format_figure(ends->figure),
                   unit_of(ends->metric.name), configuration(ends->best));
      html += share_tile(*ends) + slowest_tile(*ends);
    } else if (run_.verdicts.groups.empty()) {
      html += count_tiles();
    }
    const std::size_t failed = results_.count_failed();
    return html + tile("configurations", format_thousands(results_.points.size()), "",
                       (failed == 0 ? std::string("none failed")
                                    : fmt::format("{} failed", format_thousands(failed))) +
                           count_partly_verified(results_.points));
  }

 private:
  std::string configuration(std::size_t place) const {
    return describe(*run_.points[place], run_.told);
  }

  /// Nothing where caches serve more than memory could.
  std::string share_tile(const RunExtremes& ends) const {
    constexpr double whole = 100;
    const auto share = figure_of(results_.points[ends.best].point,
                                 MetricColumn{"percent_of_peak", Origin::measured});
    if (!share || *share > whole) return {};
    const double peak = results_.run.provenance.device.peak_bandwidth();
    return tile("share of the peak", format_figure(*share), "%",
                peak > 0 ? fmt::format("of {} GB/s in theory", format_figure(peak / 1e9)) : "");
  }

  std::string count_tiles() const {
    const auto range = main_count_range(run_);
    if (!range) return {};
    const auto count_tile = [&](const std::string& label, std::size_t place) {
      const double figure = figure_of(results_.points[place].point, range->metric).value();
      return tile(label + ' ' + range->metric.name, format_figure(figure),
                  unit_of(range->metric.name), configuration(place));
    };
    if (range->best == range->worst) return count_tile("all points have", range->best);
    return count_tile("best", range->best) + count_tile("worst", range->worst);
  }

  std::string slowest_tile(const RunExtremes& ends) const {
    if (!ends.slowest) return {};
    const auto figure = figure_of(results_.points[*ends.slowest].point, ends.metric);
    return tile(std::string(word_for_slowest(ends.metric)), format_figure(figure.value()),
                unit_of(ends.metric.name), ends.distance + ": " + configuration(*ends.slowest));
  }

  const RunAnalysis& run_;
  const RunResults& results_;
};

std::string html_list(const std::vector<std::string>& sentences) {
  std::string html = "<ul>\n";
  for (const std::string& sentence : sentences) {
    html += "<li>" + escape_html(as_sentence(sentence)) + "</li>\n";
  }
  return html + "</ul>\n";
}

void add_expectations(const RunResults& results, std::vector<std::string>& warnings,
                      std::vector<std::string>& notes) {
  for (const ExpectationResult& result :
       check_expectations_on(results.expectations, results.points)) {
    if (result.kept()) continue;
    (result.applies() ? warnings : notes)
        .push_back("the expectation " + describe(result.expectation) + ": " + verdict_of(result));
  }
}

void add_state(const RunResults& results, std::vector<std::string>& warnings) {
  if (std::string state = results.describe_state(); !state.empty()) {
    warnings.push_back(std::move(state));
  }
  if (const std::size_t failed = results.count_failed(); failed > 0) {
    warnings.push_back(fmt::format("{} of {} failed; the reasons stand below",
                                   format_thousands(failed),
                                   count_of(results.points.size(), "point")));
  }
}

}  // namespace

std::string html_opening(const RunAnalysis& run) {
  const RunResults& results = run.results;
  std::string html = "<section id=\"summary\" aria-labelledby=\"title\">\n<h1 id=\"title\">" +
                     escape_html(results.run.provenance.sweep_name) + "</h1>\n";
  if (!results.summary.empty()) {
    html += "<p class=\"lead\">" + escape_html(results.summary) + "</p>\n";
  }
  html += "<p>" + escape_html(describe_subject(results, run.parameters));
  if (const std::string constants = describe_constants(results, run.parameters);
      !constants.empty()) {
    html += " <span class=\"quiet\">" + escape_html(constants) + "</span>";
  }
  html += "</p>\n<dl class=\"tiles\">\n" + Tiles(run).html() + "</dl>\n";

  std::vector<std::string> findings = describe_tuning(run);
  std::ranges::move(describe_best(run), std::back_inserter(findings));
  std::ranges::move(describe_limits(run), std::back_inserter(findings));
  if (!findings.empty()) html += "<div class=\"findings\">\n" + html_list(findings) + "</div>\n";
  return html + "</section>\n";
}

std::string html_warnings(const RunResults& results) {
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  add_state(results, warnings);
  add_expectations(results, warnings, notes);
  for (RunNote& note : run_notes(results)) {
    (note.is_concern ? warnings : notes).push_back(std::move(note.text));
  }
  std::ranges::move(describe_notes(results.points), std::back_inserter(notes));
  std::string html;
  if (!warnings.empty()) {
    html +=
        "<section class=\"warnings\" aria-labelledby=\"warnings\">\n"
        "<h2 id=\"warnings\">Mind</h2>\n" +
        html_list(warnings) + "</section>\n";
  }
  if (!notes.empty()) {
    html += "<section class=\"notes\" aria-labelledby=\"notes\">\n<h2 id=\"notes\">Notes</h2>\n" +
            html_list(notes) + "</section>\n";
  }
  return html;
}

}  // namespace sweep
