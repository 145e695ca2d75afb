#include "report/compare/configuration_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/text/diagnostic.h"
#include "engine/text/units.h"
#include "report/compare/compared_metric.h"
#include "report/display_text.h"
#include "report/parameter_values.h"

namespace sweep {
namespace {

/// A point's name in the comparison.
struct Entry {
  std::size_t place = 0;  ///< in the run's points
  PointRecord key;        ///< pattern, parameters and which are derived alone, renamed
};

/// Names of parameters by pattern.
using NamesOfPatterns = std::map<std::string, std::set<std::string>>;

struct RunSide {
  std::string name;  ///< "A" or "B"
  std::vector<Entry> entries;
};

/// The values of each parameter of a pattern, and of how many configurations.
struct PatternNames {
  std::size_t configurations = 0;
  std::map<std::string, ParameterValues> parameters;
};

RunSide run_side_of(const char* name, std::span<const StoredPoint> points,
                    std::span<const Renamed> renamed) {
  const auto now = [&](const std::string& old) {
    const auto found = std::ranges::find(renamed, old, &Renamed::before);
    return found != renamed.end() ? found->after : old;
  };
  RunSide side{name, {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    Entry entry;
    entry.place = i;
    entry.key.key.pattern_name = now(points[i].point.key.pattern_name);
    for (const auto& [parameter, value] : points[i].point.key.parameters.entries()) {
      entry.key.key.parameters.set(now(parameter), value);
    }
    for (const std::string& parameter : points[i].point.derived) {
      entry.key.derived.push_back(now(parameter));
    }
    side.entries.push_back(std::move(entry));
  }
  return side;
}

std::set<std::string> names_of(const RunSide& side) {
  std::set<std::string> names = {"pattern"};
  for (const Entry& entry : side.entries) {
    for (const auto& [name, value] : entry.key.key.parameters.entries()) names.insert(name);
  }
  return names;
}

/// Names in a condition that are element types ("T == float") are no parameters.
std::vector<std::string> parameters_in(const Expression& condition) {
  std::vector<std::string> names = condition.names();
  std::erase_if(names, [](const std::string& name) { return ElementType::find(name).has_value(); });
  return names;
}

void check_known(const Expression& condition, const std::set<std::string>& known) {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& name : parameters_in(condition)) {
    if (known.contains(name)) continue;
    throw InputError(condition.where(), fmt::format("neither run has a parameter {}", name),
                     suggest(name, names, "there are"));
  }
}

/// Kinds that do not fit, in every point of the run, are a mistake in the condition.
void check_kind(const Expression& condition, const RunSide& side) {
  if (side.entries.empty()) return;
  Diagnostics diagnostics;
  for (const Entry& entry : side.entries) {
    Diagnostics of_entry;
    const auto kind = condition.check(scope_of(environment_of(entry.key)), of_entry);
    if (kind == ValueKind::boolean) return;
    if (kind) {
      throw InputError(condition.where(), "a condition is true or false, this is not",
                       "write for example STRIDE <= 8");
    }
    if (diagnostics.empty()) diagnostics = of_entry;
  }
  throw InputError(diagnostics);
}

/// Keeps what the condition holds for; a note when the run lacks a name in it.
void restrict_to(const Expression& condition, RunSide& side, std::vector<std::string>& notes) {
  const std::set<std::string> known = names_of(side);
  const std::vector<std::string> used = parameters_in(condition);
  const auto unknown =
      std::ranges::find_if(used, [&](const std::string& name) { return !known.contains(name); });
  if (unknown != used.end()) {
    notes.push_back(fmt::format("'{}' does not restrict {}, which has no parameter {}",
                                condition.text(), side.name, *unknown));
    return;
  }
  check_kind(condition, side);
  std::erase_if(side.entries, [&](const Entry& entry) { return !holds(condition, entry.key); });
}

void apply_conditions(const MatchRules& rules, RunSide& before, RunSide& after,
                      std::vector<std::string>& notes) {
  std::set<std::string> known = names_of(before);
  known.merge(names_of(after));
  for (const Expression& condition : rules.where) {
    check_known(condition, known);
    for (RunSide* side : {&before, &after}) {
      restrict_to(condition, *side, notes);
      if (side->entries.empty()) {
        throw ComparisonError(
            fmt::format("'{}' leaves no configuration of {}", condition.text(), side->name));
      }
    }
  }
}

std::map<std::string, PatternNames> patterns_of(const RunSide& side) {
  std::map<std::string, std::vector<const PointRecord*>> points;
  for (const Entry& entry : side.entries) points[entry.key.key.pattern_name].push_back(&entry.key);
  std::map<std::string, PatternNames> patterns;
  for (const auto& [pattern, records] : points) {
    PatternNames& names = patterns[pattern];
    names.configurations = records.size();
    for (ParameterValues& parameter : parameters_of(records)) {
      if (parameter.name == "pattern") continue;
      std::string name = parameter.name;
      names.parameters.emplace(std::move(name), std::move(parameter));
    }
  }
  return patterns;
}

/// What both runs computed from others is no part of what a configuration is, nor is what one
/// computed and the other lacks.
void leave_out_derived(const PatternNames& before, const PatternNames& after,
                       std::set<std::string>& ignored) {
  const auto add = [&](const PatternNames& own, const PatternNames& others) {
    for (const auto& [name, parameter] : own.parameters) {
      const auto found = others.parameters.find(name);
      const bool is_given = found != others.parameters.end() && !found->second.is_derived;
      if (parameter.is_derived && !is_given) ignored.insert(name);
    }
  };
  add(before, after);
  add(after, before);
}

/// What of a pattern's parameters takes no part in matching: those that only `side` has, and that
/// are constant there.
void leave_out(const std::string& pattern, const PatternNames& own, const PatternNames& others,
               const RunSide& side, std::set<std::string>& ignored,
               std::vector<std::string>& notes) {
  for (const auto& [name, parameter] : own.parameters) {
    if (others.parameters.contains(name) || ignored.contains(name)) continue;
    if (!parameter.varies()) {
      ignored.insert(name);
      notes.push_back(
          fmt::format("only {} has the parameter {} of {}, which is {} there: the "
                      "other parameters decide what is the same configuration",
                      side.name, name, pattern, parameter.show(parameter.values()[0])));
    } else {
      notes.push_back(fmt::format(
          "only {0} has the parameter {1} of {2}, which has {3} values there: choose "
          "one with --where \"{1} == {4}\"",
          side.name, name, pattern, parameter.values().size(), to_string(parameter.values()[0])));
    }
  }
}

/// For a pattern of which nothing matches: the parameters without a value in common.
void note_disjoint(const std::string& pattern, const PatternNames& before,
                   const PatternNames& after, std::vector<std::string>& notes) {
  for (const auto& [name, values] : before.parameters) {
    const auto found = after.parameters.find(name);
    if (found == after.parameters.end()) continue;
    const ParameterValues& others = found->second;
    const bool common = std::ranges::any_of(values.values(), [&](const Value& value) {
      return others.rank_of(value) < others.values().size();
    });
    if (common) continue;
    const auto shown = [](const ParameterValues& parameter) {
      return parameter.varies() ? fmt::format("{} values", parameter.values().size())
                                : parameter.show(parameter.values()[0]);
    };
    notes.push_back(fmt::format(
        "{0} of {1} is {2} in A and {3} in B, none in common; --ignore {0} leaves it out", name,
        pattern, shown(values), shown(others)));
  }
}

/// The values of each parameter among all of the run's patterns.
std::vector<ParameterValues> values_of(const RunSide& side) {
  std::vector<const PointRecord*> keys;
  for (const Entry& entry : side.entries) keys.push_back(&entry.key);
  return parameters_of(keys);
}

/// "4, 8 and 16 only in A"; empty where the other run has all of the values.
std::string only_in(const RunSide& side, const ParameterValues& own,
                    const ParameterValues& others) {
  constexpr std::size_t most_listed = 6;
  std::vector<std::string> values;
  for (const Value& value : own.values()) {
    if (others.rank_of(value) == others.values().size()) values.push_back(own.show(value));
  }
  if (values.empty()) return {};
  const bool is_short = values.size() <= most_listed;
  return fmt::format("{} only in {}",
                     is_short ? in_words(values) : count_of(values.size(), "value"), side.name);
}

/// What only one of the runs has: how many configurations, and which values.
void note_spaces(const RunSide& a, const RunSide& b, const Matching& matching,
                 const MatchRules& rules, std::vector<std::string>& notes) {
  const auto both = static_cast<std::size_t>(std::ranges::count_if(
      matching.configurations,
      [](const ConfigurationMatch& match) { return match.before && match.after; }));
  const std::size_t only_a = a.entries.size() - both;
  const std::size_t only_b = b.entries.size() - both;
  if (only_a + only_b == 0) return;
  std::string note = fmt::format("the spaces differ: {} in both, {} only in A, {} only in B",
                                 count_of(both, "configuration"), format_thousands(only_a),
                                 format_thousands(only_b));
  const std::vector<ParameterValues> others = values_of(b);
  for (const ParameterValues& before : values_of(a)) {
    const ParameterValues* after = find_parameter(others, before.name);
    const bool is_ignored = std::ranges::find(rules.ignored, before.name) != rules.ignored.end();
    const bool is_derived = after != nullptr && before.is_derived && after->is_derived;
    if (after == nullptr || is_ignored || is_derived) continue;
    std::vector<std::string> parts = {only_in(a, before, *after), only_in(b, *after, before)};
    std::erase(parts, "");
    if (!parts.empty()) note += fmt::format("; {}: {}", before.name, in_words(parts));
  }
  notes.push_back(std::move(note));
}

/// The same text for the same configuration.
std::string identity_of(const std::string& pattern, const Bindings& parameters) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, value] : parameters.entries()) {
    sorted[name] = fmt::format("{} {}", value.index(), to_string(value));
  }
  std::string identity = pattern;
  for (const auto& [name, value] : sorted) identity += fmt::format("\n{}={}", name, value);
  return identity;
}

