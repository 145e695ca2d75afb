#pragma once

#include <filesystem>

#include "engine/cli/options/command_line.h"
#include "engine/space/enumerate.h"
#include "engine/spec/pattern.h"
#include "engine/store/record.h"
#include "engine/text/expression.h"

namespace sweep {

/// Whether there is a file of that name to read, a pipe too. A folder is none: results, or a
/// sweep's own files, may lie in one of the sweep's name.
inline bool file_is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
}

/// Folders that a command line gives.
struct GivenFolders {
  std::vector<std::string> patterns = {};  ///< where to look for patterns first
  std::vector<std::string> includes = {};  ///< whose files patterns may include too
};

/// The patterns of these folders, in this order: the folders given, those in $SWEEP_PATH
/// (separated by colons), the sweep file's own folder and the `patterns` folder beside it,
/// ./patterns, and what belongs to the program: ../share/sweep/patterns when it is installed,
/// ../patterns when it stands in its build folder. `sweep_file` may be empty. Throws CommandError
/// for a given folder that is not there.
PatternLibrary pattern_library(const GivenFolders& folders = {},
                               const std::filesystem::path& sweep_file = {});

/// The pattern that a user means: a file, or the name of one in `pattern_library`. Throws
/// CommandError when there is none, FileError, and InputError for its mistakes.
PatternPtr find_pattern(const std::string& name, const GivenFolders& folders);

/// The pattern as it was measured, from its stored text alone and so without the files that it
/// includes; null where that text cannot be read.
PatternPtr stored_pattern(const PointKey& key);

/// The sweeps that can be run by their names: those in ./sweeps and what belongs to the program;
/// earlier folders win.
std::map<std::string, std::filesystem::path> sweep_files();
std::vector<std::string> sweep_names();

/// The sweep file that a user means: a path, or the name of one in `sweep_files`, with or without
/// its ending. Throws CommandError when there is none, which names the sweeps there are.
std::filesystem::path find_sweep_file(const std::string& name);

/// A sweep with its space.
struct LoadedSweep {
  Sweep sweep;
  Space space;
  SpaceLimits limits = {};  ///< under which it was enumerated
};

/// Reads a sweep file, its patterns (see pattern_library) and the `--set` arguments, and
/// enumerates. Throws FileError and InputError.
LoadedSweep load_sweep(const std::filesystem::path& file, const GivenFolders& folders,
                       const std::vector<SourcePtr>& set, SpaceLimits limits);

/// Enumerates the sweep again, after it was changed.
void enumerate_again(LoadedSweep& loaded);

/// Throws CommandError where nothing is left to be done: "SUBJECT: WHENthe constraints leave ...".
void require_configurations(const LoadedSweep& loaded, std::string_view subject,
                            std::string_view when = {});

/// What a sweep is about to do, in a few lines: how many configurations there are, which axes
/// make them up, and how many each constraint removed; in short only how many all did, where they
/// are many.
std::string describe_plan(const LoadedSweep& loaded, bool in_short = false);

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

// The options that several commands share, and what their arguments mean.

/// --patterns and --include.
void add_patterns_option(CommandLine& line);
GivenFolders given_folders(const GivenOptions& given);

void add_set_option(CommandLine& line);
/// The NAME=VALUES given with --set. Throws UsageError when a name is given twice.
std::vector<SourcePtr> given_set(const GivenOptions& given);

/// The one configuration of a pattern that --set asks for: what is `done` with it is for messages.
/// Throws UsageError for several values of a parameter, and where the pattern allows none.
Configuration configuration_of(const PatternPtr& pattern, const std::vector<SourcePtr>& set,
                               std::string_view done);

/// `--max-configurations N`.
void add_space_option(CommandLine& line);
/// As the option says, within the memory that this machine has free. Throws UsageError.
SpaceLimits given_space_limits(const GivenOptions& given);

/// The condition that --where gives; throws InputError, which shows the place in it.
Expression read_condition(const std::string& text);

}  // namespace sweep
