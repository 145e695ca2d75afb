#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "engine/run/worker.h"
#include "engine/run/worker_process.h"
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

/// Each workload acts as when it is measured; its metric is its program's size.
CounterResults count(FakeBackend& backend, std::span<const Workload> workloads,
                     const CounterRequest& request, const StepListener& on_step) {
  CounterResults results;
  results.workloads.resize(workloads.size());
  results.problems.push_back("this GPU has no counter " + request.names.front());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    on_step("count");
    if (workloads[i].launches.front().kernel_entry == "slow") usleep(200'000);
    try {
      act(backend, workloads[i].launches.front().kernel_entry);
    } catch (const ExecutionFailure& failure) {
      results.workloads[i].notes.emplace_back(failure.what());
      if (!backend.usable_) break;
      continue;
    }
    const auto size = static_cast<double>(workloads[i].program->cubin.size());
    results.workloads[i].metrics.push_back({"load_sectors", Origin::hardware, size});
  }
  return results;
}

Device find_device(const std::string& name) {
  if (name == "none") throw DeviceError("there is no such device");
  if (name == "crash") raise(SIGKILL);
  Device device = FakeBackend().device();
  device.driver = name;
  return device;
}

std::unique_ptr<Backend> start_backend(const Device& device) {
  if (device.driver == "broken") throw DeviceError("the device does not start");
  auto backend = std::make_unique<FakeBackend>();
  FakeBackend& script = *backend;
  backend->on_prepare = [&script](const Workload& workload) {
    act(script, workload.launches.front().kernel_entry);
    // The process and the program are told back in the samples.
    const auto size = static_cast<double>(workload.program->cubin.size());
    script.on_sample = [size](CacheState) { return size; };
  };
  backend->on_load = [&script](const Workload& workload) {
    if (workload.launches.front().kernel_entry == "stuck") act(script, "hang");
  };
  backend->on_count = [&script](std::span<const Workload> workloads, const CounterRequest& request,
                                const StepListener& on_step) {
    return count(script, workloads, request, on_step);
  };
  return backend;
}

/// Says hello, and nothing that can be understood from then on.
void serve_nonsense(Channel& channel) {
  constexpr double patience = 10;
  channel.send(encode(WorkerHello{}));
  channel.send(encode(WorkerHello{}));
  channel.receive(patience);
  channel.send({});
  channel.receive(patience);
}

}  // namespace

int main(int /*count*/, char** words) {
  Channel channel(WorkerProcess::child_channel);
  if (std::string(words[1]) == "nonsense") {
    serve_nonsense(channel);
    return 0;
  }
  serve_jobs(channel, {[&] { return find_device(words[1]); }, start_backend});
}
