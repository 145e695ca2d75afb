#include "engine/cli/command_error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
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
  if (fault == StoreFault::missing) return exit_no_input;
  if (fault == StoreFault::inaccessible) return exit_cannot_create;
  const bool is_bad = fault == StoreFault::not_a_store || fault == StoreFault::other_version ||
                      fault == StoreFault::damaged;
  return is_bad ? exit_bad_input : exit_io;
}

}  // namespace

int complain(int code, const std::string& message) {
  std::cerr << "sweep: " << shown_message(message) << '\n';
  return code;
}

int report_error() {
  try {
    throw;
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

namespace {

constexpr std::array watched = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> stopped = false;
volatile std::sig_atomic_t received = 0;

void on_signal(int number);

void stop_watching() {
  for (const int number : watched) {
    struct sigaction action = {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == on_signal) {
      std::signal(number, SIG_DFL);
    }
  }
}

void on_signal(int number) {
  received = number;
  stopped = true;
  stop_watching();
}

}  // namespace

const std::atomic<bool>& stop_flag() {
  [[maybe_unused]] static const bool installed = [] {
    for (const int number : watched) {
      struct sigaction action = {};
      if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
      action = {};
      action.sa_handler = on_signal;
      action.sa_flags = SA_RESTART;
      sigaction(number, &action, nullptr);
    }
    return true;
  }();
  return stopped;
}

int code_after_watching(int code) {
  stop_watching();
  return stopped ? stopped_exit_code() : code;
}

int stopped_exit_code() {
  return 128 + (received != 0 ? received : SIGINT);
}

}  // namespace sweep
