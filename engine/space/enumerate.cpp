#include "engine/space/enumerate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr std::uint64_t most_combinations = 1'000'000;

/// The rows of an axis as one pattern sees them: only the names it has, each row once.
struct PatternAxis {
  std::vector<std::string> names;
  std::vector<std::vector<Value>> rows;
};

PatternAxis axis_for(const Axis& axis, const Pattern& pattern) {
  PatternAxis result;
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < axis.names.size(); ++column) {
    if (pattern.find_parameter(axis.names[column]) == nullptr) continue;
    columns.push_back(column);
    result.names.push_back(axis.names[column]);
  }
  const bool whole = columns.size() == axis.names.size();
  std::set<std::vector<Value>> seen;
  for (const std::vector<Value>& row : axis.rows) {
    std::vector<Value> values;
    for (const std::size_t column : columns) values.push_back(row[column]);
    if (whole || seen.insert(values).second) result.rows.push_back(std::move(values));
  }
  return result;
}

/// A condition of one pattern or of the sweep, and the row of the counts it belongs to.
struct Constraint {
  Expression condition;
  std::size_t removed_row;
};

class Enumeration {
 public:
  explicit Enumeration(const Sweep& sweep) : sweep_(sweep) {
    for (const PatternPtr& pattern : sweep.patterns) {
      for (const Expression& condition : pattern->require) {
        space_.removed.push_back({condition.text(), "pattern " + pattern->name, 0});
      }
    }
    for (const Expression& condition : sweep.where) {
      space_.removed.push_back({condition.text(), "the sweep", 0});
    }
  }

  Space run() {
    std::vector<std::vector<PatternAxis>> axes;
    for (const PatternPtr& pattern : sweep_.patterns) axes.push_back(axes_of(*pattern));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      add_pattern(sweep_.patterns[i], axes[i]);
      first_own_row_ += sweep_.patterns[i]->require.size();
    }
    space_.removed.insert(space_.removed.end(), out_of_bounds_.begin(), out_of_bounds_.end());
    return std::move(space_);
  }

 private:
  /// The axes that the pattern has parameters for; counts their combinations.
  std::vector<PatternAxis> axes_of(const Pattern& pattern) {
    std::vector<PatternAxis> axes;
    std::uint64_t combinations = 1;
    for (const Axis& axis : sweep_.axes) {
      PatternAxis own = axis_for(axis, pattern);
      if (own.names.empty()) continue;
      combinations *= own.rows.size();
      if (space_.combinations + combinations > most_combinations) reject_size();
      axes.push_back(std::move(own));
    }
    space_.combinations += combinations;
    return axes;
  }

  void add_pattern(const PatternPtr& pattern, const std::vector<PatternAxis>& axes) {
    std::uint64_t combinations = 1;
    for (const PatternAxis& axis : axes) combinations *= axis.rows.size();
    const std::vector<Constraint> constraints = constraints_of(*pattern);
    std::vector<std::size_t> position(axes.size(), 0);
    for (std::uint64_t i = 0; i < combinations; ++i) {
      add_combination(pattern, axes, position, constraints);
      for (std::size_t axis = axes.size(); axis-- > 0;) {
        if (++position[axis] < axes[axis].rows.size()) break;
        position[axis] = 0;
      }
    }
  }

  [[noreturn]] void reject_size() const {
    throw InputError(Location{sweep_.source, 0, 0, 1},
                     fmt::format("this sweep has more than {} combinations",
                                 format_thousands(most_combinations)),
                     "shorten the axes, or fix some with --set NAME=VALUE");
  }

  std::vector<Constraint> constraints_of(const Pattern& pattern) const {
    std::vector<Constraint> result;
    for (std::size_t i = 0; i < pattern.require.size(); ++i) {
      result.push_back({pattern.require[i], first_own_row_ + i});
    }
    const std::size_t first_shared_row = space_.removed.size() - sweep_.where.size();
    for (std::size_t i = 0; i < sweep_.where.size(); ++i) {
      if (applies_to(sweep_.where[i], pattern)) {
        result.push_back({sweep_.where[i], first_shared_row + i});
      }
    }
    return result;
  }

  void add_combination(const PatternPtr& pattern, const std::vector<PatternAxis>& axes,
                       const std::vector<std::size_t>& position,
                       const std::vector<Constraint>& constraints) {
    Bindings given;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      for (std::size_t column = 0; column < axes[axis].names.size(); ++column) {
        given.set(axes[axis].names[column], axes[axis].rows[position[axis]][column]);
      }
    }
    try {
      auto configuration = resolve_unless_removed(pattern, given, constraints);
      if (!configuration) return;
      Bindings environment = environment_of(*configuration);
      environment.set("pattern", pattern->name);
      if (!is_removed(constraints, environment)) {
        space_.configurations.push_back(std::move(*configuration));
      }
    } catch (const InputError& error) {
      rethrow_for(error, Configuration{pattern, given});
    }
  }

  /// Nothing for a combination whose defaults fail or break a bound, once it is counted as removed.
  std::optional<Configuration> resolve_unless_removed(const PatternPtr& pattern,
                                                      const Bindings& given,
                                                      const std::vector<Constraint>& constraints) {
    try {
      return resolve(pattern, given);
    } catch (const OutOfBoundsError& error) {
      if (!is_guarded(*pattern, given, constraints)) count_out_of_bounds(error, pattern->name);
    } catch (const InputError&) {
      if (!is_guarded(*pattern, given, constraints)) throw;
    }
    return std::nullopt;
  }

  /// Whether a constraint does not hold; counts the first.
  bool is_removed(const std::vector<Constraint>& constraints, const Bindings& environment) {
    for (const Constraint& constraint : constraints) {
      if (constraint.condition.evaluate_boolean(environment)) continue;
      ++space_.removed[constraint.removed_row].count;
      return true;
    }
    return false;
  }

  /// Whether a combination whose defaults fail is removed by a constraint on what does not fail:
  /// `require: S > 0` keeps a default of `1024 / S` from dividing by zero.
  bool is_guarded(const Pattern& pattern, const Bindings& given,
                  const std::vector<Constraint>& constraints) {
    Bindings part = resolvable_part(pattern, given);
    part.set("pattern", pattern.name);
    std::vector<Constraint> known;
    for (const Constraint& constraint : constraints) {
      const std::vector<std::string> names = constraint.condition.names();
      if (std::ranges::all_of(names, [&](const std::string& name) {
            return part.find(name) != nullptr || ElementType::find(name);
          })) {
        known.push_back(constraint);
      }
    }
    return is_removed(known, part);
  }

  void count_out_of_bounds(const OutOfBoundsError& error, const std::string& pattern) {
    for (Removed& row : out_of_bounds_) {
      if (row.constraint != error.bound() || row.origin != "pattern " + pattern) continue;
      ++row.count;
      return;
    }
    out_of_bounds_.push_back({error.bound(), "pattern " + pattern, 1});
  }

  /// The same mistake, with the combination that it shows up in.
  [[noreturn]] static void rethrow_for(const InputError& error, const Configuration& given) {
    Diagnostics diagnostics;
    for (Diagnostic diagnostic : error.diagnostics().list()) {
      diagnostic.message += fmt::format(" (for {})", to_string(given));
      diagnostics.add(std::move(diagnostic));
    }
    throw InputError(diagnostics);
  }

  const Sweep& sweep_;
  Space space_;
  std::vector<Removed> out_of_bounds_;  ///< one per bound that a default has broken
  std::size_t first_own_row_ = 0;
};

}  // namespace

Space enumerate(const Sweep& sweep) {
  return Enumeration(sweep).run();
}

}  // namespace sweep
