#pragma once

#include <optional>

#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// The sweep's configuration with its values for the emulator in the place of its own; where those
/// are several, the first that the constraints allow. Nothing when they change nothing or the
/// constraints allow none of them. Throws what `enumerate` throws.
std::optional<Configuration> with_emulator_values(const Configuration& configuration, Sweep sweep);

}  // namespace sweep
