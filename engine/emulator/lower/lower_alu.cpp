// Register operations: whatever has no row of its own in the instruction table, setp and set, mov
// with its vectors, cvta, isspacep, and what changes nothing.

#include <algorithm>
#include <array>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

using ptx::Operand;
using Modifiers = std::vector<std::string_view>;

/// The condition code that add.cc and its kin write and addc and its kin read.
bool reads_carry(const ptx::Instruction& instruction) {
  return instruction.mnemonic == "addc" || instruction.mnemonic == "subc" ||
         instruction.mnemonic == "madc";
}

void check_operand_count(const Lowering& lowering, std::size_t count) {
  if (lowering.operand_count() != count) lowering.refuse("it has operands that have no meaning");
}

/// cvt's narrow types depend on the register that they land in.
AluOperation find_conversion(Lowering& lowering, std::uint32_t& d) {
  Modifiers modifiers = lowering.instruction().modifiers;
  // A register that is wider than its operation asks for is filled whole.
  modifiers.emplace_back("d32");
  const AluOperation operation = lowering.find_alu("cvt", modifiers);
  const auto [slot, bits] = lowering.wide_destination(
      lowering.operand(0), operation.function != nullptr ? operation.d_bits : 32);
  d = slot;
  if (bits == 1 || bits == 128) lowering.refuse("the destination has another width");
  modifiers.back() = bits == 64 ? "d64" : bits == 16 ? "d16" : "d32";
  return lowering.find_alu("cvt", modifiers);
}

/// The source of cvt: of a wider register the low half.
std::uint32_t conversion_source(Lowering& lowering, const Operand& operand, unsigned bits) {
  const auto [slot, register_bits] = lowering.wide_source(operand, bits);
  if (register_bits == 64 && bits <= 32) {
    const std::uint32_t low = lowering.temporary(32);
    lowering.emit_alu("cvt", {"u32", "u64", "d32"}, {.d = low, .a = slot});
    return low;
  }
  if (register_bits == 1 || register_bits == 128 || (register_bits < bits && bits > 32)) {
    lowering.refuse("an operand has another width");
  }
  return slot;
}

std::array<std::uint32_t, 2> halves_of(Lowering& lowering, std::uint32_t pair, unsigned bits) {
  const std::uint32_t low = lowering.temporary(bits / 2);
  const std::uint32_t high = lowering.temporary(bits / 2);
  lowering.emit_alu("unpack", {bits == 64 ? "b64" : "b32"}, {.d = low, .d2 = high, .a = pair});
  return {low, high};
}

/// Pairs that are computed with half by half; f16x2 and bf16x2 have operations of their own.
struct PairType {
  std::string_view name;
  std::string_view half;
  unsigned bits;
  std::array<std::string_view, 4> mnemonics;
};
constexpr PairType pair_types[] = {{"f32x2", "f32", 64, {"add", "sub", "mul", "fma"}},
                                   {"u16x2", "u16", 32, {"add", "min", "max"}},
                                   {"s16x2", "s16", 32, {"add", "min", "max"}}};

void lower_pair(Lowering& lowering, const PairType& pair) {
  const std::string_view mnemonic = lowering.instruction().mnemonic;
  Modifiers modifiers = lowering.instruction().modifiers;
  modifiers.back() = pair.half;
  const AluOperation operation = lowering.find_alu(mnemonic, modifiers);
  if (operation.function == nullptr || lowering.has_modifier("sat") ||
      std::ranges::find(pair.mnemonics, mnemonic) == pair.mnemonics.end()) {
    lowering.refuse();
  }
  const std::uint32_t d = lowering.destination(0, pair.bits);
  const std::size_t sources = operation.c_bits != 0 ? 3 : 2;
  std::array<std::array<std::uint32_t, 2>, 3> parts = {};
  for (std::size_t i = 0; i < sources; ++i) {
    const std::uint32_t slot = lowering.source(1 + i, pair.bits);
    parts[i] = halves_of(lowering, slot, pair.bits);
  }
  check_operand_count(lowering, 1 + sources);
  std::array<std::uint32_t, 2> results = {};
  for (std::size_t i = 0; i < 2; ++i) {
    results[i] = lowering.temporary(pair.bits / 2);
    lowering.emit_alu(mnemonic, operation,
                      {.d = results[i], .a = parts[0][i], .b = parts[1][i], .c = parts[2][i]});
  }
  lowering.emit_alu("pack", {pair.bits == 64 ? "b64" : "b32"},
                    {.d = d, .a = results[0], .b = results[1]});
}

