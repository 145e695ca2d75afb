// mov with its vectors, cvta, isspacep, and what changes nothing.

#include <algorithm>
#include <array>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

std::string_view type_name_of_bits(unsigned bits) {
  return bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
}

void copy(Lowering& lowering, std::uint32_t to, std::uint32_t from, unsigned bits) {
  AluOperands operands;
  operands.d = to;
  operands.a = from;
  lowering.emit_alu("mov", {bits == 1 ? "pred" : type_name_of_bits(bits)}, operands);
}

constexpr std::uint32_t half_of_128 = warp_size * 8;

/// d = {parts...}, of `bits` together.
void pack(Lowering& lowering, std::uint32_t d, const std::vector<std::uint32_t>& parts,
          unsigned bits) {
  if (bits == 128 && parts.size() == 2) {
    copy(lowering, d, parts[0], 64);
    copy(lowering, d + half_of_128, parts[1], 64);
    return;
  }
  if (parts.size() == 2) {
    AluOperands operands;
    operands.d = d;
    operands.a = parts[0];
    operands.b = parts[1];
    lowering.emit_alu("pack", {type_name_of_bits(bits)}, operands);
    return;
  }
  const std::size_t middle = parts.size() / 2;
  const unsigned half = bits / 2;
  const std::uint32_t low = lowering.temporary(half);
  const std::uint32_t high = lowering.temporary(half);
  pack(lowering, low, {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(middle)}, half);
  pack(lowering, high, {parts.begin() + static_cast<std::ptrdiff_t>(middle), parts.end()}, half);
  pack(lowering, d, {low, high}, bits);
}

void unpack(Lowering& lowering, const std::vector<std::uint32_t>& parts, std::uint32_t a,
            unsigned bits) {
  if (bits == 128 && parts.size() == 2) {
    copy(lowering, parts[0], a, 64);
    copy(lowering, parts[1], a + half_of_128, 64);
    return;
  }
  if (parts.size() == 2) {
    // A part may be the source itself: the second is written from what was read.
    AluOperands operands;
    operands.d = parts[0];
    operands.d2 = parts[1];
    operands.a = a;
    lowering.emit_alu("unpack", {type_name_of_bits(bits)}, operands);
    return;
  }
  const std::size_t middle = parts.size() / 2;
  const unsigned half = bits / 2;
  const std::uint32_t low = lowering.temporary(half);
  const std::uint32_t high = lowering.temporary(half);
  unpack(lowering, {low, high}, a, bits);
  unpack(lowering, {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(middle)}, low, half);
  unpack(lowering, {parts.begin() + static_cast<std::ptrdiff_t>(middle), parts.end()}, high, half);
}

/// The width of each part of a list, or 0 where it makes no sense.
unsigned part_bits(const Operand& list, unsigned bits) {
  const std::size_t count = list.elements.size();
  if (count != 2 && count != 4) return 0;
  const auto part = static_cast<unsigned>(bits / count);
  return part == 16 || part == 32 || part == 64 ? part : 0;
}

std::uint64_t window_of(std::string_view space) {
  if (space.starts_with("shared")) return shared_window;
  return space == "local" ? local_window : 0;
}

/// cvta{.to}.space.u64: shared and local memory have windows among the generic addresses.
}  // namespace

void lower_mov(Lowering& lowering) {
  const std::vector<std::string_view>& modifiers = lowering.instruction().modifiers;
  const auto type = modifiers.size() == 1 ? ptx::find_type(modifiers[0]) : std::nullopt;
  if (!type) lowering.refuse();
  const unsigned bits = ptx::bits_of(*type);
  if (bits == 8) lowering.refuse();
  const Operand& to = lowering.operand(0);
  const Operand& from = lowering.operand(1);
  if (to.kind == Operand::Kind::list) {
    const unsigned part = part_bits(to, bits);
    if (part == 0) lowering.refuse("its vector does not fit");
    const std::uint32_t a = lowering.source(from, bits);
    std::vector<std::uint32_t> parts;
    for (const Operand& element : to.elements) parts.push_back(lowering.destination(element, part));
    unpack(lowering, parts, a, bits);
    return;
  }
  const std::uint32_t d = lowering.destination(to, bits);
  if (from.kind == Operand::Kind::list) {
    const unsigned part = part_bits(from, bits);
    if (part == 0) lowering.refuse("its vector does not fit");
    std::vector<std::uint32_t> parts;
    for (const Operand& element : from.elements) parts.push_back(lowering.source(element, part));
    pack(lowering, d, parts, bits);
    return;
  }
  const std::uint32_t a = lowering.source(from, bits);
  copy(lowering, d, a, bits == 128 ? 64 : bits);
  if (bits == 128) copy(lowering, d + half_of_128, a + half_of_128, 64);
}

void lower_cvta(Lowering& lowering) {
  const bool is_to = lowering.has_modifier("to");
  const std::vector<std::string_view>& modifiers = lowering.instruction().modifiers;
  if (modifiers.size() < 2 || modifiers.back() != "u64") lowering.refuse();
  const std::string_view space = modifiers[is_to ? 1 : 0];
  AluOperands operands;
  operands.d = lowering.destination(lowering.operand(0), 64);
  operands.a = lowering.source(lowering.operand(1), 64);
  const std::uint64_t window = window_of(space);
  if (window == 0) {
    copy(lowering, operands.d, operands.a, 64);
    return;
  }
  operands.b = lowering.constant(window, 64);
  lowering.emit_alu(is_to ? "sub" : "add", {"u64"}, operands);
}

void lower_isspacep(Lowering& lowering) {
  const std::string_view space = lowering.instruction().modifiers.empty()
                                     ? std::string_view{}
                                     : lowering.instruction().modifiers.front();
  const std::uint32_t d = lowering.destination(lowering.operand(0), 1);
  const std::uint32_t a = lowering.source(lowering.operand(1), 64);
  if (space == "const" || space.starts_with("param")) {
    copy(lowering, d, lowering.constant(0, 1), 1);
    return;
  }
  const bool is_global = space == "global";
  if (!is_global && window_of(space) == 0) lowering.refuse();
  // Both windows are adjacent, and what lies in neither is global.
  AluOperands distance;
  distance.d = lowering.temporary(64);
  distance.a = a;
  distance.b = lowering.constant(is_global ? shared_window : window_of(space), 64);
  lowering.emit_alu("sub", {"u64"}, distance);
  AluOperands compare;
  compare.d = d;
  compare.a = distance.d;
  compare.b = lowering.constant(is_global ? 2 * window_size : window_size, 64);
  lowering.emit_alu("setp", {is_global ? "ge" : "lt", "u64"}, compare);
}

void lower_activemask(Lowering& lowering) {
  Op op;
  op.kind = OpKind::active_mask;
  op.operands.d = lowering.destination(lowering.operand(0), 32);
  lowering.emit(op);
}

/// The policy is a number that only hints take.
void lower_createpolicy(Lowering& lowering) {
  copy(lowering, lowering.destination(lowering.operand(0), 64), lowering.constant(0, 64), 64);
}

/// Each access is complete when the next begins; only other blocks see that it is ordered. Fences
/// of proxies and barriers order what a block does itself.
void lower_fence(Lowering& lowering) {
  const bool is_own = lowering.has_modifier("cta") || lowering.has_modifier("proxy") ||
                      lowering.has_modifier("mbarrier_init");
  lowering.kernel().is_linked |= !is_own;
}

void lower_hint(Lowering&) {}

}  // namespace sweep
