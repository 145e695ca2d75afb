#include "engine/emulator/alu/lanes.h"

/// Integer arithmetic and comparisons, words bit by bit, moves.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using ptx::Type;

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
  const auto ordered = [&](auto function) {
    return with_integer(form.type, [&]<class T>() { return vectors<bool, T, T>(function); });
  };
  const auto equal = [&](auto function) {
    return with_word(form.type, is_integer(form.type) || is_untyped(form.type),
                     [&]<class T>() { return vectors<bool, T, T>(function); });
  };
  switch (form.compare) {
    case Compare::eq:
      return equal([](auto a, decltype(a) b) { return a == b; });
    case Compare::ne:
      return equal([](auto a, decltype(a) b) { return a != b; });
    case Compare::lt:
      return ordered([](auto a, decltype(a) b) { return a < b; });
    case Compare::le:
      return ordered([](auto a, decltype(a) b) { return a <= b; });
    case Compare::gt:
      return ordered([](auto a, decltype(a) b) { return a > b; });
    case Compare::ge:
      return ordered([](auto a, decltype(a) b) { return a >= b; });
    default:
      return {};
  }
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
  return {run_predicate<F>, 1, 0, 1, b_bits, 0, 0, 0};
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

AluOperation find_shift(const Form& form) {
  if (form.mnemonic == Mnemonic::shl)
    return with_word(form.type, is_untyped(form.type), []<class T>() {
      return vectors<T, T, u32>([](T a, u32 amount) { return shifted_left(a, amount); });
    });
  const auto right = []<class T>() {
    return vectors<T, T, u32>([](T a, u32 amount) { return shifted_right(a, amount); });
  };
  return is_untyped(form.type) ? with_word(form.type, true, right) : with_integer(form.type, right);
}

AluOperation find_pack(const Form& form) {
  if (form.mnemonic == Mnemonic::pack) {
    if (form.type == Type::b64)
      return vectors<u64, u32, u32>([](u32 low, u32 high) { return u64{high} << 32 | low; });
    if (form.type == Type::b32)
      return vectors<u32, u16, u16>([](u16 low, u16 high) { return u32{high} << 16 | low; });
    return {};
  }
  if (form.type == Type::b64)
    return lanes_both<u32, u32, u64>([](u64 a) {
      return Both<u32, u32>{static_cast<u32>(a), static_cast<u32>(a >> 32)};
    });
  if (form.type == Type::b32)
    return lanes_both<u16, u16, u32>([](u32 a) {
      return Both<u16, u16>{static_cast<u16>(a), static_cast<u16>(a >> 16)};
    });
  return {};
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
  if (form.flags != 0) return {};
  switch (form.mnemonic) {
    case Mnemonic::add:
      return of_any_sign(type, wrapped_add);
    case Mnemonic::sub:
      return of_any_sign(type, wrapped_sub);
    case Mnemonic::min:
      return of_integers(type, [](auto a, decltype(a) b) { return a < b ? a : b; });
    case Mnemonic::max:
      return of_integers(type, [](auto a, decltype(a) b) { return a < b ? b : a; });
    case Mnemonic::neg:
      return of_signed(type, [](auto a) { return wrapped_sub(decltype(a){0}, a); });
    case Mnemonic::abs:
      return of_signed(type, [](auto a) { return a < 0 ? wrapped_sub(decltype(a){0}, a) : a; });
    case Mnemonic::setp:
      return find_comparison(form);
    case Mnemonic::and_:
      return bitwise(type, [](auto a, decltype(a) b) { return a & b; });
    case Mnemonic::or_:
      return bitwise(type, [](auto a, decltype(a) b) { return a | b; });
    case Mnemonic::xor_:
      return bitwise(type, [](auto a, decltype(a) b) { return a ^ b; });
    case Mnemonic::not_:
      return bitwise(type, [](auto a) { return ~a; });
    case Mnemonic::cnot:
      return of_untyped(type, [](auto a) { return a == 0; });
    case Mnemonic::shl:
    case Mnemonic::shr:
      return find_shift(form);
    case Mnemonic::mov:
      if (type == Type::pred) return predicates([](u32 a) { return a; });
      return with_word(type, is_movable(type),
                       []<class T>() { return vectors_of<T>([](T a) { return a; }); });
    case Mnemonic::pack:
    case Mnemonic::unpack:
      return find_pack(form);
    case Mnemonic::lop3:
      return type == Type::b32 ? lop3() : AluOperation{};
    case Mnemonic::selp:
      return with_word(type, is_movable(type), []<class T>() {
        return vectors<T, T, T, bool>([](T a, T b, bool first) { return first ? a : b; });
      });
    default:
      return {};
  }
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
