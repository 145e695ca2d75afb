#include "tests/emulator/machine/reference_arithmetic.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

namespace sweep::testing {
namespace {

using Wide = __int128;
using Sources = std::array<std::uint64_t, 3>;

Wide number(std::uint64_t bits, ptx::Type type) {
  const std::uint64_t value = as_type(bits, type);
  return ptx::is_signed(type) ? Wide{static_cast<std::int64_t>(value)} : Wide{value};
}

bool has(const ptx::Instruction& instruction, std::string_view modifier) {
  for (const std::string_view one : instruction.modifiers) {
    if (one == modifier) return true;
  }
  return false;
}

template <class T>
bool compare(std::string_view how, T a, T b) {
  if (how == "eq") return a == b;
  if (how == "ne") return a < b || a > b;  // false for NaN, as all but the unordered ones
  if (how == "lt") return a < b;
  if (how == "le") return a <= b;
  if (how == "gt") return a > b;
  return a >= b;
}

std::uint32_t float_bits(float value) {
  return std::isnan(value) ? 0x7fffffffU : std::bit_cast<std::uint32_t>(value);
}

float lesser(float a, float b, bool is_least) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) == is_least ? a : b;
  return (a < b) == is_least ? a : b;
}

std::optional<std::uint64_t> float_value(const ptx::Instruction& instruction, const Sources& s) {
  const std::string_view name = instruction.mnemonic;
  const auto of = [](std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  };
  const float a = of(s[0]);
  const float b = of(s[1]);
  if (name == "add") return float_bits(a + b);
  if (name == "sub") return float_bits(a - b);
  if (name == "mul") return float_bits(a * b);
  if (name == "fma") return float_bits(std::fma(a, b, of(s[2])));
  if (name == "min") return float_bits(lesser(a, b, true));
  if (name == "max") return float_bits(lesser(a, b, false));
  if (name == "setp") return compare(instruction.modifiers.front(), a, b) ? 1 : 0;
  return std::nullopt;
}

std::optional<std::uint64_t> product(const ptx::Instruction& instruction, ptx::Type type,
                                     const Sources& s) {
  // Unsigned: two's complement products of 128 bits, which those of 64 unsigned ones fill.
  const auto full = static_cast<unsigned __int128>(number(s[0], type)) *
                    static_cast<unsigned __int128>(number(s[1], type));
  const bool is_sum = instruction.mnemonic == "mad";
  const unsigned shift = has(instruction, "hi") ? ptx::bits_of(type) : 0;
  return static_cast<std::uint64_t>(full >> shift) + (is_sum ? s[2] : 0);
}

std::uint64_t shifted(const ptx::Instruction& instruction, ptx::Type type, const Sources& s) {
  const unsigned bits = ptx::bits_of(type);
  const auto distance = static_cast<unsigned>(std::min<std::uint64_t>(s[1] & 0xffffffff, bits));
  if (instruction.mnemonic == "shl") return distance == bits ? 0 : s[0] << distance;
  return static_cast<std::uint64_t>(number(s[0], type) >> distance);
}

std::optional<std::uint64_t> converted(const ptx::Instruction& instruction, const Sources& s) {
  const auto& words = instruction.modifiers;
  const ptx::Type to = *ptx::find_type(words[words.size() - 2]);
  const ptx::Type from = *ptx::find_type(words.back());
  if (to == ptx::Type::f32) {
    const Wide value = number(s[0], from);
    return float_bits(ptx::is_signed(from) ? static_cast<float>(static_cast<std::int64_t>(value))
                                           : static_cast<float>(static_cast<std::uint64_t>(value)));
  }
  if (from == ptx::Type::f32) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(s[0]));
    if (std::isnan(value)) return 0;
    if (value >= 2147483648.0F) return 0x7fffffffU;
    if (value <= -2147483648.0F) return 0x80000000U;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  }
  return as_type(static_cast<std::uint64_t>(number(s[0], from)), to);
}

std::optional<std::uint64_t> integer_value(const ptx::Instruction& instruction, ptx::Type type,
                                           const Sources& s) {
  const std::string_view name = instruction.mnemonic;
  const Wide a = number(s[0], type);
  const Wide b = number(s[1], type);
  if (name == "add") return s[0] + s[1];
  if (name == "sub") return s[0] - s[1];
  if (name == "mul" || name == "mad") return product(instruction, type, s);
  if (name == "min") return a < b ? s[0] : s[1];
  if (name == "max") return a < b ? s[1] : s[0];
  if (name == "div") return static_cast<std::uint64_t>(a / b);
  if (name == "rem") return static_cast<std::uint64_t>(a % b);
  if (name == "neg") return ~s[0] + 1;
  if (name == "abs") return static_cast<std::uint64_t>(a < 0 ? -a : a);
  if (name == "not") return ~s[0];
  if (name == "and") return s[0] & s[1];
  if (name == "or") return s[0] | s[1];
  if (name == "xor") return s[0] ^ s[1];
  if (name == "shl" || name == "shr") return shifted(instruction, type, s);
  if (name == "mov") return s[0];
  if (name == "popc") return static_cast<std::uint64_t>(std::popcount(as_type(s[0], type)));
  if (name == "clz")
    return static_cast<std::uint64_t>(static_cast<unsigned>(std::countl_zero(as_type(s[0], type))) +
                                      ptx::bits_of(type) - 64);
  if (name == "selp") return s[2] != 0 ? s[0] : s[1];
  if (name != "setp") return std::nullopt;
  const bool holds = compare(instruction.modifiers.front(), a, b);
  if (has(instruction, "and")) return holds && s[2] != 0 ? 1 : 0;
  if (has(instruction, "or")) return holds || s[2] != 0 ? 1 : 0;
  return holds ? 1 : 0;
}

}  // namespace

std::uint64_t as_type(std::uint64_t value, ptx::Type type) {
  const unsigned bits = ptx::bits_of(type);
  if (bits >= 64) return value;
  const std::uint64_t low = value & ((std::uint64_t{1} << bits) - 1);
  const bool is_below_zero = ptx::is_signed(type) && (low >> (bits - 1)) != 0;
  return is_below_zero ? low | ~std::uint64_t{0} << bits : low;
}

std::optional<std::uint64_t> reference_value(const ptx::Instruction& instruction,
                                             const Sources& sources) {
  if (instruction.modifiers.empty()) return std::nullopt;
  const auto type = ptx::find_type(instruction.modifiers.back());
  if (!type) return std::nullopt;
  if (instruction.mnemonic == "cvt") return converted(instruction, sources);
  const bool moves = instruction.mnemonic == "mov" || instruction.mnemonic == "selp";
  if (*type == ptx::Type::f32 && !moves) return float_value(instruction, sources);
  return integer_value(instruction, *type, sources);
}

}  // namespace sweep::testing
