#pragma once

#include <span>

#include "engine/run/compile_ahead.h"
#include "engine/spec/configuration.h"
#include "engine/text/diagnostic.h"

namespace sweep {

struct CompileCheck {
  /// The errors and warnings, each once (two that differ in their figures alone are one), the
  /// errors with the configuration they first show up in.
  Diagnostics messages;
  CompileStatistics statistics;
};

/// Compiles configurations and works out their sizes.
CompileCheck compile_check(std::span<const Configuration> configurations,
                           const CompileSettings& settings);

}  // namespace sweep
