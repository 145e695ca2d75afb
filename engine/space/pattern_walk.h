#pragma once

#include <cstdint>
#include <vector>

#include "engine/space/enumerate.h"
#include "engine/space/walk_plan.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// Goes depth-first through one pattern's combinations and leaves out a subtree as soon as a
/// constraint does not hold for what is bound. A combination is named by its number in the space's
/// order.
class PatternWalk {
 public:
  /// `axes` must outlive the walk.
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
  struct Row {
    std::size_t number = 0;
    bool fails = false;  ///< whether a constraint on its axis alone has no value
  };

  void sift_rows();
  bool descend(std::size_t depth, std::uint64_t combination, bool fails);
  bool arrive(std::uint64_t combination, bool fails);
  bool take_try();
  bool skip_counting(std::size_t depth);
  Verdict try_checks(const std::vector<Check>& checks, std::uint64_t combinations);
  Verdict try_check(const Check& check) const;
  bool bind(const WalkLevel& level, std::size_t row);
  bool derive(const std::vector<Derivation>& derivations);
  bool end(Ending ending);

  PatternPtr pattern_;
  const std::vector<Axis>& axes_;
  WalkPlan plan_;
  std::vector<SlotValue> slots_;
  std::vector<std::vector<Row>> rows_;  ///< of each level, those that are left
  std::vector<std::uint64_t> below_;    ///< how many combinations a row of each level stands for
  std::vector<bool> is_free_;           ///< of each level: neither it nor one below it has a check
  std::vector<std::uint64_t> found_;
  std::uint64_t found_count_ = 0;
  bool only_counts_ = false;  ///< more were found than the limits allow
  std::uint64_t failing_ = 0;
  Ending ending_ = Ending::complete;
  std::vector<Removed>* removed_ = nullptr;
  SpaceLimits* limits_ = nullptr;
};

}  // namespace sweep
