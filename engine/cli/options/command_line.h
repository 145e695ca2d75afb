#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/command.h"

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
  Word argument;           ///< its placeholder is empty for an option without an argument
  std::string default_value;
  std::string help;
  bool may_repeat = false;
};

/// The operands that a command takes, in order; with `any_number` the last one again and again.
struct OperandsOfLine {
  std::vector<Word> words;
  bool any_number = false;
};

/// The options and operands of one command, as Boost.Program_options describes them, with one way
/// to parse, complain and print help. Every command has --help and --color. Option names are never
/// guessed from prefixes.
class CommandLine {
 public:
  /// `synopsis`: "sweep run [OPTIONS] SWEEP"; `about`: what the command does, in a few lines.
  CommandLine(std::string synopsis, std::string about);

  /// Where to add options.
  boost::program_options::options_description_easy_init options();
  /// Names the operands; `count` at most, -1 for any number. `placeholders` are those of the words
  /// in order, the last one for all that follow; unless given, the name in capitals.
  void operands(const char* name, int count, std::vector<std::string> placeholders = {});

  /// Nothing when --help was asked for and printed. Throws UsageError.
  std::optional<boost::program_options::variables_map> parse(const Arguments& arguments) const;

  const std::string& synopsis() const { return synopsis_; }
  const std::string& about() const { return about_; }
  /// In the order of the help.
  std::vector<OptionOfLine> described_options() const;
  const OperandsOfLine& described_operands() const { return operands_; }

 private:
  std::string name() const;
  std::string synopsis_;
  std::string about_;
  boost::program_options::options_description visible_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description positional_;
  OperandsOfLine operands_;
};

/// The words as a command that a POSIX shell reads back.
std::string shell_quoted(const std::vector<std::string>& words);

/// The whole command line of this process.
void set_process_command(int count, const char* const* words);
std::string process_command();
/// The same without --fresh, which would throw away what was measured.
std::string resume_command();

}  // namespace sweep
