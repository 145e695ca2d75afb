#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/emulator/alu/form.h"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#endif

/// From the function of one lane to the AluFunction of a warp. The files that include this are
/// compiled once for each width of vectors, each time into its own namespace; everything here is
/// in an unnamed namespace of it, so that the linker can never pick one width's code for another.
#ifndef SWEEP_ALU_LEVEL
#define SWEEP_ALU_LEVEL baseline
#endif

#if defined(__clang__)
#define SWEEP_ALU_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define SWEEP_ALU_LANES _Pragma("GCC ivdep")
#endif
#define SWEEP_ALU_INLINE [[gnu::always_inline]] inline

namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// An operand that an operation does not have.
struct None {};
template <class T>
constexpr bool is_given = !std::is_same_v<T, None>;

/// An operand of T that is the same in all lanes.
template <class T>
struct Same {};

template <class T>
inline constexpr u8 bits_of_lane = !is_given<T>              ? 0
                                   : std::is_same_v<T, bool> ? 1
                                                             : static_cast<u8>(8 * sizeof(T));

template <class T>
inline constexpr u8 bits_of_lane<Same<T>> = bits_of_lane<T>;

/// The block is also accessed as other types elsewhere.
template <bool is_64_bits>
struct Slot {
  using type [[gnu::may_alias]] = u32;
};
template <>
struct Slot<true> {
  using type [[gnu::may_alias]] = u64;
};
template <class T>
using SlotOf = typename Slot<sizeof(T) == 8>::type;

/// A predicate's mask.
SWEEP_ALU_INLINE SlotOf<u32>* predicate_at(std::byte* registers, u32 offset) {
  return reinterpret_cast<SlotOf<u32>*>(registers + offset);
}

/// Where the lanes of a register of T begin.
template <class T>
SWEEP_ALU_INLINE SlotOf<T>* slot_at(std::byte* registers, u32 offset) {
  return static_cast<SlotOf<T>*>(
      __builtin_assume_aligned(reinterpret_cast<SlotOf<T>*>(registers + offset), 64));
}

/// Bit t of a mask as an array, so that testing a lane is a vector operation at every width.
template <class Word>
struct LaneBits {
  alignas(64) Word bit[warp_size];
  constexpr LaneBits() : bit() {
    for (unsigned lane = 0; lane < warp_size; ++lane) bit[lane] = Word{1} << lane;
  }
};
template <class Word>
constexpr LaneBits<Word> lane_bits;

template <class T>
struct Source {
  SlotOf<T>* slot;
  SWEEP_ALU_INLINE Source(std::byte* registers, u32 offset) : slot(slot_at<T>(registers, offset)) {}
  SWEEP_ALU_INLINE T operator[](unsigned lane) const {
    if constexpr (sizeof(T) < 4)
      return static_cast<T>(slot[lane]);
    else
      return __builtin_bit_cast(T, slot[lane]);
  }
};

template <>
struct Source<bool> {
  u32 mask;
  SWEEP_ALU_INLINE Source(std::byte* registers, u32 offset)
      : mask(*predicate_at(registers, offset)) {}
  SWEEP_ALU_INLINE bool operator[](unsigned lane) const {
    return (mask & lane_bits<u32>.bit[lane]) != 0;
  }
};

template <class T>
struct Source<Same<T>> {
  T value;
  SWEEP_ALU_INLINE Source(std::byte* registers, u32 offset)
      : value(Source<T>(registers, offset)[0]) {}
  SWEEP_ALU_INLINE T operator[](unsigned /*lane*/) const { return value; }
};

template <>
struct Source<None> {
  SWEEP_ALU_INLINE Source(std::byte* /*registers*/, u32 /*offset*/) {}
  SWEEP_ALU_INLINE None operator[](unsigned /*lane*/) const { return {}; }
};

/// Signed values of fewer than 32 bits are kept zero-extended.
template <class T>
SWEEP_ALU_INLINE std::conditional_t<sizeof(T) == 8, u64, u32> to_slot(T value) {
  if constexpr (sizeof(T) < 4)
    return static_cast<std::make_unsigned_t<T>>(value);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(u32, value);
  else
    return __builtin_bit_cast(u64, value);
}

/// Calls F with the operands that there are.
template <class F, class A, class B, class C, class E>
SWEEP_ALU_INLINE auto apply(A a, B b, C c, E e) {
  if constexpr (is_given<E> && is_given<C>)
    return F{}(a, b, c, e);
  else if constexpr (is_given<E>)
    return F{}(a, b, e);
  else if constexpr (is_given<C>)
    return F{}(a, b, c);
  else if constexpr (is_given<B>)
    return F{}(a, b);
  else
    return F{}(a);
}

