#include "engine/cli/options/command_line.h"

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <system_error>

#include "engine/backend/backend.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/store/store.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "report/display_text.h"

namespace sweep {
namespace {

ExitCode exit_code_of(StoreFault fault) {
  if (fault == StoreFault::missing) return exit_no_input;
  if (fault == StoreFault::inaccessible) return exit_cannot_create;
  const bool is_bad = fault == StoreFault::not_a_store || fault == StoreFault::other_version ||
                      fault == StoreFault::damaged;
  return is_bad ? exit_bad_input : exit_io;
}

constexpr std::array watched = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> stopped = false;
volatile std::sig_atomic_t received = 0;

void on_signal(int number);

void stop_watching() {
  for (const int number : watched) {
    struct sigaction action = {};
    const bool is_known = sigaction(number, nullptr, &action) == 0;
    if (is_known && action.sa_handler == on_signal) std::signal(number, SIG_DFL);
  }
}

/// What batch systems and shells send to a process and once more to its group asks for no more than
/// it did the first time.
void on_signal(int number) {
  received = number;
  stopped = true;
  stop_watching();
  if (number == SIGTERM) std::signal(SIGTERM, [](int) {});
}

using Words = GivenOptions::Words;

namespace po = boost::program_options;

/// The columns that every terminal has.
constexpr unsigned help_width = 80;

std::vector<std::string> process_words;

/// The word of a placeholder.
Word word_of(const std::string& placeholder) {
  const bool has_capitals =
      std::ranges::any_of(placeholder, [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool is_choice = placeholder.find('|') != std::string::npos || !has_capitals;
  return {placeholder, is_choice && !placeholder.empty() ? split(placeholder, '|') : Words()};
}

std::string quoted(const std::string& word) {
  const bool is_plain = std::ranges::all_of(word, [](char c) {
    return is_word(c) || std::string_view("-+=./,:@%").find(c) != std::string_view::npos;
  });
  if (is_plain && !word.empty()) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The options as Boost.Program_options has them.
po::options_description description_of(const std::vector<OptionOfLine>& options) {
  po::options_description description("Options", help_width, help_width / 2);
  for (const OptionOfLine& option : options) {
    const std::string names =
        option.short_name.empty() ? option.name : option.name + ',' + option.short_name;
    const std::string& placeholder = option.argument.placeholder;
    auto add = description.add_options();
    if (placeholder.empty()) {
      add(names.c_str(), option.help.c_str());
    } else if (option.may_repeat) {
      auto* value = po::value<Words>()->composing()->value_name(placeholder);
      add(names.c_str(), value, option.help.c_str());
    } else {
      auto* value = po::value<std::string>()->value_name(placeholder);
      if (!option.default_value.empty()) value->default_value(option.default_value);
      add(names.c_str(), value, option.help.c_str());
    }
  }
  return description;
}

/// No option can be given by this name.
constexpr const char* operands_name = "the line's operands";

Words words_in(const po::variable_value& value) {
  if (const auto* text = boost::any_cast<std::string>(&value.value())) return {*text};
  if (const auto* words = boost::any_cast<Words>(&value.value())) return *words;
  return {};
}

void check_choices(const std::vector<OptionOfLine>& options, const GivenOptions& given) {
  for (const OptionOfLine& option : options) {
    const Words& choices = option.argument.choices;
    if (choices.empty() || !given.has(option.name)) continue;
    const std::string word = given.text(option.name);
    if (is_among(choices, word)) continue;
    const std::string guess = did_you_mean(word, choices);
    throw UsageError("--{} {}: {}write {}", option.name, word, guess.empty() ? "" : guess + " ",
                     in_words(choices, "or"));
  }
}

/// Where a word looks like NAME=VALUE that belongs to --set.
std::string assignment_help(const Arguments& arguments, const std::vector<OptionOfLine>& options) {
  if (std::ranges::find(options, "set", &OptionOfLine::name) == options.end()) return "";
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

int complain(int code, const std::string& message) {
  std::cerr << "sweep: " << shown_message(message) << '\n';
  return code;
}

int report_error() {
  try {
    throw;
  } catch (const InputError& error) {
    std::cerr << render(error.diagnostics(), terminal_of(STDERR_FILENO).color);
    return exit_bad_input;
  } catch (const FileError& error) {
    return complain(error.is_missing() ? exit_no_input : exit_bad_input, error.what());
  } catch (const CommandError& error) {
    return complain(error.code(), error.what());
  } catch (const DeviceError& error) {
    return complain(exit_unavailable, error.what());
  } catch (const LibraryError& error) {
    return complain(exit_unavailable, error.what());
  } catch (const StoreError& error) {
    return complain(exit_code_of(error.fault()), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(exit_io, error.what());
  } catch (const std::system_error& error) {
    return complain(
        exit_system,
        fmt::format("the system refuses what is needed: {}; 'ulimit -a' shows this shell's "
                    "limits of processes, open files and memory",
                    error.what()));
  } catch (const std::bad_alloc&) {
    return complain(exit_system, "there is not enough memory");
  } catch (const std::exception& error) {
    return complain(exit_internal, fmt::format("internal error: {}", error.what()));
  }
}

const std::atomic<bool>& stop_flag() {
  [[maybe_unused]] static const bool installed = [] {
    for (const int number : watched) {
      struct sigaction action = {};
      if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
      action = {};
      action.sa_handler = on_signal;
      action.sa_flags = SA_RESTART;
      sigaction(number, &action, nullptr);
    }
    return true;
  }();
  return stopped;
}

int code_after_watching(int code) {
  stop_watching();
  return stopped ? stopped_exit_code() : code;
}

int stopped_exit_code() {
  return 128 + (received != 0 ? received : SIGINT);
}

std::string GivenOptions::text(const std::string& option) const {
  const Words words = all(option);
  return words.empty() ? "" : words.front();
}

Words GivenOptions::all(const std::string& option) const {
  const auto found = options_.find(option);
  return found != options_.end() ? found->second : Words();
}

Words GivenOptions::listed(const std::string& option) const {
  Words words;
  for (const std::string& list : all(option)) {
    for (std::string& word : split(list, ',')) {
      std::erase(word, ' ');
      if (word.empty()) throw UsageError("--{} {}: a name is missing", option, list);
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::optional<std::uint64_t> GivenOptions::number(const std::string& option,
                                                  std::uint64_t largest) const {
  if (!has(option)) return std::nullopt;
  const auto number = whole_number(text(option));
  if (number && *number != 0 && *number <= largest) return number;
  throw UsageError("--{} {}: write a whole number from 1 to {}", option, text(option), largest);
}

CommandLine::CommandLine(std::string synopsis_text, std::string about_text)
    : synopsis(std::move(synopsis_text)), about(std::move(about_text)) {
  flag("help,h", "print this help");
  option("color", "WHEN", "auto (in a terminal), always or never", "auto");
  options.back().argument.choices = {"auto", "always", "never"};
}

void CommandLine::flag(const std::string& name, std::string help) {
  option(name, {}, std::move(help));
}

void CommandLine::option(const std::string& name, const std::string& placeholder, std::string help,
                         std::string default_value) {
  const std::size_t comma = std::min(name.find(','), name.size());
  options.push_back({name.substr(0, comma), name.substr(std::min(comma + 1, name.size())),
                     std::move(help), word_of(placeholder), std::move(default_value)});
}

void CommandLine::repeatable(const std::string& name, const std::string& placeholder,
                             std::string help) {
  option(name, placeholder, std::move(help));
  options.back().may_repeat = true;
}

void CommandLine::operands(const std::vector<std::string>& placeholders, std::size_t least,
                           std::string question) {
  operands_taken = {{}, placeholders.back().ends_with("..."), least, std::move(question)};
  for (const std::string& placeholder : placeholders) {
    operands_taken.words.push_back(word_of(placeholder.substr(0, placeholder.find("..."))));
  }
}

std::optional<GivenOptions> CommandLine::parse(const Arguments& arguments) const {
  const po::options_description visible = description_of(options);
  po::options_description all;
  all.add(visible).add_options()(operands_name, po::value<Words>());
  po::positional_options_description positional;
  positional.add(operands_name,
                 operands_taken.any_number ? -1 : static_cast<int>(operands_taken.words.size()));
  constexpr auto style =
      po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  // "sweep run"
  const std::string name = synopsis.substr(0, synopsis.find(' ', synopsis.find(' ') + 1));
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
        values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    Words known;
    for (const OptionOfLine& option : options) known.push_back("--" + option.name);
    const std::string help = did_you_mean(error.get_option_name(), known);
    throw UsageError("there is no option {}{}{}; see {} --help", error.get_option_name(),
                     help.empty() ? "" : ": ", help, name);
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("too many arguments{}; usage: {}", assignment_help(arguments, options),
                     synopsis);
  } catch (const po::invalid_command_line_syntax& error) {
    std::string given = error.get_option_name();
    given.erase(0, given.find_first_not_of('-'));
    const auto option = std::ranges::find(options, given, &OptionOfLine::name);
    if (error.kind() != po::invalid_command_line_syntax::missing_parameter ||
        option == options.end()) {
      throw UsageError("{}; see {} --help", error.what(), name);
    }
    throw UsageError("--{0} needs a value: --{0} {1}; see {2} --help", option->name,
                     option->argument.placeholder, name);
  } catch (const po::error& error) {
    throw UsageError("{}; see {} --help", error.what(), name);
  }
  std::map<std::string, Words> words;
  for (const auto& [option, value] : values) words.emplace(option, words_in(value));
  Words operand_words = words[operands_name];
  const GivenOptions given(std::move(words), std::move(operand_words));
  set_color_choice(given.text("color"));
  if (given.has("help")) {
    std::ostringstream description;
    description << visible;
    std::cout << "Usage: " << synopsis << "\n\n"
              << about << "\n\n"
              << without_trailing_spaces(description.str());
    return std::nullopt;
  }
  check_choices(options, given);
  if (given.operands().size() < operands_taken.least) throw UsageError(operands_taken.question);
  return given;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    words.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::string shell_quoted(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " ") + quoted(word);
  return result;
}

void set_process_command(int count, const char* const* words) {
  process_words.assign(words, words + count);
}

std::string process_command() {
  return shell_quoted(process_words);
}

void set_process_option(const std::string& option, const std::string& argument) {
  for (std::size_t i = 0; i < process_words.size(); ++i) {
    const bool is_before = i > 0 && process_words[i - 1] == "--" + option;
    if (is_before) process_words[i] = argument;
    if (process_words[i].starts_with("--" + option + "=")) {
      process_words[i] = fmt::format("--{}={}", option, argument);
    }
  }
}

std::string resume_command() {
  std::vector<std::string> words = process_words;
  std::erase(words, "--fresh");
  return shell_quoted(words);
}

}  // namespace sweep
