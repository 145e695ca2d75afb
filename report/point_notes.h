#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"

namespace sweep {

/// The points' notes, each once in the order they first appear, with the number of points it
/// applies to: "36 of 192 points: executed 5 of 4096 blocks", "All 4 points: ...". Notes that
/// differ in their numbers alone are one, with the numbers' ranges: "2 to 7 of 16 samples ...".
/// After twenty of them only the number of the others.
std::vector<std::string> describe_notes(std::span<const StoredPoint> points);

}  // namespace sweep
