#pragma once

#include <span>

#include "engine/cli/command.h"
#include "engine/cli/options/command_line.h"

namespace sweep {

/// A command of the program. `line` says what it takes without running it: help, completion and
/// the manual page are made from it.
///
/// A new command `frob` is: `int frob_command(const Arguments&)` and `CommandLine frob_line()` in
/// engine/cli/commands/frob.cpp, both declared in command.h, where the first parses with
/// `frob_line().parse(arguments)`; and a row in commands.cpp. What the arguments of its options
/// are is known by their placeholders: "DIR", "FILE", "a|b" and so on.
struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Arguments&);
  CommandLine (*line)();
};

/// Every command for people, in the order of the help.
std::span<const Command> commands();

}  // namespace sweep
