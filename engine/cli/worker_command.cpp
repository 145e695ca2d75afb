#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "engine/cli/command.h"
#include "engine/cli/compile_settings.h"
#include "engine/cli/device_choice.h"
#include "engine/run/compiler_process.h"
#include "engine/run/worker_loop.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

/// What ends the compiling is the process that it is for: a signal that all processes of a job get
/// would otherwise end a compiler first, and cost a point.
void leave_signals_to_parent() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// Ends this process with the other one, even while something is compiled.
void end_with(const Channel& channel) {
  std::thread([socket = channel.socket()] {
    pollfd end{socket, POLLRDHUP, 0};
    while (poll(&end, 1, -1) <= 0) {
    }
    _exit(exit_done);
  }).detach();
}

void compile_programs() {
  leave_signals_to_parent();
  Channel channel(WorkerProcess::child_channel);
  end_with(channel);
  LocalCompiler compiler(std::make_shared<const Nvrtc>());
  serve_programs(channel, compiler);
}

void measure_on(const std::string& device) {
  Channel channel(WorkerProcess::child_channel);
  serve_jobs(channel, [&] { return choose_backend(device); });
}

}  // namespace

int worker_command(const Arguments& arguments) {
  if (arguments.size() != 1) {
    throw UsageError("'worker' is started by 'sweep run' alone");
  }
  // A worker must not outlive the process it works for, however that one ends.
  if (arguments.front() == compiler_worker) {
    compile_programs();
  } else {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    measure_on(arguments.front());
  }
  return exit_done;
}

}  // namespace sweep
