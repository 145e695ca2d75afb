#pragma once

#include "engine/backend/backend.h"
#include "engine/jit/compiler.h"
#include "engine/run/measure.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// What a configuration's `useful` comes to. Throws InputError when an expression fails,
/// ExecutionFailure when a figure is negative.
UsefulTraffic useful_traffic_of(const Configuration& configuration);

/// Works out every size of a compiled configuration. Throws InputError when an expression fails,
/// ExecutionFailure when a size makes no sense: a negative length, an empty grid, a scalar that
/// does not fit its type.
Workload make_workload(const Configuration& configuration, const CompiledConfiguration& compiled);

}  // namespace sweep
