#include "engine/emulator/alu/alu.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/emulator/alu/form.h"

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

/// The value whose word this is, in a list that has them in the enumeration's order.
template <class Value, std::size_t count>
std::optional<Value> find(const std::array<std::string_view, count>& words, std::string_view word) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = words[i];
    if (name.substr(0, name.find('_')) == word) return static_cast<Value>(i);
  }
  return {};
}

/// Sets `value` to `found`; false when it has been set before.
template <class Value>
bool set_once(Value& value, Value found) {
  return found != Value::none && std::exchange(value, found) == Value::none;
}

bool add_comparison(Form& form, std::string_view word, bool& is_unsigned) {
  constexpr std::array<std::pair<std::string_view, Compare>, 4> unsigned_words = {
      {{"lo", Compare::lt}, {"ls", Compare::le}, {"hi", Compare::gt}, {"hs", Compare::ge}}};
  for (const auto& [name, compare] : unsigned_words) {
    if (name != word) continue;
    is_unsigned = true;
    return set_once(form.compare, compare);
  }
  const auto compare = find<Compare>(comparisons, word);
  return compare && set_once(form.compare, *compare);
}

/// d16, d32 or d64
bool add_register_bits(Form& form, std::string_view word) {
  if (form.register_bits != 0 || (word != "d16" && word != "d32" && word != "d64")) return false;
  form.register_bits = word == "d16" ? 16 : word == "d32" ? 32 : 64;
  return true;
}

bool add_word(Form& form, std::string_view word) {
  if (const auto type = ptx::find_type(word)) {
    if (form.types == 2) return false;
    (form.types++ == 0 ? form.type : form.second) = *type;
    return true;
  }
  if (const auto rounding = find<Rounding>(roundings, word)) {
    return set_once(form.rounding, *rounding);
  }
  const auto bit = find<FlagBit>(flags, word);
  const Flags found = bit ? Flags{1} << static_cast<unsigned>(*bit) : 0;
  if (found == 0 || (form.flags & found) != 0) return false;
  form.flags |= found;
  return true;
}

using Family = AluOperation (*)(const Form& form);

#define SWEEP_ALU_HOT(level) \
  { level::find_integer, level::find_float }
constexpr Family hot_families[][2] = {SWEEP_ALU_HOT(baseline),
#ifdef SWEEP_ALU_X86
                                      SWEEP_ALU_HOT(avx2), SWEEP_ALU_HOT(avx512)
#endif
};
#undef SWEEP_ALU_HOT
constexpr Family rare_families[] = {baseline::find_rare_integer, baseline::find_rounding,
                                    baseline::find_approx, baseline::find_half,
                                    baseline::find_slow_conversion};

}  // namespace

std::optional<Form> parse_form(std::string_view mnemonic,
                               std::span<const std::string_view> modifiers) {
  const auto found = find<Mnemonic>(mnemonics, mnemonic);
  if (!found) return {};
  Form form;
  form.mnemonic = *found;
  const bool compares = form.mnemonic == Mnemonic::setp;
  const bool converts = form.mnemonic == Mnemonic::cvt;
  bool is_unsigned = false;
  for (const std::string_view word : modifiers) {
    if (compares && add_comparison(form, word, is_unsigned)) continue;
    if (converts && add_register_bits(form, word)) continue;
    if (!add_word(form, word)) return {};
  }
  if (form.types == 0 || compares != (form.compare != Compare::none)) return {};
  if (is_unsigned && (ptx::is_signed(form.type) || ptx::is_floating(form.type))) return {};
  const unsigned natural = std::max(ptx::bits_of(form.type), 16U);
  if (form.register_bits == 0) form.register_bits = natural;
  if (form.register_bits < natural) return {};
  return form;
}

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

AluOperation find_alu_operation(Simd simd, std::string_view mnemonic,
                                std::span<const std::string_view> modifiers) {
  const auto form = alu::parse_form(mnemonic, modifiers);
  if (!form) return {};
  // A level that the program is not built for has no row of its own.
  const std::size_t level =
      std::min(static_cast<std::size_t>(simd), std::size(alu::hot_families) - 1);
  AluOperation found;
  const auto look_in = [&](std::span<const alu::Family> families) {
    for (const alu::Family family : families) {
      if (found.function == nullptr) found = family(*form);
    }
  };
  look_in(alu::hot_families[level]);
  look_in(alu::rare_families);
  return found;
}

}  // namespace sweep
