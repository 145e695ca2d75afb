#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/command_error.h"

namespace sweep {

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

bool is_among(const std::vector<std::string>& words, std::string_view word);

/// Nothing for what is no whole number, has a sign, or does not fit.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// What stands between the separators.
std::vector<std::string> split(std::string_view text, char separator);

/// The words as a command that a POSIX shell reads back.
std::string shell_quoted(const std::vector<std::string>& words);

/// The whole command line of this process.
void set_process_command(int count, const char* const* words);
std::string process_command();
/// The same without --fresh, which would throw away what was measured.
std::string resume_command();

}  // namespace sweep
