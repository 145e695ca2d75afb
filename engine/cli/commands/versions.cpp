#include "engine/cli/commands/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/spec/map_reader.h"
#include "engine/text/line_difference.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view out_of_git =
    "a version out of git: git show HEAD~1:patterns/x.cu > /tmp/x.cu";

std::array<PatternPtr, 2> read_both(const GivenOptions& given) {
  const std::string& a = given.operands()[0];
  const std::string& b = given.operands()[1];
  std::error_code error;
  if (fs::equivalent(a, b, error)) {
    throw UsageError("{} and {} are one file; compare two versions of it, {}", a, b, out_of_git);
  }
  const GivenFolders folders = given_folders(given);
  return {find_pattern(a, folders), find_pattern(b, folders)};
}

/// What names may stand for in a sweep of both: A's parameters and structs, and those that only B
/// has.
PatternPtr joint_pattern(const std::array<PatternPtr, 2>& patterns) {
  auto joint = std::make_shared<Pattern>(*patterns[0]);
  Diagnostics diagnostics;
  for (const Parameter& parameter : patterns[1]->parameters) {
    const Parameter* other = joint->find_parameter(parameter.name);
    if (other == nullptr) {
      joint->parameters.push_back(parameter);
    } else if (other->kind != parameter.kind) {
      diagnostics.error(
          parameter.where,
          fmt::format("'{}' is {} here and {} in {}", parameter.name, describe(parameter.kind),
                      describe(other->kind), patterns[0]->source->name),
          "two versions of a kernel have parameters of the same kinds: rename one");
    }
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  for (const Struct& type : patterns[1]->structs) {
    if (!joint->declares(type.name)) joint->structs.push_back(type);
  }
  return joint;
}

bool is_one_sided(const std::array<PatternPtr, 2>& patterns, const std::string& name) {
  const auto has = [&](std::size_t i) { return patterns[i]->find_parameter(name) != nullptr; };
  return has(0) != has(1);
}

/// Several values of what one version lacks would give it several equal configurations.
void check_axes(const KernelVersions& versions) {
  Diagnostics diagnostics;
  for (const auto* axes : {&versions.sweep.axes, &versions.sweep.emulator_set}) {
    for (const Axis& axis : *axes) {
      for (const std::string& name : axis.names) {
        if (axis.rows.size() < 2 || !is_one_sided(versions.patterns, name)) continue;
        const std::size_t owner = versions.patterns[0]->find_parameter(name) != nullptr ? 0 : 1;
        diagnostics.error(
            axis.where, fmt::format("only {} has a parameter '{}'", name_of(versions, owner), name),
            "compare one of its values at a time, or leave it out for its default");
      }
    }
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
}

/// The names that axes give values to, and that both versions have.
std::vector<std::string> shared_axes(const KernelVersions& versions) {
  std::vector<std::string> names;
  for (const Axis& axis : versions.sweep.axes) {
    for (const std::string& name : axis.names) {
      const bool is_shared = std::ranges::all_of(versions.patterns, [&](const PatternPtr& pattern) {
        return pattern->find_parameter(name) != nullptr;
      });
      if (is_shared) names.push_back(name);
    }
  }
  return names;
}

[[noreturn]] void fail_without_pairs(const KernelVersions& versions,
                                     const std::array<Space, 2>& spaces) {
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    if (!spaces[i].configurations.empty()) continue;
    const auto removed = std::ranges::find_if(spaces[i].removed, &Removed::count);
    throw CommandError(exit_bad_input, "no configuration of {} is left: {} does not hold",
                       name_of(versions, i),
                       removed != spaces[i].removed.end() ? removed->constraint : "a constraint");
  }
  throw CommandError(exit_bad_input, "{} and {} have no configuration in common",
                     name_of(versions, 0), name_of(versions, 1));
}

/// Notes the parameters whose values differ in a pair, by different defaults.
void note_different_values(KernelVersions& versions) {
  const std::vector<Configuration>& configurations = versions.space.configurations;
  for (const Parameter& parameter : versions.patterns[0]->parameters) {
    for (std::size_t i = 0; i + 1 < configurations.size(); i += 2) {
      const Value* before = configurations[i].parameters.find(parameter.name);
      const Value* after = configurations[i + 1].parameters.find(parameter.name);
      if (before == nullptr || after == nullptr || *before == *after) continue;
      versions.ignored.push_back(parameter.name);
      versions.notes.push_back(fmt::format(
          "the defaults differ: {0} is {1} in A and {2} in B; --set {0}={1} gives it to both",
          parameter.name, to_string(*before), to_string(*after)));
      break;
    }
  }
}

/// A file of a version's source.
struct VersionFile {
  std::string name;     ///< as messages show it
  std::string written;  ///< how an #include names it; empty: the pattern itself
  std::string_view text;
};

std::vector<VersionFile> files_of(const Pattern& pattern) {
  std::vector<VersionFile> files = {{pattern.source->name, {}, pattern.source->text}};
  for (const IncludedFile& file : pattern.included.files) {
    files.push_back({file.name, file.written, file.text});
  }
  return files;
}

std::vector<std::string> costs_on(const std::optional<Explanation>& explanation,
                                  const VersionFile& file, std::size_t line) {
  std::vector<std::string> costs;
  if (!explanation) return costs;
  for (const AccessCost& access : explanation->accesses) {
    if (access.line != line || access.is_in_pattern != file.written.empty()) continue;
    if (!access.is_in_pattern && !is_same_file(compiler_file_name(file.name), access.file))
      continue;
    costs.push_back(describe_cost(access, *explanation));
  }
  return costs;
}

ChangedFile changed_lines(const VersionFile& before, const VersionFile& after,
                          const std::array<std::optional<Explanation>, 2>& explanations) {
  ChangedFile changed = {before.name, after.name, {}};
  const auto lines_before = lines_of(before.text);
  const auto lines_after = lines_of(after.text);
  for (const ComparedLine& both : compare_lines(before.text, after.text)) {
    ChangedLine line;
    line.text = both.before ? lines_before[*both.before] : lines_after[*both.after];
    if (both.before) {
      line.before = *both.before + 1;
      line.costs_before = costs_on(explanations[0], before, line.before);
    }
    if (both.after) {
      line.after = *both.after + 1;
      line.costs_after = costs_on(explanations[1], after, line.after);
    }
    const bool is_kept = both.before && both.after;
    const bool are_both_known = explanations[0] && explanations[1];
    if (is_kept && (!are_both_known || line.costs_before == line.costs_after)) continue;
    changed.lines.push_back(std::move(line));
  }
  return changed;
}

}  // namespace

