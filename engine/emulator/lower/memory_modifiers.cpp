#include "engine/emulator/lower/memory_modifiers.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

template <std::size_t count>
bool is_one_of(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 6> orders = {"volatile", "relaxed", "acquire",
                                                    "release",  "acq_rel", "mmio"};
constexpr std::array<std::string_view, 4> scopes = {"cta", "cluster", "gpu", "sys"};
/// Hints that change neither what an access does nor what is counted.
constexpr std::array<std::string_view, 9> hints = {"weak", "ca", "cs", "lu",   "wb",
                                                   "wt",   "nc", "sc", "alias"};

}  // namespace

MemoryModifiers read_memory_modifiers(const ptx::Instruction& instruction) {
  MemoryModifiers result;
  bool is_ordered = false;
  bool is_block_wide = false;
  for (const std::string_view modifier : instruction.modifiers) {
    const std::string_view base = modifier.substr(0, modifier.find("::"));
    const bool is_level = base == "L1" || base == "L2";
    if (const auto space = ptx::find_space(base); space && !is_level) {
      result.space = *space;
    } else if (is_level) {
      continue;  // a hint
    } else if (is_one_of(modifier, orders)) {
      is_ordered = true;
    } else if (is_one_of(modifier, scopes)) {
      is_block_wide = modifier == "cta";
    } else if (modifier == "cg" || modifier == "cv") {
      result.policy = CachePolicy::level_2_only;
    } else if (is_one_of(modifier, hints)) {
      continue;
    } else if (modifier == "v2" || modifier == "v4" || modifier == "v8") {
      result.elements = static_cast<std::uint32_t>(modifier[1] - '0');
    } else if (const auto type = ptx::find_type(modifier)) {
      result.type = *type;
      result.has_type = true;
    } else {
      result.others.push_back(modifier);
    }
  }
  result.is_volatile = is_ordered;
  result.is_seen_by_others = is_ordered && !is_block_wide;
  if (is_ordered && !is_block_wide) result.policy = CachePolicy::level_2_only;
  return result;
}

bool has_atomic(AtomicOperation operation, ptx::Type type) {
  if (!ptx::is_floating(type)) return true;
  if (type == ptx::Type::tf32 || type == ptx::Type::f32x2) return false;
  return operation == AtomicOperation::add || operation == AtomicOperation::minimum ||
         operation == AtomicOperation::maximum;
}

AddressOperand lower_address(Lowering& lowering, const ptx::Operand& operand) {
  using Base = ptx::Operand::Base;
  AddressOperand address;
  if (operand.kind != ptx::Operand::Kind::address) lowering.refuse("it has no address");
  if (operand.base == Base::reg) {
    ptx::Operand base = operand;
    base.kind = ptx::Operand::Kind::reg;
    unsigned bits = 0;
    address.slot = lowering.wide_source(base, 64, bits);
    if (bits != 32 && bits != 64) lowering.refuse("its address has another width");
    address.is_64 = bits == 64;
    address.offset = operand.value;
  } else if (operand.base == Base::variable) {
    address.slot = lowering.address_of(operand.variable, operand.value, 64);
  } else {
    address.slot = lowering.constant(static_cast<std::uint64_t>(operand.value), 64);
  }
  return address;
}

void emit_memory(Lowering& lowering, OpKind kind, MemoryOp memory) {
  Op op;
  op.kind = kind;
  op.detail = static_cast<std::uint32_t>(lowering.kernel().memory.size());
  op.may_wait = kind == OpKind::atomic || memory.is_volatile;
  op.instruction = lowering.note_instruction();
  lowering.kernel().memory.push_back(std::move(memory));
  lowering.emit(op);
}

}  // namespace sweep
