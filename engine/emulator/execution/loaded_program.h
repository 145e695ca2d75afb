#pragma once

#include <cstdint>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/address_space.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// The module variables that some kernels name, placed in global memory with their first values.
class ModuleVariables {
 public:
  ModuleVariables(const ptx::Module& program, AddressSpace& memory);

  /// Places what the kernel names and is not placed yet, and what those initialisers name. Throws
  /// UnsupportedError.
  void place_for(const Kernel& kernel);
  /// By the module's index; 0 for those not placed.
  const std::vector<std::uint64_t>& addresses() const { return addresses_; }

 private:
  void place(std::uint32_t index);
  void fill(const ptx::Variable& variable, const Allocation& allocation);
  /// The index of what an initialiser of `variable` names.
  std::uint32_t named(const std::string& symbol, const ptx::Variable& variable);

  const ptx::Module& program_;
  AddressSpace& memory_;
  std::vector<std::uint64_t> addresses_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  ///< once one is asked for
  /// Placed, but without their first values.
  std::vector<std::pair<const ptx::Variable*, const Allocation*>> unfilled_;
};

/// The PTX that emulators have read last, for all of them: a program is read once for all its
/// configurations, whichever thread comes first. Safe to use from several threads.
class LoadedPrograms {
 public:
  /// Throws ptx::SyntaxError.
  std::shared_ptr<const ptx::Module> get(const std::shared_ptr<const Program>& program);

 private:
  struct Entry {
    std::shared_ptr<const Program> program;
    std::shared_future<std::shared_ptr<const ptx::Module>> loaded;
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the one used last first
};

}  // namespace sweep
