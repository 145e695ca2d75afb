#pragma once

#include <memory>

#include "engine/backend/backend.h"
#include "engine/cuda/handles.h"
#include "engine/cuda/recently_used.h"

namespace sweep {

/// Whether a program has variables in device memory other than its parameters. They keep what a
/// kernel writes to them for as long as the module is loaded.
bool has_device_variables(const Program& program);

/// The modules of the programs used last, by the programs' identity, so that configurations of
/// several programs may take turns.
class ModuleCache {
 public:
  /// A module as it is after loading: one with variables is loaded anew each time. Valid until
  /// the next call. Throws CudaError.
  const Module& get(const std::shared_ptr<const Program>& program);
  void clear() { modules_.clear(); }
  /// How often a module was loaded so far.
  std::uint64_t loads() const { return loads_; }

  static constexpr std::size_t capacity = 64;

 private:
  struct Loaded {
    Module module;
    bool reusable = false;
  };
  RecentlyUsed<std::shared_ptr<const Program>, Loaded> modules_{capacity};
  std::uint64_t loads_ = 0;
};

}  // namespace sweep
