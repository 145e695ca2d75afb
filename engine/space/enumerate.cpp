#include "engine/space/enumerate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// About what a configuration takes while a sweep runs, beside its values.
constexpr std::uint64_t bytes_per_configuration = 512;
constexpr std::uint64_t bytes_per_parameter = 2 * sizeof(std::pair<std::string, Value>);

class Enumeration {
 public:
  Enumeration(const Sweep& sweep, SpaceLimits limits)
      : sweep_(sweep), limits_(limits), left_(limits) {}

  Space run() {
    for (const PatternPtr& pattern : sweep_.patterns)
      parts_.push_back({pattern, axes_of(*pattern)});
    const std::size_t first_bound = add_constraints();
    count_combinations();
    left_.configurations = std::min(limits_.configurations, configurations_in_memory());
    const std::uint64_t most = left_.configurations;
    std::vector<PatternWalk> walks;
    for (const Part& part : parts_) {
      const PatternWalk& walk = walks.emplace_back(
          walk_pattern(part.pattern, part.axes, part.constraints, space_.removed, left_));
      if (walk.failing) report_failure({part.pattern, *walk.failing}, part.constraints);
      found_ += walk.found_count;
      is_counted_ = is_counted_ && walk.is_complete;
    }
    require_at_most(most);
    for (const PatternWalk& walk : walks) {
      space_.configurations.reserve(space_.configurations.size() + walk.found.size());
      std::ranges::transform(walk.found, std::back_inserter(space_.configurations),
                             walk.configuration);
    }
    std::size_t row = 0;
    std::erase_if(space_.removed, [&](const Removed& removed) {
      return row++ >= first_bound && removed.count == 0;
    });
    return std::move(space_);
  }

 private:
  /// A pattern's part of the space.
  struct Part {
    PatternPtr pattern;
    std::vector<Axis> axes;
    std::vector<Constraint> constraints = {};  ///< in the order of equals
  };

  /// The axes that the pattern has parameters for: only the names it has, each row once.
  std::vector<Axis> axes_of(const Pattern& pattern) const {
    std::vector<Axis> axes;
    for (const Axis& axis : sweep_.axes) {
      Axis own{{}, {}, axis.where};
      std::vector<std::size_t> columns;
      for (std::size_t column = 0; column < axis.names.size(); ++column) {
        if (pattern.find_parameter(axis.names[column]) == nullptr) continue;
        columns.push_back(column);
        own.names.push_back(axis.names[column]);
      }
      if (columns.empty()) continue;
      std::set<std::vector<Value>> seen;
      for (const std::vector<Value>& row : axis.rows) {
        std::vector<Value> values;
        for (const std::size_t column : columns) values.push_back(row[column]);
        const bool is_whole = columns.size() == row.size();
        if (is_whole || seen.insert(values).second) own.rows.push_back(std::move(values));
      }
      axes.push_back(std::move(own));
    }
    return axes;
  }

  /// Each with a row of the counts. Gives the first row of a parameter's bound.
  std::size_t add_constraints() {
    const auto add_own = [&](Part& part, const Expression& condition) {
      part.constraints.push_back({condition, space_.removed.size()});
      space_.removed.push_back({condition.text(), "pattern " + part.pattern->name});
    };
    for (Part& part : parts_) {
      for (const Expression& condition : part.pattern->require) add_own(part, condition);
    }
    for (const Expression& condition : sweep_.where) {
      for (Part& part : parts_) {
        if (!applies_to(condition, *part.pattern)) continue;
        part.constraints.push_back({condition, space_.removed.size()});
      }
      space_.removed.push_back({condition.text(), "the sweep"});
    }
    const std::size_t first_bound = space_.removed.size();
    for (Part& part : parts_) {
      for (const auto& parameter : part.pattern->parameters) {
        for (const auto& [relation, limit] :
             {std::pair(">=", parameter.min), std::pair("<=", parameter.max)}) {
          if (!limit) continue;
          const std::string text = fmt::format("{} {} {}", parameter.name, relation, *limit);
          Diagnostics ignored;
          const auto condition = Expression::parse(text, parameter.where, ignored);
          // The least integer has no literal; no value is below it, and it is no useful maximum.
          if (condition) add_own(part, *condition);
        }
      }
    }
    return first_bound;
  }

