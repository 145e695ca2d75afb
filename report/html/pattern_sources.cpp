#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"

namespace sweep {
namespace {

/// What one memory access of a pattern's source costs, as the emulator counted it.
struct AccessCostLine {
  std::string file;
  std::int64_t line = 0;  ///< from 1
  std::string text;       ///< "data[i * STRIDE]"
  std::string kind;       ///< "load", "store", ...
  std::string space;      ///< "global", "shared", ...
  double requests = 0;
  double cost = 0;        ///< sectors; in shared memory wavefronts
  double ideal = 0;       ///< the fewest that its bytes need
  double efficiency = 0;  ///< in %
  std::string advice;     ///< may be empty

  bool is_shared() const { return space == "shared"; }
};

using nlohmann::json;

double number_of(const json& access, const char* key) {
  const auto found = access.find(key);
  return found != access.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text_of(const json& access, const char* key) {
  const auto found = access.find(key);
  return found != access.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t line_of(const json& access) {
  const auto found = access.find("line");
  return found != access.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// The accesses that the JSON of `sweep explain --json` has. Empty for a text that is none; what an
/// access lacks stays empty.
std::vector<AccessCostLine> read_access_costs(std::string_view text) {
  const json explanation = json::parse(text, nullptr, false);
  if (!explanation.is_object()) return {};
  const auto accesses = explanation.find("accesses");
  if (accesses == explanation.end() || !accesses->is_array()) return {};
  std::vector<AccessCostLine> costs;
  for (const json& access : *accesses) {
    if (!access.is_object()) continue;
    AccessCostLine cost;
    cost.file = text_of(access, "file");
    cost.line = line_of(access);
    cost.text = text_of(access, "text");
    cost.kind = text_of(access, "kind");
    cost.space = text_of(access, "space");
    cost.requests = number_of(access, "requests");
    cost.cost = number_of(access, cost.is_shared() ? "wavefronts" : "sectors");
    cost.ideal = number_of(access, "ideal");
    cost.efficiency = number_of(access, "efficiency");
    cost.advice = text_of(access, "advice");
    costs.push_back(std::move(cost));
  }
  return costs;
}

/// A pattern's source with what its accesses cost beside its lines.
struct PatternSource {
  std::string name;
  std::string text;       ///< of its file, then of those that it includes
  std::string explained;  ///< the configuration that the costs are of, in words; may be empty
  std::vector<AccessCostLine> costs = {};
};

/// "patterns/stride.cu" is the file of the pattern `stride`.
bool is_file_of(std::string_view file, const std::string& pattern) {
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  return file.substr(0, file.rfind('.')) == pattern;
}

/// The first line, from 1, after the comment that the pattern's header stands in.
std::size_t first_line_of_code(const std::string& text) {
  const std::size_t end = text.find("*/");
  if (end == std::string::npos || !text.starts_with("/*")) return 1;
  const auto breaks = std::ranges::count(std::string_view(text).substr(0, end), '\n');
  return static_cast<std::size_t>(breaks) + 2;
}

/// "12.50 % global load in[x]: 8,388,608 requests of 32.00 sectors, where 4.000 would do"
std::string cost_note(const AccessCostLine& cost) {
  constexpr double good = 90;
  const std::string unit = cost.is_shared() ? "wavefronts" : "sectors";
  std::string html =
      fmt::format("<span class=\"share{}\">{} %</span> {} {} <code>{}</code>: {} requests",
                  cost.efficiency < good ? " waste" : "", format_figure(cost.efficiency),
                  escape_html(cost.space), escape_html(cost.kind), escape_html(cost.text),
                  format_total(cost.requests));
  if (cost.requests <= 0) return html;
  html += fmt::format(" of {} {}", format_figure(cost.cost / cost.requests), unit);
  if (cost.ideal < cost.cost) {
    html += fmt::format(", where {} would do", format_figure(cost.ideal / cost.requests));
  }
  return html;
}

/// How hot a line is, 0 to 3, by its share of all that is spent beyond the ideal.
int heat_of(const std::vector<const AccessCostLine*>& costs, double all_excess) {
  double excess = 0;
  for (const AccessCostLine* cost : costs) excess += std::max(cost->cost - cost->ideal, 0.0);
  if (excess <= 0 || all_excess <= 0) return 0;
  return 1 + static_cast<int>(std::min(2.0, std::floor(excess / all_excess * 3)));
}

std::string notes_of(const std::vector<const AccessCostLine*>& costs) {
  std::string html;
  std::vector<std::string> told;
  for (const AccessCostLine* cost : costs) {
    html += "<p>" + cost_note(*cost) + "</p>";
    if (cost->advice.empty() || std::ranges::find(told, cost->advice) != told.end()) continue;
    told.push_back(cost->advice);
    html += "<p class=\"advice\">" + escape_html(cost->advice) + "</p>";
  }
  return html;
}

std::string listed_line(std::size_t number, const std::string& code,
                        const std::vector<const AccessCostLine*>& costs, double all_excess) {
  std::string html = fmt::format(
      "<tr class=\"heat-{}\"><th scope=\"row\" class=\"line\">{}</th>"
      "<td class=\"code\"><code>{}</code></td></tr>\n",
      heat_of(costs, all_excess), number, code);
  if (costs.empty()) return html;
  return html + "<tr class=\"costs\"><td></td><td><div>" + notes_of(costs) + "</div></td></tr>\n";
}

std::string code_table(const PatternSource& source, std::size_t first,
                       const std::vector<std::string>& lines) {
  double all_excess = 0;
  for (const AccessCostLine& cost : source.costs) {
    all_excess += std::max(cost.cost - cost.ideal, 0.0);
  }
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Source of {}\">\n"
      "<table class=\"source\">\n<tbody>\n",
      escape_html(source.name));
  for (std::size_t number = first; number <= lines.size(); ++number) {
    std::vector<const AccessCostLine*> costs;
    for (const AccessCostLine& cost : source.costs) {
      if (cost.line == static_cast<std::int64_t>(number) && is_file_of(cost.file, source.name)) {
        costs.push_back(&cost);
      }
    }
    html += listed_line(number, lines[number - 1], costs, all_excess);
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

/// Those of the files that the pattern includes.
std::string costs_elsewhere(const PatternSource& source) {
  std::string items;
  for (const AccessCostLine& cost : source.costs) {
    if (is_file_of(cost.file, source.name)) continue;
    items +=
        fmt::format("<li>{}:{}: {}</li>\n", escape_html(cost.file), cost.line, cost_note(cost));
  }
  if (items.empty()) return {};
  return "<p>In files that it includes:</p>\n<ul>\n" + items + "</ul>\n";
}

/// Of several texts of one pattern's name each has the explanation that is of it.
void add_explanation(const RunResults& results, PatternSource& source) {
  for (const PatternExplanation& explanation : results.run.explanations) {
    const auto point =
        std::ranges::find(results.points, explanation.ordinal, &StoredPoint::ordinal);
    if (explanation.pattern != source.name || point == results.points.end() ||
        point->point.key.pattern_text != source.text) {
      continue;
    }
    source.costs = read_access_costs(explanation.json);
    const std::string with = to_string(explanation.parameters);
    source.explained =
        "What its accesses cost by the emulator for " + with +
        ": the share of the moved bytes that is wanted, and what each request of a warp takes.";
    return;
  }
}

/// Those of the run's points, each once, in the order of the points.
std::vector<PatternSource> pattern_sources(const RunResults& results) {
  std::vector<PatternSource> sources;
  for (const StoredPoint& stored : results.points) {
    const PointKey& key = stored.point.key;
    const bool is_known = std::ranges::any_of(sources, [&](const PatternSource& source) {
      return source.name == key.pattern_name && source.text == key.pattern_text;
    });
    if (is_known || key.pattern_text.empty()) continue;
    PatternSource source;
    source.name = key.pattern_name;
    source.text = key.pattern_text;
    add_explanation(results, source);
    sources.push_back(std::move(source));
  }
  return sources;
}

std::string source_listing(const PatternSource& source, bool is_open) {
  const std::vector<std::string> lines = highlight_cuda(source.text);
  const std::size_t first = std::min(first_line_of_code(source.text), lines.size() + 1);
  std::string html = fmt::format("<details class=\"listing\"{}>\n<summary>{}</summary>\n",
                                 is_open ? " open" : "", escape_html(source.name));
  if (!source.explained.empty()) {
    html += "<p class=\"caption\">" + escape_html(source.explained) + "</p>\n";
  }
  if (first > 1) {
    html +=
        "<details class=\"header\"><summary>its header: parameters, buffers, checks</summary>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Header\"><pre><code>";
    for (std::size_t i = 0; i + 1 < first; ++i) html += lines[i] + '\n';
    html += "</code></pre></div></details>\n";
  }
  return html + code_table(source, first, lines) + costs_elsewhere(source) + "</details>\n";
}

}  // namespace

std::string source_listings(const RunResults& results) {
  std::string html;
  const std::vector<PatternSource> all = pattern_sources(results);
  for (const PatternSource& source : all) html += source_listing(source, all.size() == 1);
  return html;
}

}  // namespace sweep
