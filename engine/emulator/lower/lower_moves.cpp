// mov with its vectors, cvta, isspacep, and what changes nothing.

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;

using Slots = std::vector<std::uint32_t>;

/// d = {parts...}, of `bits` together.
void pack(Lowering& lowering, std::uint32_t d, const Slots& parts, unsigned bits) {
  const unsigned half = bits / 2;
  if (parts.size() > 2) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    const Slots halves = {lowering.temporary(half), lowering.temporary(half)};
    pack(lowering, halves[0], {parts.begin(), middle}, half);
    pack(lowering, halves[1], {middle, parts.end()}, half);
    pack(lowering, d, halves, bits);
  } else if (bits == 128) {
    lowering.emit_copy(d, parts[0], 64);
    lowering.emit_copy(d + upper_half, parts[1], 64);
  } else {
    lowering.emit_alu("pack", {word_type(bits)}, {.d = d, .a = parts[0], .b = parts[1]});
  }
}

void unpack(Lowering& lowering, const Slots& parts, std::uint32_t a, unsigned bits) {
  const unsigned half = bits / 2;
  if (parts.size() > 2) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    const Slots halves = {lowering.temporary(half), lowering.temporary(half)};
    unpack(lowering, halves, a, bits);
    unpack(lowering, {parts.begin(), middle}, halves[0], half);
    unpack(lowering, {middle, parts.end()}, halves[1], half);
  } else if (bits == 128) {
    lowering.emit_copy(parts[0], a, 64);
    lowering.emit_copy(parts[1], a + upper_half, 64);
  } else {
    // A part may be the source itself: both are written from what was read.
    lowering.emit_alu("unpack", {word_type(bits)}, {.d = parts[0], .d2 = parts[1], .a = a});
  }
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

}  // namespace

void lower_mov(Lowering& lowering) {
  const unsigned bits = ptx::bits_of(lowering.last_type());
  if (bits == 8 || lowering.instruction().modifiers.size() != 1) lowering.refuse();
  const Operand& to = lowering.operand(0);
  const Operand& from = lowering.operand(1);
  if (to.kind == Operand::Kind::list) {
    const unsigned part = part_bits(to, bits);
    if (part == 0) lowering.refuse("its vector does not fit");
    const std::uint32_t a = lowering.source(from, bits);
    Slots parts;
    for (const Operand& element : to.elements) parts.push_back(lowering.destination(element, part));
    unpack(lowering, parts, a, bits);
    return;
  }
  const std::uint32_t d = lowering.destination(to, bits);
  if (from.kind == Operand::Kind::list) {
    const unsigned part = part_bits(from, bits);
    if (part == 0) lowering.refuse("its vector does not fit");
    Slots parts;
    for (const Operand& element : from.elements) parts.push_back(lowering.source(element, part));
    pack(lowering, d, parts, bits);
    return;
  }
  lowering.emit_copy(d, lowering.source(from, bits), bits);
}

/// cvta{.to}.space.u64: shared and local memory have windows among the generic addresses.
void lower_cvta(Lowering& lowering) {
  const bool is_to = lowering.has_modifier("to");
  const std::vector<std::string_view>& modifiers = lowering.instruction().modifiers;
  if (modifiers.size() < 2 || modifiers.back() != "u64") lowering.refuse();
  const std::string_view space = modifiers[is_to ? 1 : 0];
  const std::uint32_t d = lowering.destination(lowering.operand(0), 64);
  const std::uint32_t a = lowering.source(lowering.operand(1), 64);
  const std::uint64_t window = window_of(space);
  if (window == 0) return lowering.emit_copy(d, a, 64);
  lowering.emit_alu(is_to ? "sub" : "add", {"u64"},
                    {.d = d, .a = a, .b = lowering.constant(window, 64)});
}

void lower_isspacep(Lowering& lowering) {
  const std::string_view space = lowering.instruction().modifiers.empty()
                                     ? std::string_view{}
                                     : lowering.instruction().modifiers.front();
  const std::uint32_t d = lowering.destination(lowering.operand(0), 1);
  const std::uint32_t a = lowering.source(lowering.operand(1), 64);
  if (space == "const" || space.starts_with("param")) {
    return lowering.emit_copy(d, lowering.constant(0, 1), 1);
  }
  const bool is_global = space == "global";
  if (!is_global && window_of(space) == 0) lowering.refuse();
  // Both windows are adjacent, and what lies in neither is global.
  const std::uint32_t distance = lowering.temporary(64);
  const std::uint64_t begin = is_global ? shared_window : window_of(space);
  const std::uint64_t size = is_global ? 2 * window_size : window_size;
  lowering.emit_alu("sub", {"u64"}, {.d = distance, .a = a, .b = lowering.constant(begin, 64)});
  lowering.emit_alu("setp", {is_global ? "ge" : "lt", "u64"},
                    {.d = d, .a = distance, .b = lowering.constant(size, 64)});
}

/// The policy is a number that only hints take.
void lower_createpolicy(Lowering& lowering) {
  lowering.emit_copy(lowering.destination(lowering.operand(0), 64), lowering.constant(0, 64), 64);
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
