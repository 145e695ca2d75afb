#include "engine/cli/command_error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "engine/backend/backend.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/store/store.h"
#include "engine/system/dynamic_library.h"
#include "engine/text/diagnostic.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

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

}  // namespace

int complain(int code, const std::string& message) {
  std::cerr << "sweep: " << shown_message(message) << '\n';
  return code;
}

int report_error() {
  try {
    throw;
  } catch (const UsageError& error) {
    return complain(exit_usage, error.what());
  } catch (const InputError& error) {
    std::cerr << render(error.diagnostics(), terminal_of(STDERR_FILENO).color);
    return exit_bad_input;
  } catch (const FileError& error) {
    return complain(error.is_missing() ? exit_no_input : exit_bad_input, error.what());
  } catch (const CommandError& error) {
    return complain(error.code(), error.what());
  } catch (const DeviceError& error) {
    return complain(exit_unavailable, error.what());
  } catch (const LibraryError& error) {
    return complain(exit_unavailable, error.what());
  } catch (const StoreError& error) {
    return complain(exit_code_of(error.fault()), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return complain(exit_io, error.what());
  } catch (const std::system_error& error) {
    return complain(
        exit_system,
        fmt::format("the system refuses what is needed: {}; 'ulimit -a' shows this shell's "
                    "limits of processes, open files and memory",
                    error.what()));
  } catch (const std::bad_alloc&) {
    return complain(exit_system, "there is not enough memory");
  } catch (const std::exception& error) {
    return complain(exit_internal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace sweep
