#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/spec/pattern.h"
#include "engine/spec/sweep.h"
#include "engine/text/expression.h"

namespace sweep {

/// One of the two bounds of a pattern's parameter.
struct ParameterBound {
  std::size_t parameter;  ///< its place among the pattern's
  std::int64_t limit;
  bool is_min;
};

/// The bound as a condition: "N >= 1".
std::string to_string(const ParameterBound& bound, const Pattern& pattern);

/// What a combination must satisfy, and the row of the counts that it belongs to.
struct Constraint {
  std::variant<Expression, ParameterBound> condition;
  std::size_t removed_row;
};

/// The axes that the pattern has parameters for, in the sweep's order: only the names it has, each
/// row once.
std::vector<Axis> axes_of(const Sweep& sweep, const Pattern& pattern);

/// How many combinations the axes make; nothing when 64 bits do not hold that.
std::optional<std::uint64_t> combinations_of(const std::vector<Axis>& axes);

/// A default or a struct's size, which follows from the slots before it.
struct Derivation {
  std::size_t slot;
  CompiledExpression expression;
};

/// A constraint, ready to be tried.
struct Check {
  std::variant<CompiledExpression, ParameterBound> condition;
  std::size_t removed_row;
};

/// What happens when one more axis takes a row: its values go into slots, what follows from them is
/// derived, and the constraints that need no further axis are tried, each in order.
struct WalkLevel {
  std::size_t axis = 0;  ///< its place among the pattern's
  std::vector<std::size_t> slots;
  std::vector<std::vector<SlotValue>> rows;
  std::uint64_t stride = 1;  ///< how far apart in the space's order its neighbouring rows are
  std::vector<Derivation> derivations;
  std::vector<Check> checks;
};

/// A constraint on one axis alone.
struct RowCheck {
  std::size_t level;
  Check check;
};

/// In which order a pattern's axes are bound and its constraints tried: first those that depend on
/// no axis, then those on one, so that each row is tried once; then, axis by axis, those on more.
/// Next is always the axis that decides the most of these, and among equals the one that most of
/// the undecided depend on, the shortest, and the first. So axes that hang together come together,
/// and those that only multiply what is left come last.
struct WalkPlan {
  /// The pattern's parameters, then its structs as "sizeof(NAME)", then "pattern".
  std::vector<std::string> slot_names;
  std::vector<Derivation> root_derivations;
  std::vector<Check> root_checks;
  std::vector<RowCheck> row_checks;
  std::vector<WalkLevel> levels;
};

/// `pattern` and `axes` must outlive the plan: its words are theirs. The product of the axes'
/// lengths must fit 64 bits.
WalkPlan plan_walk(const Pattern& pattern, const std::vector<Axis>& axes,
                   const std::vector<Constraint>& constraints);

}  // namespace sweep
