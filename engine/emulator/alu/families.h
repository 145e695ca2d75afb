#pragma once

#include "engine/emulator/alu/alu.h"
#include "engine/emulator/alu/form.h"

/// Where the operations live. Each function returns the operation of a form, or none when the form
/// is not one of its family; no form belongs to two.
namespace sweep::alu {

/// The operations that kernels execute most, compiled for every width of vectors.
#define SWEEP_ALU_FAMILIES(level)              \
  namespace level {                            \
  AluOperation find_integer(const Form& form); \
  AluOperation find_logic(const Form& form);   \
  AluOperation find_compare(const Form& form); \
  AluOperation find_float(const Form& form);   \
  AluOperation find_convert(const Form& form); \
  }
SWEEP_ALU_FAMILIES(baseline)
SWEEP_ALU_FAMILIES(avx2)
SWEEP_ALU_FAMILIES(avx512)
#undef SWEEP_ALU_FAMILIES

/// The rest, compiled once.
namespace baseline {
AluOperation find_divide(const Form& form);      ///< div, rem, sad, mul24, .sat and .relu of s32
AluOperation find_packed(const Form& form);      ///< two integers of 16 bits; all of form.packed
AluOperation find_carry(const Form& form);       ///< add.cc to madc
AluOperation find_bits(const Form& form);        ///< shf, prmt, bfe, popc, dp4a, ...
AluOperation find_rounding(const Form& form);    ///< floating-point: other roundings, packed
AluOperation find_approx(const Form& form);      ///< .approx, .full
AluOperation find_half(const Form& form);        ///< f16 and bf16
AluOperation find_minmax(const Form& form);      ///< min and max of f16 and bf16; .NaN, .xorsign
AluOperation find_select(const Form& form);      ///< slct, testp
AluOperation find_set_family(const Form& form);  ///< set; setp of f16 and bf16
AluOperation find_rare_convert(const Form& form);
}  // namespace baseline

}  // namespace sweep::alu
