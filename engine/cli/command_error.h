#pragma once

#include <fmt/format.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
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
};

/// An error that ends the command with a particular exit code.
class CommandError : public std::runtime_error {
 public:
  CommandError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  template <typename First, typename... Rest>
  CommandError(ExitCode code, fmt::format_string<First, Rest...> format, First&& first,
               Rest&&... rest)
      : CommandError(
            code, fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_ = exit_internal;
};

/// A command line that makes no sense; the message says what to type.
class UsageError : public CommandError {
 public:
  explicit UsageError(const std::string& message) : CommandError(exit_usage, message) {}
  template <typename First, typename... Rest>
  explicit UsageError(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : CommandError(exit_usage, format, std::forward<First>(first), std::forward<Rest>(rest)...) {}
};

/// Prints "sweep: MESSAGE" to standard error and gives the code.
int complain(int code, const std::string& message);
/// The same with the exception under way.
int report_error();

using Arguments = std::vector<std::string>;

/// From its first call on, SIGINT, SIGTERM and SIGHUP set the flag instead of ending the process; a
/// second one of any ends it at once. Those that the process was started to ignore, as nohup and a
/// shell's background do, stay ignored.
const std::atomic<bool>& stop_flag();

/// Signals end the process again, since all is done that they could cut short. Gives `code`, or
/// that of the signal that came meanwhile.
int code_after_watching(int code);

/// The exit code of a process that the flag made end: 128 and the signal's number.
int stopped_exit_code();

}  // namespace sweep
