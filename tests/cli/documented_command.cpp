#include "tests/cli/documented_command.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "engine/cli/commands.h"

namespace sweep {
namespace {

const std::regex& command_begin() {
  static const std::regex begin(R"((^|[\s(])(build/)?sweep (?=[a-z]))");
  return begin;
}

/// From "sweep" to what a shell takes for its end.
std::string trimmed_command(const std::string& text) {
  std::smatch begin;
  if (!std::regex_search(text, begin, command_begin())) return {};
  std::string rest = "sweep " + begin.suffix().str();
  static const std::regex end(R"(\s+#|\s?[>;)]|\s&&|\s\|\s)");
  std::smatch found;
  if (std::regex_search(rest, found, end)) rest = found.prefix();
  return rest;
}

/// As a shell splits them; quotes only enclose.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  char quote = '\0';
  for (const char c : line) {
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (c == ' ' && quote == '\0') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Whether a word stands for others: "SWEEP", "FILE...", "patterns|sweeps", "[clear]".
bool is_placeholder(const std::string& word) {
  if (word.find_first_of("|[") != std::string::npos) return true;
  return std::isupper(static_cast<unsigned char>(word.front())) != 0 &&
         word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
}

std::string mistake_in_value(const Word& expected, const std::string& value) {
  if (expected.choices.empty() || is_placeholder(value)) return {};
  const bool known = std::ranges::find(expected.choices, value) != expected.choices.end();
  return known ? "" : "'" + value + "' is none of the choices";
}

/// An option's mistake; `at` moves on to its argument's place.
std::string mistake_in_option(const CommandLine& line, const std::vector<std::string>& words,
                              std::size_t& at) {
  const std::string word = words[at];
  for (const OptionOfLine& option : line.options) {
    const bool named = word == "--" + option.name || word == "-" + option.short_name;
    if (!named) continue;
    if (option.argument.placeholder.empty()) return {};
    ++at;
    if (at == words.size()) return {};  // the text speaks of the option alone
    return mistake_in_value(option.argument, words[at]);
  }
  return "there is no option " + word;
}

std::string mistake_in_words(const CommandLine& line, const std::vector<std::string>& words) {
  const OperandsOfLine& operands = line.operands_taken;
  std::size_t count = 0;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i].starts_with('-')) {
      const std::string mistake = mistake_in_option(line, words, i);
      if (!mistake.empty()) return mistake;
      continue;
    }
    if (count >= operands.words.size() && !operands.any_number) {
      return "too many operands: " + words[i];
    }
    const std::size_t place = std::min(count, operands.words.size() - 1);
    const std::string mistake = mistake_in_value(operands.words[place], words[i]);
    if (!mistake.empty()) return mistake;
    ++count;
  }
  return {};
}

/// "completion\|schema": each is a command.
std::vector<std::string> alternatives(const std::string& word) {
  std::vector<std::string> result;
  std::istringstream parts(std::regex_replace(word, std::regex(R"(\\)"), ""));
  for (std::string part; std::getline(parts, part, '|');) result.push_back(part);
  return result;
}

}  // namespace

std::vector<std::string> commands_in_prose(std::string_view text) {
  std::vector<std::string> result;
  bool in_code = false;
  std::string span;
  for (const char c : text) {
    if (c == '`') {
      if (in_code && (span.starts_with("sweep ") || span.starts_with("build/sweep "))) {
        result.push_back(trimmed_command(span));
      }
      in_code = !in_code;
      span.clear();
    } else {
      span += c == '\n' ? ' ' : c;
    }
  }
  std::erase(result, "");
  return result;
}

std::vector<std::string> commands_in_code(std::string_view code) {
  const std::string joined = std::regex_replace(std::string(code), std::regex(R"(\\\n\s*)"), "");
  std::vector<std::string> result;
  std::istringstream lines(joined);
  for (std::string line; std::getline(lines, line);) result.push_back(trimmed_command(line));
  std::erase(result, "");
  return result;
}

std::string mistake_in(const std::string& command_line) {
  const std::vector<std::string> words = words_of(command_line);
  for (const std::string& name : alternatives(words[1])) {
    const auto command = std::ranges::find_if(
        commands(), [&name](const Command& known) { return name == known.name; });
    if (command == commands().end()) return "there is no command '" + name + "'";
    const std::string mistake = mistake_in_words(command->line(), words);
    if (!mistake.empty()) return mistake;
  }
  return {};
}

}  // namespace sweep
