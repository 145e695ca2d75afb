#pragma once

#include <exception>
#include <span>

#include "engine/cli/options/command_line.h"

namespace sweep {

/// A command of the program. `line` says what it takes without running it: help, completion and
/// the manual page are made from it.
///
/// A new command `frob` is: `CommandLine frob_line()` and `int frob_command(const GivenOptions&)`,
/// which returns the exit code, in engine/cli/commands/frob.cpp, declared below; and a row in
/// commands.cpp. What the arguments of its options are is known by their placeholders: "DIR",
/// "FILE", "a|b" and so on (see placeholders).
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

CommandLine run_line();
int run_command(const GivenOptions& given);
CommandLine check_line();
int check_command(const GivenOptions& given);
CommandLine explain_line();
int explain_command(const GivenOptions& given);
CommandLine list_line();
int list_command(const GivenOptions& given);
CommandLine show_line();
int show_command(const GivenOptions& given);
CommandLine report_line();
int report_command(const GivenOptions& given);
CommandLine export_line();
int export_command(const GivenOptions& given);
CommandLine compare_line();
int compare_command(const GivenOptions& given);
CommandLine compare_strategies_line();
int compare_strategies_command(const GivenOptions& given);
CommandLine devices_line();
int devices_command(const GivenOptions& given);
CommandLine cache_line();
int cache_command(const GivenOptions& given);
CommandLine schema_line();
int schema_command(const GivenOptions& given);
CommandLine completion_line();
int completion_command(const GivenOptions& given);
CommandLine manual_line();
int manual_command(const GivenOptions& given);
CommandLine new_line();
int new_command(const GivenOptions& given);
CommandLine help_line();
int help_command(const GivenOptions& given);

/// With --json an error is an event too.
void tell_run_error(const Arguments& arguments, const std::exception& error);
/// `sweep --help`: the commands and the topics there are.
void print_help();

// Not for people: the process that `run` measures or compiles in, and what the completion scripts
// ask.
int worker_command(const Arguments& arguments);
int complete_command(const Arguments& arguments);

}  // namespace sweep