/// What setp and set compare and how.
struct Comparison {
  Modifiers modifiers;       ///< of a setp that compares alone
  std::string_view combine;  ///< "and", "or" or "xor" with the last operand, or empty
  bool is_pair = false;      ///< of f16x2 or bf16x2: two predicates, that of the low halves first
};

Comparison comparison_of(const Lowering& lowering, Modifiers modifiers) {
  static constexpr std::array<std::string_view, 3> combines = {"and", "or", "xor"};
  if (modifiers.empty()) lowering.refuse();
  Comparison comparison;
  std::string_view& type = modifiers.back();
  comparison.is_pair = type == "f16x2" || type == "bf16x2";
  if (comparison.is_pair) type.remove_suffix(2);
  const auto combine = std::ranges::find_first_of(modifiers, combines);
  if (combine != modifiers.end()) {
    comparison.combine = *combine;
    modifiers.erase(combine);
  }
  comparison.modifiers = std::move(modifiers);
  return comparison;
}

/// The predicates that hold for operands 1 and 2, and with `has_opposite` a single one's opposite.
std::vector<std::uint32_t> compare(Lowering& lowering, const Comparison& comparison,
                                   bool has_opposite) {
  const AluOperation operation = lowering.find_alu("setp", comparison.modifiers);
  if (operation.function == nullptr) lowering.refuse();
  const unsigned bits = comparison.is_pair ? 32 : operation.a_bits;
  const std::uint32_t a = lowering.source(1, bits);
  const std::uint32_t b = lowering.source(2, bits);
  const std::uint32_t with = comparison.combine.empty() ? none : lowering.source(3, 1);
  check_operand_count(lowering, with == none ? 3 : 4);
  std::vector<AluOperands> compared = {{.a = a, .b = b}};
  if (comparison.is_pair) {
    const auto a_halves = halves_of(lowering, a, bits);
    const auto b_halves = halves_of(lowering, b, bits);
    compared = {{.a = a_halves[0], .b = b_halves[0]}, {.a = a_halves[1], .b = b_halves[1]}};
  }
  std::vector<std::uint32_t> results;
  for (AluOperands& operands : compared) {
    results.push_back(operands.d = lowering.temporary(1));
    lowering.emit_alu("setp", operation, operands);
  }
  if (has_opposite && !comparison.is_pair) {
    results.push_back(lowering.temporary(1));
    lowering.emit_alu("not", {"pred"}, {.d = results[1], .a = results[0]});
  }
  if (with == none) return results;
  for (std::uint32_t& result : results) {
    const std::uint32_t combined = lowering.temporary(1);
    lowering.emit_alu(comparison.combine, {"pred"}, {.d = combined, .a = result, .b = with});
    // It is one instruction, whose result no undefined source leaves defined.
    lowering.kernel().ops.back().blend = Blend::any;
    result = combined;
  }
  return results;
}

/// What set writes where the comparison holds; elsewhere 0.
struct SetResult {
  std::string_view type;
  std::uint32_t yes;
  unsigned bits;  ///< of a pair those of one half
};
constexpr SetResult set_results[] = {
    {"u32", 0xffffffff, 32}, {"s32", 0xffffffff, 32}, {"f32", 0x3f800000, 32},
    {"u16", 0xffff, 16},     {"s16", 0xffff, 16},     {"f16", 0x3c00, 16},
    {"bf16", 0x3f80, 16},    {"f16x2", 0x3c00, 16},   {"bf16x2", 0x3f80, 16},
};

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

void lower_alu(Lowering& lowering) {
  const ptx::Instruction& instruction = lowering.instruction();
  if (instruction.operands.empty()) lowering.refuse();
  for (const PairType& pair : pair_types) {
    const bool is_pair =
        !instruction.modifiers.empty() && instruction.modifiers.back() == pair.name;
    if (is_pair) return lower_pair(lowering, pair);
  }
  const bool is_cvt = instruction.mnemonic == "cvt";
  AluOperands operands;
  const AluOperation operation =
      is_cvt ? find_conversion(lowering, operands.d)
             : lowering.find_alu(instruction.mnemonic, instruction.modifiers);
  if (operation.function == nullptr) lowering.refuse();
  if (!is_cvt) operands.d = lowering.destination(0, operation.d_bits);
  if (operation.d2_bits != 0) operands.d2 = lowering.carry();
  const std::array<std::pair<unsigned, std::uint32_t*>, 4> sources = {
      {{operation.a_bits, &operands.a},
       {operation.b_bits, &operands.b},
       {operation.c_bits, &operands.c},
       {operation.e_bits, &operands.e}}};
  std::size_t next = 1;
  for (const auto& [bits, slot] : sources) {
    if (bits == 0) continue;
    if (slot == &operands.e && reads_carry(instruction)) {
      *slot = lowering.carry();
      continue;
    }
    const Operand& operand = lowering.operand(next++);
    *slot = is_cvt ? conversion_source(lowering, operand, bits) : lowering.source(operand, bits);
  }
  check_operand_count(lowering, next);
  lowering.emit_alu(instruction.mnemonic, operation, operands);
}

