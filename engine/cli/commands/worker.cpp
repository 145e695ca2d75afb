
#include "engine/run/worker.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <thread>

#include "engine/cli/commands.h"
#include "engine/cli/options/execution_options.h"
#include "engine/cuda/cuda_backend.h"
#include "engine/run/compiler_process.h"
#include "engine/run/worker_process.h"
#include "engine/system/machine_memory.h"

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

/// A few bytes of source can make a compiler take all the memory there is. Past a limit NVRTC says
/// that it has none.
void limit_memory() {
  constexpr std::uint64_t most = std::uint64_t{4} << 30U;
  constexpr std::uint64_t least = std::uint64_t{1} << 30U;
  const unsigned processes = std::max(std::thread::hardware_concurrency(), 1U);
  const std::uint64_t share = machine_memory().available / processes;
  // Beside what the process has from its start, which is much under a sanitizer.
  std::uint64_t pages = 0;
  std::ifstream statm("/proc/self/statm");
  for (int field = 0; field < 6; ++field) statm >> pages;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const rlim_t limit = pages * page + std::clamp(share, least, most);
  const rlimit data = {limit, limit};
  if (statm) setrlimit(RLIMIT_DATA, &data);
}

void compile_programs() {
  leave_signals_to_parent();
  limit_memory();
  Channel channel(WorkerProcess::child_channel);
  end_with(channel);
  Nvrtc compiler;
  serve_programs(channel, compiler);
}

void measure_on(const std::string& device) {
  Channel channel(WorkerProcess::child_channel);
  serve_jobs(channel, {[&] { return choose_device(device); }, make_cuda_backend});
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
