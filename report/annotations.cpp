#include "report/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/document.h"
#include "report/run_report.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

/// A message's place for a service: columns count characters from 1, and the end is the one behind.
struct AnnotatedPlace {
  std::string file;  ///< from the root; empty where it is outside
  std::string absolute;
  std::size_t line = 0;  ///< 0: the whole file
  std::size_t column = 0;
  std::size_t end_column = 0;

  bool has_file() const { return !absolute.empty(); }
};

std::size_t characters_in(std::string_view bytes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      bytes, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// Without a file where the message is about none, such as an option of the command line.
AnnotatedPlace place_of(const Location& where, const fs::path& root) {
  AnnotatedPlace place;
  std::error_code error;
  if (where.source == nullptr || !fs::is_regular_file(where.source->name, error)) return place;
  const fs::path absolute = fs::weakly_canonical(where.source->name, error);
  if (error) return place;
  place.absolute = absolute.generic_string();
  const fs::path from = fs::weakly_canonical(root, error);
  const fs::path relative = absolute.lexically_relative(from);
  if (!relative.empty() && *relative.begin() != "..") place.file = relative.generic_string();
  place.line = where.line;
  if (where.line == 0 || where.column == 0) return place;
  const std::string_view line = line_of(where.source->text, where.line);
  const std::size_t begin = std::min(where.column - 1, line.size());
  place.column = characters_in(line.substr(0, begin)) + 1;
  place.end_column =
      place.column + std::max<std::size_t>(characters_in(line.substr(begin, where.length)), 1);
  return place;
}

std::string place_in_words(const AnnotatedPlace& place) {
  std::string words = place.file.empty() ? place.absolute : place.file;
  if (place.line > 0) words += fmt::format(":{}", place.line);
  if (place.column > 0) words += fmt::format(":{}", place.column);
  return words;
}

std::string with_help(const Diagnostic& message, std::string_view between) {
  return message.help.empty() ? message.message
                              : fmt::format("{}{}{}", message.message, between, message.help);
}

/// What would end a command's text; in a property's value what would end that too.
std::string github_escaped(std::string_view text, bool is_property) {
  constexpr std::string_view of_text = "%\r\n";
  constexpr std::string_view of_property = "%\r\n:,";
  std::string escaped;
  for (const char c : text) {
    const bool is_special = (is_property ? of_property : of_text).find(c) != text.npos;
    escaped +=
        is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return escaped;
}

std::string uri_escaped(std::string_view path) {
  constexpr std::string_view plain = "-._~/";
  std::string uri;
  for (const char c : path) {
    const bool is_plain = is_letter_or_digit(c) || plain.find(c) != plain.npos;
    uri += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json sarif_location(const AnnotatedPlace& place) {
  Json artifact = {{"uri", uri_escaped(place.file)}, {"uriBaseId", "%SRCROOT%"}};
  if (place.file.empty()) artifact = {{"uri", "file://" + uri_escaped(place.absolute)}};
  Json location = {{"artifactLocation", artifact}};
  if (place.line > 0) {
    location["region"] = {{"startLine", place.line}};
    if (place.column > 0) {
      location["region"]["startColumn"] = place.column;
      location["region"]["endColumn"] = place.end_column;
    }
  }
  return {{"physicalLocation", location}};
}

constexpr std::array<std::string_view, 3> sarif_levels = {"error", "warning", "note"};

}  // namespace

std::string write_github_commands(std::span<const Diagnostic> messages, std::string_view title,
                                  const fs::path& root) {
  constexpr std::array<std::string_view, 3> commands = {"error", "warning", "notice"};
  std::string text;
  for (const Diagnostic& message : messages) {
    const AnnotatedPlace place = place_of(message.where, root);
    std::vector<std::pair<std::string_view, std::string>> properties;
    if (!place.file.empty()) {
      properties.emplace_back("file", place.file);
      properties.emplace_back("line", std::to_string(std::max<std::size_t>(place.line, 1)));
      if (place.column > 0) {
        properties.emplace_back("col", std::to_string(place.column));
        properties.emplace_back("endColumn", std::to_string(place.end_column));
      }
    }
    properties.emplace_back("title", title);
    text += fmt::format("::{} ", commands.at(static_cast<std::size_t>(message.severity)));
    for (const auto& [name, value] : properties) {
      text += fmt::format("{}{}={}", name == properties.front().first ? "" : ",", name,
                          github_escaped(value, true));
    }
    const bool is_outside = place.file.empty() && place.has_file();
    const std::string outside = is_outside ? place_in_words(place) + ": " : "";
    text += fmt::format("::{}\n", github_escaped(outside + with_help(message, "\n"), false));
  }
  return text;
}

std::vector<Diagnostic> run_annotations(const RunAnalysis& run,
                                        std::span<const ExpectationResult> expectations) {
  std::vector<Diagnostic> messages;
  for (auto& [message, broken] : expectation_messages(expectations, run.results.points)) {
    if (!broken.empty()) message.message += "\n" + broken.substr(0, broken.size() - 1);
    messages.push_back(std::move(message));
  }
  for (const Failure& failure : failures_of(run.points)) {
    static const std::regex at_place(R"(^([^\n:]+):(\d{1,6}):(\d{1,6}): error: )");
    Diagnostic message;
    const std::string share = describe_share(failure, run.points.size());
    message.message = fmt::format("{} {}", share, failure.reason);
    std::smatch place;
    if (std::regex_search(failure.reason, place, at_place)) {
      const auto source = std::make_shared<Source>(Source{place[1].str(), {}});
      message.where = {source, std::stoul(place[2].str())};
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

std::string write_sarif(std::span<const CheckFinding> findings, std::string_view version,
                        const fs::path& root) {
  Json rules = Json::array();
  for (const CheckRule& rule : check_rules) {
    rules.push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.meaning}}}});
  }
  Json results = Json::array();
  bool is_good = true;
  for (const CheckFinding& finding : findings) {
    const Diagnostic& message = finding.message;
    is_good = is_good && message.severity != Severity::error;
    const auto rule = std::ranges::find(check_rules, finding.rule, &CheckRule::id);
    Json result = {{"ruleId", finding.rule},
                   {"ruleIndex", rule - check_rules.begin()},
                   {"level", sarif_levels.at(static_cast<std::size_t>(message.severity))},
                   {"message", {{"text", with_help(message, "\n")}}},
                   {"locations", Json::array()}};
    const AnnotatedPlace place = place_of(message.where, root);
    if (place.has_file()) result["locations"].push_back(sarif_location(place));
    results.push_back(std::move(result));
  }
  const Json driver = {{"name", "sweep"}, {"version", version}, {"rules", std::move(rules)}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", std::move(results)}};
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_findings_markdown(std::span<const CheckFinding> findings, const fs::path& root) {
  constexpr std::size_t most = 200;
  const auto errors = std::ranges::count_if(findings, [](const CheckFinding& finding) {
    return finding.message.severity == Severity::error;
  });
  Document document = {
      Heading{2, "sweep check"},
      Paragraph{errors > 0 ? count_of(static_cast<std::size_t>(errors), "mistake") : "no mistakes",
                errors > 0 ? Tone::worse : Tone::strong}};
  DocumentTable table = {{"", "where", "what", "rule"}};
  for (const CheckFinding& finding : findings.first(std::min(findings.size(), most))) {
    table.rows.push_back(
        {std::string(sarif_levels.at(static_cast<std::size_t>(finding.message.severity))),
         place_in_words(place_of(finding.message.where, root)), with_help(finding.message, "; "),
         std::string(finding.rule)});
  }
  if (!table.rows.empty()) document.emplace_back(std::move(table));
  if (findings.size() > most) {
    document.emplace_back(
        Paragraph{fmt::format("and {} more", format_thousands(findings.size() - most))});
  }
  return render_markdown(document);
}

}  // namespace sweep
