#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/space/enumerate.h"
#include "engine/text/expression.h"

namespace sweep {

/// What a combination must satisfy, and the row of the counts that it belongs to.
struct Constraint {
  Expression condition;
  std::size_t removed_row;
};

/// In which order a pattern's axes are bound and its constraints tried: first those that depend on
/// no axis, then those on one, so that each row is tried once; then, axis by axis, those on more.
/// Next is always the axis that decides the most of these, and among equals the one that most of
/// the undecided depend on, the shortest, and the first. So axes that hang together come together,
/// and those that only multiply what is left come last.
struct WalkPlan {
  /// A default or a struct's size, which follows from the slots before it.
  struct Derivation {
    std::size_t slot;
    CompiledExpression expression;
  };
  struct Check {
    CompiledExpression condition;
    std::size_t removed_row;
  };
  /// What happens when one more axis takes a row: its values go into slots, what follows from them
  /// is derived, and the constraints that need no further axis are tried, each in order.
  struct Level {
    std::size_t axis = 0;  ///< its place among the pattern's
    std::vector<std::size_t> slots = {};
    std::vector<std::vector<SlotValue>> rows = {};
    std::uint64_t stride = 1;  ///< how far apart in the space's order its neighbouring rows are
    std::vector<Derivation> derivations = {};
    std::vector<Check> checks = {};

    // What the constraints on the axis alone leave, once they are tried.
    struct Row {
      std::size_t number = 0;
      bool fails = false;  ///< whether one of them has no value
    };
    std::vector<Row> left = {};
    std::uint64_t below = 1;  ///< how many combinations a row stands for
    bool is_free = false;     ///< neither this level nor one below it has a check
  };
  /// A constraint on one axis alone.
  struct RowCheck {
    std::size_t level;
    Check check;
  };

  /// The pattern's parameters, then its structs as "sizeof(NAME)", then "pattern".
  std::vector<std::string> slot_names;
  Level root;  ///< what depends on no axis
  std::vector<RowCheck> row_checks;
  std::vector<Level> levels;
};

/// Goes depth-first through one pattern's combinations and leaves out a subtree as soon as a
/// constraint does not hold for what is bound. A combination is named by its number in the space's
/// order.
class PatternWalk {
 public:
  /// The product of the axes' lengths must fit 64 bits. `axes` must outlive the walk.
  PatternWalk(PatternPtr pattern, const std::vector<Axis>& axes,
              const std::vector<Constraint>& constraints);

  enum class Ending {
    complete,
    too_many_tries,
    failed,  ///< an expression has no value for `failing()`, which no constraint removes
  };

  /// Counts in `removed` what each constraint takes out. `limits` counts down; without any
  /// configurations left the walk goes on as long as the tries for counting last.
  Ending run(std::vector<Removed>& removed, SpaceLimits& limits);

  /// The combinations that satisfy every constraint, in order, once the walk is complete; nothing
  /// when there are more than the limits allow.
  const std::vector<std::uint64_t>& found() const { return found_; }
  /// How many there are, up to the ending.
  std::uint64_t found_count() const { return found_count_; }
  std::uint64_t failing() const { return failing_; }

  Configuration configuration(std::uint64_t combination);
  /// The values that the axes give a combination.
  Bindings given(std::uint64_t combination) const;

 private:
  enum class Verdict { holds, broken, fails };

  void sift_rows();
  bool descend(std::size_t depth, std::uint64_t combination, bool fails);
  bool arrive(std::uint64_t combination, bool fails);
  bool take_try();
  Verdict try_checks(const std::vector<WalkPlan::Check>& checks, std::uint64_t combinations);
  Verdict try_check(const WalkPlan::Check& check) const;
  bool bind(const WalkPlan::Level& level, std::size_t row);
  bool derive(const WalkPlan::Level& level);
  bool end(Ending ending);

  PatternPtr pattern_;
  const std::vector<Axis>& axes_;
  WalkPlan plan_;
  std::vector<SlotValue> slots_;
  std::vector<std::uint64_t> found_;
  std::uint64_t found_count_ = 0;
  bool only_counts_ = false;  ///< more were found than the limits allow
  std::uint64_t failing_ = 0;
  Ending ending_ = Ending::complete;
  std::vector<Removed>* removed_ = nullptr;
  SpaceLimits* limits_ = nullptr;
};

}  // namespace sweep
