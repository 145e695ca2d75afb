#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "engine/run/worker_loop.h"
#include "engine/run/worker_measurer.h"
#include "tests/run/fake_backend.h"

using namespace sweep;

namespace {

/// What the kernel's name tells it to do.
void act(FakeBackend& backend, const std::string& kernel) {
  if (kernel == "fail") throw ExecutionFailure("it fails");
  if (kernel == "throw") throw std::runtime_error("something unforeseen");
  if (kernel == "crash") raise(SIGKILL);
  if (kernel == "exit") std::exit(7);
  if (kernel == "hang") {
    for (;;) pause();
  }
  if (kernel == "poison") {
    backend.usable_ = false;
    throw ExecutionFailure("illegal address");
  }
}

std::unique_ptr<Backend> start_backend(const std::string& device) {
  if (device == "none") throw DeviceError("there is no such device");
  if (device == "crash") raise(SIGKILL);
  auto backend = std::make_unique<FakeBackend>();
  FakeBackend& script = *backend;
  backend->on_prepare = [&script](const Workload& workload) {
    act(script, workload.kernel_entry);
    // The process and the program are told back in the samples.
    const auto size = static_cast<double>(workload.program->cubin.size());
    script.on_sample = [size](CacheState) { return size; };
  };
  return backend;
}

}  // namespace

int main(int /*count*/, char** words) {
  Channel channel(WorkerMeasurer::worker_channel);
  serve_jobs(channel, [&] { return start_backend(words[1]); });
}
