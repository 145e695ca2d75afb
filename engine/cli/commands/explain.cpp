#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/commands/explanations.h"
#include "engine/cli/options/compile_options.h"
#include "engine/cli/options/device_options.h"
#include "engine/cli/options/find_sources.h"
#include "engine/cli/options/load_sweep.h"
#include "engine/cli/options/operands.h"
#include "engine/cli/options/shared_options.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/explain/explanation.h"
#include "engine/run/workload.h"
#include "engine/space/enumerate.h"

namespace sweep {
namespace {

/// The pattern's one configuration: a sweep over nothing but what --set gives.
Configuration configuration_of(const PatternPtr& pattern, const std::vector<std::string>& set) {
  const auto source = std::make_shared<Source>(
      Source{pattern->source->name, fmt::format("pattern: {}\n", pattern->name)});
  const PatternLookup lookup = [&](const std::string&, const Location&, Diagnostics&) {
    return pattern;
  };
  const Sweep sweep = parse_sweep(source, pattern->path, lookup, overrides_of(set));
  for (const Axis& axis : sweep.axes) {
    if (axis.rows.size() == 1) continue;
    throw UsageError(
        fmt::format("one configuration is explained, but --set {0} gives {1} values; "
                    "write one, for example --set {0}={2}",
                    axis.names.front(), axis.rows.size(), to_string(axis.rows.front().front())));
  }
  const Space space = enumerate(sweep);
  if (space.configurations.size() == 1) return space.configurations.front();
  std::string reason;
  for (const Removed& removed : space.removed) {
    if (removed.count != 0) reason = removed.constraint;
  }
  throw CommandError(exit_usage, fmt::format("{} does not allow this configuration: it needs {}",
                                             pattern->name, reason));
}

}  // namespace

CommandLine explain_line() {
  CommandLine line(
      "sweep explain [OPTIONS] PATTERN",
      "Executes one configuration of a pattern on the emulator and shows, line by line,\n"
      "what its memory accesses cost and what would make them cheaper. Needs no GPU.\n"
      "PATTERN is a file, or the name of one that 'sweep list patterns' shows.");
  line.repeatable("set", "NAME=VALUE",
                  "replace a parameter's default; may be given for several names");
  add_patterns_option(line);
  line.flag("exact", "execute every block, however long it takes");
  line.flag("json", "write one JSON object instead of text");
  add_emulator_options(line);
  line.operands({"PATTERN"}, 1, "explain what? for example: sweep explain stride --set STRIDE=8");
  return line;
}

int explain_command(const GivenOptions& given) {
  check_operand("explain", Operand::pattern, given.operands().front());
  const std::vector<std::string> set = given_set(given);
  EmulatorSettings settings = given_emulator_settings(given);
  if (given.has("exact")) make_exact(settings);
  settings.notes_shapes = true;
  auto compilers = compiler_processes(1);
  const PatternPtr pattern = find_pattern(given.operands().front(), given_folders(given));
  const Configuration configuration = configuration_of(pattern, set);
  const CompileSettings compile =
      compile_settings(std::make_shared<Nvrtc>(), 0, nullptr, std::move(compilers));
  const CompiledConfiguration compiled = compile_for_emulator(configuration, compile, settings);
  std::cerr << render(compiled.warnings, terminal_of(STDERR_FILENO).color);
  try {
    const Explanation explanation =
        explain_workload(configuration, make_workload(configuration, compiled), settings, true);
    std::cout << (given.has("json") ? write_explanation_json(explanation)
                                    : write_listing(explanation, terminal_of(STDOUT_FILENO).color));
    return exit_done;
  } catch (const ExecutionFailure& failure) {
    throw CommandError(exit_points_failed,
                       fmt::format("{}: {}", to_string(configuration), failure.what()));
  }
}

}  // namespace sweep
