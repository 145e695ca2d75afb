#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/metric_list.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/load_sweep.h"
#include "engine/cli/options/shared_options.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/spec/metric.h"

namespace sweep {
namespace {

void print_pattern(const Pattern& pattern) {
  std::cout << fmt::format("{}: {}\n", pattern.name, pattern.summary);
  if (!pattern.family.empty()) std::cout << "Family: " << pattern.family << "\n";
  if (!pattern.help.empty()) std::cout << pattern.help << "\n";
  if (!pattern.reference.empty()) std::cout << "Reference: " << pattern.reference << "\n";
  std::size_t widest = 0;
  for (const Parameter& parameter : pattern.parameters) {
    widest = std::max(widest, parameter.name.size());
  }
  if (!pattern.parameters.empty()) std::cout << "\nParameters:\n";
  for (const Parameter& parameter : pattern.parameters) {
    std::string bounds;
    if (parameter.min) bounds += fmt::format(", at least {}", *parameter.min);
    if (parameter.max) bounds += fmt::format(", at most {}", *parameter.max);
    if (!parameter.device.empty()) bounds += fmt::format("; the device's {}", parameter.device);
    std::cout << fmt::format("  {:<{}}  {} (default {}{}){}{}\n", parameter.name, widest,
                             describe(parameter.kind), parameter.default_value.text(), bounds,
                             parameter.help.empty() ? "" : ": ", parameter.help);
  }
  std::cout << fmt::format("\n{}:\n{}", pattern.path.string(), pattern.source->text);
}

void show_pattern(const std::string& name, const GivenFolders& folders) {
  print_pattern(*find_pattern(name, folders));
}

void show_sweep(const std::string& name, const GivenFolders& folders, const SpaceLimits& limits) {
  const std::filesystem::path file = find_sweep_file(name);
  const LoadedSweep loaded = load_sweep(file, folders, {}, limits);
  std::cout << describe_plan(loaded)
            << fmt::format("\n{}:\n{}", file.string(), loaded.sweep.source->text);
}

void show_metric(const std::string& name) {
  const MetricDefinition* metric = find_metric(name);
  if (metric == nullptr) {
    throw UsageError(fmt::format("there is no metric '{}'; {}", name, suggest_metric(name)));
  }
  std::cout << describe_metric(*metric, terminal_of(STDOUT_FILENO).width_or(unbroken));
}

}  // namespace

CommandLine show_line() {
  CommandLine line("sweep show [OPTIONS] pattern|sweep|metric NAME",
                   "Describes a pattern or a sweep and prints its file, or explains a metric.");
  add_patterns_option(line);
  add_space_option(line);
  line.operands({"pattern|sweep|metric", "NAME"}, 2,
                "show what? for example: sweep show pattern stride");
  return line;
}

int show_command(const GivenOptions& given) {
  const std::vector<std::string>& what = given.operands();
  const GivenFolders folders = given_folders(given);
  if (what[0] == "pattern") {
    show_pattern(what[1], folders);
  } else if (what[0] == "sweep") {
    show_sweep(what[1], folders, given_space_limits(given));
  } else if (what[0] == "metric") {
    show_metric(what[1]);
  } else {
    throw UsageError(fmt::format("cannot show '{}'; write pattern, sweep or metric", what[0]));
  }
  return exit_done;
}

}  // namespace sweep
