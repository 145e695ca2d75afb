#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sweep {

/// What the process returns; the numbers above 63 are those of sysexits.h.
enum ExitCode {
  exit_done = 0,
  exit_points_failed = 1,
  exit_usage = 2,
  exit_regression = 3,  ///< a comparison found one
  exit_bad_input = 65,
  exit_no_input = 66,
  exit_unavailable = 69,
  exit_internal = 70,
  exit_system = 71,  ///< no memory, threads or open files are left
  exit_cannot_create = 73,
  exit_io = 74,
};

/// An error that ends the command with a particular exit code.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  template <typename First, typename... Rest>
  CommandError(ExitCode code, fmt::format_string<First, Rest...> format, First&& first,
               Rest&&... rest)
      : CommandError(
            code, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_ = exit_internal;
};

/// A command line that makes no sense; the message says what to type.
class UsageError : public CommandError {
 public:
  explicit UsageError(const std::string& message) : CommandError(exit_usage, message) {}
  template <typename First, typename... Rest>
  explicit UsageError(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : CommandError(exit_usage, format, std::forward<First>(first), std::forward<Rest>(rest)...) {}
};

/// Prints "sweep: MESSAGE" to standard error and gives the code.
int complain(int code, const std::string& message);
/// The same with the exception under way.
int report_error();

using Arguments = std::vector<std::string>;

/// From its first call on, SIGINT, SIGTERM and SIGHUP set the flag instead of ending the process; a
/// second one of any ends it at once, unless both are SIGTERM. Those that the process was started
/// to ignore, as nohup and a shell's background do, stay ignored.
const std::atomic<bool>& stop_flag();

/// Signals end the process again, since all is done that they could cut short. Gives `code`, or
/// that of the signal that came meanwhile.
int code_after_watching(int code);

/// The exit code of a process that the flag made end: 128 and the signal's number.
int stopped_exit_code();

/// A word by what help calls it: in capitals a placeholder, such as "DIR", of which completion
/// knows what it is; otherwise a choice: one of "a|b", or a word that stands for itself.
struct Word {
  std::string placeholder;                ///< empty for an option that takes no argument
  std::vector<std::string> choices = {};  ///< of a choice
};

/// Whether completion knows what the placeholder stands for.
bool can_complete(const std::string& placeholder);

/// An option as help shows it.
struct OptionOfLine {
  std::string name;        ///< without dashes
  std::string short_name;  ///< one letter, or empty
  std::string help;
  Word argument = {};  ///< its placeholder is empty for an option without an argument
  std::string default_value = {};
  bool may_repeat = false;
};

/// The operands that a command takes, in order; with `any_number` the last one again and again.
struct OperandsOfLine {
  std::vector<Word> words = {};
  bool any_number = false;
  std::size_t least = 0;
  std::string question = {};  ///< what is said where there are fewer: "run what? ..."
};

/// What a command line gives, by the options' names without dashes.
class GivenOptions {
 public:
  using Words = std::vector<std::string>;

  GivenOptions(std::map<std::string, Words> options, Words operands)
      : options_(std::move(options)), operands_(std::move(operands)) {}

  /// Whether the option is given, or has a default value.
  bool has(const std::string& option) const { return options_.contains(option); }
  /// The option's argument; empty without it.
  std::string text(const std::string& option) const;
  /// The arguments of an option that may be given several times.
  Words all(const std::string& option) const;
  /// The names that the option's arguments have, with commas between them. Throws UsageError where
  /// one is missing.
  Words listed(const std::string& option) const;
  /// The whole number from 1 to `largest` that the option gives; nothing without it. Throws
  /// UsageError for anything else.
  std::optional<std::uint64_t> number(const std::string& option,
                                      std::uint64_t largest = 1'000'000'000) const;
  const Words& operands() const { return operands_; }
  /// The same with another argument of an option.
  GivenOptions with(const std::string& option, const std::string& word) const {
    GivenOptions other = *this;
    other.options_[option] = {word};
    return other;
  }

 private:
  std::map<std::string, Words> options_;
  Words operands_;
};

/// The options and operands of one command, with one way to parse, complain and print help. Every
/// command has --help and --color. Option names are never guessed from prefixes.
struct CommandLine {
  std::string synopsis;  ///< "sweep run [OPTIONS] SWEEP"
  std::string about;     ///< what the command does, in a few lines
  std::vector<OptionOfLine> options = {};
  OperandsOfLine operands_taken = {};

  CommandLine(std::string synopsis_text, std::string about_text);

  // The options in the order of the help. `name` may have a letter too: "output,o". What an
  // argument is follows from its placeholder; of a choice parse() takes no other word.
  void flag(const std::string& name, std::string help);
  void option(const std::string& name, const std::string& placeholder, std::string help,
              std::string default_value = {});
  void repeatable(const std::string& name, const std::string& placeholder, std::string help);
  /// The operands by their placeholders, the last one again and again where "..." ends it; where
  /// there are fewer than `least`, the question is asked.
  void operands(const std::vector<std::string>& placeholders, std::size_t least = 0,
                std::string question = {});

  /// Nothing when --help was asked for and printed. Throws UsageError.
  std::optional<GivenOptions> parse(const Arguments& arguments) const;
};

/// Nothing for what is no whole number, has a sign, or does not fit.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// What stands between the separators.
std::vector<std::string> split(std::string_view text, char separator);

/// The words as a command that a POSIX shell reads back.
std::string shell_quoted(const std::vector<std::string>& words);

/// The whole command line of this process.
void set_process_command(int count, const char* const* words);
std::string process_command();
/// Replaces the option's argument in it, so that the command means the same elsewhere.
void set_process_option(const std::string& option, const std::string& argument);
/// The same without --fresh, which would throw away what was measured.
std::string resume_command();

}  // namespace sweep
