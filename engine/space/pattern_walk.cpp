#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

#include "engine/space/enumerate.h"
#include "engine/text/expression.h"

namespace sweep {
namespace {

/// A default or a struct's size, which follows from the slots before it.
struct Derivation {
  std::size_t slot;
  CompiledExpression expression;
};

/// A constraint, ready to be tried.
struct Check {
  CompiledExpression condition;
  std::size_t removed_row;
};

/// What happens when one more axis takes a row: its values go into slots, what follows from them is
/// derived, and the constraints that need no further axis are tried, each in order.
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

/// The axes that something depends on, by their places.
using AxisSet = std::set<std::size_t>;

/// Tries the constraints in the order that `enumerate` states: axes that hang together come
/// together, and those that only multiply what is left come last.
class Walker {
 public:
  Walker(const Pattern& pattern, const std::vector<Axis>& axes,
         const std::vector<Constraint>& constraints, std::vector<Removed>& removed,
         SpaceLimits& limits)
      : axes_(axes), removed_(removed), limits_(limits) {
    for (const Parameter& parameter : pattern.parameters) {
      add_slot(parameter.name, &parameter.default_value);
    }
    for (const Struct& type : pattern.structs) add_slot("sizeof(" + type.name + ")", &type.size);
    add_slot("pattern", nullptr);
    slots_.resize(slot_names_.size());
    slots_.back() = std::string_view(pattern.name);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      for (const std::string& name : axes_[axis].names) origins_[slot_of(name)] = {nullptr, {axis}};
    }
    for (SlotOrigin& origin : origins_) {
      if (origin.expression != nullptr) origin.axes = axes_of(*origin.expression);
    }
    order_axes(constraints);
    for (const Constraint& constraint : constraints) {
      const AxisSet needed = axes_of(constraint.condition);
      Check check{CompiledExpression(constraint.condition, slot_names_), constraint.removed_row};
      if (needed.size() == 1) {
        row_checks_.emplace_back(deciding_level(needed), std::move(check));
      } else {
        level_of(needed).checks.push_back(std::move(check));
      }
    }
    for (std::size_t i = 0; i < origins_.size(); ++i) {
      if (origins_[i].expression == nullptr) continue;
      level_of(origins_[i].axes)
          .derivations.push_back({i, CompiledExpression(*origins_[i].expression, slot_names_)});
    }
  }

  PatternWalk run() {
    const bool derived = derive(root_);
    std::uint64_t all = 1;
    for (const Axis& axis : axes_) all *= axis.rows.size();
    const Verdict verdict = try_checks(root_.checks, all);
    if (verdict == Verdict::broken) return {};
    sift_rows();
    if (std::ranges::any_of(levels_, [](const Level& level) { return level.left.empty(); })) {
      return {};
    }
    descend(0, 0, !derived || verdict == Verdict::fails);
    std::ranges::sort(walk_.found);
    if (only_counts_) walk_.found.clear();
    return std::move(walk_);
  }

  Configuration configuration(const PatternPtr& pattern, std::uint64_t combination) {
    derive(root_);
    for (const Level& level : levels_) {
      bind(level, combination / level.stride % level.rows.size());
    }
    Configuration result{pattern, {}};
    for (std::size_t i = 0; i < pattern->parameters.size(); ++i) {
      result.parameters.set(slot_names_[i], to_value(slots_[i]));
    }
    return result;
  }

 private:
  enum class Verdict { holds, broken, fails };
  /// Where a slot's value comes from.
  struct SlotOrigin {
    const Expression* expression;  ///< null where the value is given
    AxisSet axes;
  };

  void add_slot(std::string name, const Expression* expression) {
    slot_names_.push_back(std::move(name));
    origins_.push_back({expression, {}});
  }

  /// Past the last for an unknown name.
  std::size_t slot_of(const std::string& name) const {
    const auto found = std::ranges::find(slot_names_, name);
    return static_cast<std::size_t>(found - slot_names_.begin());
  }

