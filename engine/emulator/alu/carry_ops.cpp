#include "engine/emulator/alu/lanes.h"

/// Arithmetic of many words: the carry (after a subtraction the borrow) goes from one instruction
/// to the next.
namespace sweep::alu::baseline {
namespace {

template <class T>
using Carried = Both<T, u32>;

template <class T>
Carried<T> add(T a, T b, u32 carry) {
  T first = 0;
  T sum = 0;
  const bool over = __builtin_add_overflow(a, b, &first);
  const bool over_carry = __builtin_add_overflow(first, static_cast<T>(carry & 1), &sum);
  return {sum, over || over_carry ? 1U : 0U};
}

template <class T>
Carried<T> subtract(T a, T b, u32 borrow) {
  T first = 0;
  T difference = 0;
  const bool under = __builtin_sub_overflow(a, b, &first);
  const bool under_borrow = __builtin_sub_overflow(first, static_cast<T>(borrow & 1), &difference);
  return {difference, under || under_borrow ? 1U : 0U};
}

/// add.cc writes the carry, addc.cc reads it too, addc reads it alone. F takes a, b and the carry.
template <class T, class F>
AluOperation binary(bool reads, bool writes, F /*function*/) {
  if (reads && writes)
    return lanes_both<T, u32, T, T, None, u32>([](T a, T b, u32 in) { return F{}(a, b, in); });
  if (reads) return lanes<T, T, T, None, u32>([](T a, T b, u32 in) { return F{}(a, b, in).first; });
  return lanes_both<T, u32, T, T>([](T a, T b) { return F{}(a, b, 0U); });
}

template <class T, class F>
AluOperation ternary(bool reads, bool writes, F /*product*/) {
  if (reads && writes)
    return lanes_both<T, u32, T, T, T, u32>(
        [](T a, T b, T c, u32 in) { return add(F{}(a, b), c, in); });
  if (reads)
    return lanes<T, T, T, T, u32>(
        [](T a, T b, T c, u32 in) { return add(F{}(a, b), c, in).first; });
  return lanes_both<T, u32, T, T, T>([](T a, T b, T c) { return add(F{}(a, b), c, 0U); });
}

/// The carry is that of the words as unsigned, whatever the type; only the high half of a product
/// differs between signed and unsigned.
template <class T>
AluOperation find_mad(const Form& form, bool reads, bool writes) {
  using Word = std::make_unsigned_t<T>;
  switch (form.flags & ~flag::cc) {
    case flag::lo:
      return ternary<Word>(reads, writes, [](Word a, Word b) { return wrapped_mul(a, b); });
    case flag::hi:
      return ternary<Word>(reads, writes, [](Word a, Word b) {
        return static_cast<Word>(high_mul(static_cast<T>(a), static_cast<T>(b)));
      });
    default:
      return {};
  }
}

template <class T>
AluOperation find_carrying(const Form& form) {
  using Word = std::make_unsigned_t<T>;
  const bool writes = (form.flags & flag::cc) != 0;
  const bool plain = (form.flags & ~flag::cc) == 0;
  const auto sum = [](Word a, Word b, u32 carry) { return add(a, b, carry); };
  const auto difference = [](Word a, Word b, u32 borrow) { return subtract(a, b, borrow); };
  switch (form.mnemonic) {
    case Mnemonic::add:
      return plain && writes ? binary<Word>(false, true, sum) : AluOperation{};
    case Mnemonic::sub:
      return plain && writes ? binary<Word>(false, true, difference) : AluOperation{};
    case Mnemonic::addc:
      return plain ? binary<Word>(true, writes, sum) : AluOperation{};
    case Mnemonic::subc:
      return plain ? binary<Word>(true, writes, difference) : AluOperation{};
    case Mnemonic::mad:
      return writes ? find_mad<T>(form, false, true) : AluOperation{};
    case Mnemonic::madc:
      return find_mad<T>(form, true, writes);
    default:
      return {};
  }
}

}  // namespace

AluOperation find_carry(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  return with_types<u32, s32, u64, s64>(form.type,
                                        [&]<class T>() { return find_carrying<T>(form); });
}

}  // namespace sweep::alu::baseline
