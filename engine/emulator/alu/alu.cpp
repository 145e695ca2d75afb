#include "engine/emulator/alu/alu.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/emulator/alu/form.h"
#include "engine/emulator/alu/matrix_product.h"

namespace sweep {
namespace alu {
namespace {

#define SWEEP_ALU_NAME(name) #name,
constexpr auto mnemonics = std::to_array<std::string_view>({SWEEP_ALU_MNEMONICS(SWEEP_ALU_NAME)});
constexpr auto roundings = std::to_array<std::string_view>({SWEEP_ALU_ROUNDINGS(SWEEP_ALU_NAME)});
constexpr auto comparisons =
    std::to_array<std::string_view>({SWEEP_ALU_COMPARISONS(SWEEP_ALU_NAME)});
constexpr auto flags = std::to_array<std::string_view>({SWEEP_ALU_FLAGS(SWEEP_ALU_NAME)});
#undef SWEEP_ALU_NAME
static_assert(flags.size() <= 64);

/// Where a word stands in a list that has them in an enumeration's order; its size if nowhere.
std::size_t find(std::span<const std::string_view> words, std::string_view word) {
  const auto name_of = [](std::string_view name) { return name.substr(0, name.find('_')); };
  return static_cast<std::size_t>(std::ranges::find(words, word, name_of) - words.begin());
}

/// Sets `value` to the one whose word this is; false where it has none or `value` has been set.
template <class Value>
bool set_once(Value& value, std::span<const std::string_view> words, std::string_view word) {
  const std::size_t found = find(words, word);
  if (found == words.size() || value != Value::none) return false;
  value = static_cast<Value>(found);
  return value != Value::none;
}

bool add_word(Form& form, std::string_view word) {
  if (form.mnemonic == Mnemonic::setp && set_once(form.compare, comparisons, word)) return true;
  const bool is_width = word == "d16" || word == "d32" || word == "d64";
  if (form.mnemonic == Mnemonic::cvt && form.register_bits == 0 && is_width) {
    form.register_bits = word == "d16" ? 16 : word == "d32" ? 32 : 64;
    return true;
  }
  if (const auto type = ptx::find_type(word)) {
    if (form.types == 2) return false;
    (form.types++ == 0 ? form.type : form.second) = *type;
    return true;
  }
  if (set_once(form.rounding, roundings, word)) return true;
  const std::size_t bit = find(flags, word);
  if (bit == flags.size() || (form.flags >> bit & 1) != 0) return false;
  form.flags |= Flags{1} << bit;
  return true;
}

/// Empty when a word is unknown or given twice, when there is no type or more than two, and when
/// the form has a comparison or a register's width that its mnemonic has no use for. Which flags go
/// with which type is left to the one that looks up the operation.
std::optional<Form> parse_form(std::string_view mnemonic,
                               std::span<const std::string_view> modifiers) {
  const std::size_t found = find(mnemonics, mnemonic);
  if (found == mnemonics.size()) return {};
  Form form;
  form.mnemonic = static_cast<Mnemonic>(found);
  for (const std::string_view word : modifiers) {
    if (!add_word(form, word)) return {};
  }
  const bool compares = form.mnemonic == Mnemonic::setp;
  if (form.types == 0 || compares != (form.compare != Compare::none)) return {};
  if (form.compare >= Compare::lo) {
    if (ptx::is_signed(form.type) || ptx::is_floating(form.type)) return {};
    const unsigned order = static_cast<unsigned>(form.compare) - static_cast<unsigned>(Compare::lo);
    form.compare = static_cast<Compare>(static_cast<unsigned>(Compare::lt) + order);
  }
  const unsigned natural = std::max(ptx::bits_of(form.type), 16U);
  if (form.register_bits == 0) form.register_bits = natural;
  if (form.register_bits < natural) return {};
  return form;
}

using Family = AluOperation (*)(const Form& form);

constexpr Family hot_families[][2] = {
    {baseline::find_integer, baseline::find_float},
#ifdef SWEEP_ALU_X86
    {avx2::find_integer, avx2::find_float},
    {avx512::find_integer, avx512::find_float},
#endif
};
constexpr MatrixFunction matrix_functions[] = {
    baseline::multiply_matrices,
#ifdef SWEEP_ALU_X86
    avx2::multiply_matrices,
    avx512::multiply_matrices,
#endif
};
constexpr Family rare_families[] = {baseline::find_rare_integer, baseline::find_rounding,
                                    baseline::find_approx, baseline::find_half,
                                    baseline::find_slow_conversion};

/// A level that the program is not built for has no row of its own.
std::size_t level_of(Simd simd) {
  return std::min(static_cast<std::size_t>(simd), std::size(hot_families) - 1);
}

}  // namespace
}  // namespace alu

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
  return simd == Simd::avx512 ? "avx512" : simd == Simd::avx2 ? "avx2" : "baseline";
}

MatrixFunction find_matrix_function(Simd simd) {
  return alu::matrix_functions[alu::level_of(simd)];
}

AluOperation find_alu_operation(Simd simd, std::string_view mnemonic,
                                std::span<const std::string_view> modifiers) {
  const auto form = alu::parse_form(mnemonic, modifiers);
  if (!form) return {};
  AluOperation found;
  const auto look_in = [&](std::span<const alu::Family> families) {
    for (const alu::Family family : families) {
      if (found.function == nullptr) found = family(*form);
    }
  };
  look_in(alu::hot_families[alu::level_of(simd)]);
  look_in(alu::rare_families);
  return found;
}

}  // namespace sweep
