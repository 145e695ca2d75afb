#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/record.h"
#include "engine/text/expression.h"

namespace sweep {

/// A pattern or a parameter that is called otherwise in the later run.
struct Renamed {
  std::string before;
  std::string after;
};

/// Which configurations of two runs are the same one.
struct MatchRules {
  std::vector<Expression> where = {};     ///< over "pattern" and the parameters; all have to hold
  std::vector<std::string> ignored = {};  ///< parameters that need not be equal
  std::vector<Renamed> renamed = {};
};

/// A configuration of either run or both.
struct ConfigurationMatch {
  std::string pattern;                     ///< as the later run calls it
  Bindings parameters;                     ///< that it was matched by
  std::optional<std::size_t> before = {};  ///< its place in the runs' points
  std::optional<std::size_t> after = {};
};

struct Matching {
  std::vector<ConfigurationMatch> configurations;  ///< the earlier run's in its order, then others
  std::vector<std::string> notes = {};             ///< sentences about how they were matched
};

/// Configurations are matched by pattern and parameters, whatever the order of these. A parameter
/// that both runs computed from others is left out, and so is one that a pattern has in one of the
/// runs only where it is constant there; otherwise
/// nothing of that pattern matches. A condition that names what one run does not have leaves that
/// run whole. Throws ComparisonError when neither has the name, when a condition is none, when it
/// leaves nothing, or when leaving parameters out makes different configurations look the same.
Matching match_configurations(std::span<const StoredPoint> before,
                              std::span<const StoredPoint> after, const MatchRules& rules);

}  // namespace sweep
