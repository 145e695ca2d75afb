#include <cfenv>

#include "engine/emulator/alu/float_lane.h"

/// Floating-point arithmetic in the roundings that need the processor's rounding mode changed. This
/// file is compiled for code that does so; every operand comes from memory and every result goes
/// there between the two changes.
namespace sweep::alu::baseline {
namespace {

/// The variant is the mode.
template <class F, class T>
void run_in_mode(const AluOperands& operands, std::byte* registers, u32 mask) {
  const int before = std::fegetround();
  std::fesetround(static_cast<int>(operands.e));
  run_lanes<F, T, None, T, Second<F, T>, Third<F, T>, None>(operands, registers, mask);
  std::fesetround(before);
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
    AluOperation result = operation<T, None, T, Second<F, T>, Third<F, T>, None>(run_in_mode<F, T>);
    result.variant = static_cast<u32>(mode);
    return result;
  });
}

}  // namespace sweep::alu::baseline
