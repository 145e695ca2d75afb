#pragma once

#include <functional>
#include <memory>

#include "engine/backend/backend.h"
#include "engine/run/channel.h"

namespace sweep {

/// The life of a worker process: starts a backend, says hello, measures one job after the other
/// until the channel closes or the backend is no longer usable.
void serve_jobs(Channel& channel, const std::function<std::unique_ptr<Backend>()>& start_backend);

}  // namespace sweep