/// The lanes of which a word has all bits set, not none.
template <class Word>
SWEEP_ALU_INLINE u32 lanes_set(const Word* words) {
#if defined(__AVX512DQ__)
  if constexpr (sizeof(Word) == 4) {
    return u32{_mm512_movepi32_mask(_mm512_load_si512(words))} |
           u32{_mm512_movepi32_mask(_mm512_load_si512(words + 16))} << 16;
  } else {
    u32 holding = 0;
    for (unsigned first = 0; first < warp_size; first += 8)
      holding |= u32{_mm512_movepi64_mask(_mm512_load_si512(words + first))} << first;
    return holding;
  }
#else
  Word holding = 0;
  SWEEP_ALU_LANES
  for (unsigned lane = 0; lane < warp_size; ++lane)
    holding |= words[lane] & lane_bits<Word>.bit[lane];
  return static_cast<u32>(holding);
#endif
}

SWEEP_ALU_INLINE void set_predicate(std::byte* registers, u32 offset, u32 result, u32 mask) {
  SlotOf<u32>* const d = predicate_at(registers, offset);
  *d = (*d & ~mask) | (result & mask);
}

/// All lanes at once, as vectors; for functions without branches.
template <class F, class D, class A, class B, class C, class E>
SWEEP_ALU_INLINE void run_vector(const AluOperands& operands, std::byte* registers, u32 mask) {
  const Source<A> a(registers, operands.a);
  const Source<B> b(registers, operands.b);
  const Source<C> c(registers, operands.c);
  const Source<E> e(registers, operands.e);
  if constexpr (std::is_same_v<D, bool>) {
    using Word = std::conditional_t<sizeof(A) == 8, u64, u32>;
    alignas(64) Word holding[warp_size];
    SWEEP_ALU_LANES
    for (unsigned lane = 0; lane < warp_size; ++lane)
      holding[lane] = apply<F>(a[lane], b[lane], c[lane], e[lane]) ? ~Word{0} : Word{0};
    set_predicate(registers, operands.d, lanes_set(holding), mask);
  } else {
    SlotOf<D>* const d = slot_at<D>(registers, operands.d);
    if (mask == full_mask) {
      SWEEP_ALU_LANES
      for (unsigned lane = 0; lane < warp_size; ++lane)
        d[lane] = to_slot(static_cast<D>(apply<F>(a[lane], b[lane], c[lane], e[lane])));
      return;
    }
    using Word = std::conditional_t<sizeof(D) == 8, u64, u32>;
    SWEEP_ALU_LANES
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto result = to_slot(static_cast<D>(apply<F>(a[lane], b[lane], c[lane], e[lane])));
      d[lane] = (Word{mask} & lane_bits<Word>.bit[lane]) != 0 ? result : d[lane];
    }
  }
}

/// What a function with two destinations returns.
template <class D, class D2>
struct Both {
  D first;
  D2 second;
};

/// The active lanes one after the other; for functions with branches or too rare to matter.
template <class F, class D, class D2, class A, class B, class C, class E>
SWEEP_ALU_INLINE void run_lanes(const AluOperands& operands, std::byte* registers, u32 mask) {
  const Source<A> a(registers, operands.a);
  const Source<B> b(registers, operands.b);
  const Source<C> c(registers, operands.c);
  const Source<E> e(registers, operands.e);
  u32 holding = 0;
  for (u32 rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const auto result = static_cast<std::conditional_t<is_given<D2>, Both<D, D2>, D>>(
        apply<F>(a[lane], b[lane], c[lane], e[lane]));
    if constexpr (is_given<D2>) {
      slot_at<D>(registers, operands.d)[lane] = to_slot<D>(result.first);
      slot_at<D2>(registers, operands.d2)[lane] = to_slot<D2>(result.second);
    } else if constexpr (std::is_same_v<D, bool>) {
      holding |= result ? lane_bits<u32>.bit[lane] : 0U;
    } else {
      slot_at<D>(registers, operands.d)[lane] = to_slot<D>(result);
    }
  }
  if constexpr (std::is_same_v<D, bool>) set_predicate(registers, operands.d, holding, mask);
}

/// The AluFunction that does `run(operands, registers, mask)`. That each has a jump of its own to
/// the next lets the processor foresee where it goes.
template <auto run>
void step(const AluStep* at, std::byte* registers, u32 mask) {
  run(at->operands, registers, mask);
  ++at;
  at->function(at, registers, mask);
}

template <auto run, class D, class D2, class A, class B, class C, class E>
SWEEP_ALU_INLINE AluOperation operation() {
  return {step<run>,       bits_of_lane<D>, bits_of_lane<D2>, bits_of_lane<A>,
          bits_of_lane<B>, bits_of_lane<C>, bits_of_lane<E>,  0};
}