class Matcher {
 public:
  explicit Matcher(NamesOfPatterns ignored) : ignored_(std::move(ignored)) {}

  void add(const RunSide& side, std::optional<std::size_t> ConfigurationMatch::*place) {
    for (const Entry& entry : side.entries) {
      const PointKey& key = entry.key.key;
      ConfigurationMatch match{key.pattern_name, {}, {}, {}};
      const std::set<std::string>& ignored = ignored_[key.pattern_name];
      for (const auto& [name, value] : key.parameters.entries()) {
        if (!ignored.contains(name)) match.parameters.set(name, value);
      }
      const auto [found, is_new] =
          places_.emplace(identity_of(match.pattern, match.parameters), matches_.size());
      if (is_new) matches_.push_back(std::move(match));
      auto& taken = matches_[found->second].*place;
      if (taken) fail(side, matches_[found->second]);
      taken = entry.place;
    }
  }

  std::vector<ConfigurationMatch> take() { return std::move(matches_); }

 private:
  [[noreturn]] void fail(const RunSide& side, const ConfigurationMatch& match) {
    const std::set<std::string>& ignored = ignored_[match.pattern];
    const std::vector<std::string> names(ignored.begin(), ignored.end());
    throw ComparisonError(fmt::format(
        "{} has several configurations {}{}{}; choose one with --where", side.name,
        to_string(match.parameters).empty() ? match.pattern
                                            : match.pattern + " " + to_string(match.parameters),
        names.empty() ? "" : " that differ in ", in_words(names)));
  }

