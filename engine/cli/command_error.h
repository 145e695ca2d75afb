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

/// Prints "sweep: MESSAGE" to standard error and gives the code.
int complain(int code, const std::string& message);
/// The same with the exception under way.
int report_error();

using Arguments = std::vector<std::string>;

}  // namespace sweep
