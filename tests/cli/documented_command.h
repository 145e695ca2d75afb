#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// The command lines of the program that a text shows, each from "sweep" to its end: what stands
/// between backticks and begins with "sweep" or "build/sweep", and such lines of `code`, which may
/// go on after a backslash. Comments, redirections and what follows && are left out.
std::vector<std::string> commands_in_prose(std::string_view text);
std::vector<std::string> commands_in_code(std::string_view code);

/// What is wrong with a command line by the tables of the commands: a command or an option that
/// there is not, a value that is no choice, too many operands; empty when nothing is. Words in
/// capitals and alternatives ("patterns|sweeps") stand for words.
std::string mistake_in(const std::string& command_line);

}  // namespace sweep
