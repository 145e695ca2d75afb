// What ptxas makes of a PTX instruction, to first order, and which pipes that takes.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "engine/emulator/lower/code_analysis.h"

namespace sweep {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_among(std::string_view word, Words words) {
  return std::ranges::find(words, word) != words.end();
}

bool has_any(const ptx::Instruction& instruction, Words words) {
  return std::ranges::any_of(instruction.modifiers,
                             [&](std::string_view modifier) { return is_among(modifier, words); });
}

/// Slots of the full rate that an integer multiplication takes, which has half of it.
constexpr std::uint32_t half_rate = 2;

InstructionMix arithmetic(const ptx::Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  const bool is_comparison = is_among(name, {"setp", "set", "min", "max", "selp", "slct"});
  if (has_any(instruction, {"f64"})) {
    if (is_among(name, {"selp", "slct", "mov", "neg", "abs"})) return {.issued = 2, .alu = 2};
    // Newton's steps.
    if (is_among(name, {"div", "sqrt", "rcp"})) return {.issued = 12, .fp64 = 8, .special = 1};
    return {.issued = 1, .fp64 = 1};
  }
  if (has_any(instruction, {"f32", "f16", "f16x2", "bf16", "bf16x2", "f32x2"})) {
    if (is_comparison) return {.issued = 1, .alu = 1};
    if (is_among(name, {"neg", "abs", "copysign"})) return {};  // part of what reads it
    if (is_among(name, {"ex2", "lg2", "sin", "cos", "tanh", "rsqrt", "rcp", "sqrt", "div"})) {
      const bool is_rounded = has_any(instruction, {"rn", "rz", "rm", "rp"});
      if (is_rounded) return {.issued = 9, .fma = 5, .special = 1};
      return {.issued = 2, .fma = 1, .special = 1};
    }
    return {.issued = 1, .fma = 1};
  }
  const bool is_64 = has_any(instruction, {"s64", "u64", "b64"});
  if (is_among(name, {"mul", "mad", "mul24", "mad24"})) {
    if (!is_64 || has_any(instruction, {"wide"})) return {.issued = 1, .fma = half_rate};
    return {.issued = 4, .fma = 4 * half_rate};
  }
  if (is_among(name, {"div", "rem"})) {
    if (is_64) return {.issued = 70, .alu = 30, .fma = 40, .special = 1};
    return {.issued = 18, .alu = 10, .fma = 8, .special = 1, .conversions = 2};
  }
  if (is_among(name, {"popc", "clz", "brev", "bfind"})) {
    const std::uint32_t words = is_64 ? 2 : 1;
    return {.issued = words, .special = words};
  }
  const std::uint32_t words = is_64 ? 2 : 1;
  return {.issued = words, .alu = words};
}

InstructionMix conversion(const ptx::Instruction& instruction) {
  if (has_any(instruction,
              {"f64", "f32", "f16", "bf16", "f16x2", "bf16x2", "tf32", "e4m3x2", "e5m2x2"})) {
    return {.issued = 1, .conversions = 1};
  }
  // To more bits a sign has to be spread; fewer are a part of the register.
  const bool spreads_sign =
      instruction.modifiers.size() > 1 && instruction.modifiers.back().starts_with('s');
  return spreads_sign ? InstructionMix{.issued = 1, .alu = 1} : InstructionMix{};
}

}  // namespace

InstructionMix MixEstimate::of(const ptx::Instruction& instruction, std::uint32_t frame) {
  const std::string_view name = instruction.mnemonic;
  const auto named = [&](const ptx::Operand& operand) {
    return std::pair(frame, operand.names_register() ? operand.reg : ptx::RegisterId{});
  };
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const bool is_wide_product = is_among(name, {"mul", "mad"}) && has_any(instruction, {"wide"});
  const bool is_sum_of_64 =
      name == "add" && has_any(instruction, {"s64", "u64"}) && operands.size() == 3;
  const auto is_product = [&](const ptx::Operand& operand) {
    return operand.names_register() && products_.contains(named(operand));
  };
  // An IMAD.WIDE adds; a constant is an offset of the access.
  const bool is_part = is_sum_of_64 && (is_product(operands[1]) || is_product(operands[2]) ||
                                        !operands[2].names_register());
  if (!operands.empty() && operands.front().names_register()) {
    if (is_wide_product) {
      products_.insert(named(operands.front()));
    } else {
      products_.erase(named(operands.front()));
    }
  }
  if (is_part) return {};
  if (is_among(name, {"cvta", "pragma", "bar.warp"})) return {};
  if (name == "mov") {
    const bool is_special = operands.size() == 2 && !operands[1].names_register() &&
                            operands[1].kind == ptx::Operand::Kind::special;
    return {.issued = is_special ? 1U : 0U};
  }
  if (is_among(name, {"ld", "ldu"}) && has_any(instruction, {"param", "const"})) return {};
  if (name == "cvt") return conversion(instruction);
  if (is_among(name, {"add",   "sub",  "mul",  "mad",   "fma",   "div",  "rem",      "min",  "max",
                      "abs",   "neg",  "and",  "or",    "xor",   "not",  "cnot",     "lop3", "shl",
                      "shr",   "shf",  "setp", "set",   "selp",  "slct", "prmt",     "bfe",  "bfi",
                      "popc",  "clz",  "brev", "bfind", "ex2",   "lg2",  "sin",      "cos",  "tanh",
                      "rsqrt", "rcp",  "sqrt", "mul24", "mad24", "sad",  "copysign", "addc", "subc",
                      "madc",  "dp4a", "dp2a", "szext", "bmsk"})) {
    return arithmetic(instruction);
  }
  return {.issued = 1};
}

}  // namespace sweep