void lower_setp(Lowering& lowering) {
  const Comparison comparison = comparison_of(lowering, lowering.instruction().modifiers);
  const Operand& to = lowering.operand(0);
  const bool has_two = to.kind == Operand::Kind::list;
  if (!has_two && !comparison.is_pair && comparison.combine.empty()) return lower_alu(lowering);
  if (has_two && to.elements.size() != 2) lowering.refuse();
  const std::vector<std::uint32_t> results = compare(lowering, comparison, has_two);
  for (std::size_t i = 0; i < (has_two ? 2U : 1U); ++i) {
    const std::uint32_t d = lowering.destination(has_two ? to.elements[i] : to, 1);
    lowering.emit_alu("mov", {"pred"}, {.d = d, .a = results[i]});
  }
}

void lower_set(Lowering& lowering) {
  Modifiers modifiers = lowering.instruction().modifiers;
  if (modifiers.size() < 2) lowering.refuse();
  const std::string_view to = modifiers[modifiers.size() - 2];
  const std::string_view from = modifiers.back();
  const auto* const result = std::ranges::find(set_results, to, &SetResult::type);
  if (result == std::end(set_results)) lowering.refuse();
  const bool is_half = from == "f16" || from == "bf16";
  const bool is_integer = to.starts_with('u') || to.starts_with('s');
  const bool fits = is_integer    ? is_half || (result->bits == 32 && !from.ends_with("x2"))
                    : to == "f32" ? !is_half && !from.ends_with("x2")
                                  : to == from;
  if (!fits) lowering.refuse();
  modifiers.erase(modifiers.end() - 2);
  const Comparison comparison = comparison_of(lowering, std::move(modifiers));
  const unsigned bits = result->bits;
  const std::uint32_t d = lowering.destination(0, comparison.is_pair ? 32 : bits);
  const std::vector<std::uint32_t> predicates = compare(lowering, comparison, false);
  AluOperands pair = {.d = d};
  for (std::size_t i = 0; i < predicates.size(); ++i) {
    const std::uint32_t part = comparison.is_pair ? lowering.temporary(bits) : d;
    (i == 0 ? pair.a : pair.b) = part;
    lowering.emit_alu("selp", {bits == 16 ? "b16" : "b32"},
                      {.d = part,
                       .a = lowering.constant(result->yes, bits),
                       .b = lowering.constant(0, bits),
                       .c = predicates[i]});
  }
  if (comparison.is_pair) lowering.emit_alu("pack", {"b32"}, pair);
}

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
  const std::uint32_t d = lowering.destination(0, 64);
  const std::uint32_t a = lowering.source(1, 64);
  const std::uint64_t window = window_of(space);
  if (window == 0) return lowering.emit_copy(d, a, 64);
  lowering.emit_alu(is_to ? "sub" : "add", {"u64"},
                    {.d = d, .a = a, .b = lowering.constant(window, 64)});
}

void lower_isspacep(Lowering& lowering) {
  const std::string_view space = lowering.instruction().modifiers.empty()
                                     ? std::string_view{}
                                     : lowering.instruction().modifiers.front();
  const std::uint32_t d = lowering.destination(0, 1);
  const std::uint32_t a = lowering.source(1, 64);
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
  lowering.emit_copy(lowering.destination(0, 64), lowering.constant(0, 64), 64);
}

/// Each access is complete when the next begins; only other blocks see that it is ordered. Fences
/// of proxies and barriers order what a block does itself.
void lower_fence(Lowering& lowering) {
  const bool is_own = lowering.has_modifier("cta") || lowering.has_modifier("proxy") ||
                      lowering.has_modifier("mbarrier_init");
  lowering.kernel().is_linked |= !is_own;
}

/// Nothing is done, nor read.
void lower_hint(Lowering& lowering) {
  if (lowering.has_modifier("tensormap")) lowering.refuse();
}

}  // namespace sweep
