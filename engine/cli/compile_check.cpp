#include "engine/cli/compile_check.h"

#include <fmt/format.h>

#include <set>

#include "engine/cli/message_gist.h"
#include "engine/run/workload.h"

namespace sweep {
namespace {

/// The mistakes in a configuration's sizes: its grid, block, buffers, arguments and useful bytes.
Diagnostics size_mistakes(const Configuration& configuration,
                          const CompiledConfiguration& compiled) {
  Diagnostics mistakes;
  try {
    make_workload(configuration, compiled);
    useful_traffic_of(configuration);
  } catch (const InputError& error) {
    mistakes = error.diagnostics();
  } catch (const ExecutionFailure& failure) {
    mistakes.error({configuration.pattern->source}, failure.what());
  }
  return mistakes;
}

}  // namespace

CompileCheck compile_check(std::span<const Configuration> configurations,
                           const CompileSettings& settings) {
  CompileAhead compiled_ahead(settings, configurations);
  CompileCheck check;
  std::set<std::string> seen;
  const auto add = [&](const Diagnostics& messages, const Configuration& configuration) {
    for (Diagnostic message : messages.list()) {
      // The assembler names no file.
      if (message.where.source == nullptr) message.where.source = configuration.pattern->source;
      if (!seen.insert(gist_of(message)).second) continue;
      if (message.severity == Severity::error && message.help.empty()) {
        message.help = fmt::format("seen with {}", to_string(configuration));
      }
      check.messages.add(std::move(message));
    }
  };
  for (const Configuration& configuration : configurations) {
    const CompileOutcome outcome = compiled_ahead.next();
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
      add(failure->errors, configuration);
    } else {
      const auto& compiled = std::get<CompiledConfiguration>(outcome);
      add(compiled.warnings, configuration);
      add(size_mistakes(configuration, compiled), configuration);
    }
  }
  check.statistics = compiled_ahead.statistics();
  return check;
}

}  // namespace sweep
