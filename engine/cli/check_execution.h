#pragma once

#include <span>
#include <string>

#include "engine/emulator/execution/settings.h"
#include "engine/run/compile_pool.h"
#include "engine/spec/configuration.h"
#include "engine/text/diagnostic.h"

namespace sweep {

/// What executing configurations found.
struct ExecutionCheck {
  Diagnostics mistakes;
  std::size_t executed = 0;
  std::size_t in_part = 0;  ///< of those, how many without some of their blocks
};

/// Executes configurations that compile on the emulator, with every check it has, as much of each
/// as takes a fraction of a second. Each mistake of the kernels is given once (see Findings). After
/// a few kernels that do not end, those that follow are left out, and all that follow once the
/// `stop` of `compile` is set. The compute capability of `compile` is replaced by the emulated
/// device's. Shows how far it is unless `is_quiet`; `file` is the name to show.
ExecutionCheck check_execution(const std::string& file,
                               std::span<const Configuration> configurations,
                               const CompileSettings& compile, EmulatorSettings settings,
                               bool is_quiet);

}  // namespace sweep
