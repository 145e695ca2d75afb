#include <cfenv>

#include "engine/emulator/alu/float_lane.h"

/// Floating-point arithmetic in the roundings that need the processor's rounding mode changed. This
/// file is compiled for code that does so; every operand comes from memory and every result goes
/// there between the two changes.
namespace sweep::alu::baseline {
namespace {

/// The variant is the mode.
template <class F, class T, class B, class C>
void run_in_mode(const AluOperands& operands, std::byte* registers, u32 mask) {
  const int before = std::fegetround();
  std::fesetround(static_cast<int>(operands.e));
  run_lanes<F, T, None, T, B, C, None>(operands, registers, mask);
  std::fesetround(before);
}

template <class F, class T, class B = None, class C = None>
AluOperation in_mode(int mode) {
  AluOperation result = operation<T, None, T, B, C, None>(run_in_mode<F, T, B, C>);
  result.variant = static_cast<u32>(mode);
  return result;
}

}  // namespace

AluOperation find_rounding(const Form& form) {
  const bool is_directed = form.rounding == Rounding::rz || form.rounding == Rounding::rm ||
                           form.rounding == Rounding::rp;
  if (form.types != 1 || !is_directed) return {};
  const int mode = form.rounding == Rounding::rz   ? FE_TOWARDZERO
                   : form.rounding == Rounding::rm ? FE_DOWNWARD
                                                   : FE_UPWARD;
  return with_arithmetic(form, [&]<class F, class T>() {
    if constexpr (std::is_invocable_v<F, T, T, T>)
      return in_mode<F, T, T, T>(mode);
    else if constexpr (std::is_invocable_v<F, T, T>)
      return in_mode<F, T, T>(mode);
    else
      return in_mode<F, T>(mode);
  });
}

}  // namespace sweep::alu::baseline
