#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"

namespace sweep {

/// What one constraint took out of a space.
struct Removed {
  std::string constraint;  ///< as the user wrote it
  std::string origin;      ///< "the sweep", or "pattern NAME"
  std::uint64_t count = 0;
};

/// The configurations of a sweep, in the order of its file: patterns outermost, the last axis
/// innermost.
struct Space {
  std::vector<Configuration> configurations;
  std::uint64_t combinations = 0;  ///< before any constraint
  /// One per constraint as written, each pattern's own first, then those bounds of parameters that
  /// removed something.
  std::vector<Removed> removed;
};

/// Where enumerating gives up.
struct SpaceLimits {
  std::uint64_t configurations = 1'000'000;  ///< that a space has at most
  std::uint64_t tries = 1'000'000'000;       ///< rows of axes tried on the way: about a minute
  /// Of those, how many tell how large a space is that has too many configurations: some seconds.
  std::uint64_t counting_tries = 20'000'000;
  /// What the configurations may take, in bytes.
  std::uint64_t memory = std::numeric_limits<std::uint64_t>::max();
};

/// What a combination must satisfy, and the row of the counts that it belongs to.
struct Constraint {
  Expression condition;
  std::size_t removed_row = 0;
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

/// Enumerates the sweep's space without walking through what is removed: an axis after the other is
/// bound, and a constraint is tried as soon as all that it depends on is. A default that follows
/// from other parameters depends on the axes that those do. An axis that a pattern has no parameter
/// for is left out of that pattern's combinations.
///
/// A combination counts as removed by the first constraint it breaks, in the order in which they
/// are tried: those that depend on no axis; those that depend on one; then, as axis after axis is
/// bound, those that it decides. Of those tried together the pattern's own come first, then the
/// sweep's, as written, then the bounds of the parameters. Bound next is the axis that decides the
/// most constraints, among equals the one that most undecided ones depend on, the shortest, and the
/// first.
///
/// Throws InputError when an expression fails for a combination that no constraint removes (`S > 0`
/// is enough for a default of `1024 / S`), when 64 bits cannot count the combinations, and past the
/// limits: then it first counts for a while how many configurations there are, and says so.
Space enumerate(const Sweep& sweep, SpaceLimits limits = {});

/// The sweep's configuration with its values for the emulator in the place of its own; where those
/// are several, the first that the constraints allow. Nothing when they change nothing or the
/// constraints allow none of them. Throws what `enumerate` throws.
std::optional<Configuration> with_emulator_values(const Configuration& configuration, Sweep sweep);

/// Configurations among which one winner is searched for.
struct TuningGroup {
  std::size_t place = 0;                    ///< among the sweep's groups
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