  AxisSet axes_of(const Expression& expression) const {
    AxisSet result;
    for (const std::string& name : expression.names()) {
      for (const std::size_t slot : {slot_of(name), slot_of("sizeof(" + name + ")")}) {
        if (slot < origins_.size()) result.merge(AxisSet(origins_[slot].axes));
      }
    }
    return result;
  }

  void order_axes(const std::vector<Constraint>& constraints) {
    std::vector<AxisSet> undecided;  // what each constraint still needs
    for (const Constraint& constraint : constraints) {
      AxisSet needed = axes_of(constraint.condition);
      if (needed.size() > 1) undecided.push_back(std::move(needed));
    }
    // Constraints decided, constraints that depend on it, shortness.
    const auto usefulness = [&](std::size_t axis) {
      std::size_t decided = 0;
      std::size_t dependent = 0;
      for (const AxisSet& needed : undecided) {
        if (!needed.contains(axis)) continue;
        ++dependent;
        if (needed.size() == 1) ++decided;
      }
      const std::size_t longest = std::numeric_limits<std::size_t>::max();
      return std::tuple(decided, dependent, longest - axes_[axis].rows.size());
    };
    std::vector<std::size_t> free(axes_.size());
    std::iota(free.begin(), free.end(), std::size_t{0});
    while (!free.empty()) {
      const auto next = std::ranges::max_element(free, {}, usefulness);
      for (AxisSet& needed : undecided) needed.erase(*next);
      std::erase_if(undecided, [](const AxisSet& needed) { return needed.empty(); });
      add_level(*next);
      free.erase(next);
    }
  }

  void add_level(std::size_t axis) {
    Level level{axis};
    for (const std::string& name : axes_[axis].names) level.slots.push_back(slot_of(name));
    for (const std::vector<Value>& row : axes_[axis].rows) {
      std::ranges::transform(row, std::back_inserter(level.rows.emplace_back()), slot_value);
    }
    for (std::size_t i = axis + 1; i < axes_.size(); ++i) level.stride *= axes_[i].rows.size();
    levels_.push_back(std::move(level));
  }

