#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/space/enumerate.h"

namespace sweep {

/// What a combination must satisfy, and the row of the counts that it belongs to.
struct Constraint {
  Expression condition;
  std::size_t removed_row;
};

/// What came of walking through one pattern's combinations, each of which is named by its number in
/// the space's order.
struct PatternWalk {
  bool is_complete = true;  ///< the tries were enough
  /// The values that the axes give a combination that no constraint removes, and for which an
  /// expression has no value; the walk ends there.
  std::optional<Bindings> failing = {};
  /// How many satisfy every constraint, up to the ending.
  std::uint64_t found_count = 0;
  /// Those, in order, once the walk is complete; nothing when there are more than the limits allow.
  std::vector<std::uint64_t> found = {};
  std::function<Configuration(std::uint64_t combination)> configuration = {};
};

/// Goes depth-first and leaves out a subtree as soon as a constraint does not hold for what is
/// bound. Counts in `removed` what each constraint takes out. `limits` counts down; without any
/// configurations left the walk goes on as long as the tries for counting last. The product of the
/// axes' lengths must fit 64 bits. The pattern and the axes must outlive the result.
PatternWalk walk_pattern(const PatternPtr& pattern, const std::vector<Axis>& axes,
                         const std::vector<Constraint>& constraints, std::vector<Removed>& removed,
                         SpaceLimits& limits);

}  // namespace sweep
