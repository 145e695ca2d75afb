#include "engine/emulator/alu/alu.h"

#include "engine/emulator/alu/form.h"

namespace sweep {
namespace {

using Family = AluOperation (*)(const alu::Form& form);

#define SWEEP_ALU_HOT(level)                                                    \
  {                                                                             \
    alu::level::find_integer, alu::level::find_logic, alu::level::find_compare, \
        alu::level::find_float, alu::level::find_convert                        \
  }
constexpr Family baseline_families[] = SWEEP_ALU_HOT(baseline);
#ifdef SWEEP_ALU_X86
constexpr Family avx2_families[] = SWEEP_ALU_HOT(avx2);
constexpr Family avx512_families[] = SWEEP_ALU_HOT(avx512);
#endif
#undef SWEEP_ALU_HOT

constexpr Family rare_families[] = {
    alu::baseline::find_divide,   alu::baseline::find_carry,  alu::baseline::find_bits,
    alu::baseline::find_rounding, alu::baseline::find_approx, alu::baseline::find_half,
    alu::baseline::find_minmax,   alu::baseline::find_select, alu::baseline::find_slow_conversion,
};

std::span<const Family> hot_families(Simd simd) {
#ifdef SWEEP_ALU_X86
  if (simd == Simd::avx512) return avx512_families;
  if (simd == Simd::avx2) return avx2_families;
#endif
  static_cast<void>(simd);
  return baseline_families;
}

AluOperation find_in(std::span<const Family> families, const alu::Form& form) {
  for (const Family family : families) {
    const AluOperation operation = family(form);
    if (operation.function != nullptr) return operation;
  }
  return {};
}

}  // namespace

Simd best_simd() {
#ifdef SWEEP_ALU_X86
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512) return Simd::avx512;
  if (avx2) return Simd::avx2;
#endif
  return Simd::baseline;
}

std::string_view to_string(Simd simd) {
  switch (simd) {
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
    default:
      return "baseline";
  }
}

AluOperation find_alu_operation(Simd simd, std::string_view mnemonic,
                                std::span<const std::string_view> modifiers) {
  const auto form = alu::parse_form(mnemonic, modifiers);
  if (!form) return {};
  const AluOperation operation = find_in(hot_families(simd), *form);
  return operation.function != nullptr ? operation : find_in(rare_families, *form);
}

}  // namespace sweep
