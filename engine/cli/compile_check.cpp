#include "engine/cli/compile_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/run/compile_ahead.h"

namespace sweep {

Diagnostics compile_check(std::span<const Configuration> configurations, int compute_capability) {
  const Compiler compiler(std::make_shared<Nvrtc>(), compute_capability);
  CompileAhead compiled(compiler, configurations);
  Diagnostics result;
  std::vector<std::string> seen;
  const auto add = [&](const Diagnostics& messages, const Configuration& configuration) {
    for (Diagnostic message : messages.list()) {
      std::string text = render(message);
      if (std::ranges::find(seen, text) != seen.end()) continue;
      seen.push_back(std::move(text));
      if (message.severity == Severity::error && message.help.empty()) {
        message.help = fmt::format("seen with {}", to_string(configuration));
      }
      result.add(std::move(message));
    }
  };
  for (const Configuration& configuration : configurations) {
    const CompileOutcome outcome = compiled.next();
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
      add(failure->errors, configuration);
    } else {
      add(std::get<CompiledConfiguration>(outcome).warnings, configuration);
    }
  }
  return result;
}

}  // namespace sweep
