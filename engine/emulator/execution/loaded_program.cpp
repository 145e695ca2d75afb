#include "engine/emulator/execution/loaded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/emulator/lower/inline_calls.h"
#include "engine/emulator/lower/lower.h"
#include "engine/emulator/machine/lazy_memory.h"
#include "engine/text/units.h"

namespace sweep {

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

ModuleVariables::ModuleVariables(const ptx::Module& program, AddressSpace& memory)
    : program_(program), memory_(memory), addresses_(program.variables().size(), 0) {}

void ModuleVariables::place_for(const Kernel& kernel) {
  for (const std::uint32_t index : kernel.variables) place(index);
  // Initialisers name further variables, and those others: a list, since the chain may be long.
  while (!unfilled_.empty()) {
    const auto [variable, allocation] = unfilled_.back();
    unfilled_.pop_back();
    fill(*variable, *allocation);
  }
}

void ModuleVariables::place(std::uint32_t index) {
  if (addresses_[index] != 0) return;
  const ptx::Variable& variable = program_.variables()[index];
  if (variable.is_extern) {
    throw UnsupportedError(
        fmt::format("the variable '{}' is declared extern and nothing defines it", variable.name));
  }
  require_room(variable);
  Allocation& allocation =
      memory_.allocate(variable_name(variable.name), std::max<std::uint64_t>(variable.bytes, 1),
                       std::max(ptx::bytes_of(variable.type), 1U));
  addresses_[index] = allocation.base;
  if (variable.space == ptx::Space::constant) allocation.why_read_only = "which is read-only";
  if (!variable.initial.empty()) unfilled_.emplace_back(&variable, &allocation);
}

std::uint32_t ModuleVariables::named(const std::string& symbol, const ptx::Variable& variable) {
  if (by_name_.empty()) {
    const std::vector<ptx::Variable>& all = program_.variables();
    for (std::uint32_t i = 0; i < all.size(); ++i) by_name_.emplace(all[i].name, i);
  }
  const auto found = by_name_.find(symbol);
  if (found != by_name_.end()) return found->second;
  throw UnsupportedError(fmt::format(
      "the variable '{}' holds the address of '{}', which is no variable", variable.name, symbol));
}

void ModuleVariables::fill(const ptx::Variable& variable, const Allocation& allocation) {
  for (const ptx::Variable::Cell& cell : variable.initial) {
    std::uint64_t value = cell.bits;
    if (!cell.symbol.empty()) {
      const std::uint32_t index = named(cell.symbol, variable);
      place(index);
      value = (value + addresses_[index]) >> cell.shift;
    }
    // What a cell of 128 bits has beyond a value's 64 is zero.
    if (cell.offset + cell.size <= allocation.bytes) {
      std::memcpy(allocation.host + cell.offset, &value,
                  std::min<std::size_t>(cell.size, sizeof value));
    }
  }
}

std::shared_ptr<const ptx::Module> LoadedPrograms::get(
    const std::shared_ptr<const Program>& program) {
  constexpr std::size_t most_kept = 16;
  std::packaged_task<std::shared_ptr<const ptx::Module>()> load(
      [&] { return std::make_shared<const ptx::Module>(program->ptx); });
  std::shared_future<std::shared_ptr<const ptx::Module>> loaded;
  bool is_known = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(entries_, program, &Entry::program);
    is_known = found != entries_.end();
    if (is_known) {
      entries_.splice(entries_.begin(), entries_, found);
    } else {
      entries_.push_front({program, load.get_future().share()});
      if (entries_.size() > most_kept) entries_.pop_back();
    }
    loaded = entries_.front().loaded;
  }
  if (!is_known) load();
  return loaded.get();
}

}  // namespace sweep
