#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/run/compile_queue.h"
#include "engine/run/compiler_process.h"

namespace sweep {

class ProgramCache;

/// How to compile.
struct CompileSettings {
  std::shared_ptr<Nvrtc> nvrtc;
  int compute_capability = 0;     ///< major * 10 + minor
  ProgramCache* cache = nullptr;  ///< null: everything is compiled
  /// That compile. They may serve several pools, at once or one after the other.
  std::shared_ptr<CompilerProcesses> processes = nullptr;
  unsigned compilers = 0;  ///< at most so many at a time; 0: the machine's threads
  /// Set, from any thread or a signal's handler, when nobody wants the outcomes any more.
  const std::atomic<bool>* stop = nullptr;
};

/// The compute capability that NVRTC compiles for so that the device can execute it: an emulated
/// device may be older than NVRTC knows.
int code_capability(const Device& device, const Nvrtc& nvrtc);

/// What compiling came to so far.
struct CompileStatistics {
  std::size_t configurations = 0;  ///< compiled
  std::size_t from_cache = 0;      ///< found instead
  std::size_t programs = 0;        ///< compiler runs, those that failed included
  double compiler_seconds = 0;     ///< of all runs together
  double wall_seconds = 0;         ///< from the start to the last outcome
  unsigned compilers = 0;          ///< that compiled something

  /// Those of pools that worked one after the other, as one.
  CompileStatistics& operator+=(const CompileStatistics& more);
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
  void submit(std::span<const Configuration* const> configurations);
  void submit(const Configuration& configuration) { submit(std::array{&configuration}); }

  /// The outcome of the next configuration, in the order submitted; waits for it if need be, and
  /// throws CompilingStopped soon after the settings' `stop` is set meanwhile. Throws LibraryError
  /// when NVRTC breaks or no compiler process starts, std::out_of_range when no configuration is
  /// left.
  CompileOutcome next() { return queue_.next(settings_.stop); }

  /// Whether `next` need not wait.
  bool is_ready() const { return queue_.is_ready(); }

  CompileStatistics statistics() const;

 private:
  using Outcomes = std::vector<std::optional<CompileOutcome>>;

  void work(CompilerProcess& process, bool is_first);
  Outcomes look_up(std::span<const Configuration> configurations);
  Outcomes compile_shared(std::span<const Configuration> batch, CompilerProcess& process,
                          double& seconds);
  std::vector<CompileOutcome> compile(std::span<const Configuration> batch,
                                      CompilerProcess& process, double& seconds);

  CompileSettings settings_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Compiler compiler_;
  CompileQueue queue_;
  std::atomic<bool> stopped_ = false;
  std::atomic<unsigned> at_work_ = 0;  ///< threads that have a process, or may get one
  mutable std::mutex mutex_;           ///< over the statistics
  CompileStatistics statistics_;
  std::list<CompilerProcess> processes_;
  std::vector<std::thread> threads_;  ///< each takes tasks, with a process behind it
};

}  // namespace sweep
