#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "engine/cli/command.h"
#include "engine/cli/command_line.h"
#include "engine/cli/data_folders.h"
#include "engine/cli/emulator_options.h"
#include "engine/cli/find_pattern.h"
#include "engine/cli/pattern_options.h"
#include "engine/cli/terminal.h"
#include "engine/cli/wrong_operand.h"
#include "engine/emulator/execution/emulator_backend.h"
#include "engine/explain/listing.h"
#include "engine/run/code_capability.h"
#include "engine/run/workload.h"
#include "engine/space/enumerate.h"

namespace sweep {
namespace {

namespace po = boost::program_options;

constexpr int usual_model = 90;

struct ExplainOptions {
  std::string pattern;
  std::vector<std::string> set;
  std::vector<std::string> folders;
  bool is_json = false;
  EmulatorSettings settings;
};

std::optional<ExplainOptions> read_options(const Arguments& arguments) {
  CommandLine line(
      "sweep explain [OPTIONS] PATTERN",
      "Executes one configuration of a pattern on the emulator and shows, line by line,\n"
      "what its memory accesses cost and what would make them cheaper. Needs no GPU.\n"
      "PATTERN is a file, or the name of one that 'sweep list patterns' shows.");
  line.options()("set",
                 po::value<std::vector<std::string>>()->composing()->value_name("NAME=VALUE"),
                 "replace a parameter's default; may be given for several names");
  add_patterns_option(line);
  line.options()("exact", "execute every block, however long it takes")(
      "json", "write one JSON object instead of text");
  add_emulator_options(line);
  line.operands("pattern", 1);
  const auto values = line.parse(arguments);
  if (!values) return std::nullopt;
  if (values->count("pattern") == 0) {
    throw UsageError("explain what? for example: sweep explain stride --set STRIDE=8");
  }
  ExplainOptions options;
  options.pattern = (*values)["pattern"].as<std::vector<std::string>>().front();
  check_operand("explain", Operand::pattern, options.pattern);
  options.set = given_set(*values);
  options.folders = given_patterns(*values);
  options.is_json = values->count("json") != 0;
  options.settings = given_emulator_settings(*values, usual_model);
  options.settings.is_exact = values->count("exact") != 0;
  options.settings.notes_shapes = true;
  return options;
}

/// The pattern's one configuration: a sweep over nothing but what --set gives.
Configuration configuration_of(const PatternPtr& pattern, const std::vector<std::string>& set) {
  std::vector<Override> overrides;
  for (const std::string& argument : set) {
    overrides.push_back({std::make_shared<Source>(Source{"--set", argument})});
  }
  const auto source = std::make_shared<Source>(
      Source{pattern->source->name, fmt::format("pattern: {}\n", pattern->name)});
  const PatternLookup lookup = [&](const std::string&, const Location&, Diagnostics&) {
    return pattern;
  };
  const Sweep sweep = parse_sweep(source, pattern->path, lookup, overrides);
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

/// Compiles; shows the compiler's warnings.
CompiledConfiguration compile(const Configuration& configuration,
                              const std::shared_ptr<const Nvrtc>& nvrtc, const Device& device) {
  const Compiler compiler(nvrtc, code_capability(device, *nvrtc));
  const std::vector<CompileOutcome> outcomes = compiler.compile({&configuration, 1});
  if (const auto* failure = std::get_if<CompileFailure>(&outcomes.front())) {
    throw InputError(failure->errors);
  }
  const auto& compiled = std::get<CompiledConfiguration>(outcomes.front());
  std::cerr << render(compiled.warnings, terminal_of(STDERR_FILENO).color);
  return compiled;
}

/// Executes and checks. Throws ExecutionFailure.
std::unique_ptr<EmulatorExecution> execute(const Configuration& configuration,
                                           const CompiledConfiguration& compiled,
                                           EmulatorBackend& backend) {
  const Workload workload = make_workload(configuration, compiled);
  std::unique_ptr<EmulatorExecution> execution = backend.prepare_emulated(workload, false);
  execution->initialise();
  execution->launch();
  if (const auto mismatch = execution->verify()) throw ExecutionFailure(*mismatch);
  return execution;
}

}  // namespace

int explain_command(const Arguments& arguments) {
  const auto options = read_options(arguments);
  if (!options) return exit_done;
  const PatternPtr pattern = find_pattern(options->pattern, options->folders);
  const Configuration configuration = configuration_of(pattern, options->set);
  const auto nvrtc = std::make_shared<const Nvrtc>();
  EmulatorBackend backend(options->settings);
  const CompiledConfiguration compiled = compile(configuration, nvrtc, backend.device());
  try {
    const auto execution = execute(configuration, compiled, backend);
    const Explanation explanation =
        explain(configuration, backend.device().name, options->settings.model, *execution);
    std::cout << (options->is_json ? write_explanation_json(explanation)
                                   : write_listing(explanation, terminal_of(STDOUT_FILENO).color));
    return exit_done;
  } catch (const ExecutionFailure& failure) {
    throw CommandError(exit_points_failed,
                       fmt::format("{}: {}", to_string(configuration), failure.what()));
  }
}

}  // namespace sweep
