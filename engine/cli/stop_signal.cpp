#include "engine/cli/stop_signal.h"

#include <csignal>

namespace sweep {
namespace {

std::atomic<bool> stopped = false;
volatile std::sig_atomic_t received = 0;

void on_signal(int number) {
  received = number;
  stopped = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_flag() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  static_cast<void>(installed);
  return stopped;
}

int stop_signal() {
  return received;
}

}  // namespace sweep
