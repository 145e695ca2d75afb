#include <sys/prctl.h>

#include <csignal>

#include "engine/cli/command.h"
#include "engine/cli/compile_settings.h"
#include "engine/cli/device_choice.h"
#include "engine/run/compiler_process.h"
#include "engine/run/worker_loop.h"
#include "engine/run/worker_process.h"

namespace sweep {
namespace {

void compile_programs() {
  Channel channel(WorkerProcess::child_channel);
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
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (arguments.front() == compiler_worker) {
    compile_programs();
  } else {
    measure_on(arguments.front());
  }
  return exit_done;
}

}  // namespace sweep
