#include "engine/emulator/alu/lanes.h"

/// Integer arithmetic and comparisons, words bit by bit, moves.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using ptx::Type;
using f64 = double;

// A function of one to three values of T, for the types that there are of it.

template <class F>
AluOperation of_integers(Type type, F function) {
  return with_integer(type, [&]<class T>() { return vectors_of<T>(function); });
}
/// Where the sign makes no difference.
template <class F>
AluOperation of_any_sign(Type type, F function) {
  return with_word(type, is_integer(type), [&]<class T>() { return vectors_of<T>(function); });
}
template <class F>
AluOperation of_signed(Type type, F function) {
  return with_types<s16, s32, s64>(type, [&]<class T>() { return vectors_of<T>(function); });
}
template <class F>
AluOperation of_untyped(Type type, F function) {
  return with_word(type, is_untyped(type), [&]<class T>() { return vectors_of<T>(function); });
}

/// mul and mad.
AluOperation find_product(const Form& form) {
  const bool adds = form.mnemonic == Mnemonic::mad;
  const auto low_sum = [](auto a, decltype(a) b, decltype(a) c) {
    return wrapped_add(wrapped_mul(a, b), c);
  };
  const auto high_sum = [](auto a, decltype(a) b, decltype(a) c) {
    return wrapped_add(high_mul(a, b), c);
  };
  if (form.flags == flag::lo)
    return adds ? of_any_sign(form.type, low_sum) : of_any_sign(form.type, wrapped_mul);
  if (form.flags == flag::hi)
    return adds ? of_integers(form.type, high_sum) : of_integers(form.type, high_mul);
  if (form.flags != flag::wide) return {};
  // There is no integer of 128 bits.
  return with_types<u16, s16, u32, s32>(form.type, [&]<class T>() {
    using Wide = TwiceOf<T>;
    if (adds)
      return vectors<Wide, T, T, Wide>(
          [](T a, T b, Wide c) { return wrapped_add(wrapped_mul(Wide{a}, Wide{b}), c); });
    return vectors<Wide, T, T>([](T a, T b) { return wrapped_mul(Wide{a}, Wide{b}); });
  });
}

AluOperation find_comparison(const Form& form) {
  AluOperation found;
  const auto ordered = [&](Compare compare, auto holds) {
    if (form.compare == compare)
      found = with_integer(form.type, [&]<class T>() { return vectors<bool, T, T>(holds); });
  };
  const auto equal = [&](Compare compare, auto holds) {
    if (form.compare == compare)
      found = with_word(form.type, is_integer(form.type) || is_untyped(form.type),
                        [&]<class T>() { return vectors<bool, T, T>(holds); });
  };
  equal(Compare::eq, [](auto a, decltype(a) b) { return a == b; });
  equal(Compare::ne, [](auto a, decltype(a) b) { return a != b; });
  ordered(Compare::lt, [](auto a, decltype(a) b) { return a < b; });
  ordered(Compare::le, [](auto a, decltype(a) b) { return a <= b; });
  ordered(Compare::gt, [](auto a, decltype(a) b) { return a > b; });
  ordered(Compare::ge, [](auto a, decltype(a) b) { return a >= b; });
  return found;
}

/// A function of whole predicates, 32 lanes in one word.
template <class F>
void run_predicate(const AluOperands& operands, std::byte* registers, u32 mask) {
  const u32 a = *predicate_at(registers, operands.a);
  if constexpr (std::is_invocable_v<F, u32>)
    set_predicate(registers, operands.d, F{}(a), mask);
  else
    set_predicate(registers, operands.d, F{}(a, *predicate_at(registers, operands.b)), mask);
}

template <class F>
AluOperation predicates(F /*function*/) {
  constexpr u8 b_bits = std::is_invocable_v<F, u32> ? 0 : 1;
  return {step<run_predicate<F>>, 1, 0, 1, b_bits, 0, 0, 0};
}

/// Bit by bit the same at every width.
template <class F>
AluOperation bitwise(Type type, F function) {
  return type == Type::pred ? predicates(function) : of_untyped(type, function);
}

/// Amounts beyond the width shift everything out.
template <class T>
SWEEP_ALU_INLINE T shifted_left(T a, u32 amount) {
  using Word = Wrapping<T>;
  constexpr u32 width = 8 * sizeof(Word);
  const Word result = static_cast<Word>(a) << (amount & (width - 1));
  return static_cast<T>(amount < width ? result : Word{0});
}
template <class T>
SWEEP_ALU_INLINE T shifted_right(T a, u32 amount) {
  using Word = BySize<T, std::conditional_t<std::is_signed_v<T>, s32, u32>, T, T>;
  constexpr u32 last = 8 * sizeof(Word) - 1;
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<Word>(a) >> (amount < last ? amount : last));
  } else {
    const Word result = static_cast<Word>(a) >> (amount & last);
    return static_cast<T>(amount <= last ? result : Word{0});
  }
}

template <class Amount>
AluOperation find_shift(const Form& form) {
  if (form.mnemonic == Mnemonic::shl)
    return with_word(form.type, is_untyped(form.type), []<class T>() {
      return vectors<T, T, Amount>([](T a, u32 amount) { return shifted_left(a, amount); });
    });
  const auto right = []<class T>() {
    return vectors<T, T, Amount>([](T a, u32 amount) { return shifted_right(a, amount); });
  };
  return is_untyped(form.type) ? with_word(form.type, true, right) : with_integer(form.type, right);
}