  NamesOfPatterns ignored_;
  std::map<std::string, std::size_t> places_;
  std::vector<ConfigurationMatch> matches_;
};

void check_ignored(const MatchRules& rules, const RunSide& before, const RunSide& after) {
  std::set<std::string> known = names_of(before);
  known.merge(names_of(after));
  known.erase("pattern");
  const std::vector<std::string> names(known.begin(), known.end());
  for (const std::string& name : rules.ignored) {
    if (known.contains(name)) continue;
    throw ComparisonError(fmt::format("--ignore {}: neither run has such a parameter; {}", name,
                                      suggest(name, names, "there are")));
  }
}

void check_renamed(const MatchRules& rules, std::span<const StoredPoint> before) {
  for (const Renamed& renamed : rules.renamed) {
    const bool used = std::ranges::any_of(before, [&](const StoredPoint& stored) {
      return stored.point.key.pattern_name == renamed.before ||
             stored.point.key.parameters.find(renamed.before) != nullptr;
    });
    if (!used) {
      throw ComparisonError(fmt::format("--rename {}={}: A has no pattern or parameter {}",
                                        renamed.before, renamed.after, renamed.before));
    }
  }
}

}  // namespace

Matching match_configurations(std::span<const StoredPoint> before,
                              std::span<const StoredPoint> after, const MatchRules& rules) {
  Matching matching;
  check_renamed(rules, before);
  RunSide a = run_side_of("A", before, rules.renamed);
  RunSide b = run_side_of("B", after, {});
  check_ignored(rules, a, b);
  apply_conditions(rules, a, b, matching.notes);

  const auto patterns_before = patterns_of(a);
  const auto patterns_after = patterns_of(b);
  NamesOfPatterns ignored;
  for (const auto& patterns : {patterns_before, patterns_after}) {
    for (const auto& [pattern, names] : patterns) {
      ignored[pattern].insert(rules.ignored.begin(), rules.ignored.end());
    }
  }
  for (const auto& [pattern, names] : patterns_before) {
    const auto found = patterns_after.find(pattern);
    if (found == patterns_after.end()) continue;
    leave_out_derived(names, found->second, ignored[pattern]);
    leave_out(pattern, names, found->second, a, ignored[pattern], matching.notes);
    leave_out(pattern, found->second, names, b, ignored[pattern], matching.notes);
  }
  Matcher matcher(ignored);
  matcher.add(a, &ConfigurationMatch::before);
  matcher.add(b, &ConfigurationMatch::after);
  matching.configurations = matcher.take();
  note_spaces(a, b, matching, rules, matching.notes);

  std::set<std::string> matched;
  for (const ConfigurationMatch& match : matching.configurations) {
    if (match.before && match.after) matched.insert(match.pattern);
  }
  for (const auto& [pattern, names] : patterns_before) {
    const auto found = patterns_after.find(pattern);
    if (found == patterns_after.end() || matched.contains(pattern)) continue;
    note_disjoint(pattern, names, found->second, matching.notes);
  }
  return matching;
}

}  // namespace sweep
