#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/html/page_parts.h"

namespace sweep {
namespace {

/// Each between blanks.
constexpr std::string_view keywords =
    " __device__ __global__ __restrict__ __shared__ __syncthreads alignas auto bool break case "
    "char "
    "const constexpr continue do double else extern false float for half if inline int int32_t "
    "int64_t long namespace return short signed size_t sizeof static struct switch template true "
    "typename uint32_t uint64_t unsigned using void while ";

/// A piece of a line, of one kind: "comment", "string", "number", "keyword", or empty.
struct CodePiece {
  std::string_view kind;
  std::size_t length;
};

/// With its quotes, to the end of the line where it has none.
std::size_t string_length(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i + 1;
    }
  }
  return text.size();
}

/// The piece that the text begins with. Only a comment goes on from one line to the next.
CodePiece next_piece(std::string_view text, bool& in_comment) {
  if (in_comment || text.starts_with("/*")) {
    const std::size_t end = text.find("*/", in_comment ? 0 : 2);
    in_comment = end == std::string_view::npos;
    return {"comment", in_comment ? text.size() : end + 2};
  }
  if (text.starts_with("//")) return {"comment", text.size()};
  if (text[0] == '"' || text[0] == '\'') return {"string", string_length(text)};
  const auto length_until = [&](auto begin, auto is_end) {
    return static_cast<std::size_t>(std::ranges::find_if(begin, text.end(), is_end) - text.begin());
  };
  const std::size_t length = length_until(text.begin(), [](char c) { return !is_word(c); });
  if (length > 0) {
    const bool is_keyword =
        keywords.find(fmt::format(" {} ", text.substr(0, length))) != std::string_view::npos;
    return {is_digit(text[0]) ? "number" : is_keyword ? "keyword" : "", length};
  }
  return {"", length_until(text.begin() + 1,
                           [](char c) { return is_word(c) || c == '/' || c == '"' || c == '\''; })};
}

std::string code_span(std::string_view kind, std::string_view text) {
  if (kind.empty()) return escape_html(text);
  return "<span class=\"" + std::string(kind) + "\">" + escape_html(text) + "</span>";
}

using nlohmann::json;

/// What the accesses of one line of a pattern's source cost, as the emulator counted them.
struct LineCosts {
  double excess = 0;  ///< sectors, or wavefronts, beyond the fewest that their bytes need
  std::string notes;  ///< as HTML
  std::set<std::string> advice;
  bool has_mistake = false;
};

struct SourceCosts {
  std::map<std::int64_t, LineCosts> lines;  ///< of the pattern's own file, from 1
  double excess = 0;                        ///< of all
  std::string elsewhere;                    ///< a list's items for the files that it includes
};

