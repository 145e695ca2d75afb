#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/emulator/ptx/type.h"

/// What the modifiers of a register operation mean, parsed once. This header is included by files
/// that are compiled for wider vectors than the machine may have, so it holds no inline function
/// that the linker could take from one of them for all.
namespace sweep::alu {

enum class Mnemonic : std::uint8_t {
  abs,
  add,
  addc,
  and_,
  bfe,
  bfi,
  bfind,
  bmsk,
  brev,
  clz,
  cnot,
  copysign,
  cos,
  cvt,
  div,
  dp2a,
  dp4a,
  ex2,
  fma,
  fns,
  lg2,
  lop3,
  mad,
  mad24,
  madc,
  max,
  min,
  mov,
  mul,
  mul24,
  neg,
  not_,
  or_,
  pack,
  popc,
  prmt,
  rcp,
  rem,
  rsqrt,
  sad,
  selp,
  set,
  setp,
  shf,
  shl,
  shr,
  sin,
  slct,
  sqrt,
  sub,
  subc,
  szext,
  tanh,
  testp,
  unpack,
  xor_,
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

/// lo, ls, hi and hs, which compare unsigned, are lt, le, gt and ge of an unsigned type.
enum class Compare : std::uint8_t {
  none,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
};

/// How setp and set combine the comparison with their predicate operand.
enum class Combine : std::uint8_t { none, and_, or_, xor_ };

/// Types of this machine's registers only: packed values that ptx::Type does not name.
enum class Packed : std::uint8_t { none, u16x2, s16x2, e4m3x2, e5m2x2 };

/// Modifiers that are there or not, one bit each.
using Flags = std::uint64_t;
namespace flag {
constexpr Flags lo = 1ULL << 0;
constexpr Flags hi = 1ULL << 1;
constexpr Flags wide = 1ULL << 2;
constexpr Flags cc = 1ULL << 3;
constexpr Flags sat = 1ULL << 4;
constexpr Flags ftz = 1ULL << 5;
constexpr Flags relu = 1ULL << 6;
constexpr Flags nan = 1ULL << 7;  ///< `.NaN` of min and max
constexpr Flags xorsign = 1ULL << 8;
constexpr Flags abs = 1ULL << 9;
constexpr Flags approx = 1ULL << 10;
constexpr Flags full = 1ULL << 11;
constexpr Flags left = 1ULL << 12;
constexpr Flags right = 1ULL << 13;
constexpr Flags clamp = 1ULL << 14;
constexpr Flags wrap = 1ULL << 15;
constexpr Flags f4e = 1ULL << 16;
constexpr Flags b4e = 1ULL << 17;
constexpr Flags rc8 = 1ULL << 18;
constexpr Flags ecl = 1ULL << 19;
constexpr Flags ecr = 1ULL << 20;
constexpr Flags rc16 = 1ULL << 21;
constexpr Flags shiftamt = 1ULL << 22;
constexpr Flags satfinite = 1ULL << 23;
constexpr Flags finite = 1ULL << 24;
constexpr Flags infinite = 1ULL << 25;
constexpr Flags number = 1ULL << 26;
constexpr Flags notanumber = 1ULL << 27;
constexpr Flags normal = 1ULL << 28;
constexpr Flags subnormal = 1ULL << 29;
constexpr Flags d16 = 1ULL << 30;
constexpr Flags d32 = 1ULL << 31;
constexpr Flags d64 = 1ULL << 32;
constexpr Flags two = 1ULL << 33;
}  // namespace flag

struct Form {
  Mnemonic mnemonic = Mnemonic::mov;
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Combine combine = Combine::none;
  Flags flags = 0;
  Packed packed = Packed::none;
  std::uint8_t types = 0;  ///< how many are given, `packed` not counted
  ptx::Type type = ptx::Type::b32;
  ptx::Type second = ptx::Type::b32;  ///< the source of cvt and set, the b operand of dp4a
};

/// Empty when a word is unknown or given twice, when there is no type or more than two, `packed`
/// included, and when the form has a rounding, a comparison or a combination that its mnemonic has
/// no use for. Which flags go with which type is left to the one that looks up the operation.
std::optional<Form> parse_form(std::string_view mnemonic,
                               std::span<const std::string_view> modifiers);

}  // namespace sweep::alu
