#include <sys/prctl.h>

#include <csignal>

#include "engine/cli/command.h"
#include "engine/cli/device_choice.h"
#include "engine/run/worker_loop.h"
#include "engine/run/worker_measurer.h"

namespace sweep {

int worker_command(const Arguments& arguments) {
  if (arguments.size() != 1) {
    throw UsageError("'worker' is started by 'sweep run' alone");
  }
  // A worker must not outlive the process it works for, however that one ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Channel channel(WorkerMeasurer::worker_channel);
  serve_jobs(channel, [&] { return choose_backend(arguments.front()); });
  return exit_done;
}

}  // namespace sweep
