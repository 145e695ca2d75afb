#pragma once

#include <memory>
#include <span>

#include "engine/run/compiled_outcomes.h"

namespace sweep {

/// Compiles configurations on many cores ahead of the caller: in batches, in threads and processes,
/// so that whoever measures does not wait. Only so many configurations are compiled ahead.
class CompileAhead : public CompiledOutcomes {
 public:
  /// Starts at once. The configurations and the cache must outlive this. Throws LibraryError when
  /// NVRTC cannot compile for the compute capability.
  CompileAhead(const CompileSettings& settings, std::span<const Configuration> configurations);
  /// Does not wait for what nobody takes any more, but for programs that threads are compiling.
  ~CompileAhead() override;
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  CompileOutcome next() override;
  bool is_ready() const override;
  CompileStatistics statistics() const override;

 private:
  class Farm;
  std::unique_ptr<Farm> farm_;
};

}  // namespace sweep
