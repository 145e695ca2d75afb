#include "engine/cli/options/load_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/spec/pattern.h"
#include "engine/text/read_source.h"
#include "engine/text/units.h"

namespace sweep {

std::vector<Override> overrides_of(const std::vector<std::string>& set_arguments) {
  std::vector<Override> overrides;
  for (const std::string& argument : set_arguments) {
    overrides.push_back({std::make_shared<Source>(Source{"--set", argument})});
  }
  return overrides;
}

LoadedSweep load_sweep(const std::filesystem::path& file, const GivenFolders& folders,
                       const std::vector<std::string>& set_arguments, SpaceLimits limits) {
  const PatternLibrary library(pattern_folders(folders.patterns, file), include_folders(folders));
  Sweep sweep = parse_sweep(read_source(file), file, library.lookup(), overrides_of(set_arguments));
  Space space = enumerate(sweep, limits);
  return {std::move(sweep), std::move(space), limits};
}

void enumerate_again(LoadedSweep& loaded) {
  loaded.space = {};
  loaded.space = enumerate(loaded.sweep, loaded.limits);
}

namespace {

/// "STRIDE x 32", "(ROWS, TILE) x 2"
std::string describe_axis(const Axis& axis) {
  const std::string names = fmt::format("{}", fmt::join(axis.names, ", "));
  return axis.names.size() == 1 ? fmt::format("{} x {}", names, axis.rows.size())
                                : fmt::format("({}) x {}", names, axis.rows.size());
}

}  // namespace

std::string describe_plan(const LoadedSweep& loaded) {
  const Sweep& sweep = loaded.sweep;
  const Space& space = loaded.space;
  std::string text = sweep.name;
  if (!sweep.summary.empty()) text += ": " + sweep.summary;
  std::vector<std::string> parts;
  if (sweep.patterns.size() > 1)
    parts.push_back(fmt::format("pattern x {}", sweep.patterns.size()));
  for (const Axis& axis : sweep.axes) parts.push_back(describe_axis(axis));
  text += fmt::format("\n  {}", count_of(space.configurations.size(), "configuration"));
  if (!parts.empty()) text += fmt::format(": {}", fmt::join(parts, ", "));
  if (space.configurations.size() != space.combinations) {
    text += fmt::format("; {} in all", count_of(space.combinations, "combination"));
  }
  text += '\n';
  for (const Removed& removed : space.removed) {
    if (removed.count == 0) continue;
    text += fmt::format("  {} removed by {} ({})\n", format_thousands(removed.count),
                        removed.constraint, removed.origin);
  }
  return text;
}

std::string describe_search_plan(const TuneRules& rules, const std::vector<TuningGroup>& groups) {
  std::size_t configurations = 0;
  for (const TuningGroup& group : groups) configurations += group.configurations.size();
  std::vector<std::string> wanted;
  for (const TuneObjective& objective : rules.objectives) {
    wanted.push_back(fmt::format(
        "the {} {}", objective.better == Better::higher ? "highest" : "lowest", objective.metric));
  }
  std::string text = fmt::format("  searches {} for {}", count_of(configurations, "configuration"),
                                 fmt::join(wanted, ", or else "));
  const bool has_several = groups.size() > 1;
  const std::string all = count_of(groups.size(), "group");
  if (rules.budget.configurations) {
    text += fmt::format(", at most {} of {}", format_thousands(*rules.budget.configurations),
                        has_several ? "each of " + all : "them");
  } else if (has_several) {
    text += ", in " + all;
  }
  if (rules.budget.seconds) {
    text += fmt::format(", for at most {} s{}", *rules.budget.seconds, has_several ? " each" : "");
  }
  return text + '\n';
}

}  // namespace sweep
