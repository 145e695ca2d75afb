#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sweep {

/// What the process returns; the numbers above 63 are those of sysexits.h.
enum ExitCode {
  exit_done = 0,
  exit_points_failed = 1,
  exit_usage = 2,
  exit_regression = 3,  ///< a comparison found one
  exit_bad_input = 65,
  exit_no_input = 66,
  exit_unavailable = 69,
  exit_internal = 70,
  exit_system = 71,  ///< no memory, threads or open files are left
  exit_cannot_create = 73,
  exit_io = 74,
  exit_hung_up = 129,
  exit_interrupted = 130,
  exit_terminated = 143,
};

/// A command line that makes no sense; the message says what to type.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An error that ends the command with a particular exit code.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

using Arguments = std::vector<std::string>;

class CommandLine;

// One function per command: takes what follows the command's name and returns the exit code.
int run_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int list_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int export_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int compare_strategies_command(const Arguments& arguments);
int devices_command(const Arguments& arguments);
int cache_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int completion_command(const Arguments& arguments);
int manual_command(const Arguments& arguments);
int new_command(const Arguments& arguments);
int help_command(const Arguments& arguments);

// What each command's line may have: its options and operands.
CommandLine run_line();
CommandLine check_line();
CommandLine explain_line();
CommandLine list_line();
CommandLine show_line();
CommandLine report_line();
CommandLine export_line();
CommandLine compare_line();
CommandLine compare_strategies_line();
CommandLine devices_line();
CommandLine cache_line();
CommandLine schema_line();
CommandLine completion_line();
CommandLine manual_line();
CommandLine new_line();
CommandLine help_line();

/// Not for people: the process that `run` measures in.
int worker_command(const Arguments& arguments);
/// Nor is this: what the completion scripts ask (completion_scripts.h).
int complete_command(const Arguments& arguments);

}  // namespace sweep