double number_of(const json& access, const char* key) {
  const auto found = access.find(key);
  return found != access.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text_of(const json& access, const char* key) {
  const auto found = access.find(key);
  return found != access.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "12.50 % global load in[x]: 8,388,608 requests of 32.00 sectors, where 4.000 would do"
std::string cost_note(const json& access, const char* unit) {
  constexpr double good = 90;
  const double efficiency = number_of(access, "efficiency");
  const double requests = number_of(access, "requests");
  const double cost = number_of(access, unit);
  const double ideal = number_of(access, "ideal");
  std::string html =
      fmt::format("<span class=\"share{}\">{} %</span> {} {} <code>{}</code>: {} requests",
                  efficiency < good ? " waste" : "", format_figure(efficiency),
                  escape_html(text_of(access, "space")), escape_html(text_of(access, "kind")),
                  escape_html(text_of(access, "text")), format_total(requests));
  if (requests <= 0) return html;
  html += fmt::format(" of {} {}", format_figure(cost / requests), unit);
  if (ideal < cost) html += fmt::format(", where {} would do", format_figure(ideal / requests));
  return html;
}

/// "patterns/stride.cu" is the file of the pattern `stride`.
bool is_file_of(const std::string& pattern, std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);
  return file.substr(0, file.rfind('.')) == pattern;
}

/// The accesses that the JSON of `sweep explain --json` has. None for a text that is none; what an
/// access lacks stays empty.
SourceCosts read_costs(const std::string& pattern, std::string_view text) {
  SourceCosts costs;
  const json explanation = json::parse(text, nullptr, false);
  if (!explanation.is_object() || !explanation.contains("accesses")) return costs;
  if (!explanation["accesses"].is_array()) return costs;
  for (const json& access : explanation["accesses"]) {
    if (!access.is_object()) continue;
    const char* unit = text_of(access, "space") == "shared" ? "wavefronts" : "sectors";
    const bool has_line = access.contains("line") && access["line"].is_number_integer();
    const std::int64_t line = has_line ? access["line"].get<std::int64_t>() : 0;
    const double excess = std::max(number_of(access, unit) - number_of(access, "ideal"), 0.0);
    const std::string words = cost_note(access, unit);
    const std::string file = text_of(access, "file");
    costs.excess += excess;
    if (!is_file_of(pattern, file)) {
      costs.elsewhere += fmt::format("<li>{}:{}: {}</li>\n", escape_html(file), line, words);
      continue;
    }
    LineCosts& own = costs.lines[line];
    own.excess += excess;
    own.notes += "<p>" + words + "</p>";
    const std::string advice = text_of(access, "advice");
    if (advice.empty() || !own.advice.insert(advice).second) continue;
    own.notes += "<p class=\"advice\">" + escape_html(advice) + "</p>";
  }
  return costs;
}

/// The line of a pattern's text, to which the texts of included files are joined, where a line of
/// one of its files stands; 0 where there is none.
std::size_t line_in_text(const PointKey& pattern, std::string_view file, std::size_t line) {
  const std::string_view text = pattern.pattern_text;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view here = text.substr(at, text.find('\n', at) - at);
    ++number;
    at += here.size() + 1;
    if (!here.starts_with("// ")) continue;
    const std::string written = "/" + std::string(here.substr(3));
    if (("/" + std::string(file)).ends_with(written)) return number + line;
  }
  return is_file_of(pattern.pattern_name, file) ? line : 0;
}

/// Adds to the lines that stopped configurations what the compiler says of them.
void add_mistakes(const PointKey& pattern, const RunResults& results, SourceCosts& costs) {
  constexpr std::string_view mark = ": error: ";
  std::vector<const PointRecord*> points;
  for (const StoredPoint& stored : results.points) {
    const PointKey& key = stored.point.key;
    const bool is_of_it =
        key.pattern_name == pattern.pattern_name && key.pattern_text == pattern.pattern_text;
    if (is_of_it) points.push_back(&stored.point);
  }
  for (const Failure& failure : failures_of(points)) {
    for (std::string_view rest = failure.reason; !rest.empty();) {
      const std::string_view message = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(message.size() + 1, rest.size()));
      const std::size_t end = message.find(mark);
      if (end == message.npos) continue;
      // "FILE:LINE:COLUMN", or without a column.
      std::vector<std::string> place;
      std::istringstream parts{std::string(message.substr(0, end))};
      for (std::string part; std::getline(parts, part, ':');) place.push_back(part);
      if (place.size() < 2) continue;
      const std::string& written = place[place.size() > 2 ? place.size() - 2 : 1];
      std::size_t number = 0;
      std::from_chars(written.data(), written.data() + written.size(), number);
      number = number > 0 ? line_in_text(pattern, place.front(), number) : 0;
      if (number == 0) continue;
      LineCosts& line = costs.lines[static_cast<std::int64_t>(number)];
      line.has_mistake = true;
      line.notes += fmt::format("<p class=\"mistake\">{} {}</p>",
                                escape_html(describe_share(failure, points.size())),
                                escape_html(message.substr(end + mark.size())));
    }
  }
}

/// The first line, from 1, after the comment that the pattern's header stands in.
std::size_t first_line_of_code(const std::string& text) {
  const std::size_t end = text.find("*/");
  if (end == std::string::npos || !text.starts_with("/*")) return 1;
  const auto breaks = std::ranges::count(std::string_view(text).substr(0, end), '\n');
  return static_cast<std::size_t>(breaks) + 2;
}

/// A line of code, which is the hotter, from 0 to 3, the larger its share of all that is spent
/// beyond the ideal; and what its accesses cost.
std::string listed_line(std::size_t number, const std::string& code, const SourceCosts& all) {
  const auto found = all.lines.find(static_cast<std::int64_t>(number));
  const LineCosts own = found != all.lines.end() ? found->second : LineCosts{};
  const double share = std::min(2.0, std::floor(own.excess / all.excess * 3));
  const int heat = own.excess > 0 ? 1 + static_cast<int>(share) : 0;
  std::string html = fmt::format(
      "<tr class=\"heat-{}{}\"><th scope=\"row\" class=\"line\">{}</th>"
      "<td class=\"code\"><code>{}</code></td></tr>\n",
      heat, own.has_mistake ? " mistake" : "", number, code);
  if (own.notes.empty()) return html;
  return html + "<tr class=\"costs\"><td></td><td><div>" + own.notes + "</div></td></tr>\n";
}

