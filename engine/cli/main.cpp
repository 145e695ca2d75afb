#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <new>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/commands.h"
#include "engine/cli/help_command.h"
#include "engine/cli/terminal.h"
#include "engine/cli/wrong_operand.h"
#include "engine/loader/dynamic_library.h"
#include "engine/store/store.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"
#include "engine/text/suggestion.h"

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
    if (name == command.name) return command.run({arguments.begin() + 1, arguments.end()});
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
  std::cerr << "sweep: " << message << '\n';
  return code;
}

ExitCode exit_code_of(StoreFault fault) {
  switch (fault) {
    case StoreFault::missing:
      return exit_no_input;
    case StoreFault::not_a_store:
    case StoreFault::newer:
    case StoreFault::older:
    case StoreFault::damaged:
      return exit_bad_input;
    case StoreFault::inaccessible:
      return exit_cannot_create;
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
  } catch (const std::bad_alloc&) {
    return fail(exit_unavailable,
                "out of memory: this machine, or the limit of this process, does "
                "not leave enough for it");
  } catch (const std::exception& error) {
    return fail(exit_internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace
}  // namespace sweep

int main(int count, char** words) {
  sweep::set_process_command(count, words);
  // Ignored, as some parents leave it, the ends of processes started here could not be waited for.
  std::signal(SIGCHLD, SIG_DFL);
  const int code = sweep::run({words + 1, words + count});
  std::cout.flush();
  const bool is_stopped = code > 128;
  if (!std::cout && !is_stopped)
    return sweep::fail(sweep::exit_io, "standard output cannot be written");
  return code;
}
