#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/cli/options/command_line.h"

namespace sweep {

/// The file itself, or the database that a sweep of this name writes: results/NAME.db.
std::filesystem::path find_database(const std::string& name);

/// A run of a database, as an operand names it.
struct RunOperand {
  std::filesystem::path database;
  std::optional<std::int64_t> run;  ///< nothing: the newest
};

/// Reads FILE or FILE:RUN, where the file is as for `find_database`. A file whose own name has such
/// an end is meant as it stands. Throws UsageError for an end that is no number.
RunOperand read_run_operand(const std::string& text);

/// The run's number that `--run` gives; nothing without it. Throws UsageError.
std::optional<std::int64_t> given_run(const GivenOptions& given);

/// The run that the first operand names, or --run. Throws UsageError when both do, and what
/// check_operand does.
RunOperand given_run_operand(std::string_view command, const GivenOptions& given);

/// What a command takes.
enum class Operand { sweep, pattern, file_to_check, database };

/// Throws CommandError (exit_usage, or exit_no_input for a folder) when the operand is plainly of
/// another kind, by its ending or as a folder; the message says what to type in its place. Says
/// nothing about files that are not there.
void check_operand(std::string_view command, Operand taken, const std::string& operand);

/// The command to type for a file of this name: "sweep run x.yaml"; empty for other files.
std::string command_for(const std::string& file);

}  // namespace sweep
