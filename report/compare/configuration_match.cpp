#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/compare/run_comparison.h"
#include "report/display_text.h"

namespace sweep {
namespace {

using NameSet = std::set<std::string>;
using Parameters = std::vector<ParameterValues>;

struct RunSide {
  std::string name;  ///< "A" or "B"
  /// Of the run's points pattern, parameters and which are derived alone, renamed; the ordinal is
  /// their place in the run's points.
  std::vector<StoredPoint> entries;

  RunSide(const char* run, std::span<const StoredPoint> points, std::span<const Renamed> renamed)
      : name(run) {
    const auto now = [&](const std::string& old) {
      const auto found = std::ranges::find(renamed, old, &Renamed::before);
      return found != renamed.end() ? found->after : old;
    };
    for (const StoredPoint& stored : points) {
      StoredPoint& entry = entries.emplace_back();
      entry.ordinal = static_cast<std::int64_t>(entries.size()) - 1;
      entry.point.key.pattern_name = now(stored.point.key.pattern_name);
      for (const auto& [parameter, value] : stored.point.key.parameters.entries()) {
        entry.point.key.parameters.set(now(parameter), value);
      }
      for (const std::string& parameter : stored.point.derived) {
        entry.point.derived.push_back(now(parameter));
      }
    }
  }

  /// The values of "pattern" and of each parameter among all of the run's patterns.
  std::vector<ParameterValues> values() const { return parameters_of(records_of(entries)); }

  NameSet names() const {
    NameSet names = {"pattern"};
    for (const ParameterValues& parameter : values()) names.insert(parameter.name);
    return names;
  }