/// The operation of a captureless lambda: vectors<D, A, B>([](A a, B b) { return D; }).
template <class D, class A, class B = None, class C = None, class E = None, class F>
AluOperation vectors(F /*function*/) {
  return operation<run_vector<F, D, A, B, C, E>, D, None, A, B, C, E>();
}
template <class D, class A, class B = None, class C = None, class E = None, class F>
AluOperation lanes(F /*function*/) {
  return operation<run_lanes<F, D, None, A, B, C, E>, D, None, A, B, C, E>();
}

/// How many operands of T a function takes.
template <class F, class T>
constexpr int arity = std::is_invocable_v<F, T>      ? 1
                      : std::is_invocable_v<F, T, T> ? 2
                                                     : 3;
/// The `n`th operand of a function with so many of T.
template <int arity, int n, class T>
using Operand = std::conditional_t<(n <= arity), T, None>;
/// The operation of a lambda that takes one to three values of T and gives another.
template <class T, class F, int count = arity<F, T>>
AluOperation vectors_of(F function) {
  return vectors<T, T, Operand<count, 2, T>, Operand<count, 3, T>>(function);
}
template <class T, class F, int count = arity<F, T>>
AluOperation lanes_of(F function) {
  return lanes<T, T, Operand<count, 2, T>, Operand<count, 3, T>>(function);
}

template <class D, class D2, class A, class B = None, class C = None, class E = None, class F>
AluOperation lanes_both(F /*function*/) {
  return operation<run_lanes<F, D, D2, A, B, C, E>, D, D2, A, B, C, E>();
}

// Integers of twice the width, and those that arithmetic wraps around in.

/// Unsigned, and of a width that integer promotion leaves alone.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T, class Of16, class Of32, class Of64>
using BySize =
    std::conditional_t<sizeof(T) == 2, Of16, std::conditional_t<sizeof(T) == 4, Of32, Of64>>;
template <class T>
using TwiceOf = std::conditional_t<std::is_signed_v<T>, BySize<T, s32, s64, __int128>,
                                   BySize<T, u32, u64, unsigned __int128>>;

inline constexpr auto wrapped_add = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
};
inline constexpr auto wrapped_sub = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
};
inline constexpr auto wrapped_mul = []<class T>(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
};
inline constexpr auto high_mul = []<class T>(T a, T b) {
  using Wide = TwiceOf<T>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
};

// From what a form says at run time to templates.

/// Calls make.operator()<value>() with the one of `values` that is `given`, if any.
template <auto... values, class Value, class Make>
SWEEP_ALU_INLINE AluOperation with_values(Value given, Make make) {
  AluOperation found;
  const auto compare = [&]<auto value>() {
    if (given == value) found = make.template operator()<value>();
  };
  (compare.template operator()<values>(), ...);
  return found;
}

/// The type of PTX that an integer stands for.
template <class T>
constexpr auto type_of = static_cast<ptx::Type>(static_cast<unsigned>(std::is_signed_v<T>
                                                                          ? ptx::Type::s8
                                                                          : ptx::Type::u8) +
                                                (sizeof(T) == 8 ? 3 : sizeof(T) / 2));

/// Calls make.operator()<T>() with the one of the integers Ts that a type is, if any.
template <class... Ts, class Make>
SWEEP_ALU_INLINE AluOperation with_types(ptx::Type type, Make make) {
  AluOperation found;
  const auto compare = [&]<class T>() {
    if (type == type_of<T>) found = make.template operator()<T>();
  };
  (compare.template operator()<Ts>(), ...);
  return found;
}
template <class Make>
AluOperation with_integer(ptx::Type type, Make make) {
  return with_types<u16, s16, u32, s32, u64, s64>(type, make);
}

SWEEP_ALU_INLINE bool is_integer(ptx::Type type) {
  return (type >= ptx::Type::u16 && type <= ptx::Type::u64) ||
         (type >= ptx::Type::s16 && type <= ptx::Type::s64);
}
SWEEP_ALU_INLINE bool is_untyped(ptx::Type type) {
  return type >= ptx::Type::b16 && type <= ptx::Type::b64;
}
/// Whether values of the type can be moved and selected as words.
SWEEP_ALU_INLINE bool is_movable(ptx::Type type) {
  return is_integer(type) || is_untyped(type) || type == ptx::Type::f32 || type == ptx::Type::f64;
}

/// Calls make.operator()<T>() with the unsigned integer of a type's width, if it `is_possible`.
template <class Make>
AluOperation with_word(ptx::Type type, bool is_possible, Make make) {
  if (!is_possible) return {};
  const unsigned bits = ptx::bits_of(type);
  if (bits == 16) return make.template operator()<u16>();
  return bits == 32 ? make.template operator()<u32>() : make.template operator()<u64>();
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
