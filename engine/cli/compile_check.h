#pragma once

#include <span>
#include <string>

#include "engine/run/compile_pool.h"
#include "engine/spec/pattern.h"
#include "engine/text/diagnostic.h"

namespace sweep {

struct CompileCheck {
  Diagnostics messages;  ///< the errors and warnings, each once (see Findings)
  CompileStatistics statistics;
  std::size_t compiled = 0;  ///< configurations
  bool stopped = false;      ///< by the settings' `stop`
};

/// Compiles configurations and works out their sizes, as long as the compiler does not give up too
/// often. Shows how far it is unless `is_quiet`; `file` is the name to show.
CompileCheck compile_check(const std::string& file, std::span<const Configuration> configurations,
                           const CompileSettings& settings, bool is_quiet);

}  // namespace sweep
