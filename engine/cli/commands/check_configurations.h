#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/run/compile_pool.h"
#include "engine/spec/pattern.h"
#include "engine/text/diagnostic.h"

namespace sweep {

struct CompileCheck {
  Diagnostics messages;  ///< the errors and warnings, each once: two at one place that differ in
                         ///< figures alone are one
  CompileStatistics statistics;
  std::size_t compiled = 0;  ///< configurations
  bool stopped = false;      ///< by the settings' `stop`
};

/// Compiles configurations and works out their sizes, as long as the compiler does not give up too
/// often. Shows how far it is unless `is_quiet`; `file` is the name to show.
CompileCheck compile_check(const std::string& file, std::span<const Configuration> configurations,
                           const CompileSettings& settings, bool is_quiet);

/// How much of the configurations' work is executed.
enum class CheckDepth {
  quick,     ///< some blocks of each
  budgeted,  ///< all of as many as check_budget allows, some blocks of the others
  exact,     ///< everything
};

/// Thread instructions for the configurations of a file, with what their buffers' elements take to
/// be filled and verified: half a minute of one core at most, for most kernels.
constexpr std::uint64_t check_budget = 6'000'000'000;

/// What executing configurations found.
struct ExecutionCheck {
  Diagnostics mistakes;
  std::size_t executed = 0;
  std::size_t in_part = 0;     ///< of those, how many without some of their blocks
  std::size_t unverified = 0;  ///< and how many of whose results only a part was verified
  double verified_share = 1;   ///< of the elements of the latter
};

/// Executes configurations that compile on the emulator, with every check it has. Each mistake of
/// the kernels is given once. After a few kernels that do not end, those that follow
/// are left out, and all that follow once the `stop` of `compile` is set. The compute capability of
/// `compile` is replaced by the emulated device's. Shows how far it is unless `is_quiet`; `file` is
/// the name to show. What the budget allows is the same on every machine.
ExecutionCheck check_execution(const std::string& file,
                               std::span<const Configuration> configurations,
                               const CompileSettings& compile, EmulatorSettings settings,
                               CheckDepth depth, bool is_quiet);

}  // namespace sweep
