#pragma once

#include <cstddef>
#include <exception>
#include <initializer_list>

#include "engine/cli/options/command_line.h"
#include "engine/spec/pattern.h"
#include "engine/text/embedded_file.h"

namespace sweep {

/// A command of the program. `line` says what it takes without running it: help, completion and
/// the manual page are made from it.
///
/// A new command `frob` is: `const Command frob_command` in engine/cli/commands/frob.cpp, declared
/// below and named in commands.cpp; `run` returns the exit code. What the arguments of its options
/// are is known by their placeholders: "DIR", "FILE", "a|b" and so on (see can_complete).
struct Command {
  const char* name = nullptr;
  const char* summary = nullptr;
  CommandLine (*line)() = nullptr;
  int (*run)(const GivenOptions&) = nullptr;
  /// May be null: what is to be done about an error beside its message.
  void (*on_error)(const Arguments&, const std::exception&) = nullptr;
};

/// Every command for people, in the order of the help.
std::span<const Command> commands();

/// Runs a command with what follows its name; returns the exit code.
int execute(const Command& command, const Arguments& arguments);

extern const Command run_command, check_command, explain_command, list_command, show_command,
    report_command, merge_command, export_command, compare_command, compare_strategies_command,
    devices_command, cache_command, profile_command, new_command, schema_command,
    completion_command, manual_command, help_command;

/// `sweep --help`: the commands and the topics there are.
void print_help();

// Not for people: the process to measure or compile in, and what the completion scripts ask.
int worker_command(const Arguments& arguments);
int complete_command(const Arguments& arguments);

/// engine/cli/help, in the order in which `sweep help` lists them.
std::span<const EmbeddedFile> help_files();

/// The scripts that complete the program's command lines in "bash", "zsh" and "fish". They ask
/// `sweep complete WORD...`, WORD being what stands between the program's name and the cursor,
/// which answers with a line that says what to do with files ("words", "goes-on" for no space after
/// the word, "files ENDING...", "files", "folders") and a line "WORD<tab>MEANING" for each word
/// there may be.
std::span<const EmbeddedFile> completion_scripts();

/// What `sweep new` and `sweep man` write, as "pattern", "sweep", "slurm", "github", "gitlab",
/// "manual" and "clangd"; words in capitals stand for what differs.
std::span<const EmbeddedFile> file_templates();

/// The template of that name, with texts in the place of words, one word after the other.
std::string filled_template(
    std::string_view name,
    std::initializer_list<std::pair<std::string_view, std::string>> texts_of_words);

/// A pattern of this name to start from: a header with every key explained and a kernel, which
/// passes `sweep check --run` as it is. `name` may be a kernel's (names.h).
std::string new_pattern_text(const std::string& name);

/// A sweep of the pattern to start from: every parameter with values that the pattern allows, the
/// other keys explained in comments. `sweep check` and `sweep run` take it as it is.
std::string new_sweep_text(const PatternPtr& pattern);

/// What `sweep help NAME` prints, from engine/cli/help/NAME.txt. The file's first line is the
/// summary. Below it stand, apart by empty lines: headings ("# ..."); paragraphs; items ("- ...");
/// definitions ("TERM :: ..."); and, indented by four spaces, what is printed as it stands. What
/// is between backticks is a word of a file or of the command line.
struct HelpTopic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;  ///< all below the summary
};

/// In the order in which they are listed.
const std::vector<HelpTopic>& help_topics();

/// Null when there is none of this name.
const HelpTopic* find_help_topic(std::string_view name);

/// The topic's text for a terminal of so many columns. Only what is printed as it stands, and
/// single words, may be wider. With colour, headings and what is between backticks are bold;
/// without it the backticks stay.
std::string render_help_topic(const HelpTopic& topic, std::size_t width, bool color);

}  // namespace sweep
