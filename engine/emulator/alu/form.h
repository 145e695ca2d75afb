#pragma once

#include <cstdint>

#include "engine/emulator/alu/alu.h"
#include "engine/emulator/alu/matrix_product.h"

/// What the modifiers of a register operation mean, and the families of operations that look it up.
/// This header is included by files that are compiled for wider vectors than the machine may have,
/// so it holds no inline function that the linker could take from one of them for all.
namespace sweep::alu {

// Each word of PTX stands in one of these lists. A trailing `_` is for words that C++ reserves.
#define SWEEP_ALU_MNEMONICS(row)                                                                  \
  row(abs) row(add) row(addc) row(and_) row(bfe) row(bfi) row(bfind) row(bmsk) row(brev) row(clz) \
      row(cnot) row(copysign) row(cos) row(cvt) row(div) row(dp2a) row(dp4a) row(ex2) row(fma)    \
          row(fns) row(lg2) row(lop3) row(mad) row(mad24) row(madc) row(max) row(min) row(mov)    \
              row(mul) row(mul24) row(neg) row(not_) row(or_) row(pack) row(popc) row(prmt)       \
                  row(rcp) row(rem) row(rsqrt) row(sad) row(selp) row(setp) row(shf) row(shl)     \
                      row(shr) row(sin) row(slct) row(sqrt) row(sub) row(subc) row(szext)         \
                          row(tanh) row(testp) row(unpack) row(vabsdiff4) row(xor_)
#define SWEEP_ALU_ROUNDINGS(row) \
  row(none) row(rn) row(rz) row(rm) row(rp) row(rna) row(rni) row(rzi) row(rmi) row(rpi)
/// The last four compare unsigned: parsed they are lt, le, gt and ge.
#define SWEEP_ALU_COMPARISONS(row)                                                              \
  row(none) row(eq) row(ne) row(lt) row(le) row(gt) row(ge) row(equ) row(neu) row(ltu) row(leu) \
      row(gtu) row(geu) row(num) row(nan) row(lo) row(ls) row(hi) row(hs)
/// Modifiers that are there or not.
#define SWEEP_ALU_FLAGS(row)                                                                       \
  row(lo) row(hi) row(wide) row(cc) row(sat) row(ftz) row(relu) row(NaN) row(xorsign) row(abs)     \
      row(approx) row(full) row(l) row(r) row(clamp) row(wrap) row(f4e) row(b4e) row(rc8) row(ecl) \
          row(ecr) row(rc16) row(shiftamt) row(satfinite) row(finite) row(infinite) row(number)    \
              row(notanumber) row(normal) row(subnormal) row(oob) row(same)

#define SWEEP_ALU_NAME(name) name,
enum class Mnemonic : std::uint8_t { SWEEP_ALU_MNEMONICS(SWEEP_ALU_NAME) };
enum class Rounding : std::uint8_t { SWEEP_ALU_ROUNDINGS(SWEEP_ALU_NAME) };
enum class Compare : std::uint8_t { SWEEP_ALU_COMPARISONS(SWEEP_ALU_NAME) };
enum class FlagBit : std::uint8_t { SWEEP_ALU_FLAGS(SWEEP_ALU_NAME) };
#undef SWEEP_ALU_NAME

/// One bit for each flag.
using Flags = std::uint64_t;
namespace flag {
constexpr Flags none = 0;
#define SWEEP_ALU_FLAG(name) \
  constexpr Flags name = Flags{1} << static_cast<unsigned>(FlagBit::name);
SWEEP_ALU_FLAGS(SWEEP_ALU_FLAG)
#undef SWEEP_ALU_FLAG
}  // namespace flag

struct Form {
  Mnemonic mnemonic = Mnemonic::mov;
  Rounding rounding = Rounding::none;
  Compare compare = Compare::none;
  Flags flags = 0;
  std::uint8_t types = 0;  ///< how many are given
  ptx::Type type = ptx::Type::b32;
  ptx::Type second = ptx::Type::b32;  ///< the source of cvt, the b operand of dp4a
  unsigned register_bits = 0;  ///< of cvt: the width of the register it writes, at least its type's
};

// Each family returns the operation of a form, or none when the form is not one of its own; no form
// belongs to two.

/// The operations that kernels execute most and the products of tensor cores, compiled for every
/// width of vectors.
#define SWEEP_ALU_FAMILIES(level)                                             \
  namespace level {                                                           \
  AluOperation find_integer(const Form& form);                                \
  AluOperation find_float(const Form& form);                                  \
  void multiply_matrices(const MatrixProduct& product, std::byte* registers); \
  }
SWEEP_ALU_FAMILIES(baseline)
SWEEP_ALU_FAMILIES(avx2)
SWEEP_ALU_FAMILIES(avx512)
#undef SWEEP_ALU_FAMILIES

/// The rest, compiled once.
namespace baseline {
AluOperation find_rare_integer(const Form& form);  ///< div, add.cc, shf, prmt, bfe, popc, slct, ...
AluOperation find_rounding(const Form& form);      ///< floating-point: other roundings
AluOperation find_approx(const Form& form);        ///< .approx, .full
AluOperation find_half(const Form& form);          ///< f16 and bf16; min and max .NaN, .xorsign
AluOperation find_slow_conversion(const Form& form);
}  // namespace baseline

}  // namespace sweep::alu
