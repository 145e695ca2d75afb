// ld, st, atom, red, prefetch, ldmatrix, stmatrix.

#include <algorithm>
#include <array>
#include <optional>

#include "engine/emulator/lower/memory_modifiers.h"

namespace sweep {
namespace {

using ptx::Operand;
using ptx::Space;

/// The elements of `{a, b}`, or the operand itself.
std::vector<const Operand*> elements_of(const Operand& operand) {
  if (operand.kind != Operand::Kind::list) return {&operand};
  std::vector<const Operand*> list;
  for (const Operand& element : operand.elements) list.push_back(&element);
  return list;
}

/// 128-bit elements are moved as two halves.
void split_wide_elements(MemoryOp& memory) {
  if (memory.type != ptx::Type::b128) return;
  SlotList halves;
  for (const std::uint32_t slot : memory.values) {
    halves.push_back(slot);
    halves.push_back(slot + warp_size * 8);
  }
  memory.values = std::move(halves);
  memory.bits.assign(memory.values.size(), 64);
  memory.type = ptx::Type::b64;
  memory.elements *= 2;
}

MemoryOp memory_op(Lowering& lowering, const MemoryModifiers& modifiers) {
  if (!modifiers.others.empty() || !modifiers.has_type) lowering.refuse();
  constexpr unsigned widest_access = 32;
  const unsigned bytes = ptx::bytes_of(modifiers.type) * modifiers.elements;
  if (bytes == 0 || bytes > widest_access) lowering.refuse();
  MemoryOp memory;
  memory.space = modifiers.space;
  memory.type = modifiers.type;
  memory.elements = modifiers.elements;
  memory.is_volatile = modifiers.is_volatile;
  memory.policy = modifiers.policy;
  const bool may_be_global = modifiers.space == Space::global || modifiers.space == Space::generic;
  lowering.kernel().is_linked |= may_be_global && modifiers.is_seen_by_others;
  return memory;
}

void set_address(Lowering& lowering, MemoryOp& memory, const Operand& operand) {
  const AddressOperand address = lower_address(lowering, operand);
  memory.address = address.slot;
  memory.is_address_64 = address.is_64;
  memory.offset = address.offset;
}

/// Parameters of the kernel are constants of a launch; those of calls lie in local memory.
bool load_parameter(Lowering& lowering, const MemoryModifiers& modifiers) {
  const Operand& from = lowering.operand(1);
  if (from.base != Operand::Base::variable) return false;
  const Lowering::VariablePlace place = lowering.place_of(from.variable);
  if (!place.is_kernel_parameter) return false;
  const unsigned size = ptx::bytes_of(modifiers.type);
  const std::vector<const Operand*> to = elements_of(lowering.operand(0));
  if (!modifiers.others.empty() || !modifiers.has_type || to.size() != modifiers.elements) {
    lowering.refuse();
  }
  const std::uint64_t begin = place.offset + static_cast<std::uint64_t>(from.value);
  const std::uint64_t end = lowering.kernel().parameter_bytes;
  if (size == 0 || begin > end || size * to.size() > end - begin) {
    lowering.refuse("it reads past the kernel's parameters");
  }
  if (modifiers.type == ptx::Type::b128) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    unsigned bits = 0;
    AluOperands operands;
    operands.d = lowering.wide_destination(*to[i], std::max(8 * size, 16U), bits);
    if (bits == 1 || bits == 128 || bits < 8 * size) lowering.refuse("a register does not fit");
    ConstantSlot slot;
    slot.kind = ConstantSlot::Kind::parameter;
    slot.type = modifiers.type;
    slot.bits = static_cast<std::uint8_t>(bits);
    slot.value = begin + i * size;
    operands.a = lowering.add_constant(slot);
    lowering.emit_alu("mov", {bits == 64 ? "b64" : bits == 16 ? "b16" : "b32"}, operands);
  }
  return true;
}

struct AtomicName {
  std::string_view name;
  AtomicOperation operation;
};
constexpr AtomicName atomic_names[] = {
    {"add", AtomicOperation::add},       {"min", AtomicOperation::minimum},
    {"max", AtomicOperation::maximum},   {"inc", AtomicOperation::increment},
    {"dec", AtomicOperation::decrement}, {"and", AtomicOperation::bit_and},
    {"or", AtomicOperation::bit_or},     {"xor", AtomicOperation::bit_xor},
    {"exch", AtomicOperation::exchange}, {"cas", AtomicOperation::compare_exchange},
};

void lower_atomic(Lowering& lowering, bool has_result) {
  MemoryModifiers modifiers = read_memory_modifiers(lowering.instruction());
  std::optional<AtomicOperation> operation;
  for (const std::string_view other : modifiers.others) {
    for (const AtomicName& known : atomic_names) {
      if (known.name == other) operation = known.operation;
    }
  }
  std::erase_if(modifiers.others, [](std::string_view other) {
    return other == "noftz" ||
           std::ranges::find(atomic_names, other, &AtomicName::name) != std::end(atomic_names);
  });
  if (!operation || modifiers.elements != 1) lowering.refuse();
  MemoryOp memory = memory_op(lowering, modifiers);
  memory.operation = *operation;
  const bool may_be_global = memory.space == Space::global || memory.space == Space::generic;
  lowering.kernel().is_linked |= may_be_global;
  const unsigned bits = ptx::bits_of(memory.type);
  if (!has_atomic(memory.operation, memory.type) || bits < 16 || bits > 128 ||
      (bits == 128 && memory.operation != AtomicOperation::exchange &&
       memory.operation != AtomicOperation::compare_exchange)) {
    lowering.refuse();
  }
  memory.has_unused_result = !has_result || lowering.is_result_unused();
  std::size_t next = 0;
  if (has_result) {
    memory.result = lowering.destination(lowering.operand(next++), bits);
  }
  set_address(lowering, memory, lowering.operand(next++));
  const std::size_t values = memory.operation == AtomicOperation::compare_exchange ? 2 : 1;
  const Operand& value = lowering.operand(next);
  memory.is_increment = memory.has_unused_result && memory.operation == AtomicOperation::add &&
                        bits == 32 && value.kind == Operand::Kind::integer && value.value == 1;
  for (std::size_t i = 0; i < values; ++i) {
    memory.values.push_back(lowering.source(lowering.operand(next++), bits));
    memory.bits.push_back(static_cast<std::uint8_t>(bits));
  }
  emit_memory(lowering, OpKind::atomic, std::move(memory));
}

void lower_matrix(Lowering& lowering, bool is_load) {
  MemoryOp memory;
  memory.space = Space::shared;
  memory.type = ptx::Type::b16;
  for (const std::string_view modifier : lowering.instruction().modifiers) {
    if (modifier == "trans") {
      memory.is_transposed = true;
    } else if (modifier == "x1" || modifier == "x2" || modifier == "x4") {
      memory.matrices = static_cast<std::uint32_t>(modifier[1] - '0');
    } else if (modifier != "sync" && modifier != "aligned" && modifier != "m8n8" &&
               modifier != "shared" && modifier != "shared::cta" && modifier != "b16") {
      lowering.refuse();
    }
  }
  const std::size_t address = is_load ? 1 : 0;
  set_address(lowering, memory, lowering.operand(address));
  for (const Operand* element : elements_of(lowering.operand(1 - address))) {
    memory.values.push_back(is_load ? lowering.destination(*element, 32)
                                    : lowering.source(*element, 32));
  }
  if (memory.matrices == 0 || memory.values.size() != memory.matrices) lowering.refuse();
  emit_memory(lowering, is_load ? OpKind::load_matrix : OpKind::store_matrix, std::move(memory));
}

}  // namespace