  void count_combinations() {
    for (const Part& part : parts_) {
      std::uint64_t combinations = 1;
      bool fits = true;
      for (const Axis& axis : part.axes) {
        fits = fits && !__builtin_mul_overflow(combinations, axis.rows.size(), &combinations);
      }
      if (!fits ||
          __builtin_add_overflow(space_.combinations, combinations, &space_.combinations)) {
        reject("this sweep has more combinations than 64 bits can count",
               "shorten the axes, or fix some with --set NAME=VALUE");
      }
    }
  }

  std::uint64_t configurations_in_memory() const {
    std::size_t parameters = 0;
    for (const Part& part : parts_) {
      parameters = std::max(parameters, part.pattern->parameters.size());
    }
    return limits_.memory / (bytes_per_configuration + parameters * bytes_per_parameter);
  }

  /// Throws past the limits.
  void require_at_most(std::uint64_t most) const {
    if (found_ > most) {
      const std::string has =
          fmt::format("this sweep has {}{} configurations", is_counted_ ? "" : "more than ",
                      format_thousands(found_));
      if (most < limits_.configurations) {
        reject(fmt::format("{}, but only {} fit into the memory that this machine has free", has,
                           format_thousands(most)),
               "add constraints under where:, shorten the axes, or fix some with --set NAME=VALUE");
      }
      reject(fmt::format("{}; the limit is {}", has, format_thousands(most)),
             fmt::format("add constraints under where:, shorten the axes, fix some with --set "
                         "NAME=VALUE, or allow more with --max-configurations {}",
                         is_counted_ ? fmt::format("{}", found_) : "NUMBER"));
    }
    if (!is_counted_) {
      reject(fmt::format("this sweep's {} combinations are too many for its constraints: after "
                         "{} tries there are still some left",
                         format_thousands(space_.combinations), format_thousands(limits_.tries)),
             "add constraints on few parameters, shorten the axes, or fix some with --set "
             "NAME=VALUE");
    }
  }

  [[noreturn]] void reject(std::string message, std::string help) const {
    throw InputError(Location{sweep_.source, 0, 0, 1}, std::move(message), std::move(help));
  }

  /// Evaluates again what failed, for its message and place, and names the combination.
  [[noreturn]] static void report_failure(const Configuration& given,
                                          const std::vector<Constraint>& constraints) {
    try {
      Bindings environment = environment_of(resolve(given.pattern, given.parameters));
      environment.set("pattern", given.pattern->name);
      for (const Constraint& constraint : constraints) {
        constraint.condition.evaluate_boolean(environment);
      }
    } catch (const InputError& error) {
      Diagnostics diagnostics;
      for (Diagnostic diagnostic : error.diagnostics().list()) {
        diagnostic.message += fmt::format(" (for {})", to_string(given));
        diagnostics.add(std::move(diagnostic));
      }
      throw InputError(diagnostics);
    }
    throw std::logic_error("an expression failed for " + to_string(given) + " once only");
  }

  const Sweep& sweep_;
  SpaceLimits limits_;
  SpaceLimits left_;
  Space space_;
  std::vector<Part> parts_;  ///< of each pattern
  std::uint64_t found_ = 0;  ///< configurations
  bool is_counted_ = true;   ///< no walk ran out of tries
};

/// Whether the row gives no name another value than `wanted` has for it.
bool agrees(const Axis& axis, const std::vector<Value>& row, const Bindings& wanted) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Value* value = wanted.find(axis.names[i]);
    if (value != nullptr && *value != row[i]) return false;
  }
  return true;
}

Bindings values_of(const Configuration& configuration, const std::vector<std::string>& names) {
  Bindings values;
  for (const std::string& name : names) {
    if (name == "pattern") {
      values.set(name, configuration.pattern->name);
    } else if (const Value* value = configuration.parameters.find(name)) {
      values.set(name, *value);
    }
  }
  return values;
}

