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

/// What a word of the command line is: completion offers words by it.
enum class WordKind {
  text,        ///< nothing that could be offered
  number,      ///< a whole number
  choice,      ///< one of a few words
  file,        ///< any file
  folder,      ///< any folder
  sweep,       ///< a sweep's name or file
  pattern,     ///< a pattern's name or file
  source,      ///< a sweep's or a pattern's file
  database,    ///< a file of results, or the name of the sweep that wrote it
  recording,   ///< a database, or JSON with recorded results
  named,       ///< the name of what the word before it is: `pattern stride`
  assignment,  ///< NAME=VALUES of a parameter
  counters,    ///< sets of hardware counters and metrics, with commas between
  strategies,  ///< names of search strategies, with commas between
  metric,      ///< the name of a metric
  device,      ///< what a sweep can run on
  capability,  ///< a compute capability: 9.0
};

/// A word by what help calls it, its placeholder.
struct Word {
  std::string placeholder;  ///< "DIR"; empty for an option that takes no argument
  WordKind kind = WordKind::text;
  std::vector<std::string> choices = {};  ///< of a choice
};

/// The placeholders in capitals that options and operands may have. `a|b` stands for a choice
/// and needs no entry; so does a word in small letters, which stands for itself.
struct Placeholder {
  std::string_view name;
  WordKind kind;
  std::string_view choices = {};  ///< "a|b" of a choice
};
std::span<const Placeholder> placeholders();

/// The word of a placeholder; plain text when the table lacks it.
Word word_of(const std::string& placeholder);

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
  std::optional<std::uint64_t> number(const std::string& option, std::uint64_t largest) const;
  const Words& operands() const { return operands_; }

 private:
  std::map<std::string, Words> options_;
  Words operands_;
};

/// The options and operands of one command, with one way to parse, complain and print help. Every
/// command has --help and --color. Option names are never guessed from prefixes.
class CommandLine {
 public:
  /// `synopsis`: "sweep run [OPTIONS] SWEEP"; `about`: what the command does, in a few lines.
  CommandLine(std::string synopsis, std::string about);

  // The options in the order of the help. `name` may have a letter too: "output,o". What an
  // argument is follows from its placeholder (see placeholders); of one that is a choice, parse()
  // takes no other word.
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

  const std::string& synopsis() const { return synopsis_; }
  const std::string& about() const { return about_; }
  std::vector<OptionOfLine> described_options() const { return options_; }
  const OperandsOfLine& described_operands() const { return operands_; }

 private:
  std::string synopsis_;
  std::string about_;
  std::vector<OptionOfLine> options_;
  OperandsOfLine operands_;
};

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
