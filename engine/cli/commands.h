#pragma once

#include <exception>
#include <span>

#include "engine/cli/options/command_line.h"

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

extern const Command run_command;
extern const Command check_command;
extern const Command explain_command;
extern const Command list_command;
extern const Command show_command;
extern const Command report_command;
extern const Command export_command;
extern const Command compare_command;
extern const Command compare_strategies_command;
extern const Command devices_command;
extern const Command cache_command;
extern const Command new_command;
extern const Command schema_command;
extern const Command completion_command;
extern const Command manual_command;
extern const Command help_command;

/// `sweep --help`: the commands and the topics there are.
void print_help();

// Not for people: the process that `run` measures or compiles in, and what the completion scripts
// ask.
int worker_command(const Arguments& arguments);
int complete_command(const Arguments& arguments);

}  // namespace sweep
