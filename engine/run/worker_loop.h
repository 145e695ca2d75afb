#pragma once

#include <functional>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/run/worker_process.h"

namespace sweep {

/// How a worker comes to its backend. Both throw DeviceError.
struct WorkerDevice {
  std::function<Device()> find;
  std::function<std::unique_ptr<Backend>(const Device&)> start;  ///< may take a while
};

/// The life of a worker process: says which device it has, starts it, measures one job after the
/// other until the channel closes or the backend is no longer usable.
void serve_jobs(Channel& channel, const WorkerDevice& device);

}  // namespace sweep
