#pragma once

#include <future>
#include <span>
#include <vector>

#include "engine/jit/compiler.h"

namespace sweep {

/// Compiles configurations in batches, one batch ahead of the caller: while a batch is measured,
/// the next compiles on another thread.
class CompileAhead {
 public:
  /// The configurations must outlive this. The first batch is small, so that measuring starts
  /// soon.
  CompileAhead(const Compiler& compiler, std::span<const Configuration> configurations);
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  /// The outcome of the next configuration, in order; waits for it if need be.
  CompileOutcome next();

 private:
  void start_batch();

  const Compiler& compiler_;
  std::span<const Configuration> remaining_;  ///< not yet handed to the compiler
  std::size_t batch_size_;
  std::future<std::vector<CompileOutcome>> ahead_;
  std::vector<CompileOutcome> ready_;
  std::size_t taken_ = 0;
};

}  // namespace sweep
