#pragma once

#include <string>
#include <string_view>

#include "engine/store/record.h"

namespace sweep {

/// Why a configuration is no result, in the words of the T4 format: "compile", "constraints" (what
/// the device's limits do not allow), "timeout", "correctness" (a wrong result) or "runtime" (any
/// other failure); "correct" for a point that succeeded. It goes by the point's reason.
std::string_view t4_invalidity(const PointRecord& point);

/// One of those words as a sentence; another word as it is.
std::string describe_invalidity(const std::string& word);

}  // namespace sweep
