#include "engine/cli/commands/exported_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/cli/command_error.h"
#include "engine/space/enumerate.h"
#include "engine/spec/sweep.h"

namespace sweep {
namespace {

/// A best configuration and what it was found among.
struct Winner {
  const ExportedRun* run = nullptr;
  const PointRecord* point = nullptr;
};

std::vector<Winner> winners_of(std::span<const ExportedRun> runs) {
  std::vector<Winner> winners;
  for (const ExportedRun& run : runs) {
    for (const BestConfiguration& best : run.best) winners.push_back({&run, &point_of(run, best)});
  }
  return winners;
}

DeviceFigures figures_of(const Device& device) {
  return {device.multiprocessors, static_cast<std::int64_t>(device.l2_bytes)};
}

/// Whether the winner has the value that the parameter takes without being given.
bool follows_by_default(const Parameter& parameter, const Winner& winner) {
  const Bindings& values = winner.point->key.parameters;
  const Value* value = values.find(parameter.name);
  if (value == nullptr) return true;
  const Device& device = winner.run->results.run.provenance.device;
  const std::int64_t figure = device_figure(figures_of(device), parameter.device);
  if (!parameter.device.empty() && figure > 0) return *value == Value(figure);
  try {
    return parameter.default_value.evaluate(values) == *value;
  } catch (const InputError&) {
    return false;
  }
}

bool varies(const std::string& name, const Winner& winner) {
  const PointKey& key = winner.point->key;
  const Value* value = key.parameters.find(name);
  return std::ranges::any_of(winner.run->results.points, [&](const StoredPoint& stored) {
    if (stored.point.key.pattern_name != key.pattern_name) return false;
    const Value* other = stored.point.key.parameters.find(name);
    return value != nullptr && other != nullptr && *other != *value;
  });
}

/// Whether the default follows from other parameters; "float" is a name in it, but no parameter's.
bool is_derived(const Parameter& parameter, const Pattern& pattern) {
  return std::ranges::any_of(parameter.default_value.names(), [&](const std::string& name) {
    return pattern.find_parameter(name) != nullptr;
  });
}

bool must_be_given(const Parameter& parameter, const Pattern& pattern,
                   const std::vector<Winner>& winners, std::size_t devices) {
  const auto follows = [&](const Winner& winner) { return follows_by_default(parameter, winner); };
  if (!std::ranges::all_of(winners, follows)) return true;
  // Each device would take its own figure.
  if (!parameter.device.empty()) return devices > 1;
  if (is_derived(parameter, pattern)) return false;
  return std::ranges::any_of(winners,
                             [&](const Winner& winner) { return varies(parameter.name, winner); });
}

std::map<std::string, std::vector<Winner>> by_pattern(std::span<const ExportedRun> runs) {
  std::map<std::string, std::vector<Winner>> winners;
  for (const Winner& winner : winners_of(runs)) {
    winners[winner.point->key.pattern_name].push_back(winner);
  }
  return winners;
}

/// A configuration with its values in no order.
using Identity = std::pair<std::string, std::map<std::string, Value>>;

Identity identity_of(const std::string& pattern, const Bindings& parameters) {
  return {pattern, {parameters.entries().begin(), parameters.entries().end()}};
}

std::set<Identity> configurations_of(const std::string& text, const PatternLookup& lookup,
                                     const Device& device) {
  const auto source = std::make_shared<Source>(Source{"the exported sweep", text});
  Sweep sweep = parse_sweep(source, "exported.yaml", lookup, {});
  apply_device_figures(sweep, figures_of(device));
  std::set<Identity> configurations;
  for (const Configuration& configuration : enumerate(sweep).configurations) {
    configurations.insert(identity_of(configuration.pattern->name, configuration.parameters));
  }
  return configurations;
}

}  // namespace

PatternPtr stored_pattern(const PointKey& key) {
  Diagnostics ignored;
  // A folder that cannot be: the text in a database is no reason to read a file.
  const std::filesystem::path file =
      std::filesystem::path("/dev/null") / "stored" /
      (std::filesystem::path(key.pattern_name).filename().string() + ".cu");
  return parse_pattern(std::make_shared<Source>(Source{file.filename().string(), key.pattern_text}),
                       file, ignored);
}

GivenParameters parameters_to_give(std::span<const ExportedRun> runs) {
  GivenParameters given;
  for (const auto& [name, winners] : by_pattern(runs)) {
    const PatternPtr pattern = stored_pattern(winners.back().point->key);
    if (pattern == nullptr) continue;
    std::vector<std::string>& names = given[name];
    for (const Parameter& parameter : pattern->parameters) {
      if (must_be_given(parameter, *pattern, winners, runs.size())) names.push_back(parameter.name);
    }
  }
  return given;
}

std::vector<std::string> emulators_own_parameters(const ExportedRun& run) {
  const bool is_on_gpu = run.results.run.provenance.device.backend == "cuda";
  if (!run.is_ranked_by_counts() || is_on_gpu) return {};
  const auto source =
      std::make_shared<Source>(Source{"the stored sweep", run.results.run.provenance.sweep_text});
  std::map<std::string, PatternPtr> patterns;
  for (const StoredPoint& stored : run.results.points) {
    PatternPtr& pattern = patterns[stored.point.key.pattern_name];
    if (pattern == nullptr) pattern = stored_pattern(stored.point.key);
  }
  const auto lookup = [&](const std::string& name, const Location&, Diagnostics&) {
    return patterns[name];
  };
  std::vector<Axis> stated;
  try {
    stated = parse_sweep(source, "stored.yaml", lookup, {}).emulator_set;
  } catch (const InputError&) {
    return {};
  }
  std::vector<std::string> own;
  const auto is_own = [&](const std::string& name) {
    return std::ranges::find(own, name) != own.end();
  };
  for (const BestConfiguration& best : run.best) {
    const Winner winner{&run, &point_of(run, best)};
    const PatternPtr& pattern = patterns[winner.point->key.pattern_name];
    if (pattern == nullptr) continue;
    for (const Parameter& parameter : pattern->parameters) {
      const Value* value = winner.point->key.parameters.find(parameter.name);
      // A --set may have given another value than the sweep.
      const bool is_stated = std::ranges::any_of(stated, [&](const Axis& axis) {
        return axis.names.front() == parameter.name && value != nullptr &&
               std::ranges::find(axis.rows, std::vector<Value>{*value}) != axis.rows.end();
      });
      const bool is_derived =
          !parameter.device.empty() || std::ranges::any_of(parameter.default_value.names(), is_own);
      const bool is_new = is_stated || (is_derived && follows_by_default(parameter, winner));
      if (is_new && !is_own(parameter.name)) own.push_back(parameter.name);
    }
  }
  return own;
}

void check_exported_sweep(const std::string& text, std::span<const ExportedRun> runs) {
  std::map<std::string, PatternPtr> patterns;
  for (const auto& [name, winners] : by_pattern(runs)) {
    patterns[name] = stored_pattern(winners.back().point->key);
    if (patterns[name] == nullptr) return;
  }
  const auto lookup = [&](const std::string& name, const Location&, Diagnostics&) {
    return patterns.at(name);
  };
  const std::string help = "; --format header and --format json can say it";
  std::set<Identity> wanted;
  for (const Winner& winner : winners_of(runs)) {
    wanted.insert(identity_of(winner.point->key.pattern_name, winner.point->key.parameters));
  }
  try {
    const Device& device = runs.back().results.run.provenance.device;
    if (configurations_of(text, lookup, device) == wanted) return;
  } catch (const InputError& error) {
    throw CommandError(exit_bad_input,
                       fmt::format("one sweep cannot hold these configurations: {}{}",
                                   error.diagnostics().list().front().message, help));
  }
  throw CommandError(exit_bad_input,
                     "one sweep cannot hold exactly these configurations: their patterns have "
                     "changed between the runs, or give one name to different things" +
                         help);
}

}  // namespace sweep
