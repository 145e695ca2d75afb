#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "engine/space/enumerate.h"
#include "tests/rapidcheck_case.h"
#include "tests/spec/example_patterns.h"

BOOST_AUTO_TEST_SUITE(enumerate_properties)

namespace {

using namespace sweep::testing;
using sweep::Bindings;
using sweep::Configuration;
using sweep::Pattern;
using sweep::PatternPtr;
using sweep::Space;
using sweep::Sweep;

using Strings = std::vector<std::string>;

const std::map<std::string, PatternPtr>& patterns() {
  static const std::map<std::string, PatternPtr> all = [] {
    std::map<std::string, PatternPtr> result;
    const auto add = [&](const std::string& name, const Strings& parameters,
                         const std::string& require) {
      result.emplace(name, good_pattern(pattern_with(name, parameters, require), name));
    };
    add("plain", {"A: 1", "B: A + 1", "C: 1"}, "");
    add("strict", {"A: 1", "B: 2", "D: A * B"}, "require: [A + B < 12, D != 6]\n");
    add("fallible",
        {"A: 2", "B: A + 2", "D: {default: 12 / A, max: 6}", "E: {default: 20 / D + B, min: 4}"},
        "require: [E != 12]\n");
    return result;
  }();
  return all;
}

/// Distinct integers from 0 to 9, at least one.
std::vector<int> arbitrary_values() {
  const auto values =
      *rc::gen::nonEmpty(rc::gen::unique<std::vector<int>>(rc::gen::inRange(0, 10)));
  return values;
}

std::string list_of(const std::vector<int>& values) {
  std::string result;
  for (const int value : values) result += (result.empty() ? "" : ", ") + std::to_string(value);
  return '[' + result + ']';
}

/// A sweep over one or both patterns with some axes, zips and conditions.
std::string arbitrary_sweep() {
  std::string text = *rc::gen::element<std::string>("pattern: plain\n", "pattern: strict\n",
                                                    "patterns: [strict, plain]\n");
  const bool both = text.starts_with("patterns");
  const Strings names = both                               ? Strings{"A", "B", "C", "D"}
                        : text.find("strict") == text.npos ? Strings{"A", "B", "C"}
                                                           : Strings{"A", "B", "D"};
  std::size_t used = 0;
  if (*rc::gen::arbitrary<bool>()) {
    const std::vector<int> first = arbitrary_values();
    const auto second =
        *rc::gen::container<std::vector<int>>(first.size(), rc::gen::inRange(0, 10));
    text += "zip: [{" + names[0] + ": " + list_of(first) + ", " + names[1] + ": " +
            list_of(second) + "}]\n";
    used = 2;
  }
  text += "axes:\n";
  const auto count = *rc::gen::inRange<std::size_t>(used, names.size() + 1);
  for (; used < count; ++used)
    text += "  " + names[used] + ": " + list_of(arbitrary_values()) + '\n';
  const auto conditions = *rc::gen::container<Strings>(
      rc::gen::element<std::string>("A < 7", "A != B", "A * 2 > B", "B % 3 != 1", "A > 100",
                                    "pattern != 'plain' || B > 4", "A >= 0"));
  text += "where:\n";
  for (const std::string& condition : conditions) text += "  - \"" + condition + "\"\n";
  return text;
}

Sweep read(const std::string& text) {
  return sweep::parse_sweep(source_of(text), "sweep.yaml", lookup_in(patterns()), {});
}

bool satisfies_all(const Configuration& configuration, const Sweep& sweep) {
  Bindings environment = environment_of(configuration);
  environment.set("pattern", configuration.pattern->name);
  const auto holds = [&](const sweep::Expression& condition) {
    return condition.evaluate_boolean(environment);
  };
  return std::ranges::all_of(configuration.pattern->require, holds) &&
         std::ranges::all_of(sweep.where, [&](const sweep::Expression& condition) {
           return !applies_to(condition, *configuration.pattern) || holds(condition);
         });
}

/// A sweep in which defaults and conditions may fail, and defaults break their bounds.
std::string arbitrary_fallible_sweep() {
  std::string text = *rc::gen::element<std::string>("pattern: fallible\naxes:\n",
                                                    "patterns: [plain, fallible]\naxes:\n");
  text += "  A: " + list_of(arbitrary_values()) + '\n';
  if (*rc::gen::arbitrary<bool>()) text += "  B: " + list_of(arbitrary_values()) + '\n';
  const auto conditions = *rc::gen::container<Strings>(rc::gen::element<std::string>(
      "A > 0", "A > 1 && D > 1", "B / A < 4", "E % B != 1", "100 / (A - 3) > 20", "D != 4", "D > 0",
      "A != 3", "E * A > 10", "A == 0 || D > 2", "pattern == 'plain' || A > 1"));
  text += "where:\n";
  for (const std::string& condition : conditions) text += "  - \"" + condition + "\"\n";
  return text;
}

/// Every combination of the axes from number `axis` on, in order, by the plainest means.
void combine(const Sweep& sweep, const PatternPtr& pattern, std::size_t axis, const Bindings& given,
             std::vector<Bindings>& result) {
  if (axis == sweep.axes.size()) {
    result.push_back(given);
    return;
  }
  std::set<std::string> seen;
  for (const std::vector<sweep::Value>& row : sweep.axes[axis].rows) {
    Bindings more = given;
    std::string own;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& name = sweep.axes[axis].names[i];
      if (pattern->find_parameter(name) == nullptr) continue;
      more.set(name, row[i]);
      own += name + to_string(row[i]);
    }
    if (seen.insert(own).second) combine(sweep, pattern, axis + 1, more, result);
  }
}

