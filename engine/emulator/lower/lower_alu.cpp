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

using Slots = std::vector<std::uint32_t>;

Slots temporaries(Lowering& lowering, std::size_t count, unsigned bits) {
  Slots slots;
  while (slots.size() < count) slots.push_back(lowering.temporary(bits));
  return slots;
}

/// Moves `whole`, of so many bits, to its equal parts, the lowest first, or the parts to it.
void move_parts(Lowering& lowering, std::uint32_t whole, const Slots& parts, unsigned bits,
                bool is_to_parts) {
  if (parts.size() > 2) {
    const auto middle = parts.begin() + std::ssize(parts) / 2;
    const Slots halves = temporaries(lowering, 2, bits / 2);
    if (is_to_parts) move_parts(lowering, whole, halves, bits, true);
    move_parts(lowering, halves[0], {parts.begin(), middle}, bits / 2, is_to_parts);
    move_parts(lowering, halves[1], {middle, parts.end()}, bits / 2, is_to_parts);
    if (!is_to_parts) move_parts(lowering, whole, halves, bits, false);
  } else if (bits == 128) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::uint32_t half = whole + i * upper_half;
      lowering.emit_copy(is_to_parts ? parts[i] : half, is_to_parts ? half : parts[i], 64);
    }
  } else if (is_to_parts) {
    // A part may be the source itself: both are written from what was read.
    lowering.emit_alu("unpack", {word_type(bits)}, {.d = parts[0], .d2 = parts[1], .a = whole});
  } else {
    lowering.emit_alu("pack", {word_type(bits)}, {.d = whole, .a = parts[0], .b = parts[1]});
  }
}

/// The same with parts of 8 bits, which lie in registers of 32 as all narrow ones.
void move_bytes(Lowering& lowering, std::uint32_t whole, const Slots& parts, bool is_to_parts) {
  constexpr unsigned bits = 8;
  const std::uint32_t source = lowering.temporary(32);
  lowering.emit_copy(source, is_to_parts ? whole : parts.front(), 32);
  for (unsigned i = 0; i < parts.size(); ++i) {
    const std::uint32_t at = lowering.constant(std::uint64_t{i} * bits, 32);
    const std::uint32_t width = lowering.constant(bits, 32);
    if (is_to_parts) {
      lowering.emit_alu("bfe", {"u32"}, {.d = parts[i], .a = source, .b = at, .c = width});
    } else {
      lowering.emit_alu("bfi", {"b32"},
                        {.d = source, .a = parts[i], .b = source, .c = at, .e = width});
    }
  }
  if (!is_to_parts) lowering.emit_copy(whole, source, 32);
}

Slots halves_of(Lowering& lowering, std::uint32_t pair, unsigned bits) {
  Slots halves = temporaries(lowering, 2, bits / 2);
  move_parts(lowering, pair, halves, bits, true);
  return halves;
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
  std::ranges::replace(modifiers, pair.name, pair.half);
  const AluOperation operation = lowering.find_alu(mnemonic, modifiers);
  if (operation.function == nullptr || lowering.has_modifier("sat") ||
      std::ranges::find(pair.mnemonics, mnemonic) == pair.mnemonics.end()) {
    lowering.refuse();
  }
  const std::uint32_t d = lowering.destination(0, pair.bits);
  const std::size_t sources = operation.c_bits != 0 ? 3 : 2;
  std::array<Slots, 3> parts = {Slots(2), Slots(2), Slots(2)};
  for (std::size_t i = 0; i < sources; ++i) {
    parts[i] = halves_of(lowering, lowering.source(1 + i, pair.bits), pair.bits);
  }
  check_operand_count(lowering, 1 + sources);
  const Slots results = temporaries(lowering, 2, pair.bits / 2);
  for (std::size_t i = 0; i < 2; ++i) {
    lowering.emit_alu(mnemonic, operation,
                      {.d = results[i], .a = parts[0][i], .b = parts[1][i], .c = parts[2][i]});
  }
  move_parts(lowering, d, results, pair.bits, false);
}

/// Whether setp or set compares pairs: of their two predicates that of the low halves comes first.
bool is_pair_type(std::string_view type) {
  return type == "f16x2" || type == "bf16x2";
}

/// "and", "or" or "xor", with which setp and set take in their last operand; empty: they do not.
std::string_view combination_of(const Lowering& lowering) {
  static constexpr std::array<std::string_view, 3> all = {"and", "or", "xor"};
  const Modifiers& modifiers = lowering.instruction().modifiers;
  const auto found = std::ranges::find_first_of(modifiers, all);
  return found == modifiers.end() ? std::string_view{} : *found;
}

