#include "engine/cli/options/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <sstream>

#include "engine/cli/terminal/terminal.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

constexpr std::array placeholder_table = {
    Placeholder{"CC", WordKind::capability},
    Placeholder{"CONDITION", WordKind::text},
    Placeholder{"COUNTERS", WordKind::counters},
    Placeholder{"DATABASE", WordKind::database},
    Placeholder{"DEVICE", WordKind::device},
    Placeholder{"DIR", WordKind::folder},
    Placeholder{"FILE", WordKind::file},
    Placeholder{"METRIC", WordKind::metric},
    Placeholder{"METRICS", WordKind::metric},
    Placeholder{"N", WordKind::number},
    Placeholder{"NAME", WordKind::named},
    Placeholder{"NAME=VALUE", WordKind::assignment},
    Placeholder{"NAME=VALUES", WordKind::assignment},
    Placeholder{"NAMES", WordKind::text},
    Placeholder{"NUMBER", WordKind::number},
    Placeholder{"OLD=NEW", WordKind::text},
    Placeholder{"PATTERN", WordKind::pattern},
    Placeholder{"PERCENT", WordKind::text},
    Placeholder{"RECORDING", WordKind::recording},
    Placeholder{"SOURCE", WordKind::source},
    Placeholder{"STRATEGIES", WordKind::strategies},
    Placeholder{"SWEEP", WordKind::sweep},
    Placeholder{"WHEN", WordKind::choice, "auto|always|never"},
};

bool is_literal(std::string_view placeholder) {
  return placeholder.find('|') != std::string_view::npos ||
         std::ranges::none_of(placeholder, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> choices;
  while (!text.empty()) {
    const std::size_t bar = std::min(text.find('|'), text.size());
    choices.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return choices;
}

}  // namespace

std::span<const Placeholder> placeholders() {
  return placeholder_table;
}

Word word_of(const std::string& placeholder) {
  const auto* found = std::ranges::find(placeholder_table, placeholder, &Placeholder::name);
  if (found != placeholder_table.end())
    return {placeholder, found->kind, split_choices(found->choices)};
  if (placeholder.empty() || !is_literal(placeholder)) return {placeholder, WordKind::text, {}};
  return {placeholder, WordKind::choice, split_choices(placeholder)};
}

namespace po = boost::program_options;
namespace {

/// The columns that every terminal has.
constexpr unsigned help_width = 80;

std::vector<std::string>& process_words() {
  static std::vector<std::string> words;
  return words;
}

ColorChoice color_choice_of(const std::string& text) {
  if (text == "auto") return ColorChoice::automatic;
  if (text == "always") return ColorChoice::always;
  if (text == "never") return ColorChoice::never;
  throw UsageError(fmt::format("--color {}: write auto, always or never", text));
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./,:@%") == std::string::npos;
  if (plain) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The library has the placeholder and the default in one text: "DIR (=results)".
OptionOfLine describe(const po::option_description& option) {
  OptionOfLine result;
  result.name = option.long_name();
  result.help = option.description();
  const std::string letter =
      option.canonical_display_name(po::command_line_style::allow_dash_for_short);
  if (letter.size() == 2 && letter.front() == '-') result.short_name = letter.substr(1);
  const auto semantic = option.semantic();
  if (semantic->max_tokens() == 0) return result;
  result.may_repeat = semantic->is_composing();
  const std::string text = semantic->name();
  const std::string separator = " (=";
  const std::size_t end = std::min(text.find(separator), text.size());
  result.argument = word_of(text.substr(0, end));
  if (end < text.size()) {
    const std::size_t begin = end + separator.size();
    result.default_value = text.substr(begin, text.size() - begin - 1);
  }
  return result;
}

/// Where a word looks like NAME=VALUE that belongs to --set.
std::string assignment_help(const Arguments& arguments, const po::options_description& options) {
  if (options.find_nothrow("set", false) == nullptr) return "";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool follows_option = i > 0 && arguments[i - 1].starts_with('-');
    if (word.starts_with('-') || follows_option || word.find('=') == std::string::npos) continue;
    return fmt::format(": to set a parameter, write --set {}", shell_quoted({word}));
  }
  return "";
}

/// The options' descriptions are broken after their spaces.
std::string without_trailing_spaces(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') result.erase(result.find_last_not_of(' ') + 1);
    result += c;
  }
  return result;
}

}  // namespace