/// What becomes of one combination when everything is tried.
struct Fate {
  Bindings parameters;  ///< without those that fail
  bool fails = false;
  std::set<std::string> broken;  ///< constraints, as the counts call them
};

Fate fate_of(const Sweep& sweep, const Pattern& pattern, const Bindings& given) {
  Fate fate;
  const auto attempt = [&](const auto& work) {
    try {
      work();
    } catch (const sweep::InputError&) {
      fate.fails = true;
    }
  };
  for (const sweep::Parameter& parameter : pattern.parameters) {
    attempt([&] {
      const sweep::Value* value = given.find(parameter.name);
      fate.parameters.set(parameter.name,
                          value ? *value : parameter.default_value.evaluate(fate.parameters));
    });
    const sweep::Value* value = fate.parameters.find(parameter.name);
    if (value == nullptr) continue;
    const auto number = std::get<std::int64_t>(*value);
    const std::string origin = " of pattern " + pattern.name;
    if (number < parameter.min.value_or(number))
      fate.broken.insert(parameter.name + " >= " + std::to_string(*parameter.min) + origin);
    if (number > parameter.max.value_or(number))
      fate.broken.insert(parameter.name + " <= " + std::to_string(*parameter.max) + origin);
  }
  Bindings environment = fate.parameters;
  environment.set("pattern", pattern.name);
  const auto try_condition = [&](const sweep::Expression& condition, const std::string& origin) {
    attempt([&] {
      if (!condition.evaluate_boolean(environment))
        fate.broken.insert(condition.text() + " of " + origin);
    });
  };
  for (const auto& condition : pattern.require) try_condition(condition, "pattern " + pattern.name);
  for (const auto& condition : sweep.where) {
    if (applies_to(condition, pattern)) try_condition(condition, "the sweep");
  }
  return fate;
}

/// A space by the plainest means.
struct PlainSpace {
  Strings configurations;
  std::uint64_t combinations = 0;
  bool fails = false;                          ///< for some combination that nothing removes
  std::map<std::string, std::uint64_t> most;   ///< how many combinations each constraint breaks
  std::map<std::string, std::uint64_t> least;  ///< and how many nothing else does
};

