#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/emulator/ptx/type.h"

namespace sweep {

/// The registers of one warp lie in one block of memory, structure of arrays: a register is a slot
/// of 32 lanes, lane 0 first. Registers of up to 32 bits have slots of 32 x 4 bytes, those of 64
/// bits of 32 x 8; a predicate is one 32-bit mask, lane t in bit t. A 128-bit register is two
/// 64-bit slots, the low half first. Slots begin at multiples of 64 bytes, those of predicates at
/// multiples of 4. 16-bit (and 8-bit) values lie zero-extended in their 32-bit slot, signed ones
/// too: every writer keeps it so.
constexpr unsigned warp_size = 32;
constexpr std::uint32_t full_mask = 0xffffffff;

/// A register operation of a warp with its operands as byte offsets into the block. Constants are
/// slots like any other, filled before.
struct AluOperands {
  std::uint32_t d = 0;   ///< destination
  std::uint32_t d2 = 0;  ///< second destination: the carry, the other predicate of setp p|q
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t e = 0;  ///< fourth source; where there is none, AluOperation::variant
};

/// Executes a step and, by a call at its very end, the steps behind it up to one with
/// end_alu_steps. Each writes the destination's lanes named in `mask` and no others, and reads no
/// register lane outside it in a way that shows.
using AluFunction = void (*)(const struct AluStep* step, std::byte* registers, std::uint32_t mask);

struct AluStep {
  AluFunction function = nullptr;
  AluOperands operands;
};

inline void end_alu_steps(const AluStep* /*step*/, std::byte* /*registers*/,
                          std::uint32_t /*mask*/) {}

/// Executes a step alone.
inline void run_alu(AluFunction function, const AluOperands& operands, std::byte* registers,
                    std::uint32_t mask) {
  const AluStep steps[] = {{function, operands}, {end_alu_steps, {}}};
  function(steps, registers, mask);
}

/// What registers hold that an operation reads and writes, so that their slots can be typed: the
/// width in bits, 1 for a predicate; 0 for an operand there is none of.
struct AluOperation {
  AluFunction function = nullptr;
  std::uint8_t d_bits = 0;
  std::uint8_t d2_bits = 0;
  std::uint8_t a_bits = 0;
  std::uint8_t b_bits = 0;
  std::uint8_t c_bits = 0;
  std::uint8_t e_bits = 0;
  std::uint32_t variant = 0;  ///< tells operations that share a function apart
};

/// How wide the machine's vectors are that the operations are compiled for.
enum class Simd : std::uint8_t { baseline, avx2, avx512 };
/// The widest one this machine has.
Simd best_simd();
std::string_view to_string(Simd simd);

/// The operation that an instruction without memory access, control flow or communication between
/// lanes stands for: `mnemonic` "add", `modifiers` {"rn", "ftz", "f32"}. Its `function` is null
/// when there is no such operation; no modifier that could change a result is ever passed over.
///
/// Sources are a, b, c and e in the order PTX writes them, constant ones (lop3's table) too. Beyond
/// what PTX writes:
/// - the condition code is a register of 32 bits, 0 or 1 in each lane, in d2 where it is written
///   (add.cc) and in e where it is read (addc);
/// - setp compares two values; that it combines the result, and set, are left to the caller, as are
///   pairs other than arithmetic on f16x2 and bf16x2;
/// - a last modifier "d16", "d32" or "d64" gives cvt the width of the register it writes, where
///   that is wider than an integer type: the value is extended as the type's sign says;
/// - a modifier "same" says of shl and shr that the amount is the same in all lanes;
/// - "pack" {"b64"} makes d of a (low) and b (high), of 32 bits each, and "unpack" {"b64"} takes d
///   (low) and d2 (high) from a; {"b32"} does it with halves of 16 bits.
/// Where PTX leaves a result open (division by zero, payloads of NaN) it is what an H200 gives;
/// `.approx` and `.full` are within the bounds of PTX but not bit for bit the hardware's.
AluOperation find_alu_operation(Simd simd, std::string_view mnemonic,
                                std::span<const std::string_view> modifiers);

/// cvt between a pair of numbers of 8, 6 or 4 bits (e4m3x2, e2m1x2, ue8m0x2, ...) and f32, f16x2 or
/// bf16x2; its `function` is null for any other.
AluOperation find_narrow_conversion(std::span<const std::string_view> modifiers);

}  // namespace sweep
