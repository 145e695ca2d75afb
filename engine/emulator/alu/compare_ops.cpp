#include "engine/emulator/alu/comparison.h"
#include "engine/emulator/alu/families.h"

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

template <class F, class T, Combine combine, bool two>
void run_compare(const AluOperands& operands, std::byte* registers, u32 mask) {
  const u32 result = compared<F, T>(operands, registers);
  const u32 other = other_predicate<combine>(operands, registers);
  set_predicate(registers, operands.d, combined(combine, result, other), mask);
  if constexpr (two) set_predicate(registers, operands.d2, combined(combine, ~result, other), mask);
}

template <class T, class F>
AluOperation comparison(const Form& form, F function) {
  const bool two = (form.flags & flag::two) != 0;
  if (!two && form.combine == Combine::none) return vectors<bool, T, T>(function);
  return with_combine(form.combine, [&]<Combine combine>() {
    const AluOperation one =
        operation<bool, None, T, T, None, None>(run_compare<F, T, combine, false>);
    AluOperation result = one;
    if (two) {
      result.function = run_compare<F, T, combine, true>;
      result.d2_bits = 1;
    }
    result.c_bits = combine == Combine::none ? 0 : 1;
    return result;
  });
}

}  // namespace

AluOperation find_compare(const Form& form) {
  if (form.mnemonic != Mnemonic::setp || form.types != 1) return {};
  if (form.rounding != Rounding::none) return {};
  return with_comparison(form.type, form.compare, form.flags & ~flag::two,
                         [&]<class T>(auto function) { return comparison<T>(form, function); });
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
