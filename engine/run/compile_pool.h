#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "engine/jit/compiler.h"
#include "engine/run/compiler_process.h"

namespace sweep {

class ProgramCache;

/// How to compile.
struct CompileSettings {
  std::shared_ptr<const Nvrtc> nvrtc;
  int compute_capability = 0;     ///< major * 10 + minor
  ProgramCache* cache = nullptr;  ///< null: everything is compiled
  /// That compile. They may serve several pools, at once or one after the other.
  std::shared_ptr<CompilerProcesses> processes = nullptr;
  unsigned compilers = 0;  ///< at most so many at a time; 0: the machine's threads
  /// Set, from any thread or a signal's handler, when nobody wants the outcomes any more.
  const std::atomic<bool>* stop = nullptr;
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

/// Compiles configurations on many cores, in batches, ahead of the caller: a space that is known at
/// once, or configurations as a search chooses them. What the cache has, or what another process
/// with the same cache is compiling, is taken from there.
class CompilePool {
 public:
  /// The cache must outlive this. Throws LibraryError when NVRTC cannot compile for the compute
  /// capability.
  explicit CompilePool(const CompileSettings& settings);
  /// Submits at once.
  CompilePool(const CompileSettings& settings, std::span<const Configuration> configurations);
  /// Drops what waits, and what is being compiled.
  ~CompilePool();
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  /// Further configurations, each of which must outlive its outcome's being taken.
  void submit(std::span<const Configuration> configurations);
  void submit(const Configuration& configuration) { submit({&configuration, 1}); }

  /// The outcome of the next configuration, in the order submitted; waits for it if need be, and
  /// throws CompilingStopped soon after the settings' `stop` is set meanwhile. Throws LibraryError
  /// when NVRTC breaks or no compiler process starts, std::out_of_range when no configuration is
  /// left.
  CompileOutcome next();

  /// Whether `next` need not wait.
  bool is_ready() const;

  CompileStatistics statistics() const;

 private:
  class Farm;
  std::unique_ptr<Farm> farm_;
};

}  // namespace sweep