/// The predicates that hold for operands 1 and 2, and with `has_opposite` a single one's opposite.
Slots compare(Lowering& lowering, Modifiers modifiers, bool has_opposite) {
  const std::string_view combination = combination_of(lowering);
  std::erase(modifiers, combination);
  if (modifiers.empty()) lowering.refuse();
  const bool is_pair = is_pair_type(modifiers.back());
  if (is_pair) modifiers.back().remove_suffix(2);
  const AluOperation operation = lowering.find_alu("setp", modifiers);
  if (operation.function == nullptr) lowering.refuse();
  const unsigned bits = is_pair ? 32 : operation.a_bits;
  Slots a = {lowering.source(1, bits)};
  Slots b = {lowering.source(2, bits)};
  const std::uint32_t with = combination.empty() ? none : lowering.source(3, 1);
  check_operand_count(lowering, with == none ? 3 : 4);
  if (is_pair) {
    a = halves_of(lowering, a[0], bits);
    b = halves_of(lowering, b[0], bits);
  }
  Slots results;
  for (std::size_t i = 0; i < a.size(); ++i) {
    results.push_back(lowering.temporary(1));
    lowering.emit_alu("setp", operation, {.d = results[i], .a = a[i], .b = b[i]});
  }
  if (has_opposite && !is_pair) {
    results.push_back(lowering.temporary(1));
    lowering.emit_alu("not", {"pred"}, {.d = results[1], .a = results[0]});
  }
  if (with == none) return results;
  for (std::uint32_t& result : results) {
    const std::uint32_t combined = lowering.temporary(1);
    lowering.emit_alu(combination, {"pred"}, {.d = combined, .a = result, .b = with});
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

std::uint64_t window_of(std::string_view space) {
  if (space.starts_with("shared")) return shared_window;
  return space == "local" ? local_window : 0;
}

}  // namespace

/// min and max of three: of the first two, and of that and the third. `.abs` takes their
/// magnitudes.
void lower_extreme_of_three(Lowering& lowering) {
  const std::string_view mnemonic = lowering.instruction().mnemonic;
  Modifiers modifiers = lowering.instruction().modifiers;
  const bool is_absolute = std::erase(modifiers, "abs") != 0;
  if (modifiers.empty() || modifiers.back() != "f32" || lowering.has_modifier("xorsign")) {
    lowering.refuse();
  }
  const std::uint32_t d = lowering.destination(0, 32);
  Slots sources;
  for (std::size_t i = 1; i <= 3; ++i) {
    sources.push_back(lowering.source(i, 32));
    if (!is_absolute) continue;
    const std::uint32_t magnitude = lowering.temporary(32);
    lowering.emit_alu("abs", {"f32"}, {.d = magnitude, .a = sources.back()});
    sources.back() = magnitude;
  }
  const std::uint32_t of_two = lowering.temporary(32);
  lowering.emit_alu(mnemonic, modifiers, {.d = of_two, .a = sources[0], .b = sources[1]});
  lowering.emit_alu(mnemonic, modifiers, {.d = d, .a = of_two, .b = sources[2]});
}

/// vabsdiff4.u32.type.type{.add} d, a, b, c: the distances of bytes, or their sum and c, as CUDA's
/// own functions have it.
void lower_vabsdiff4(Lowering& lowering) {
  const Modifiers& modifiers = lowering.instruction().modifiers;
  const bool adds = modifiers.size() == 4 && modifiers[3] == "add";
  if (modifiers.size() != (adds ? 4U : 3U) || modifiers[1] != modifiers[2]) {
    return lower_video(lowering);
  }
  const std::uint32_t d = lowering.destination(0, 32);
  const AluOperands bytes = {.d = adds ? lowering.temporary(32) : d,
                             .a = lowering.source(1, 32),
                             .b = lowering.source(2, 32)};
  const std::uint32_t c = lowering.source(3, 32);
  check_operand_count(lowering, 4);
  lowering.emit_alu("vabsdiff4", {modifiers[1]}, bytes);
  if (!adds) return;
  constexpr std::uint64_t ones = 0x01010101;
  lowering.emit_alu("dp4a", {"u32", "u32"},
                    {.d = d, .a = bytes.d, .b = lowering.constant(ones, 32), .c = c});
}

/// lop3.and.b32 d|p, a, b, c, table, q: p is whether d is not 0, and q.
void lower_lop3(Lowering& lowering) {
  const std::string_view combination = combination_of(lowering);
  if (combination.empty()) return lower_alu(lowering);
  const Operand& to = lowering.operand(0);
  if (to.kind != Operand::Kind::list || to.elements.size() != 2) lowering.refuse();
  check_operand_count(lowering, 6);
  const std::uint32_t with = lowering.source(5, 1);
  const std::uint32_t d = lowering.destination(to.elements[0], 32);
  lowering.emit_alu("lop3", {"b32"},
                    {.d = d,
                     .a = lowering.source(1, 32),
                     .b = lowering.source(2, 32),
                     .c = lowering.source(3, 32),
                     .e = lowering.source(4, 32)});
  const std::uint32_t is_set = lowering.temporary(1);
  lowering.emit_alu("setp", {"ne", "u32"}, {.d = is_set, .a = d, .b = lowering.constant(0, 32)});
  lowering.emit_alu(combination, {"pred"},
                    {.d = lowering.destination(to.elements[1], 1), .a = is_set, .b = with});
}

/// cvt.pack.sat.type.s32 d, a, b{, c}: a above b, both clamped to the type, and above them c.
void lower_pack(Lowering& lowering) {
  struct Row {
    std::string_view name;
    unsigned bits;
    std::int64_t least;
    std::int64_t most;
  };
  static constexpr Row rows[] = {{"u16", 16, 0, 0xffff}, {"s16", 16, -0x8000, 0x7fff},
                                 {"u8", 8, 0, 0xff},     {"s8", 8, -0x80, 0x7f},
                                 {"u4", 4, 0, 15},       {"s4", 4, -8, 7},
                                 {"u2", 2, 0, 3},        {"s2", 2, -2, 1}};
  const Modifiers& modifiers = lowering.instruction().modifiers;
  if (modifiers.size() < 4 || !lowering.has_modifier("sat") || modifiers[3] != "s32") {
    lowering.refuse();
  }
  const auto* const row = std::ranges::find(rows, modifiers[2], &Row::name);
  if (row == std::end(rows)) lowering.refuse();
  const bool has_rest = row->bits < 16;
  check_operand_count(lowering, has_rest ? 4 : 3);
  const auto number = [&](std::int64_t value) {
    return lowering.constant(static_cast<std::uint64_t>(value), 32);
  };
  const std::uint32_t packed = lowering.temporary(32);
  lowering.emit_alu("shl", {"b32"},
                    {.d = packed,
                     .a = has_rest ? lowering.source(3, 32) : number(0),
                     .b = number(std::int64_t{2} * row->bits)});
  for (const unsigned place : {0U, 1U}) {
    const std::uint32_t clamped = lowering.temporary(32);
    lowering.emit_alu("max", {"s32"},
                      {.d = clamped, .a = lowering.source(2 - place, 32), .b = number(row->least)});
    lowering.emit_alu("min", {"s32"}, {.d = clamped, .a = clamped, .b = number(row->most)});
    lowering.emit_alu("bfi", {"b32"},
                      {.d = packed,
                       .a = clamped,
                       .b = packed,
                       .c = number(std::int64_t{place} * row->bits),
                       .e = number(row->bits)});
  }
  lowering.emit_copy(lowering.destination(0, 32), packed, 32);
}

/// add.f32.f16 d, a, c and its kin: all operands but the last are of a half type.
void lower_mixed(Lowering& lowering) {
  const std::string_view mnemonic = lowering.instruction().mnemonic;
  Modifiers modifiers = lowering.instruction().modifiers;
  const std::string_view half = modifiers.back();
  modifiers.pop_back();
  const std::size_t sources = mnemonic == "fma" ? 3 : 2;
  check_operand_count(lowering, 1 + sources);
  Slots slots;
  for (std::size_t i = 1; i < sources; ++i) {
    slots.push_back(lowering.temporary(32));
    lowering.emit_alu("cvt", {"f32", half, "d32"},
                      {.d = slots.back(), .a = lowering.source(i, 16)});
  }
  slots.push_back(lowering.source(sources, 32));
  AluOperands operands = {.d = lowering.destination(0, 32), .a = slots[0], .b = slots[1]};
  if (sources == 3) operands.c = slots[2];
  lowering.emit_alu(mnemonic, modifiers, operands);
}

bool is_mixed(const ptx::Instruction& instruction) {
  const std::string_view mnemonic = instruction.mnemonic;
  const Modifiers& modifiers = instruction.modifiers;
  if (mnemonic != "add" && mnemonic != "sub" && mnemonic != "fma") return false;
  return modifiers.size() >= 2 && modifiers[modifiers.size() - 2] == "f32" &&
         (modifiers.back() == "f16" || modifiers.back() == "bf16");
}

void lower_alu(Lowering& lowering) {
  const ptx::Instruction& instruction = lowering.instruction();
  if (instruction.operands.empty()) lowering.refuse();
  for (const PairType& pair : pair_types) {
    if (lowering.has_modifier(pair.name)) return lower_pair(lowering, pair);
  }
  const bool is_extreme = instruction.mnemonic == "min" || instruction.mnemonic == "max";
  if (is_extreme && instruction.operands.size() == 4) return lower_extreme_of_three(lowering);
  if (is_mixed(instruction)) return lower_mixed(lowering);
  if (instruction.mnemonic == "cvt" && lowering.has_modifier("pack")) return lower_pack(lowering);
  AluOperation operation;
  if (instruction.mnemonic == "cvt") operation = find_narrow_conversion(instruction.modifiers);
  // Its types say all of its registers' widths.
  const bool is_narrow = operation.function != nullptr;
  const bool is_cvt = instruction.mnemonic == "cvt" && !is_narrow;
  Modifiers modifiers = instruction.modifiers;
  const bool is_shift = instruction.mnemonic == "shl" || instruction.mnemonic == "shr";
  if (is_shift && instruction.operands.size() == 3 &&
      instruction.operands[2].kind == Operand::Kind::integer) {
    modifiers.insert(modifiers.begin(), "same");
  }
  AluOperands operands;
  if (!is_narrow) {
    operation = is_cvt ? find_conversion(lowering, operands.d)
                       : lowering.find_alu(instruction.mnemonic, modifiers);
  }
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
  const Modifiers& modifiers = lowering.instruction().modifiers;
  const Operand& to = lowering.operand(0);
  const bool has_two = to.kind == Operand::Kind::list;
  const bool is_pair = !modifiers.empty() && is_pair_type(modifiers.back());
  if (!has_two && !is_pair && combination_of(lowering).empty()) return lower_alu(lowering);
  if (has_two && to.elements.size() != 2) lowering.refuse();
  const Slots results = compare(lowering, modifiers, has_two);
  for (std::size_t i = 0; i < (has_two ? 2U : 1U); ++i) {
    lowering.emit_copy(lowering.destination(has_two ? to.elements[i] : to, 1), results[i], 1);
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
  // A mask of 16 bits for each half of a pair.
  const bool is_mask = (to == "u32" || to == "s32") && is_pair_type(from);
  const bool fits =
      is_mask       ? true
      : is_integer  ? is_half || (result->bits == 32 && !from.ends_with("x2"))
      : to == "f32" ? !is_half && !is_pair_type(from)
                    : is_pair_type(to) == is_pair_type(from) && (!is_pair_type(to) || to == from);
  if (!fits) lowering.refuse();
  modifiers.erase(modifiers.end() - 2);
  const bool is_pair = is_pair_type(from);
  const unsigned bits = is_mask ? 16 : result->bits;
  const std::uint32_t d = lowering.destination(0, is_pair ? 32 : bits);
  const Slots predicates = compare(lowering, std::move(modifiers), false);
  const Slots parts = is_pair ? temporaries(lowering, 2, bits) : Slots{d};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    lowering.emit_alu("selp", {word_type(bits)},
                      {.d = parts[i],
                       .a = lowering.constant(result->yes, bits),
                       .b = lowering.constant(0, bits),
                       .c = predicates[i]});
  }
  if (is_pair) move_parts(lowering, d, parts, 32, false);
}

/// mov.v4.u32 {a, b, c, d}, %tid; mov.v2.f32 {a, b}, {c, d}.
void lower_vector_mov(Lowering& lowering, unsigned bits) {
  const auto count = static_cast<std::size_t>(lowering.instruction().modifiers.front()[1] - '0');
  const Operand& from = lowering.operand(1);
  const std::vector<const Operand*> to = elements_of(lowering.operand(0));
  std::vector<Operand> parts = from.elements;
  std::array<std::string, 4> names;
  for (std::size_t i = 0; i < count && from.kind == Operand::Kind::special; ++i) {
    names.at(i) = std::string(from.name) + '.' + "xyzw"[i];
    parts.push_back(from);
    parts.back().name = names.at(i);
  }
  if (to.size() != count || parts.size() != count) lowering.refuse("its vector does not fit");
  // A register may be a source and a destination.
  Slots values;
  for (const Operand& part : parts) {
    values.push_back(lowering.temporary(bits));
    lowering.emit_copy(values.back(), lowering.source(part, bits), bits);
  }
  for (std::size_t i = 0; i < count; ++i) {
    lowering.emit_copy(lowering.destination(*to[i], bits), values[i], bits);
  }
}

void lower_mov(Lowering& lowering) {
  const unsigned bits = ptx::bits_of(lowering.last_type());
  const bool is_vector = lowering.has_modifier("v2") || lowering.has_modifier("v4");
  if (is_vector && bits >= 16) return lower_vector_mov(lowering, bits);
  if (bits == 8 || lowering.instruction().modifiers.size() != 1) lowering.refuse();
  const Operand& to = lowering.operand(0);
  const Operand& from = lowering.operand(1);
  const bool is_to_parts = to.kind == Operand::Kind::list;
  const Operand& list = is_to_parts ? to : from;
  if (list.kind != Operand::Kind::list) {
    const std::uint32_t d = lowering.destination(to, bits);
    return lowering.emit_copy(d, lowering.source(from, bits), bits);
  }
  const std::size_t count = list.elements.size();
  const auto part = static_cast<unsigned>(count == 2 || count == 4 ? bits / count : 0);
  const bool is_bytes = part == 8 && bits >= 16 && bits <= 32;
  if (part != 16 && part != 32 && part != 64 && !is_bytes) {
    lowering.refuse("its vector does not fit");
  }
  const std::uint32_t whole =
      is_to_parts ? lowering.source(from, bits) : lowering.destination(to, bits);
  Slots parts;
  for (const Operand& element : list.elements) {
    parts.push_back(is_to_parts ? lowering.destination(element, part)
                                : lowering.source(element, part));
  }
  if (is_bytes) return move_bytes(lowering, whole, parts, is_to_parts);
  move_parts(lowering, whole, parts, bits, is_to_parts);
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
  // Both windows are adjacent, and what lies in neither is global. shared::cta is the block's own.
  const std::uint32_t distance = lowering.temporary(64);
  const bool is_of_cluster = space == "shared::cluster";
  const std::uint32_t begin = is_global || is_of_cluster ? lowering.constant(shared_window, 64)
                              : space == "local"         ? lowering.constant(local_window, 64)
                                                 : lowering.shared_address(shared_window, 64);
  const std::uint64_t size = is_global       ? shared_window_size + window_size
                             : is_of_cluster ? shared_window_size
                                             : window_size;
  lowering.emit_alu("sub", {"u64"}, {.d = distance, .a = a, .b = begin});
  lowering.emit_alu("setp", {is_global ? "ge" : "lt", "u64"},
                    {.d = d, .a = distance, .b = lowering.constant(size, 64)});
}

/// mapa{.shared::cluster}.u64 d, a, rank: the same place in another block's shared memory;
/// getctarank{.shared::cluster}.u64 d, a: whose it is.
void lower_cluster_address(Lowering& lowering) {
  const ptx::Type type = lowering.last_type();
  if (type != ptx::Type::u32 && type != ptx::Type::u64) lowering.refuse();
  const unsigned bits = ptx::bits_of(type);
  const bool is_map = lowering.instruction().mnemonic == "mapa";
  ClusterAddressOp op;
  op.bits = static_cast<std::uint8_t>(bits);
  op.is_generic = !lowering.has_modifier("shared::cluster");
  if (op.is_generic && bits != 64) lowering.refuse("a generic address has 64 bits");
  op.d = lowering.destination(0, is_map ? bits : 32);
  op.a = lowering.source(1, bits);
  if (is_map) op.rank = lowering.source(2, 32);
  check_operand_count(lowering, is_map ? 3 : 2);
  lowering.emit(
      lowering.detailed(OpKind::cluster_address, lowering.kernel().cluster_addresses, op));
}

/// The policy is a number that only hints take.
void lower_createpolicy(Lowering& lowering) {
  lowering.emit_copy(lowering.destination(0, 64), lowering.constant(0, 64), 64);
}

/// Each access is complete when the next begins; only other blocks see that it is ordered. Fences
/// of proxies and barriers order what a block does itself, and a cluster's blocks run together.
void lower_fence(Lowering& lowering) {
  // Of fence.proxy.async those for shared memory: "fence.proxy.async::generic.release..." too.
  const auto is_async = [](std::string_view modifier) { return modifier.starts_with("async"); };
  if (lowering.has_modifier("proxy")) {
    const bool is_of_shared = !lowering.has_modifier("global") &&
                              std::ranges::any_of(lowering.instruction().modifiers, is_async);
    if (is_of_shared) lowering.emit(OpKind::proxy_fence);
    return;
  }
  if (lowering.has_modifier("cta")) return;
  if (lowering.has_modifier("cluster") || lowering.has_modifier("mbarrier_init")) {
    return lowering.emit(OpKind::cluster_fence);
  }
  lowering.kernel().is_linked = true;
  lowering.emit(OpKind::fence);
}

/// Nothing is done, nor read.
void lower_hint(Lowering& /*lowering*/) {}

}  // namespace sweep
