#include "engine/space/pattern_walk.h"

#include <algorithm>

namespace sweep {

PatternWalk::PatternWalk(PatternPtr pattern, const std::vector<Axis>& axes,
                         const std::vector<Constraint>& constraints)
    : pattern_(std::move(pattern)),
      axes_(axes),
      plan_(plan_walk(*pattern_, axes_, constraints)),
      slots_(plan_.slot_names.size()) {
  slots_.back() = std::string_view(pattern_->name);
}

PatternWalk::Ending PatternWalk::run(std::vector<Removed>& removed, SpaceLimits& limits) {
  removed_ = &removed;
  limits_ = &limits;
  const bool derived = derive(plan_.root_derivations);
  const Verdict verdict = try_checks(plan_.root_checks, combinations_of(axes_).value());
  if (verdict == Verdict::broken) return ending_;
  sift_rows();
  if (std::ranges::any_of(rows_, &std::vector<Row>::empty)) return ending_;
  descend(0, 0, !derived || verdict == Verdict::fails);
  std::ranges::sort(found_);
  if (only_counts_) found_.clear();
  return ending_;
}

/// Leaves the rows that satisfy the constraints on their axis alone.
void PatternWalk::sift_rows() {
  for (const WalkLevel& level : plan_.levels) {
    std::vector<Row>& rows = rows_.emplace_back(level.rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].number = i;
  }
  for (const RowCheck& row_check : plan_.row_checks) {
    const WalkLevel& level = plan_.levels[row_check.level];
    std::vector<Row>& rows = rows_[row_check.level];
    const std::size_t before = rows.size();
    std::uint64_t others = 1;
    for (const std::vector<Row>& axis : rows_) {
      if (&axis != &rows) others *= axis.size();
    }
    std::erase_if(rows, [&](Row& row) {
      bind(level, row.number);
      const Verdict verdict = try_check(row_check.check);
      row.fails = row.fails || verdict == Verdict::fails;
      return verdict == Verdict::broken;
    });
    (*removed_)[row_check.check.removed_row].count += (before - rows.size()) * others;
  }
  std::uint64_t below = 1;
  bool is_free = true;
  below_.resize(rows_.size());
  is_free_.resize(rows_.size());
  for (std::size_t i = rows_.size(); i-- > 0;) {
    below_[i] = below;
    below *= rows_[i].size();
    is_free = is_free && plan_.levels[i].checks.empty();
    is_free_[i] = is_free;
  }
}

/// The rows of the axis at `depth`, each with all that is below it. What fails so far is an error
/// only for the combinations that no constraint removes. Says whether to go on.
bool PatternWalk::descend(std::size_t depth, std::uint64_t combination, bool fails) {
  if (depth == plan_.levels.size()) return arrive(combination, fails);
  if (skip_counting(depth)) return true;
  const WalkLevel& level = plan_.levels[depth];
  for (const Row& row : rows_[depth]) {
    if (!take_try()) return end(Ending::too_many_tries);
    const bool derived = bind(level, row.number);
    const Verdict verdict = try_checks(level.checks, below_[depth]);
    if (verdict == Verdict::broken) continue;
    const bool any_fails = fails || row.fails || !derived || verdict == Verdict::fails;
    if (!descend(depth + 1, combination + row.number * level.stride, any_fails)) return false;
  }
  return true;
}

bool PatternWalk::take_try() {
  if (limits_->tries == 0 || (only_counts_ && limits_->counting_tries == 0)) return false;
  --limits_->tries;
  if (only_counts_) --limits_->counting_tries;
  return true;
}

/// Where no constraint is left to try, what is only counted need not be walked through.
bool PatternWalk::skip_counting(std::size_t depth) {
  if (limits_->configurations != 0 || !is_free_[depth]) return false;
  only_counts_ = true;
  found_count_ += rows_[depth].size() * below_[depth];
  return true;
}

bool PatternWalk::arrive(std::uint64_t combination, bool fails) {
  if (limits_->configurations == 0) {
    only_counts_ = true;
    ++found_count_;
    return true;
  }
  if (fails) {
    failing_ = combination;
    return end(Ending::failed);
  }
  --limits_->configurations;
  ++found_count_;
  found_.push_back(combination);
  return true;
}

bool PatternWalk::end(Ending ending) {
  ending_ = ending;
  return false;
}

/// Counts `combinations` for the first constraint that is broken.
PatternWalk::Verdict PatternWalk::try_checks(const std::vector<Check>& checks,
                                             std::uint64_t combinations) {
  bool fails = false;
  for (const Check& check : checks) {
    const Verdict verdict = try_check(check);
    if (verdict == Verdict::broken) {
      (*removed_)[check.removed_row].count += combinations;
      return verdict;
    }
    fails = fails || verdict == Verdict::fails;
  }
  return fails ? Verdict::fails : Verdict::holds;
}

/// Whether all that follows from the row has a value.
bool PatternWalk::bind(const WalkLevel& level, std::size_t row) {
  const std::vector<SlotValue>& values = level.rows[row];
  for (std::size_t i = 0; i < values.size(); ++i) slots_[level.slots[i]] = values[i];
  return derive(level.derivations);
}

bool PatternWalk::derive(const std::vector<Derivation>& derivations) {
  bool good = true;
  for (const Derivation& derivation : derivations) {
    slots_[derivation.slot] = derivation.expression.evaluate(slots_);
    good = good && !std::holds_alternative<std::monostate>(slots_[derivation.slot]);
  }
  return good;
}

PatternWalk::Verdict PatternWalk::try_check(const Check& check) const {
  if (const auto* bound = std::get_if<ParameterBound>(&check.condition)) {
    const auto* value = std::get_if<std::int64_t>(&slots_[bound->parameter]);
    if (value == nullptr) return Verdict::holds;  // what failed did so when it was derived
    const bool holds = bound->is_min ? *value >= bound->limit : *value <= bound->limit;
    return holds ? Verdict::holds : Verdict::broken;
  }
  const SlotValue value = std::get<CompiledExpression>(check.condition).evaluate(slots_);
  const bool* holds = std::get_if<bool>(&value);
  if (holds == nullptr) return Verdict::fails;
  return *holds ? Verdict::holds : Verdict::broken;
}

Configuration PatternWalk::configuration(std::uint64_t combination) {
  derive(plan_.root_derivations);
  for (const WalkLevel& level : plan_.levels) {
    bind(level, combination / level.stride % level.rows.size());
  }
  Configuration result{pattern_, {}};
  for (std::size_t i = 0; i < pattern_->parameters.size(); ++i) {
    result.parameters.set(plan_.slot_names[i], to_value(slots_[i]));
  }
  return result;
}

Bindings PatternWalk::given(std::uint64_t combination) const {
  std::vector<std::size_t> rows(axes_.size());
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    rows[axis] = combination % axes_[axis].rows.size();
    combination /= axes_[axis].rows.size();
  }
  Bindings result;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (std::size_t column = 0; column < axes_[axis].names.size(); ++column) {
      result.set(axes_[axis].names[column], axes_[axis].rows[rows[axis]][column]);
    }
  }
  return result;
}

}  // namespace sweep
