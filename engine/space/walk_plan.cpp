#include "engine/space/walk_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace sweep {

std::string to_string(const ParameterBound& bound, const Pattern& pattern) {
  return fmt::format("{} {} {}", pattern.parameters[bound.parameter].name,
                     bound.is_min ? ">=" : "<=", bound.limit);
}

namespace {

Axis axis_for(const Axis& axis, const Pattern& pattern) {
  Axis result{{}, {}, axis.where};
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < axis.names.size(); ++column) {
    if (pattern.find_parameter(axis.names[column]) == nullptr) continue;
    columns.push_back(column);
    result.names.push_back(axis.names[column]);
  }
  if (columns.empty()) return result;
  const bool whole = columns.size() == axis.names.size();
  std::set<std::vector<Value>> seen;
  for (const std::vector<Value>& row : axis.rows) {
    std::vector<Value> values;
    for (const std::size_t column : columns) values.push_back(row[column]);
    if (whole || seen.insert(values).second) result.rows.push_back(std::move(values));
  }
  return result;
}

}  // namespace

std::vector<Axis> axes_of(const Sweep& sweep, const Pattern& pattern) {
  std::vector<Axis> axes;
  for (const Axis& axis : sweep.axes) {
    Axis own = axis_for(axis, pattern);
    if (!own.names.empty()) axes.push_back(std::move(own));
  }
  return axes;
}

std::optional<std::uint64_t> combinations_of(const std::vector<Axis>& axes) {
  std::uint64_t combinations = 1;
  for (const Axis& axis : axes) {
    if (__builtin_mul_overflow(combinations, axis.rows.size(), &combinations)) return std::nullopt;
  }
  return combinations;
}

namespace {

/// The axes that something depends on, by their places.
using AxisSet = std::set<std::size_t>;

class Planner {
 public:
  Planner(const Pattern& pattern, const std::vector<Axis>& axes,
          const std::vector<Constraint>& constraints)
      : pattern_(pattern), axes_(axes), constraints_(constraints) {
    name_slots();
    find_dependencies();
  }

  WalkPlan plan() {
    order_axes();
    add_checks();
    add_derivations();
    return std::move(plan_);
  }

 private:
  void name_slots() {
    plan_.slot_names = pattern_.parameter_names();
    for (const Struct& type : pattern_.structs) {
      plan_.slot_names.push_back("sizeof(" + type.name + ")");
    }
    plan_.slot_names.emplace_back("pattern");
  }

  std::size_t slot_of(const std::string& name) const {
    const auto found = std::ranges::find(plan_.slot_names, name);
    return static_cast<std::size_t>(found - plan_.slot_names.begin());
  }

  void find_dependencies() {
    dependencies_.resize(plan_.slot_names.size());
    given_.resize(plan_.slot_names.size(), false);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      for (const std::string& name : axes_[axis].names) {
        dependencies_[slot_of(name)] = {axis};
        given_[slot_of(name)] = true;
      }
    }
    for (std::size_t slot = 0; slot < plan_.slot_names.size(); ++slot) {
      const Expression* expression = expression_of(slot);
      if (expression != nullptr) dependencies_[slot] = dependencies_of(*expression);
    }
  }

  /// What a slot is derived by; null for those that are given.
  const Expression* expression_of(std::size_t slot) const {
    if (given_[slot]) return nullptr;
    if (slot < pattern_.parameters.size()) return &pattern_.parameters[slot].default_value;
    slot -= pattern_.parameters.size();
    return slot < pattern_.structs.size() ? &pattern_.structs[slot].size : nullptr;
  }

  AxisSet dependencies_of(const Expression& expression) const {
    AxisSet result;
    for (const std::string& name : expression.names()) {
      for (const std::size_t slot : {slot_of(name), slot_of("sizeof(" + name + ")")}) {
        if (slot < dependencies_.size()) result.merge(AxisSet(dependencies_[slot]));
      }
    }
    return result;
  }

  AxisSet dependencies_of(const Constraint& constraint) const {
    if (const auto* bound = std::get_if<ParameterBound>(&constraint.condition)) {
      return dependencies_[bound->parameter];
    }
    return dependencies_of(std::get<Expression>(constraint.condition));
  }

