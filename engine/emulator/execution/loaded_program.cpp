#include "engine/emulator/execution/loaded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/emulator/lower/lower.h"
#include "engine/emulator/machine/memory_watch.h"
#include "engine/text/units.h"

namespace sweep {

LoadedProgram::LoadedProgram(const std::string& ptx) : module_(ptx) {}

Kernel LoadedProgram::lower(const std::string& entry) const {
  return sweep::lower(module_, entry, best_simd());
}

namespace {

void require_room(const ptx::Variable& variable) {
  try {
    MemoryWatch::of_process().require(variable.bytes);
  } catch (const MemoryShortage& shortage) {
    throw UnsupportedError(fmt::format("out of memory: the variable '{}' has {}, {}", variable.name,
                                       format_bytes(variable.bytes), shortage.what()));
  }
}

}  // namespace

ModuleVariables::ModuleVariables(const LoadedProgram& program, AddressSpace& memory)
    : program_(program), memory_(memory), addresses_(program.module().variables().size(), 0) {}

void ModuleVariables::place_for(const Kernel& kernel) {
  for (const std::uint32_t index : kernel.variables) place(index);
}

void ModuleVariables::place(std::uint32_t index) {
  if (addresses_[index] != 0) return;
  const ptx::Variable& variable = program_.module().variables()[index];
  if (variable.is_extern) {
    throw UnsupportedError(
        fmt::format("the variable '{}' is declared extern and nothing defines it", variable.name));
  }
  require_room(variable);
  Allocation& allocation =
      memory_.allocate(variable.name, std::max<std::uint64_t>(variable.bytes, 1),
                       std::max(ptx::bytes_of(variable.type), 1U));
  addresses_[index] = allocation.base;
  fill(variable, allocation);
  allocation.is_read_only = variable.space == ptx::Space::constant;
}

void ModuleVariables::fill(const ptx::Variable& variable, Allocation& allocation) {
  const std::vector<ptx::Variable>& all = program_.module().variables();
  for (const ptx::Variable::Cell& cell : variable.initial) {
    std::uint64_t value = cell.bits;
    if (!cell.symbol.empty()) {
      const auto named = std::ranges::find(all, cell.symbol, &ptx::Variable::name);
      if (named == all.end()) {
        throw UnsupportedError(
            fmt::format("the variable '{}' holds the address of '{}', which is "
                        "no variable",
                        variable.name, cell.symbol));
      }
      const auto index = static_cast<std::uint32_t>(named - all.begin());
      place(index);
      value = (value + addresses_[index]) >> cell.shift;
    }
    if (cell.size <= sizeof value && cell.offset + cell.size <= allocation.bytes) {
      std::memcpy(allocation.host + cell.offset, &value, cell.size);
    }
  }
}

}  // namespace sweep
