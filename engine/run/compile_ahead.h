#pragma once

#include <memory>
#include <span>
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
  /// Starts a compiler process (see serve_programs). Empty: all compilers are threads.
  std::vector<std::string> process_command;
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

/// Compiles configurations on many cores ahead of the caller: in batches, in threads and processes,
/// so that whoever measures does not wait. Only so many configurations are compiled ahead.
class CompileAhead {
 public:
  /// Starts at once. The configurations and the cache must outlive this. Throws LibraryError when
  /// NVRTC cannot compile for the compute capability.
  CompileAhead(const CompileSettings& settings, std::span<const Configuration> configurations);
  /// Does not wait for what nobody takes any more, but for programs that threads are compiling.
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  /// The outcome of the next configuration, in order; waits for it if need be. Throws LibraryError
  /// when NVRTC breaks, std::out_of_range after the last.
  CompileOutcome next();

  /// Whether `next` need not wait.
  bool is_ready() const;

  CompileStatistics statistics() const;

 private:
  class Farm;
  std::unique_ptr<Farm> farm_;
};

}  // namespace sweep
