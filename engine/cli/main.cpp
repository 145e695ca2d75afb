#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <system_error>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cli/commands.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/cli/terminal/terminal_guard.h"
#include "engine/store/store.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help();
    return exit_usage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    print_help();
    return exit_done;
  }
  if (name == "--version") {
    std::cout << "sweep " SWEEP_VERSION "\n";
    return exit_done;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (name == command.name) return execute(command, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  if (name == "worker") return worker_command({arguments.begin() + 1, arguments.end()});
  if (name == "complete") return complete_command({arguments.begin() + 1, arguments.end()});
  if (name.starts_with('-')) {
    throw UsageError(fmt::format("{}: options come after the command; see sweep --help", name));
  }
  if (const std::string meant = command_for(name); !meant.empty()) {
    throw UsageError(fmt::format("'{}' is a file; a command comes first: {}", name, meant));
  }
  throw UsageError(
      fmt::format("there is no command '{}'; {}", name, suggest(name, names, "the commands are")));
}

int fail(ExitCode code, const std::string& message) {
  std::cerr << "sweep: " << shown_message(message) << '\n';
  return code;
}

ExitCode exit_code_of(StoreFault fault) {
  switch (fault) {
    case StoreFault::missing:
      return exit_no_input;
    case StoreFault::not_a_store:
    case StoreFault::other_version:
    case StoreFault::damaged:
      return exit_bad_input;
    case StoreFault::inaccessible:
      return exit_cannot_create;
    case StoreFault::failing:
    case StoreFault::gone:
    case StoreFault::locked:
    case StoreFault::other:
      break;
  }
  return exit_io;
}

int run(const Arguments& arguments) {
  try {
    return dispatch(arguments);
  } catch (const UsageError& error) {
    return fail(exit_usage, error.what());
  } catch (const InputError& error) {
    std::cerr << render(error.diagnostics(), terminal_of(STDERR_FILENO).color);
    return exit_bad_input;
  } catch (const FileError& error) {
    return fail(error.is_missing() ? exit_no_input : exit_bad_input, error.what());
  } catch (const CommandError& error) {
    return fail(error.code(), error.what());
  } catch (const DeviceError& error) {
    return fail(exit_unavailable, error.what());
  } catch (const LibraryError& error) {
    return fail(exit_unavailable, error.what());
  } catch (const StoreError& error) {
    return fail(exit_code_of(error.fault()), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(exit_io, error.what());
  } catch (const std::system_error& error) {
    return fail(exit_system,
                fmt::format("the system refuses what is needed: {}; 'ulimit -a' shows this shell's "
                            "limits of processes, open files and memory",
                            error.what()));
  } catch (const std::bad_alloc&) {
    return fail(exit_system, "there is not enough memory");
  } catch (const std::exception& error) {
    return fail(exit_internal, fmt::format("internal error: {}", error.what()));
  }
}

/// A standard file that is closed would be the next file that is opened: what is printed would go
/// into the database. In its place stands one that cannot be read or written either.
void occupy_standard_files() {
  constexpr std::array the_other_way = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    if (fcntl(file, F_GETFD) < 0) {
      // The lowest number that is free, which is this one.
      open("/dev/null", the_other_way.at(static_cast<std::size_t>(file)));
    }
  }
}

bool messages_have_escapes() {
  const Terminal terminal = terminal_of(STDERR_FILENO);
  return terminal.is_terminal || terminal.color;
}

}  // namespace
}  // namespace sweep

int main(int count, char** words) {
  sweep::occupy_standard_files();
  sweep::set_process_command(count, words);
  // Ignored, as some parents leave it, the ends of processes started here could not be waited for.
  std::signal(SIGCHLD, SIG_DFL);
  std::optional<sweep::TerminalGuard> results;
  // What is written into a file is data, each kind of which takes care of itself.
  if (isatty(STDOUT_FILENO) == 1) results.emplace(std::cout, [] { return true; });
  const sweep::TerminalGuard messages(std::cerr, sweep::messages_have_escapes);
  const int code = sweep::run({words + 1, words + count});
  std::cout.flush();
  const bool is_stopped = code > 128;
  if (!std::cout && !is_stopped)
    return sweep::fail(sweep::exit_io, "standard output cannot be written");
  return code;
}
