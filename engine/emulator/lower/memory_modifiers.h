#pragma once

#include "engine/emulator/lower/lowering.h"

namespace sweep {

/// What the modifiers of a memory instruction say, other than its operation.
struct MemoryModifiers {
  ptx::Space space = ptx::Space::generic;
  ptx::Type type = ptx::Type::b32;
  bool has_type = false;
  std::uint32_t elements = 1;
  bool is_volatile = false;
  bool is_seen_by_others = false;  ///< orders memory between the blocks of a grid
  CachePolicy policy = CachePolicy::all_levels;
  std::vector<std::string_view> others;  ///< what is none of these
};

MemoryModifiers read_memory_modifiers(const ptx::Instruction& instruction);

/// Whether values of the type can be updated so: of floating ones there are sums, and least and
/// greatest ones.
bool has_atomic(AtomicOperation operation, ptx::Type type);

/// An address operand, `[base + offset]`.
struct AddressOperand {
  std::uint32_t slot = none;
  bool is_64 = true;
  std::int64_t offset = 0;
};
AddressOperand lower_address(Lowering& lowering, const ptx::Operand& operand);

/// Adds a memory op and the op that refers to it.
void emit_memory(Lowering& lowering, OpKind kind, MemoryOp memory);

}  // namespace sweep