CommandLine::CommandLine(std::string synopsis, std::string about)
    : synopsis_(std::move(synopsis)),
      about_(std::move(about)),
      visible_("Options", help_width, help_width / 2) {
  visible_.add_options()("help,h", "print this help")(
      "color", po::value<std::string>()->default_value("auto")->value_name("WHEN"),
      "auto (in a terminal), always or never");
}

po::options_description_easy_init CommandLine::options() {
  return visible_.add_options();
}

void CommandLine::operands(const char* name, int count, std::vector<std::string> placeholders) {
  hidden_.add_options()(name, po::value<std::vector<std::string>>());
  positional_.add(name, count);
  if (placeholders.empty()) {
    placeholders.emplace_back(name);
    std::ranges::transform(placeholders.back(), placeholders.back().begin(), to_capital);
  }
  operands_.any_number = count < 0;
  for (const std::string& placeholder : placeholders) {
    operands_.words.push_back(word_of(placeholder));
  }
  while (static_cast<int>(operands_.words.size()) < count) {
    operands_.words.push_back(operands_.words.back());
  }
}

std::vector<OptionOfLine> CommandLine::described_options() const {
  std::vector<OptionOfLine> result;
  for (const auto& option : visible_.options()) result.push_back(describe(*option));
  return result;
}

/// "sweep run"
std::string CommandLine::name() const {
  return synopsis_.substr(0, synopsis_.find(' ', synopsis_.find(' ') + 1));
}

std::optional<po::variables_map> CommandLine::parse(const Arguments& arguments) const {
  po::options_description all;
  all.add(visible_).add(hidden_);
  constexpr auto style =
      po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional_).style(style).run(),
        values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    std::vector<std::string> known;
    for (const auto& option : visible_.options()) known.push_back("--" + option->long_name());
    const std::string help = did_you_mean(error.get_option_name(), known);
    throw UsageError(fmt::format("there is no option {}{}{}; see {} --help",
                                 error.get_option_name(), help.empty() ? "" : ": ", help, name()));
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError(fmt::format("too many arguments{}; usage: {}",
                                 assignment_help(arguments, visible_), synopsis_));
  } catch (const po::invalid_command_line_syntax& error) {
    const std::string given = error.get_option_name();
    const auto* option = visible_.find_nothrow(
        given.substr(std::min(given.find_first_not_of('-'), given.size())), false);
    if (error.kind() != po::invalid_command_line_syntax::missing_parameter || option == nullptr) {
      throw UsageError(fmt::format("{}; see {} --help", error.what(), name()));
    }
    const std::string value = option->format_parameter();
    throw UsageError(fmt::format("--{0} needs a value: --{0} {1}; see {2} --help",
                                 option->long_name(), value.substr(0, value.find(" (")), name()));
  } catch (const po::error& error) {
    throw UsageError(fmt::format("{}; see {} --help", error.what(), name()));
  }
  set_color_choice(color_choice_of(values["color"].as<std::string>()));
  if (values.count("help") != 0) {
    std::ostringstream options;
    options << visible_;
    std::cout << "Usage: " << synopsis_ << "\n\n"
              << about_ << "\n\n"
              << without_trailing_spaces(options.str());
    return std::nullopt;
  }
  return values;
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) {
    if (!result.empty()) result += ' ';
    result += quoted(word);
  }
  return result;
}

void set_process_command(int count, const char* const* words) {
  process_words().assign(words, words + count);
}

std::string process_command() {
  return shell_quoted(process_words());
}

std::string resume_command() {
  std::vector<std::string> words = process_words();
  std::erase(words, "--fresh");
  return shell_quoted(words);
}

}  // namespace sweep