std::string name_of(const KernelVersions& versions, std::size_t version) {
  return fmt::format("{} ({})", version == 0 ? "A" : "B",
                     versions.patterns.at(version)->source->name);
}

KernelVersions read_versions(const GivenOptions& given, const std::vector<Expression>& conditions) {
  const std::vector<SourcePtr> set = given_set(given);
  KernelVersions versions = {read_both(given), {}};
  const PatternPtr& a = versions.patterns[0];
  const PatternPtr& b = versions.patterns[1];
  const PatternPtr joint = joint_pattern(versions.patterns);
  const bool has_file = given.operands().size() > 2;
  const fs::path path = has_file ? find_sweep_file(given.operands()[2]) : b->path;
  const SourcePtr source = has_file ? read_source(path)
                                    : std::make_shared<Source>(Source{
                                          b->source->name, fmt::format("pattern: {}\n", b->name)});
  const PatternLibrary library = pattern_library(given_folders(given), path);
  bool is_named = false;
  Location other;  // a pattern that is neither
  const PatternLookup lookup = [&](const std::string& name, const Location& where,
                                   Diagnostics& diagnostics) {
    if (name == a->name || name == b->name) {
      is_named = true;
      return joint;
    }
    other = where;
    return library.load(name, where, diagnostics);
  };
  versions.sweep = parse_sweep(source, path, lookup, set);
  if (!is_named) {
    const std::string names = a->name == b->name ? fmt::format("'{}'", a->name)
                                                 : fmt::format("'{}' and '{}'", a->name, b->name);
    throw InputError(other, fmt::format("this sweep is not of {}", names),
                     "name a sweep of the pattern, or vary its parameters with --set");
  }
  versions.sweep.patterns = {a, b};
  versions.sweep.tune.reset();
  versions.sweep.expect.clear();
  Diagnostics diagnostics;
  Scope scope = scope_of(*joint);
  scope.add("pattern", ValueKind::word);
  for (const Expression& condition : conditions) {
    check_kind(condition, scope, ValueKind::boolean, "a condition", diagnostics,
               "write for example STRIDE <= 8");
    versions.sweep.where.push_back(condition);
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  check_axes(versions);
  return versions;
}

void pair_configurations(KernelVersions& versions, const DeviceFigures& figures,
                         const SpaceLimits& limits) {
  std::array<Space, 2> spaces;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    Sweep own = versions.sweep;
    own.patterns = {versions.patterns[i]};
    apply_device_figures(own, figures);
    spaces[i] = enumerate(own, limits);
  }
  const std::vector<std::string> names = shared_axes(versions);
  const auto values_of = [&](const Configuration& configuration) {
    std::vector<Value> values;
    for (const std::string& name : names) values.push_back(*configuration.parameters.find(name));
    return values;
  };
  std::map<std::vector<Value>, const Configuration*> later;
  for (const Configuration& each : spaces[1].configurations) later.emplace(values_of(each), &each);
  std::vector<Configuration>& pairs = versions.space.configurations;
  for (const Configuration& each : spaces[0].configurations) {
    const auto found = later.find(values_of(each));
    if (found == later.end()) continue;
    pairs.push_back(each);
    pairs.push_back(*found->second);
  }
  if (pairs.empty()) fail_without_pairs(versions, spaces);
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const std::size_t left_out = spaces[i].configurations.size() - pairs.size() / 2;
    if (left_out == 0) continue;
    versions.notes.push_back(fmt::format("{} that only {} allows {} left out",
                                         count_of(left_out, "configuration"), i == 0 ? "A" : "B",
                                         left_out == 1 ? "is" : "are"));
  }
  note_different_values(versions);
}

std::vector<ChangedFile> changed_files(
    const KernelVersions& versions, const std::array<std::optional<Explanation>, 2>& explanations) {
  std::vector<VersionFile> later = files_of(*versions.patterns[1]);
  std::vector<ChangedFile> files;
  const auto add = [&](const VersionFile& before, const VersionFile& after) {
    ChangedFile changed = changed_lines(before, after, explanations);
    if (!changed.lines.empty()) files.push_back(std::move(changed));
  };
  for (const VersionFile& before : files_of(*versions.patterns[0])) {
    const auto after = std::ranges::find(later, before.written, &VersionFile::written);
    if (after == later.end()) {
      add(before, {});
    } else {
      add(before, *after);
      later.erase(after);
    }
  }
  for (const VersionFile& after : later) add({}, after);
  return files;
}

}  // namespace sweep