  /// The first at which all of `needed`, which is not empty, is bound.
  std::size_t deciding_level(const AxisSet& needed) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (needed.contains(levels_[i].axis)) last = i;
    }
    return last;
  }

  Level& level_of(const AxisSet& needed) {
    return needed.empty() ? root_ : levels_[deciding_level(needed)];
  }

  /// Leaves the rows that satisfy the constraints on their axis alone.
  void sift_rows() {
    for (Level& level : levels_) {
      for (std::size_t i = 0; i < level.rows.size(); ++i) level.left.push_back({i});
    }
    for (const auto& [number, check] : row_checks_) {
      Level& sifted = levels_[number];
      const std::size_t before = sifted.left.size();
      std::uint64_t others = 1;
      for (const Level& level : levels_) {
        if (&level != &sifted) others *= level.left.size();
      }
      std::vector<Level::Row> left;
      for (const Level::Row& row : sifted.left) {
        bind(sifted, row.number);
        const Verdict verdict = try_check(check);
        if (verdict == Verdict::broken) continue;
        left.push_back({row.number, row.fails || verdict == Verdict::fails});
      }
      sifted.left = std::move(left);
      removed_[check.removed_row].count += (before - sifted.left.size()) * others;
    }
    std::uint64_t below = 1;
    bool is_free = true;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      level->below = below;
      below *= level->left.size();
      level->is_free = is_free = is_free && level->checks.empty();
    }
  }

  /// The rows of the axis at `depth`, each with all that is below it. What fails so far is an error
  /// only for the combinations that no constraint removes. Says whether to go on.
  bool descend(std::size_t depth, std::uint64_t combination, bool fails) {
    if (depth == levels_.size()) return arrive(combination, fails);
    const Level& level = levels_[depth];
    // Where no constraint is left to try, what is only counted need not be walked through.
    if (limits_.configurations == 0 && level.is_free) {
      only_counts_ = true;
      walk_.found_count += level.left.size() * level.below;
      return true;
    }
    for (const Level::Row& row : level.left) {
      if (limits_.tries == 0 || (only_counts_ && limits_.counting_tries == 0)) {
        walk_.is_complete = false;
        return false;
      }
      --limits_.tries;
      if (only_counts_) --limits_.counting_tries;
      const bool derived = bind(level, row.number);
      const Verdict verdict = try_checks(level.checks, level.below);
      if (verdict == Verdict::broken) continue;
      const bool any_fails = fails || row.fails || !derived || verdict == Verdict::fails;
      if (!descend(depth + 1, combination + row.number * level.stride, any_fails)) return false;
    }
    return true;
  }

  bool arrive(std::uint64_t combination, bool fails) {
    if (limits_.configurations == 0) {
      only_counts_ = true;
    } else if (fails) {
      walk_.failing = given(combination);
      return false;
    } else {
      --limits_.configurations;
      walk_.found.push_back(combination);
    }
    ++walk_.found_count;
    return true;
  }

  /// Counts `combinations` for the first constraint that is broken.
  Verdict try_checks(const std::vector<Check>& checks, std::uint64_t combinations) {
    bool fails = false;
    for (const Check& check : checks) {
      const Verdict verdict = try_check(check);
      if (verdict == Verdict::broken) {
        removed_[check.removed_row].count += combinations;
        return verdict;
      }
      fails = fails || verdict == Verdict::fails;
    }
    return fails ? Verdict::fails : Verdict::holds;
  }

  Verdict try_check(const Check& check) const {
    const SlotValue value = check.condition.evaluate(slots_);
    const bool* holds = std::get_if<bool>(&value);
    if (holds == nullptr) return Verdict::fails;
    return *holds ? Verdict::holds : Verdict::broken;
  }

  /// Whether all that follows from the row has a value.
  bool bind(const Level& level, std::size_t row) {
    const std::vector<SlotValue>& values = level.rows[row];
    for (std::size_t i = 0; i < values.size(); ++i) slots_[level.slots[i]] = values[i];
    return derive(level);
  }

  bool derive(const Level& level) {
    bool good = true;
    for (const Derivation& derivation : level.derivations) {
      slots_[derivation.slot] = derivation.expression.evaluate(slots_);
      good = good && !std::holds_alternative<std::monostate>(slots_[derivation.slot]);
    }
    return good;
  }

  /// The values that the axes give a combination.
  Bindings given(std::uint64_t combination) const {
    std::uint64_t stride = 1;
    for (const Axis& axis : axes_) stride *= axis.rows.size();
    Bindings result;
    for (const Axis& axis : axes_) {
      stride /= axis.rows.size();
      const std::vector<Value>& row = axis.rows[combination / stride % axis.rows.size()];
      for (std::size_t i = 0; i < row.size(); ++i) result.set(axis.names[i], row[i]);
    }
    return result;
  }

  const std::vector<Axis>& axes_;
  /// The pattern's parameters, then its structs as "sizeof(NAME)", then "pattern".
  std::vector<std::string> slot_names_;
  std::vector<SlotOrigin> origins_;  ///< of each slot
  std::vector<SlotValue> slots_;
  Level root_;                                             ///< what depends on no axis
  std::vector<std::pair<std::size_t, Check>> row_checks_;  ///< on one axis alone, by its level
  std::vector<Level> levels_;
  PatternWalk walk_;
  bool only_counts_ = false;       ///< more were found than the limits allow
  std::vector<Removed>& removed_;  ///< as the limits, not used after the walk
  SpaceLimits& limits_;
};

}  // namespace

PatternWalk walk_pattern(const PatternPtr& pattern, const std::vector<Axis>& axes,
                         const std::vector<Constraint>& constraints, std::vector<Removed>& removed,
                         SpaceLimits& limits) {
  const auto walker = std::make_shared<Walker>(*pattern, axes, constraints, removed, limits);
  PatternWalk walk = walker->run();
  walk.configuration = [walker, pattern](std::uint64_t combination) {
    return walker->configuration(pattern, combination);
  };
  return walk;
}

}  // namespace sweep