PlainSpace plain_space(const Sweep& sweep) {
  PlainSpace space;
  for (const PatternPtr& pattern : sweep.patterns) {
    std::vector<Bindings> combinations;
    combine(sweep, pattern, 0, {}, combinations);
    space.combinations += combinations.size();
    for (const Bindings& given : combinations) {
      const Fate fate = fate_of(sweep, *pattern, given);
      for (const std::string& constraint : fate.broken) ++space.most[constraint];
      if (fate.broken.size() == 1) ++space.least[*fate.broken.begin()];
      if (!fate.broken.empty()) continue;
      space.fails = space.fails || fate.fails;
      space.configurations.push_back(to_string(Configuration{pattern, fate.parameters}));
    }
  }
  return space;
}

Strings texts(const std::vector<Configuration>& configurations) {
  Strings result;
  for (const Configuration& configuration : configurations)
    result.push_back(to_string(configuration));
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_combination_is_a_configuration_or_removed_once) {
  check_property(
      [] {
        const Space space = enumerate(read(arbitrary_sweep()));
        std::uint64_t accounted = space.configurations.size();
        for (const sweep::Removed& removed : space.removed) accounted += removed.count;
        RC_ASSERT(accounted == space.combinations);
      },
      500);
}

BOOST_AUTO_TEST_CASE(every_configuration_satisfies_every_constraint) {
  check_property(
      [] {
        const Sweep sweep = read(arbitrary_sweep());
        for (const Configuration& configuration : enumerate(sweep).configurations) {
          RC_ASSERT(satisfies_all(configuration, sweep));
        }
      },
      500);
}

BOOST_AUTO_TEST_CASE(no_two_configurations_are_equal) {
  check_property(
      [] {
        const Strings found = texts(enumerate(read(arbitrary_sweep())).configurations);
        RC_ASSERT(std::set<std::string>(found.begin(), found.end()).size() == found.size());
      },
      500);
}

BOOST_AUTO_TEST_CASE(nested_loops_find_the_same_in_the_same_order) {
  check_property(
      [] {
        const Sweep sweep = read(arbitrary_sweep());
        std::vector<Configuration> all;
        for (const PatternPtr& pattern : sweep.patterns) {
          std::vector<Bindings> combinations;
          combine(sweep, pattern, 0, {}, combinations);
          for (const Bindings& given : combinations) all.push_back(resolve(pattern, given));
        }
        const Space space = enumerate(sweep);
        RC_ASSERT(space.combinations == all.size());
        std::erase_if(all, [&](const Configuration& one) { return !satisfies_all(one, sweep); });
        RC_ASSERT(texts(space.configurations) == texts(all));
      },
      500);
}

BOOST_AUTO_TEST_CASE(what_fails_is_an_error_unless_something_removes_it) {
  int failures = 0;
  int spaces = 0;
  const auto check = [&](const Sweep& sweep) {
    const PlainSpace plain = plain_space(sweep);
    ++(plain.fails ? failures : spaces);
    if (plain.fails) {
      RC_ASSERT_THROWS_AS(enumerate(sweep), sweep::InputError);
      return;
    }
    const Space space = enumerate(sweep);
    RC_ASSERT(texts(space.configurations) == plain.configurations);
    RC_ASSERT(space.combinations == plain.combinations);
    std::map<std::string, std::uint64_t> counts;
    std::uint64_t removed = 0;
    for (const sweep::Removed& row : space.removed) {
      counts[row.constraint + " of " + row.origin] += row.count;
      removed += row.count;
    }
    RC_ASSERT(removed == plain.combinations - plain.configurations.size());
    for (const auto& [constraint, most] : plain.most) RC_ASSERT(counts[constraint] <= most);
    for (const auto& [constraint, least] : plain.least) RC_ASSERT(counts[constraint] >= least);
  };
  check_property([&] { check(read(arbitrary_fallible_sweep())); }, 1000);
  BOOST_TEST(failures > 100);
  BOOST_TEST(spaces > 100);
  check_property([&] { check(read(arbitrary_sweep())); }, 500);
}

BOOST_AUTO_TEST_SUITE_END()