/// A double holds all words and the whole numbers beyond them.
constexpr f64 beyond_words = 0x1p52;
SWEEP_ALU_INLINE f64 number_of(u32 word) {
  return __builtin_bit_cast(f64, __builtin_bit_cast(u64, beyond_words) | word) - beyond_words;
}
/// a / b, where b is not 0. The quotient of doubles is never rounded up to a whole number.
SWEEP_ALU_INLINE u32 whole_quotient(u32 a, u32 b) {
  const f64 exact = number_of(a) / number_of(b);
  const f64 rounded = (exact + beyond_words) - beyond_words;
  const f64 whole = rounded > exact ? rounded - 1 : rounded;
  return static_cast<u32>(__builtin_bit_cast(u64, whole + beyond_words));
}
template <class T>
SWEEP_ALU_INLINE u32 magnitude(T a) {
  return a < 0 ? 0 - static_cast<u32>(a) : static_cast<u32>(a);
}

/// Of 32 bits. A division by zero gives all ones, and so does its remainder, as measured on an
/// H200; a quotient that does not fit wraps around.
AluOperation find_division(const Form& form) {
  return with_types<u32, s32>(form.type, [&]<class T>() {
    if (form.mnemonic == Mnemonic::div)
      return vectors<T, T, T>([](T a, T b) {
        const u32 quotient = whole_quotient(magnitude(a), magnitude(b));
        return static_cast<T>(b == 0 ? ~0U : (a < 0) != (b < 0) ? 0 - quotient : quotient);
      });
    return vectors<T, T, T>([](T a, T b) {
      const u32 rest = magnitude(a) - whole_quotient(magnitude(a), magnitude(b)) * magnitude(b);
      return static_cast<T>(b == 0 ? ~0U : a < 0 ? 0 - rest : rest);
    });
  });
}

/// A word of two halves, the low one first.
template <class Word, class Half>
AluOperation packing(bool packs) {
  constexpr unsigned bits = 8 * sizeof(Half);
  if (packs)
    return vectors<Word, Half, Half>([](Half low, Half high) { return Word{high} << bits | low; });
  return lanes_both<Half, Half, Word>([](Word a) {
    return Both<Half, Half>{static_cast<Half>(a), static_cast<Half>(a >> bits)};
  });
}

/// Bit i of the table is the result where a, b and c have the bits of i, a the highest.
AluOperation lop3() {
  return vectors<u32, u32, u32, u32, u32>([](u32 a, u32 b, u32 c, u32 table) {
    u32 result = 0;
    for (u32 row = 0; row < 8; ++row) {
      const u32 chosen = 0 - ((table >> row) & 1);
      result |= chosen & ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) &
                ((row & 1) != 0 ? c : ~c);
    }
    return result;
  });
}

}  // namespace

AluOperation find_integer(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none) return {};
  const Type type = form.type;
  if (form.mnemonic == Mnemonic::mul || form.mnemonic == Mnemonic::mad) return find_product(form);
  if (form.mnemonic == Mnemonic::shl || form.mnemonic == Mnemonic::shr) {
    if (form.flags == flag::same) return find_shift<Same<u32>>(form);
    return form.flags == 0 ? find_shift<u32>(form) : AluOperation{};
  }
  if (form.flags != 0) return {};
  const auto is = [&](Mnemonic mnemonic) { return form.mnemonic == mnemonic; };
  if (is(Mnemonic::add)) return of_any_sign(type, wrapped_add);
  if (is(Mnemonic::sub)) return of_any_sign(type, wrapped_sub);
  if (is(Mnemonic::min))
    return of_integers(type, [](auto a, decltype(a) b) { return a < b ? a : b; });
  if (is(Mnemonic::max))
    return of_integers(type, [](auto a, decltype(a) b) { return a < b ? b : a; });
  if (is(Mnemonic::neg))
    return of_signed(type, [](auto a) { return wrapped_sub(decltype(a){0}, a); });
  if (is(Mnemonic::abs))
    return of_signed(type, [](auto a) { return a < 0 ? wrapped_sub(decltype(a){0}, a) : a; });
  if (is(Mnemonic::setp)) return find_comparison(form);
  if (is(Mnemonic::and_)) return bitwise(type, [](auto a, decltype(a) b) { return a & b; });
  if (is(Mnemonic::or_)) return bitwise(type, [](auto a, decltype(a) b) { return a | b; });
  if (is(Mnemonic::xor_)) return bitwise(type, [](auto a, decltype(a) b) { return a ^ b; });
  if (is(Mnemonic::not_)) return bitwise(type, [](auto a) { return ~a; });
  if (is(Mnemonic::cnot)) return of_untyped(type, [](auto a) { return a == 0; });
  if (is(Mnemonic::div) || is(Mnemonic::rem)) return find_division(form);
  if (is(Mnemonic::pack) || is(Mnemonic::unpack)) {
    if (type == Type::b64) return packing<u64, u32>(is(Mnemonic::pack));
    return type == Type::b32 ? packing<u32, u16>(is(Mnemonic::pack)) : AluOperation{};
  }
  if (is(Mnemonic::lop3) && type == Type::b32) return lop3();
  if (is(Mnemonic::mov) && type == Type::pred) return predicates([](u32 a) { return a; });
  return with_word(type, is_movable(type), [&]<class T>() {
    if (is(Mnemonic::mov)) return vectors_of<T>([](T a) { return a; });
    if (!is(Mnemonic::selp)) return AluOperation{};
    return vectors<T, T, T, bool>([](T a, T b, bool first) { return first ? a : b; });
  });
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
