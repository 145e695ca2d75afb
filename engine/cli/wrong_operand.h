#pragma once

#include <string>
#include <string_view>

namespace sweep {

/// What a command takes.
enum class Operand { sweep, pattern, file_to_check, database };

/// Throws CommandError (exit_usage, or exit_no_input for a folder) when the operand is plainly of
/// another kind, by its ending or as a folder; the message says what to type in its place. Says
/// nothing about files that are not there.
void check_operand(std::string_view command, Operand taken, const std::string& operand);

/// The command to type for a file of this name: "sweep run x.yaml"; empty for other files.
std::string command_for(const std::string& file);

}  // namespace sweep
