#include "engine/emulator/alu/lanes.h"

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using ptx::Type;

template <class Make>
AluOperation with_untyped(Type type, Make make) {
  return with_word(type, is_untyped(type), make);
}
template <class Make>
AluOperation with_movable(Type type, Make make) {
  return with_word(type, is_movable(type), make);
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

/// The operation of a function of words, bit by bit the same at every width.
template <class F>
AluOperation bitwise(Type type, F function) {
  constexpr bool unary = std::is_invocable_v<F, u32>;
  if (type == Type::pred) return predicates(function);
  return with_untyped(type, []<class T>() {
    if constexpr (unary)
      return vectors<T, T>([](T a) { return static_cast<T>(F{}(a)); });
    else
      return vectors<T, T, T>([](T a, T b) { return static_cast<T>(F{}(a, b)); });
  });
}

/// Amounts beyond the width shift everything out.
template <class T>
SWEEP_ALU_INLINE T shifted_left(T a, u32 amount) {
  using Word = std::conditional_t<sizeof(T) == 8, u64, u32>;
  constexpr u32 width = 8 * sizeof(Word);
  const Word result = static_cast<Word>(a) << (amount & (width - 1));
  return static_cast<T>(amount < width ? result : Word{0});
}
template <class T>
SWEEP_ALU_INLINE T shifted_right(T a, u32 amount) {
  using Word =
      std::conditional_t<sizeof(T) == 8, T, std::conditional_t<std::is_signed_v<T>, s32, u32>>;
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
    return with_untyped(form.type, []<class T>() {
      return vectors<T, T, u32>([](T a, u32 amount) { return shifted_left(a, amount); });
    });
  const auto right = []<class T>() {
    return vectors<T, T, u32>([](T a, u32 amount) { return shifted_right(a, amount); });
  };
  return is_untyped(form.type) ? with_untyped(form.type, right) : with_integer(form.type, right);
}

/// Predicates too.
AluOperation find_move(const Form& form) {
  if (form.type == Type::pred) return predicates([](u32 a) { return a; });
  return with_movable(form.type, []<class T>() { return vectors<T, T>([](T a) { return a; }); });
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
AluOperation find_lop3(const Form& form) {
  if (form.type != Type::b32) return {};
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

AluOperation find_logic(const Form& form) {
  if (form.types != 1 || form.rounding != Rounding::none || form.flags != 0) return {};
  switch (form.mnemonic) {
    case Mnemonic::and_:
      return bitwise(form.type, [](auto a, decltype(a) b) { return a & b; });
    case Mnemonic::or_:
      return bitwise(form.type, [](auto a, decltype(a) b) { return a | b; });
    case Mnemonic::xor_:
      return bitwise(form.type, [](auto a, decltype(a) b) { return a ^ b; });
    case Mnemonic::not_:
      return bitwise(form.type, [](auto a) { return ~a; });
    case Mnemonic::cnot:
      return with_untyped(form.type, []<class T>() {
        return vectors<T, T>([](T a) { return static_cast<T>(a == 0 ? 1 : 0); });
      });
    case Mnemonic::shl:
    case Mnemonic::shr:
      return find_shift(form);
    case Mnemonic::mov:
      return find_move(form);
    case Mnemonic::pack:
    case Mnemonic::unpack:
      return find_pack(form);
    case Mnemonic::lop3:
      return find_lop3(form);
    case Mnemonic::selp:
      return with_movable(form.type, []<class T>() {
        return vectors<T, T, T, bool>([](T a, T b, bool first) { return first ? a : b; });
      });
    default:
      return {};
  }
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
