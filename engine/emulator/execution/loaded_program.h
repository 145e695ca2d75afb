#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/address_space.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// A program's PTX, read once for all its configurations.
class LoadedProgram {
 public:
  /// Throws ptx::SyntaxError.
  explicit LoadedProgram(const std::string& ptx);

  /// Throws UnsupportedError and ptx::SyntaxError.
  Kernel lower(const std::string& entry) const;
  const ptx::Module& module() const { return module_; }

 private:
  ptx::Module module_;
};

/// The module variables that some kernels name, placed in global memory with their first values.
class ModuleVariables {
 public:
  ModuleVariables(const LoadedProgram& program, AddressSpace& memory);

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

  const LoadedProgram& program_;
  AddressSpace& memory_;
  std::vector<std::uint64_t> addresses_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;  ///< once one is asked for
  /// Placed, but without their first values.
  std::vector<std::pair<const ptx::Variable*, const Allocation*>> unfilled_;
};

}  // namespace sweep