  /// The parameters of each pattern, by name.
  std::map<std::string, Parameters> patterns() const {
    std::map<std::string, PointList> points;
    for (const PointRecord* point : records_of(entries)) {
      points[point->key.pattern_name].push_back(point);
    }
    std::map<std::string, Parameters> patterns;
    for (const auto& [pattern, records] : points) {
      Parameters& own = patterns[pattern] = parameters_of(records);
      std::ranges::sort(own, {}, &ParameterValues::name);
    }
    return patterns;
  }
};

/// Names in a condition that are element types ("T == float") are no parameters.
std::vector<std::string> parameters_in(const Expression& condition) {
  std::vector<std::string> names = condition.names();
  std::erase_if(names, [](const std::string& name) { return ElementType::find(name).has_value(); });
  return names;
}

/// Kinds that do not fit, in every point of the run, are a mistake in the condition.
void check_kind(const Expression& condition, const RunSide& side) {
  if (side.entries.empty()) return;
  Diagnostics diagnostics;
  for (const StoredPoint& entry : side.entries) {
    Diagnostics of_entry;
    const auto kind = condition.check(scope_of(environment_of(entry.point)), of_entry);
    if (kind == ValueKind::boolean) return;
    if (kind) {
      throw InputError(condition.where(), "a condition is true or false, this is not",
                       "write for example STRIDE <= 8");
    }
    if (diagnostics.empty()) diagnostics = of_entry;
  }
  throw InputError(diagnostics);
}

/// What of a pattern's parameters takes no part in matching: what both runs computed from others,
/// or one did and the other lacks, and what only `side` has and is constant there.
void leave_out(const std::string& pattern, const Parameters& own, const Parameters& others,
               const RunSide& side, NameSet& ignored, std::vector<std::string>& notes) {
  for (const ParameterValues& parameter : own) {
    const std::string& name = parameter.name;
    const ParameterValues* other = find_parameter(others, name);
    const bool is_derived = parameter.is_derived && (other == nullptr || other->is_derived);
    if (is_derived) ignored.insert(name);
    if (other != nullptr || ignored.contains(name)) continue;
    const Value& first = parameter.values()[0];
    std::string& note = notes.emplace_back(
        fmt::format("only {} has the parameter {} of {}, which ", side.name, name, pattern));
    if (parameter.varies()) {
      note += fmt::format("has {} values there: choose one with --where \"{} == {}\"",
                          parameter.values().size(), name, to_string(first));
    } else {
      ignored.insert(name);
      note += fmt::format("is {} there: the other parameters decide what is the same configuration",
                          parameter.show(first));
    }
  }
}

/// Whether the other run has this value too.
bool has_value(const ParameterValues& parameter, const Value& value) {
  return parameter.rank_of(value) < parameter.values().size();
}

/// For a pattern of which nothing matches: the parameters without a value in common.
void note_disjoint(const std::string& pattern, const Parameters& before, const Parameters& after,
                   std::vector<std::string>& notes) {
  const auto shown = [](const ParameterValues& parameter) {
    return parameter.varies() ? fmt::format("{} values", parameter.values().size())
                              : parameter.show(parameter.values()[0]);
  };
  for (const ParameterValues& own : before) {
    const ParameterValues* other = find_parameter(after, own.name);
    const auto is_common = [&](const Value& value) { return has_value(*other, value); };
    if (other == nullptr || std::ranges::any_of(own.values(), is_common)) continue;
    notes.push_back(fmt::format(
        "{0} of {1} is {2} in A and {3} in B, none in common; --ignore {0} leaves it out", own.name,
        pattern, shown(own), shown(*other)));
  }
}

/// "4, 8 and 16 only in A"; empty where the other run has all of the values.
std::string only_in(const RunSide& side, const ParameterValues& own,
                    const ParameterValues& others) {
  constexpr std::size_t most_listed = 6;
  std::vector<std::string> values;
  for (const Value& value : own.values()) {
    if (!has_value(others, value)) values.push_back(own.show(value));
  }
  if (values.empty()) return {};
  return fmt::format(
      "{} only in {}",
      values.size() <= most_listed ? in_words(values) : count_of(values.size(), "value"),
      side.name);
}

/// What only one of the runs has: how many configurations, and which values.
void note_spaces(const RunSide& a, const RunSide& b, const ComparisonRequest& rules,
                 Matching& matching) {
  const auto both = static_cast<std::size_t>(std::ranges::count_if(
      matching.configurations, [](const auto& each) { return each.before && each.after; }));
  const std::size_t only_a = a.entries.size() - both;
  const std::size_t only_b = b.entries.size() - both;
  if (only_a + only_b == 0) return;
  std::string note = fmt::format("the spaces differ: {} in both, {} only in A, {} only in B",
                                 count_of(both, "configuration"), format_thousands(only_a),
                                 format_thousands(only_b));
  const std::vector<ParameterValues> others = b.values();
  for (const ParameterValues& before : a.values()) {
    const ParameterValues* after = find_parameter(others, before.name);
    const bool is_ignored = std::ranges::find(rules.ignored, before.name) != rules.ignored.end();
    if (after == nullptr || is_ignored || (before.is_derived && after->is_derived)) continue;
    std::vector<std::string> parts = {only_in(a, before, *after), only_in(b, *after, before)};
    std::erase(parts, "");
    if (!parts.empty()) note += fmt::format("; {}: {}", before.name, in_words(parts));
  }
  matching.notes.push_back(std::move(note));
}

/// Places of configurations by pattern and parameters, whatever the order of these.
using PlacesByIdentity =
    std::map<std::pair<std::string, std::map<std::string, Value>>, std::size_t>;

/// Adds the side's configurations, but for what of each pattern's parameters is ignored.
void add_side(const RunSide& side, std::optional<std::size_t> ConfigurationComparison::*place,
              const std::map<std::string, NameSet>& ignored_by_pattern, PlacesByIdentity& places,
              std::vector<ConfigurationComparison>& configurations) {
  for (const StoredPoint& entry : side.entries) {
    const PointKey& key = entry.point.key;
    const NameSet& ignored = ignored_by_pattern.at(key.pattern_name);
    ConfigurationComparison own{key.pattern_name, {}};
    for (const auto& [name, value] : key.parameters.entries()) {
      if (!ignored.contains(name)) own.parameters.set(name, value);
    }
    const auto& values = own.parameters.entries();
    const auto [found, is_new] =
        places.try_emplace({own.pattern, {values.begin(), values.end()}}, configurations.size());
    if (is_new) configurations.push_back(own);
    auto& taken = configurations[found->second].*place;
    if (taken) {
      throw ComparisonError(fmt::format(
          "{} has several configurations {}{}{}; choose one with --where", side.name,
          own.pattern + (own.parameters.empty() ? "" : " " + to_string(own.parameters)),
          ignored.empty() ? "" : " that differ in ", in_words({ignored.begin(), ignored.end()})));
    }
    taken = static_cast<std::size_t>(entry.ordinal);
  }
}

void check_renamed(const Renamed& renamed, std::span<const StoredPoint> before) {
  const bool is_used = std::ranges::any_of(before, [&](const StoredPoint& stored) {
    return stored.point.key.pattern_name == renamed.before ||
           stored.point.key.parameters.find(renamed.before) != nullptr;
  });
  if (is_used) return;
  throw ComparisonError(fmt::format("--rename {}={}: A has no pattern or parameter {}",
                                    renamed.before, renamed.after, renamed.before));
}

/// Leaves what the conditions hold for, and checks all names of the rules.
void apply_rules(const ComparisonRequest& rules, RunSide& a, RunSide& b,
                 std::vector<std::string>& notes) {
  NameSet known = a.names();
  known.merge(b.names());
  const std::vector<std::string> names(known.begin(), known.end());
  std::vector<std::string> parameters = names;
  std::erase(parameters, "pattern");
  for (const std::string& name : rules.ignored) {
    if (std::ranges::find(parameters, name) != parameters.end()) continue;
    throw ComparisonError(fmt::format("--ignore {}: neither run has such a parameter; {}", name,
                                      suggest(name, parameters, "there are")));
  }
  for (const Expression& condition : rules.where) {
    const std::vector<std::string> needed = parameters_in(condition);
    for (const std::string& name : needed) {
      if (known.contains(name)) continue;
      throw InputError(condition.where(), fmt::format("neither run has a parameter {}", name),
                       suggest(name, names, "there are"));
    }
    for (RunSide* side : {&a, &b}) {
      const NameSet own = side->names();
      const auto lacking = std::ranges::find_if_not(
          needed, [&](const std::string& name) { return own.contains(name); });
      if (lacking != needed.end()) {
        notes.push_back(fmt::format("'{}' does not restrict {}, which has no parameter {}",
                                    condition.text(), side->name, *lacking));
      } else {
        check_kind(condition, *side);
        std::erase_if(side->entries,
                      [&](const StoredPoint& entry) { return !holds(condition, entry.point); });
      }
      if (!side->entries.empty()) continue;
      throw ComparisonError(
          fmt::format("'{}' leaves no configuration of {}", condition.text(), side->name));
    }
  }
}

}  // namespace

Matching match_configurations(std::span<const StoredPoint> before,
                              std::span<const StoredPoint> after, const ComparisonRequest& rules) {
  Matching matching;
  for (const Renamed& renamed : rules.renamed) check_renamed(renamed, before);
  RunSide a("A", before, rules.renamed);
  RunSide b("B", after, {});
  apply_rules(rules, a, b, matching.notes);

  const auto patterns_before = a.patterns();
  const auto patterns_after = b.patterns();
  const NameSet always_ignored(rules.ignored.begin(), rules.ignored.end());
  std::map<std::string, NameSet> ignored;
  for (const auto* patterns : {&patterns_before, &patterns_after}) {
    for (const auto& [pattern, parameters] : *patterns) ignored[pattern] = always_ignored;
  }
  for (const auto& [pattern, of_a] : patterns_before) {
    const auto of_b = patterns_after.find(pattern);
    if (of_b == patterns_after.end()) continue;
    leave_out(pattern, of_a, of_b->second, a, ignored[pattern], matching.notes);
    leave_out(pattern, of_b->second, of_a, b, ignored[pattern], matching.notes);
  }
  PlacesByIdentity places;
  add_side(a, &ConfigurationComparison::before, ignored, places, matching.configurations);
  add_side(b, &ConfigurationComparison::after, ignored, places, matching.configurations);
  note_spaces(a, b, rules, matching);

  NameSet matched;
  for (const ConfigurationComparison& each : matching.configurations) {
    if (each.before && each.after) matched.insert(each.pattern);
  }
  for (const auto& [pattern, of_a] : patterns_before) {
    const auto of_b = patterns_after.find(pattern);
    if (of_b == patterns_after.end() || matched.contains(pattern)) continue;
    note_disjoint(pattern, of_a, of_b->second, matching.notes);
  }
  return matching;
}

}  // namespace sweep
