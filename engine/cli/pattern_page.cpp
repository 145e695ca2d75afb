#include "engine/cli/pattern_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/spec/pattern_names.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/markdown_text.h"

namespace sweep {
namespace {

constexpr const char* introduction =
    "# Patterns\n\n"
    "A pattern is a CUDA kernel in a text file whose header says what its parameters and buffers "
    "are and how its result is checked. `sweep explain NAME` shows what each line of a pattern "
    "costs, `sweep show pattern NAME` prints its file, and a sweep measures it over values of its "
    "parameters (`sweep list sweeps` says which there are). Each family below is about one way in "
    "which memory is fast or slow.\n\n"
    "`sweep list patterns --format md` writes this page.\n";

/// Where a heading `NAME.cu` can be linked to: letters in lower case, punctuation left out.
std::string anchor_of(const std::string& name) {
  return "#" + in_small_letters(name) + "cu";
}

/// Every line of the text, which YAML has joined within paragraphs, as a paragraph.
std::string help_paragraphs(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) continue;
    result += '\n' + escape_markdown(line.substr(begin)) + '\n';
  }
  return result;
}

/// With a binary unit where that is easier to read: "64 Mi", but "1024".
std::string bound(std::int64_t value) {
  constexpr std::int64_t large = 64 * Ki;
  return value >= large ? format_count(value) : std::to_string(value);
}

std::string range_cell(const Parameter& parameter) {
  if (parameter.kind == ValueKind::boolean) return "true or false";
  if (parameter.kind == ValueKind::element) return "an element type";
  if (parameter.min && parameter.max) {
    return fmt::format("{} to {}", bound(*parameter.min), bound(*parameter.max));
  }
  if (parameter.min) return fmt::format("at least {}", bound(*parameter.min));
  if (parameter.max) return fmt::format("at most {}", bound(*parameter.max));
  return "any integer";
}

std::string default_cell(const Parameter& parameter) {
  const std::string text = parameter.default_value.text();
  return parameter.device.empty() ? text
                                  : fmt::format("the device's {}, else {}", parameter.device, text);
}

std::string parameter_table(const Pattern& pattern) {
  std::vector<std::vector<std::string>> rows;
  for (const Parameter& parameter : pattern.parameters) {
    rows.push_back({escape_markdown(parameter.name), escape_markdown(default_cell(parameter)),
                    escape_markdown(range_cell(parameter)), escape_markdown(parameter.help)});
  }
  if (rows.empty()) return {};
  return '\n' +
         markdown_table(
             {{"parameter", false}, {"default", false}, {"range", false}, {"help", false}}, rows);
}

std::string pattern_section(const Pattern& pattern) {
  const std::string file = pattern.name + ".cu";
  std::string section = fmt::format("\n### [{}]({})\n", escape_markdown(file), file);
  section += help_paragraphs(pattern.help);
  section += parameter_table(pattern);
  if (!pattern.reference.empty()) {
    section += fmt::format("\nReference: {}\n", escape_markdown(pattern.reference));
  }
  return section;
}

std::string family_section(const PatternFamily& family) {
  std::string section = fmt::format("\n## {}\n\n", escape_markdown(family.name));
  std::vector<std::vector<std::string>> rows;
  for (const PatternPtr& pattern : family.patterns) {
    rows.push_back(
        {fmt::format("[{}]({})", escape_markdown(pattern->name), anchor_of(pattern->name)),
         escape_markdown(pattern->summary)});
  }
  section += markdown_table({{"pattern", false}, {"summary", false}}, rows);
  for (const PatternPtr& pattern : family.patterns) section += pattern_section(*pattern);
  return section;
}

}  // namespace

std::string write_pattern_page(std::span<const PatternPtr> patterns) {
  std::string page = introduction;
  for (const PatternFamily& family : by_family(patterns)) page += family_section(family);
  return page;
}

}  // namespace sweep
