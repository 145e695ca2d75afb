#pragma once

#include <memory>
#include <string>

#include "engine/run/compile_pool.h"

namespace sweep {

/// Compiler processes that do what the word says; see scripted_compiler.cpp.
inline std::shared_ptr<CompilerProcesses> compilers_that(const std::string& word) {
  return std::make_shared<CompilerProcesses>(
      std::vector<std::string>{SWEEP_SCRIPTED_COMPILER, word});
}

/// NVRTC, in processes that all tests share.
inline std::shared_ptr<CompilerProcesses> nvrtc_processes() {
  static const auto processes = compilers_that("nvrtc");
  return processes;
}

}  // namespace sweep
