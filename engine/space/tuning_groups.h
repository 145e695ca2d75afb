#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/space/enumerate.h"

namespace sweep {

/// Configurations among which one winner is searched for.
struct TuningGroup {
  Bindings values;                          ///< of the names that groups differ in
  std::vector<std::size_t> configurations;  ///< their indices in the space, ascending
  /// The index of the configuration that a user has who chooses nothing: the first pattern's
  /// defaults, with the group's values and those of axes that have one value only.
  std::optional<std::size_t> default_configuration;
  std::string why_no_default;  ///< why there is none: "N % BLOCK == 0 does not hold"
};

/// The groups of a sweep that is tuned, in the order in which the space has them. Default
/// configurations that are not in the space are added at its end, and belong to no group's
/// `configurations`. A name that a pattern does not have separates its configurations from others'.
std::vector<TuningGroup> tuning_groups(const Sweep& sweep, Space& space);

}  // namespace sweep
