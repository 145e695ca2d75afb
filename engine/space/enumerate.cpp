#include "engine/space/enumerate.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "engine/space/pattern_walk.h"
#include "engine/space/walk_plan.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr const char* shorten_axes = "shorten the axes, or fix some with --set NAME=VALUE";

/// About what a configuration takes while a sweep runs, beside its values.
constexpr std::uint64_t bytes_per_configuration = 512;
constexpr std::uint64_t bytes_per_parameter = 2 * sizeof(std::pair<std::string, Value>);

class Enumeration {
 public:
  Enumeration(const Sweep& sweep, SpaceLimits limits)
      : sweep_(sweep), limits_(limits), left_(limits) {}

  Space run() {
    add_rows();
    for (const PatternPtr& pattern : sweep_.patterns) count_combinations(*pattern);
    left_.configurations = std::min(limits_.configurations, configurations_in_memory());
    const std::uint64_t most = left_.configurations;
    for (std::size_t i = 0; i < sweep_.patterns.size(); ++i) walk_pattern(i);
    require_at_most(most);
    for (PatternWalk& walk : walks_) add_configurations(walk);
    const auto first_bound = space_.removed.begin() + static_cast<std::ptrdiff_t>(first_bound_);
    space_.removed.erase(std::remove_if(first_bound, space_.removed.end(),
                                        [](const Removed& row) { return row.count == 0; }),
                         space_.removed.end());
    return std::move(space_);
  }

 private:
  /// The rows of the counts, and which of them are each pattern's.
  void add_rows() {
    constraints_.resize(sweep_.patterns.size());
    for (std::size_t i = 0; i < sweep_.patterns.size(); ++i) {
      for (const Expression& condition : sweep_.patterns[i]->require) {
        constraints_[i].push_back({condition, space_.removed.size()});
        add_row(condition.text(), "pattern " + sweep_.patterns[i]->name);
      }
    }
    for (const Expression& condition : sweep_.where) {
      for (std::size_t i = 0; i < sweep_.patterns.size(); ++i) {
        if (!applies_to(condition, *sweep_.patterns[i])) continue;
        constraints_[i].push_back({condition, space_.removed.size()});
      }
      add_row(condition.text(), "the sweep");
    }
    first_bound_ = space_.removed.size();
    for (std::size_t i = 0; i < sweep_.patterns.size(); ++i) add_bounds(i);
  }

  void add_bounds(std::size_t pattern) {
    const Pattern& of = *sweep_.patterns[pattern];
    const auto add = [&](const ParameterBound& bound) {
      constraints_[pattern].push_back({bound, space_.removed.size()});
      add_row(to_string(bound, of), "pattern " + of.name);
    };
    for (std::size_t i = 0; i < of.parameters.size(); ++i) {
      if (of.parameters[i].min) add({i, *of.parameters[i].min, true});
      if (of.parameters[i].max) add({i, *of.parameters[i].max, false});
    }
  }

  void add_row(std::string constraint, std::string origin) {
    space_.removed.push_back({std::move(constraint), std::move(origin), 0});
  }

  void count_combinations(const Pattern& pattern) {
    axes_.push_back(axes_of(sweep_, pattern));
    const auto combinations = combinations_of(axes_.back());
    if (!combinations ||
        __builtin_add_overflow(space_.combinations, *combinations, &space_.combinations)) {
      reject("this sweep has more combinations than 64 bits can count", shorten_axes);
    }
  }

  std::uint64_t configurations_in_memory() const {
    std::uint64_t bytes = bytes_per_configuration;
    for (const PatternPtr& pattern : sweep_.patterns) {
      const std::uint64_t own =
          bytes_per_configuration + pattern->parameters.size() * bytes_per_parameter;
      bytes = std::max(bytes, own);
    }
    return limits_.memory / bytes;
  }

  void walk_pattern(std::size_t i) {
    PatternWalk& walk = walks_.emplace_back(sweep_.patterns[i], axes_[i], constraints_[i]);
    const PatternWalk::Ending ending = walk.run(space_.removed, left_);
    found_ += walk.found_count();
    if (ending == PatternWalk::Ending::failed) {
      report_failure({sweep_.patterns[i], walk.given(walk.failing())}, constraints_[i]);
    }
    is_counted_ = is_counted_ && ending == PatternWalk::Ending::complete;
  }

  /// Throws past the limits.
  void require_at_most(std::uint64_t most) const {
    const std::string count =
        is_counted_ ? format_thousands(found_) : "more than " + format_thousands(found_);
    if (found_ > most && most < limits_.configurations) {
      reject(fmt::format("this sweep has {} configurations, but only {} fit into the memory that "
                         "this machine has free",
                         count, format_thousands(most)),
             "add constraints under where:, shorten the axes, or fix some with --set NAME=VALUE");
    }
    if (found_ > most) {
      reject(fmt::format("this sweep has {} configurations; the limit is {}", count,
                         format_thousands(most)),
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

  void add_configurations(PatternWalk& walk) {
    space_.configurations.reserve(space_.configurations.size() + walk.found().size());
    for (const std::uint64_t combination : walk.found()) {
      space_.configurations.push_back(walk.configuration(combination));
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
        const auto* condition = std::get_if<Expression>(&constraint.condition);
        if (condition != nullptr) condition->evaluate_boolean(environment);
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
  std::deque<PatternWalk> walks_;                     ///< of each pattern
  std::uint64_t found_ = 0;                           ///< configurations
  bool is_counted_ = true;                            ///< no walk ran out of tries
  std::size_t first_bound_ = 0;                       ///< among the rows of the counts
  std::vector<std::vector<Axis>> axes_;               ///< of each pattern
  std::vector<std::vector<Constraint>> constraints_;  ///< of each pattern, in the order of equals
};

}  // namespace

Space enumerate(const Sweep& sweep, SpaceLimits limits) {
  return Enumeration(sweep, limits).run();
}

namespace {

/// Leaves of an axis only what the configuration has.
void keep_values_of(const Configuration& configuration, Axis& axis) {
  std::erase_if(axis.rows, [&](const std::vector<Value>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Value* value = configuration.parameters.find(axis.names[i]);
      if (value != nullptr && *value != row[i]) return true;
    }
    return false;
  });
}

}  // namespace

std::optional<Configuration> with_emulator_values(const Configuration& configuration, Sweep sweep) {
  if (sweep.emulator_set.empty()) return std::nullopt;
  const std::vector<Axis> smaller = sweep.emulator_set;
  apply_emulator_set(sweep);
  sweep.patterns = {configuration.pattern};
  for (Axis& axis : sweep.axes) {
    if (std::ranges::find(smaller, axis.names, &Axis::names) != smaller.end()) continue;
    keep_values_of(configuration, axis);
    // The default of a search is in none of the axes.
    if (axis.rows.empty()) return std::nullopt;
  }
  const Space space = enumerate(sweep);
  if (space.configurations.empty()) return std::nullopt;
  const Configuration& found = space.configurations.front();
  if (found.parameters == configuration.parameters) return std::nullopt;
  return found;
}

}  // namespace sweep
