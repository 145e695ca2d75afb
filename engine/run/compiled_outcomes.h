#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/jit/compiler.h"

namespace sweep {

class ProgramCache;

/// How to compile.
struct CompileSettings {
  std::shared_ptr<const Nvrtc> nvrtc;
  int compute_capability = 0;     ///< major * 10 + minor
  ProgramCache* cache = nullptr;  ///< null: everything is compiled
  unsigned compilers = 0;         ///< at most so many at a time; 0: the machine's threads
  /// Starts a compiler process (see serve_programs): each compiler has one, so that a compiler that
  /// crashes or hangs costs no more than what it was given. Empty: all compile in this process.
  std::vector<std::string> process_command;
  /// Set, from any thread or a signal's handler, when nobody wants the outcomes any more.
  const std::atomic<bool>* stop = nullptr;
};

/// Compiling was given up: nobody waits for the result any more.
class CompilingStopped : public std::runtime_error {
 public:
  CompilingStopped() : std::runtime_error("compiling was stopped") {}
};

/// What compiling came to so far.
struct CompileStatistics {
  std::size_t configurations = 0;  ///< compiled
  std::size_t from_cache = 0;      ///< found instead
  std::size_t programs = 0;        ///< compiler runs, those that failed included
  double compiler_seconds = 0;     ///< of all runs together
  double wall_seconds = 0;         ///< from the start to the last outcome
  unsigned compilers = 0;          ///< that compiled something
};

/// Outcomes of configurations that are compiled elsewhere, in their order.
class CompiledOutcomes {
 public:
  virtual ~CompiledOutcomes() = default;

  /// The outcome of the next configuration; waits for it if need be, and throws CompilingStopped
  /// soon after the settings' `stop` is set meanwhile. Throws LibraryError when NVRTC breaks,
  /// std::out_of_range when there is no further configuration.
  virtual CompileOutcome next() = 0;

  /// Whether `next` need not wait.
  virtual bool is_ready() const = 0;

  virtual CompileStatistics statistics() const = 0;
};

}  // namespace sweep
