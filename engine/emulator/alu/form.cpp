#include "engine/emulator/alu/form.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sweep::alu {
namespace {

template <class Value>
using Row = std::pair<std::string_view, Value>;

constexpr std::array<Row<Mnemonic>, 56> mnemonics = {{
    {"abs", Mnemonic::abs},       {"add", Mnemonic::add},   {"addc", Mnemonic::addc},
    {"and", Mnemonic::and_},      {"bfe", Mnemonic::bfe},   {"bfi", Mnemonic::bfi},
    {"bfind", Mnemonic::bfind},   {"bmsk", Mnemonic::bmsk}, {"brev", Mnemonic::brev},
    {"clz", Mnemonic::clz},       {"cnot", Mnemonic::cnot}, {"copysign", Mnemonic::copysign},
    {"cos", Mnemonic::cos},       {"cvt", Mnemonic::cvt},   {"div", Mnemonic::div},
    {"dp2a", Mnemonic::dp2a},     {"dp4a", Mnemonic::dp4a}, {"ex2", Mnemonic::ex2},
    {"fma", Mnemonic::fma},       {"fns", Mnemonic::fns},   {"lg2", Mnemonic::lg2},
    {"lop3", Mnemonic::lop3},     {"mad", Mnemonic::mad},   {"mad24", Mnemonic::mad24},
    {"madc", Mnemonic::madc},     {"max", Mnemonic::max},   {"min", Mnemonic::min},
    {"mov", Mnemonic::mov},       {"mul", Mnemonic::mul},   {"mul24", Mnemonic::mul24},
    {"neg", Mnemonic::neg},       {"not", Mnemonic::not_},  {"or", Mnemonic::or_},
    {"pack", Mnemonic::pack},     {"popc", Mnemonic::popc}, {"prmt", Mnemonic::prmt},
    {"rcp", Mnemonic::rcp},       {"rem", Mnemonic::rem},   {"rsqrt", Mnemonic::rsqrt},
    {"sad", Mnemonic::sad},       {"selp", Mnemonic::selp}, {"set", Mnemonic::set},
    {"setp", Mnemonic::setp},     {"shf", Mnemonic::shf},   {"shl", Mnemonic::shl},
    {"shr", Mnemonic::shr},       {"sin", Mnemonic::sin},   {"slct", Mnemonic::slct},
    {"sqrt", Mnemonic::sqrt},     {"sub", Mnemonic::sub},   {"subc", Mnemonic::subc},
    {"szext", Mnemonic::szext},   {"tanh", Mnemonic::tanh}, {"testp", Mnemonic::testp},
    {"unpack", Mnemonic::unpack}, {"xor", Mnemonic::xor_},
}};

constexpr std::array<Row<Rounding>, 9> roundings = {{
    {"rn", Rounding::rn},
    {"rz", Rounding::rz},
    {"rm", Rounding::rm},
    {"rp", Rounding::rp},
    {"rna", Rounding::rna},
    {"rni", Rounding::rni},
    {"rzi", Rounding::rzi},
    {"rmi", Rounding::rmi},
    {"rpi", Rounding::rpi},
}};

constexpr std::array<Row<Compare>, 18> compares = {{
    {"eq", Compare::eq},
    {"ne", Compare::ne},
    {"lt", Compare::lt},
    {"le", Compare::le},
    {"gt", Compare::gt},
    {"ge", Compare::ge},
    {"lo", Compare::lt},
    {"ls", Compare::le},
    {"hi", Compare::gt},
    {"hs", Compare::ge},
    {"equ", Compare::equ},
    {"neu", Compare::neu},
    {"ltu", Compare::ltu},
    {"leu", Compare::leu},
    {"gtu", Compare::gtu},
    {"geu", Compare::geu},
    {"num", Compare::num},
    {"nan", Compare::nan},
}};

constexpr std::array<Row<Combine>, 3> combines = {{
    {"and", Combine::and_},
    {"or", Combine::or_},
    {"xor", Combine::xor_},
}};

constexpr std::array<Row<Packed>, 4> packed_types = {{
    {"u16x2", Packed::u16x2},
    {"s16x2", Packed::s16x2},
    {"e4m3x2", Packed::e4m3x2},
    {"e5m2x2", Packed::e5m2x2},
}};

constexpr std::array<Row<Flags>, 34> flags = {{
    {"lo", flag::lo},
    {"hi", flag::hi},
    {"wide", flag::wide},
    {"cc", flag::cc},
    {"sat", flag::sat},
    {"ftz", flag::ftz},
    {"relu", flag::relu},
    {"NaN", flag::nan},
    {"xorsign", flag::xorsign},
    {"abs", flag::abs},
    {"approx", flag::approx},
    {"full", flag::full},
    {"l", flag::left},
    {"r", flag::right},
    {"clamp", flag::clamp},
    {"wrap", flag::wrap},
    {"f4e", flag::f4e},
    {"b4e", flag::b4e},
    {"rc8", flag::rc8},
    {"ecl", flag::ecl},
    {"ecr", flag::ecr},
    {"rc16", flag::rc16},
    {"shiftamt", flag::shiftamt},
    {"satfinite", flag::satfinite},
    {"finite", flag::finite},
    {"infinite", flag::infinite},
    {"number", flag::number},
    {"notanumber", flag::notanumber},
    {"normal", flag::normal},
    {"subnormal", flag::subnormal},
    {"d16", flag::d16},
    {"d32", flag::d32},
    {"d64", flag::d64},
    {"two", flag::two},
}};

template <class Value, std::size_t count>
std::optional<Value> find(const std::array<Row<Value>, count>& rows, std::string_view name) {
  const auto* const row = std::find_if(
      rows.begin(), rows.end(), [&](const Row<Value>& other) { return other.first == name; });
  if (row == rows.end()) return {};
  return row->second;
}

bool is_unsigned_compare(std::string_view word) {
  return word == "lo" || word == "ls" || word == "hi" || word == "hs";
}

bool compares_values(Mnemonic mnemonic) {
  return mnemonic == Mnemonic::setp || mnemonic == Mnemonic::set;
}

/// lo, ls, hi and hs are for unsigned (and untyped) operands only.
bool fits_unsigned(ptx::Type type) {
  return !ptx::is_signed(type) && !ptx::is_floating(type);
}

/// Sets `value` to `found`; false when it has been set before.
template <class Value>
bool set_once(Value& value, Value found) {
  return std::exchange(value, found) == Value::none;
}

bool add_comparing_word(Form& form, std::string_view word) {
  if (const auto compare = find(compares, word)) return set_once(form.compare, *compare);
  if (const auto combine = find(combines, word)) return set_once(form.combine, *combine);
  return false;
}

bool add_word(Form& form, std::string_view word) {
  if (const auto type = ptx::find_type(word)) {
    if (form.types == 2) return false;
    (form.types++ == 0 ? form.type : form.second) = *type;
    return true;
  }
  if (const auto packed = find(packed_types, word)) return set_once(form.packed, *packed);
  if (compares_values(form.mnemonic) && add_comparing_word(form, word)) return true;
  if (const auto rounding = find(roundings, word)) return set_once(form.rounding, *rounding);
  const auto found = find(flags, word);
  if (!found || (form.flags & *found) != 0) return false;
  form.flags |= *found;
  return true;
}

}  // namespace

std::optional<Form> parse_form(std::string_view mnemonic,
                               std::span<const std::string_view> modifiers) {
  const auto found = find(mnemonics, mnemonic);
  if (!found) return {};
  Form form;
  form.mnemonic = *found;
  for (const std::string_view word : modifiers) {
    if (!add_word(form, word)) return {};
  }
  const int types = form.types + (form.packed != Packed::none ? 1 : 0);
  if (types == 0 || types > 2) return {};
  if (compares_values(form.mnemonic) != (form.compare != Compare::none)) return {};
  const ptx::Type compared = form.types == 2 ? form.second : form.type;
  if (compares_values(form.mnemonic) && !fits_unsigned(compared) &&
      std::any_of(modifiers.begin(), modifiers.end(), is_unsigned_compare))
    return {};
  return form;
}

}  // namespace sweep::alu