/// The source of a pattern and of the files that it includes, with what its accesses cost beside
/// its lines.
std::string source_listing(const PointKey& pattern, const RunResults& results, bool is_open) {
  const std::string& text = pattern.pattern_text;
  const std::vector<std::string> lines = highlight_cuda(text);
  const std::size_t first = std::min(first_line_of_code(text), lines.size() + 1);
  const std::string name = escape_html(pattern.pattern_name);
  std::string html = fmt::format("<details class=\"listing\"{}>\n<summary>{}</summary>\n",
                                 is_open ? " open" : "", name);
  SourceCosts costs;
  // Of several texts of one pattern's name each has the explanation that is of it.
  const auto explanation =
      std::ranges::find_if(results.run.explanations, [&](const PatternExplanation& each) {
        const auto point = std::ranges::find(results.points, each.ordinal, &StoredPoint::ordinal);
        return each.pattern == pattern.pattern_name && point != results.points.end() &&
               point->point.key.pattern_text == text;
      });
  if (explanation != results.run.explanations.end()) {
    costs = read_costs(pattern.pattern_name, explanation->json);
    html += fmt::format(
        "<p class=\"caption\">What its accesses cost by the emulator for {}: the share of the "
        "moved "
        "bytes that is wanted, and what each request of a warp takes.</p>\n",
        escape_html(to_string(explanation->parameters)));
  }
  add_mistakes(pattern, results, costs);
  const auto has_mistake = [&](std::size_t number) {
    const auto line = costs.lines.find(static_cast<std::int64_t>(number));
    return line != costs.lines.end() && line->second.has_mistake;
  };
  if (first > 1) {
    bool is_shown = false;
    for (std::size_t number = 1; number < first; ++number) is_shown |= has_mistake(number);
    html += fmt::format("<details class=\"header\"{}>", is_shown ? " open" : "");
    html +=
        "<summary>its header: parameters, buffers, checks</summary>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Header\"><pre><code>";
    for (std::size_t i = 0; i + 1 < first; ++i) {
      html += has_mistake(i + 1) ? "<mark>" + lines[i] + "</mark>\n" : lines[i] + '\n';
    }
    html += "</code></pre></div>";
    for (std::size_t number = 1; number < first; ++number) {
      if (has_mistake(number)) html += costs.lines[static_cast<std::int64_t>(number)].notes;
    }
    html += "</details>\n";
  }
  html += fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Source of {}\">\n"
      "<table class=\"source\">\n<tbody>\n",
      name);
  for (std::size_t number = first; number <= lines.size(); ++number) {
    html += listed_line(number, lines[number - 1], costs);
  }
  html += "</tbody>\n</table>\n</div>\n";
  if (!costs.elsewhere.empty()) {
    html += "<p>In files that it includes:</p>\n<ul>\n" + costs.elsewhere + "</ul>\n";
  }
  return html + "</details>\n";
}

}  // namespace

std::vector<std::string> highlight_cuda(std::string_view source) {
  std::vector<std::string> lines;
  bool in_comment = false;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view text = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    std::string& html = lines.emplace_back();
    const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
    if (!in_comment && text.substr(first).starts_with('#')) {
      html = code_span("directive", text);
      continue;
    }
    while (!text.empty()) {
      const auto [kind, length] = next_piece(text, in_comment);
      html += code_span(kind, text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return lines;
}

std::string source_listings(const RunResults& results) {
  std::vector<const PointKey*> patterns;  // each once, in the order of the points
  for (const StoredPoint& stored : results.points) {
    const PointKey& key = stored.point.key;
    const bool is_known = std::ranges::any_of(patterns, [&](const PointKey* other) {
      return other->pattern_name == key.pattern_name && other->pattern_text == key.pattern_text;
    });
    if (!is_known && !key.pattern_text.empty()) patterns.push_back(&key);
  }
  std::string html;
  for (const PointKey* pattern : patterns) {
    html += source_listing(*pattern, results, patterns.size() == 1);
  }
  return html;
}

}  // namespace sweep
