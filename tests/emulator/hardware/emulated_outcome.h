#pragma once

#include "engine/backend/backend.h"
#include "tests/emulator/hardware/outcome.h"

namespace sweep::testing {

/// Runs every block on the emulator of 9.0.
Outcome emulate(const Workload& workload);

}  // namespace sweep::testing
