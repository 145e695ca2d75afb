#include "engine/cli/terminal/stop_signal.h"

#include <array>
#include <csignal>

#include "engine/cli/command_error.h"

namespace sweep {
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

void watch(int number) {
  struct sigaction action = {};
  if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

}  // namespace

const std::atomic<bool>& stop_flag() {
  static const bool installed = [] {
    for (const int number : watched) watch(number);
    return true;
  }();
  static_cast<void>(installed);
  return stopped;
}

int code_after_watching(int code) {
  stop_watching();
  return stopped ? stopped_exit_code() : code;
}

int stopped_exit_code() {
  switch (received) {
    case SIGTERM:
      return exit_terminated;
    case SIGHUP:
      return exit_hung_up;
    default:
      return exit_interrupted;
  }
}

}  // namespace sweep
