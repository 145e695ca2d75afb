#pragma once

#include <atomic>

namespace sweep {

/// From its first call on, SIGINT and SIGTERM set the flag instead of ending the process; a second
/// one of either ends it at once.
const std::atomic<bool>& stop_flag();

/// The signal that set the flag, or 0.
int stop_signal();

}  // namespace sweep