  void order_axes() {
    std::vector<AxisSet> undecided;  // what each constraint still needs
    for (const Constraint& constraint : constraints_) {
      undecided.push_back(dependencies_of(constraint));
    }
    std::erase_if(undecided, [](const AxisSet& needed) { return needed.size() < 2; });
    std::vector<std::size_t> free(axes_.size());
    std::iota(free.begin(), free.end(), std::size_t{0});
    while (!free.empty()) {
      const auto next = std::ranges::max_element(
          free, {}, [&](std::size_t axis) { return usefulness(axis, undecided); });
      for (AxisSet& needed : undecided) needed.erase(*next);
      std::erase_if(undecided, [](const AxisSet& needed) { return needed.empty(); });
      bind(*next);
      free.erase(next);
    }
  }

  /// Constraints decided, constraints that depend on it, shortness.
  std::tuple<std::size_t, std::size_t, std::size_t> usefulness(
      std::size_t axis, const std::vector<AxisSet>& undecided) const {
    std::size_t decided = 0;
    std::size_t dependent = 0;
    for (const AxisSet& needed : undecided) {
      if (!needed.contains(axis)) continue;
      ++dependent;
      if (needed.size() == 1) ++decided;
    }
    return {decided, dependent, std::numeric_limits<std::size_t>::max() - axes_[axis].rows.size()};
  }

  void bind(std::size_t axis) {
    WalkLevel level;
    level.axis = axis;
    for (const std::string& name : axes_[axis].names) level.slots.push_back(slot_of(name));
    for (const std::vector<Value>& row : axes_[axis].rows) {
      std::vector<SlotValue>& values = level.rows.emplace_back();
      for (const Value& value : row) values.push_back(slot_value(value));
    }
    for (std::size_t i = axis + 1; i < axes_.size(); ++i) level.stride *= axes_[i].rows.size();
    plan_.levels.push_back(std::move(level));
  }

  void add_checks() {
    for (const Constraint& constraint : constraints_) {
      const AxisSet needed = dependencies_of(constraint);
      Check check = check_for(constraint);
      if (needed.empty()) {
        plan_.root_checks.push_back(std::move(check));
      } else if (needed.size() == 1) {
        plan_.row_checks.push_back({deciding_level(needed), std::move(check)});
      } else {
        plan_.levels[deciding_level(needed)].checks.push_back(std::move(check));
      }
    }
  }

  /// The first at which all of `needed`, which is not empty, is bound.
  std::size_t deciding_level(const AxisSet& needed) const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      if (needed.contains(plan_.levels[i].axis)) last = i;
    }
    return last;
  }

  Check check_for(const Constraint& constraint) const {
    if (const auto* bound = std::get_if<ParameterBound>(&constraint.condition)) {
      return {*bound, constraint.removed_row};
    }
    const auto& condition = std::get<Expression>(constraint.condition);
    return {CompiledExpression(condition, plan_.slot_names), constraint.removed_row};
  }

  void add_derivations() {
    for (std::size_t slot = 0; slot < plan_.slot_names.size(); ++slot) {
      const Expression* expression = expression_of(slot);
      if (expression == nullptr) continue;
      std::vector<Derivation>& derivations =
          dependencies_[slot].empty()
              ? plan_.root_derivations
              : plan_.levels[deciding_level(dependencies_[slot])].derivations;
      derivations.push_back({slot, CompiledExpression(*expression, plan_.slot_names)});
    }
  }

  const Pattern& pattern_;
  const std::vector<Axis>& axes_;
  const std::vector<Constraint>& constraints_;
  WalkPlan plan_;
  std::vector<AxisSet> dependencies_;  ///< of each slot
  std::vector<bool> given_;            ///< whether an axis gives the slot
};

}  // namespace

WalkPlan plan_walk(const Pattern& pattern, const std::vector<Axis>& axes,
                   const std::vector<Constraint>& constraints) {
  return Planner(pattern, axes, constraints).plan();
}

}  // namespace sweep
