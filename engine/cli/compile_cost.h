#pragma once

#include <string>
#include <string_view>

#include "engine/run/compile_pool.h"

namespace sweep {

/// What compiling cost: "24 configurations in 5 programs by 2 compilers, 0 from the cache; 0.933 s
/// from the start to the last, 38.868 ms a configuration". `gap` stands between its two halves.
std::string describe(const CompileStatistics& statistics, std::string_view gap = " ");

}  // namespace sweep