/// What is left of the axes for one who chooses nothing. Only that is copied: there may be as many
/// groups as an axis has values.
std::vector<Axis> without_choices(const std::vector<Axis>& axes, const Bindings& group) {
  const auto is_of_group = [&](const std::string& name) { return group.find(name) != nullptr; };
  std::vector<Axis> rest;
  for (const Axis& axis : axes) {
    if (axis.rows.size() > 1 && std::ranges::none_of(axis.names, is_of_group)) continue;
    // Of several rows of axes that move together the first.
    const auto row = std::ranges::find_if(
        axis.rows, [&](const std::vector<Value>& each) { return agrees(axis, each, group); });
    Axis left{axis.names, {}, axis.where};
    if (row != axis.rows.end()) left.rows.push_back(*row);
    rest.push_back(std::move(left));
  }
  return rest;
}

/// Gives the group its default configuration, or the reason why there is none. `frame` is the sweep
/// without its axes.
void find_default(const std::vector<Axis>& axes, Sweep& frame, Space& space, TuningGroup& group) {
  const PatternPtr pattern = space.configurations[group.configurations.front()].pattern;
  frame.patterns = {pattern};
  frame.axes = without_choices(axes, group.values);
  Space defaults;
  try {
    defaults = enumerate(frame);
  } catch (const InputError& error) {
    group.why_no_default = error.diagnostics().list().front().message;
  }
  if (defaults.configurations.empty()) {
    const auto broken = std::ranges::find_if(
        defaults.removed, [](const Removed& removed) { return removed.count > 0; });
    if (broken != defaults.removed.end()) {
      group.why_no_default = fmt::format("{} does not hold", broken->constraint);
    }
    return;
  }
  Configuration& found = defaults.configurations.front();
  const auto known = std::ranges::find_if(group.configurations, [&](std::size_t index) {
    const Configuration& configuration = space.configurations[index];
    return configuration.pattern == pattern && configuration.parameters == found.parameters;
  });
  group.default_configuration =
      known != group.configurations.end() ? *known : space.configurations.size();
  if (known == group.configurations.end()) space.configurations.push_back(std::move(found));
}

}  // namespace

Space enumerate(const Sweep& sweep, SpaceLimits limits) {
  return Enumeration(sweep, limits).run();
}

std::optional<Configuration> with_emulator_values(const Configuration& configuration, Sweep sweep) {
  if (sweep.emulator_set.empty()) return std::nullopt;
  const std::vector<Axis> smaller = sweep.emulator_set;
  apply_emulator_set(sweep);
  sweep.patterns = {configuration.pattern};
  for (Axis& axis : sweep.axes) {
    if (std::ranges::find(smaller, axis.names, &Axis::names) != smaller.end()) continue;
    std::erase_if(axis.rows, [&](const std::vector<Value>& row) {
      return !agrees(axis, row, configuration.parameters);
    });
    // The default of a search is in none of the axes.
    if (axis.rows.empty()) return std::nullopt;
  }
  const Space space = enumerate(sweep);
  if (space.configurations.empty()) return std::nullopt;
  const Configuration& found = space.configurations.front();
  if (found.parameters == configuration.parameters) return std::nullopt;
  return found;
}

std::vector<TuningGroup> tuning_groups(const Sweep& sweep, Space& space) {
  std::vector<TuningGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (std::size_t index = 0; index < space.configurations.size(); ++index) {
    Bindings values = values_of(space.configurations[index], sweep.tune->for_each);
    const auto [found, is_new] = group_of.try_emplace(to_string(values), groups.size());
    if (is_new) groups.push_back({groups.size(), std::move(values), {}, {}, {}});
    groups[found->second].configurations.push_back(index);
  }
  Sweep frame = sweep;
  for (TuningGroup& group : groups) find_default(sweep.axes, frame, space, group);
  return groups;
}

}  // namespace sweep
