#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/store/record.h"

namespace sweep {

/// The metric that says how much of a point's result was verified, in %.
constexpr const char* verified_share = "verified_share";

/// Points of whose results only a part was verified.
struct PartlyVerified {
  std::size_t points = 0;
  double least = 1;  ///< share of the elements
};

PartlyVerified partly_verified(std::span<const StoredPoint> points);

/// What was verified of their results, why not all, and the way out; empty where all was.
std::string note_on_verification(std::span<const StoredPoint> points);

/// ", 3 verified in part" after "36 ok, 2 failed"; empty where all was verified.
std::string count_partly_verified(std::span<const StoredPoint> points);

}  // namespace sweep