void lower_load(Lowering& lowering) {
  const MemoryModifiers modifiers = read_memory_modifiers(lowering.instruction());
  if (modifiers.space == Space::param && load_parameter(lowering, modifiers)) return;
  MemoryOp memory = memory_op(lowering, modifiers);
  set_address(lowering, memory, lowering.operand(1));
  if (memory.space == Space::param) {
    memory.is_counted = false;
    memory.space =
        lowering.is_in_kernel_frame() && lowering.operand(1).base != Operand::Base::variable
            ? Space::global
            : Space::local;
    const bool names_parameter =
        lowering.operand(1).base == Operand::Base::variable &&
        lowering.place_of(lowering.operand(1).variable).is_kernel_parameter;
    if (names_parameter) memory.space = Space::global;
  }
  if (memory.space == Space::constant) {
    memory.space = Space::global;
    memory.is_counted = false;
  }
  for (const Operand* element : elements_of(lowering.operand(0))) {
    unsigned bits = 0;
    memory.values.push_back(lowering.wide_destination(*element, ptx::bits_of(memory.type), bits));
    memory.bits.push_back(static_cast<std::uint8_t>(std::max(bits, 16U)));
    if (bits == 1 || bits < ptx::bits_of(memory.type)) lowering.refuse("a register is too narrow");
    if (bits == 128 && memory.type != ptx::Type::b128) lowering.refuse("a register is too wide");
  }
  if (memory.values.size() != memory.elements) lowering.refuse("its vector does not fit");
  split_wide_elements(memory);
  emit_memory(lowering, OpKind::load, std::move(memory));
}

void lower_store(Lowering& lowering) {
  const MemoryModifiers modifiers = read_memory_modifiers(lowering.instruction());
  MemoryOp memory = memory_op(lowering, modifiers);
  set_address(lowering, memory, lowering.operand(0));
  if (memory.space == Space::param) {
    memory.is_counted = false;
    memory.space = Space::local;
  }
  if (memory.space == Space::constant) lowering.refuse("constant memory cannot be written");
  for (const Operand* element : elements_of(lowering.operand(1))) {
    unsigned bits = 0;
    memory.values.push_back(lowering.wide_source(*element, ptx::bits_of(memory.type), bits));
    memory.bits.push_back(static_cast<std::uint8_t>(std::max(bits, 16U)));
    if (bits == 1 || bits < ptx::bits_of(memory.type)) lowering.refuse("a register is too narrow");
    if (bits == 128 && memory.type != ptx::Type::b128) lowering.refuse("a register is too wide");
  }
  if (memory.values.size() != memory.elements) lowering.refuse("its vector does not fit");
  split_wide_elements(memory);
  emit_memory(lowering, OpKind::store, std::move(memory));
}

void lower_atom(Lowering& lowering) {
  lower_atomic(lowering, true);
}

void lower_red(Lowering& lowering) {
  if (lowering.has_modifier("async")) lowering.refuse();
  lower_atomic(lowering, false);
}

void lower_ldmatrix(Lowering& lowering) {
  lower_matrix(lowering, true);
}

void lower_stmatrix(Lowering& lowering) {
  lower_matrix(lowering, false);
}

/// A hint: nothing is read.
void lower_prefetch(Lowering& lowering) {
  if (lowering.has_modifier("tensormap")) lowering.refuse();
}

}  // namespace sweep
