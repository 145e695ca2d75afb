#pragma once

#include "engine/backend/backend.h"
#include "engine/emulator/cache/device_profile.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Gives a launch the cluster that its kernel is compiled for. Throws ExecutionFailure where they
/// do not go together.
void settle_cluster(LaunchPlan& launch, const Kernel& kernel);

/// Throws the ExecutionFailure of a launch that a device of the profile does not take.
void check_limits(const DeviceProfile& profile, const LaunchPlan& launch, const Kernel& kernel);

}  // namespace sweep
