#pragma once

#include <span>
#include <string>

#include "report/best_configurations.h"

namespace sweep {

/// The best configurations as a C++17 header: a namespace for the sweep, in it one for each run's
/// device, in that a struct for each group with its parameters as `static constexpr` values and
/// `using` types, and the figure they reach in its metric's unit:
///
///   best_streams::nvidia_h200::copy_T_float4::BLOCK
///
/// Integers are `int` where they fit, else `long long`, as in the patterns. Needs <cstdint> and,
/// for vector types and half types, CUDA's headers of these; NVRTC needs the latter only. Comments
/// say where the values come from.
std::string write_header(std::span<const ExportedRun> runs);

}  // namespace sweep
