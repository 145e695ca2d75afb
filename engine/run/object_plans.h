#pragma once

#include "engine/backend/backend.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// A step's tensor maps and textures for one configuration, whose names the environment has. Throws
/// ExecutionFailure for what no device takes.
std::vector<ObjectPlan> plan_objects(const Pattern& pattern, const Step& step,
                                     const std::vector<BufferPlan>& buffers,
                                     const Bindings& environment);

}  // namespace sweep
