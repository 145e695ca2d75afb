#include <algorithm>
#include <limits>

#include "engine/emulator/alu/float_lane.h"

/// Integer operations that take longer or are rarer than those of integer_ops.cpp, slct and testp.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

template <class T>
constexpr bool overflows(T a, T b) {
  return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}

/// A division by zero gives all ones, and so does its remainder, as measured on an H200; a quotient
/// that does not fit wraps around.
constexpr auto quotient = []<class T>(T a, T b) {
  return b == 0 ? static_cast<T>(-1) : overflows(a, b) ? a : static_cast<T>(a / b);
};
constexpr auto remainder = []<class T>(T a, T b) {
  return b == 0 ? static_cast<T>(-1) : overflows(a, b) ? T{0} : static_cast<T>(a % b);
};
constexpr auto distance_sum = []<class T>(T a, T b, T c) {
  return wrapped_add(a < b ? wrapped_sub(b, a) : wrapped_sub(a, b), c);
};

s32 clamped(s64 value) {
  return static_cast<s32>(
      std::clamp<s64>(value, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
}

/// The product of the low 24 bits, 48 bits long.
template <class T>
TwiceOf<T> product24(T a, T b) {
  constexpr unsigned unused = 8;
  const auto low24 = [](T value) {
    return static_cast<TwiceOf<T>>(static_cast<T>(static_cast<u32>(value) << unused) >> unused);
  };
  return low24(a) * low24(b);
}

template <class T>
AluOperation find_mul24(const Form& form) {
  const bool adds = form.mnemonic == Mnemonic::mad24;
  const auto part = [&]<unsigned shift>() {
    if (!adds)
      return lanes_of<T>([](T a, T b) { return static_cast<T>(product24(a, b) >> shift); });
    return lanes_of<T>(
        [](T a, T b, T c) { return wrapped_add(static_cast<T>(product24(a, b) >> shift), c); });
  };
  if (form.flags == flag::lo) return part.template operator()<0>();
  if (form.flags == flag::hi) return part.template operator()<16>();
  if (!adds || !std::is_signed_v<T> || form.flags != (flag::hi | flag::sat)) return {};
  return lanes_of<s32>([](s32 a, s32 b, s32 c) {
    return clamped(s64{static_cast<s32>(product24(a, b) >> 16)} + c);
  });
}

/// min and max with .relu; those of s16 are for halves of a register.
template <bool largest>
AluOperation find_relu(const Form& form) {
  if (form.flags != flag::relu) return {};
  return with_types<s16, s32>(form.type, []<class T>() {
    return vectors_of<T>([](T a, T b) {
      const T chosen = (a < b) == largest ? b : a;
      return chosen < 0 ? T{0} : chosen;
    });
  });
}

/// .sat is for s32 alone, of mad only with .hi.
AluOperation find_saturating(const Form& form) {
  if (form.type != Type::s32) return {};
  if (form.mnemonic == Mnemonic::add && form.flags == flag::sat)
    return vectors_of<s32>([](s32 a, s32 b) { return clamped(s64{a} + b); });
  if (form.mnemonic == Mnemonic::sub && form.flags == flag::sat)
    return vectors_of<s32>([](s32 a, s32 b) { return clamped(s64{a} - b); });
  if (form.mnemonic == Mnemonic::mad && form.flags == (flag::hi | flag::sat))
    return vectors_of<s32>([](s32 a, s32 b, s32 c) { return clamped(s64{high_mul(a, b)} + c); });
  return {};
}

// Arithmetic of many words: the carry (after a subtraction the borrow) goes from one instruction to
// the next. It is that of the words as unsigned, whatever the type.

template <class T>
Both<T, u32> carried_sum(T a, T b, u32 carry) {
  T first = 0;
  T sum = 0;
  const bool over = __builtin_add_overflow(a, b, &first);
  const bool over_carry = __builtin_add_overflow(first, static_cast<T>(carry & 1), &sum);
  return {sum, over || over_carry ? 1U : 0U};
}

/// add.cc writes the carry, addc.cc reads it too, addc reads it alone. F takes two sources, the
/// third if C is a type, and the carry.
template <class T, class C, class F>
AluOperation with_carry(bool reads, bool writes, F function) {
  if (reads && writes) return lanes_both<T, u32, T, T, C, u32>(function);
  if (reads) return lanes<T, T, T, C, u32>([](auto... in) { return F{}(in...).first; });
  return lanes_both<T, u32, T, T, C>([](auto... in) { return F{}(in..., 0U); });
}

/// Only the high half of a product differs between signed and unsigned.
template <class T>
AluOperation find_carrying(const Form& form) {
  using Word = std::make_unsigned_t<T>;
  const bool writes = (form.flags & flag::cc) != 0;
  const bool reads = form.mnemonic == Mnemonic::addc || form.mnemonic == Mnemonic::subc ||
                     form.mnemonic == Mnemonic::madc;
  const Flags half = form.flags & ~flag::cc;
  if (!reads && !writes) return {};
  if (form.mnemonic == Mnemonic::mad || form.mnemonic == Mnemonic::madc) {
    if (half == flag::lo)
      return with_carry<Word, Word>(reads, writes, [](Word a, Word b, Word c, u32 in) {
        return carried_sum(wrapped_mul(a, b), c, in);
      });
    if (half != flag::hi) return {};
    return with_carry<Word, Word>(reads, writes, [](Word a, Word b, Word c, u32 in) {
      return carried_sum(static_cast<Word>(high_mul(static_cast<T>(a), static_cast<T>(b))), c, in);
    });
  }
  if (half != 0) return {};
  if (form.mnemonic == Mnemonic::add || form.mnemonic == Mnemonic::addc)
    return with_carry<Word, None>(reads, writes,
                                  [](Word a, Word b, u32 in) { return carried_sum(a, b, in); });
  return with_carry<Word, None>(reads, writes, [](Word a, Word b, u32 in) {
    // a + ~b + 1, whose carry is the opposite of the borrow.
    const auto [difference, carry] = carried_sum(a, ~b, ~in);
    return Both<Word, u32>{difference, 1 - carry};
  });
}

// Counting, extracting, permuting bits and bytes.

constexpr u32 not_found = 0xffffffff;

u32 highest_bit(u64 value) {
  return 63 - static_cast<u32>(__builtin_clzll(value));
}

u64 reversed(u64 value) {
  value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
  value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
  value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64(value);
}

/// The highest bit that is not a copy of the sign; with .shiftamt how far it is from the top.
template <class T>
AluOperation find_highest(Flags flags) {
  using Word = std::make_unsigned_t<T>;
  constexpr u32 last = 8 * sizeof(T) - 1;
  const auto find = [](T a) {
    const auto word = static_cast<Word>(a < T{0} ? ~a : a);
    return word == 0 ? not_found : highest_bit(word);
  };
  using Find = decltype(find);
  if (flags == 0) return lanes<u32, T>(find);
  if (flags != flag::shiftamt) return {};
  return lanes<u32, T>([](T a) {
    const u32 found = Find{}(a);
    return found == not_found ? found : last - found;
  });
}

/// How far a field lies and how long it is: their low 8 bits. Of 64-bit fields all 32 count, as
/// measured on an H200.
template <class T>
u64 field_operand(u32 value) {
  return sizeof(T) == 8 ? value : value & 0xff;
}

/// Bits beyond the field are its sign.
template <class T>
AluOperation extraction() {
  return lanes<T, T, u32, u32>([](T a, u32 b, u32 c) {
    using Word = std::make_unsigned_t<T>;
    constexpr u64 last = 8 * sizeof(T) - 1;
    const u64 position = field_operand<T>(b);
    const u64 length = field_operand<T>(c);
    if (length == 0) return T{0};
    const u64 end = position + length - 1;
    const u64 top = end < last ? end : last;
    const bool sign = std::is_signed_v<T> && (static_cast<Word>(a) >> top & 1) != 0;
    const Word shifted = position > last ? Word{0} : static_cast<Word>(a) >> position;
    const u64 kept = position > last ? 0 : top - position + 1;
    const Word field = kept > last ? ~Word{0} : (Word{1} << kept) - 1;
    return static_cast<T>((shifted & field) | (sign ? ~field : Word{0}));
  });
}

template <class T>
AluOperation insertion() {
  return lanes<T, T, T, u32, u32>([](T a, T b, u32 c, u32 e) {
    constexpr u64 width = 8 * sizeof(T);
    const u64 position = field_operand<T>(c);
    const u64 length = field_operand<T>(e);
    if (length == 0 || position >= width) return b;
    const T field = static_cast<T>(length >= width ? ~T{0} : (T{1} << length) - 1) << position;
    return static_cast<T>((b & ~field) | (static_cast<T>(a << position) & field));
  });
}

/// The n-th set bit from `base` upward (n > 0), downward (n < 0), or `base` itself.
u32 nth_set(u32 mask, u32 base, s32 offset) {
  if (offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : not_found;
  const s64 step = offset > 0 ? 1 : -1;
  s64 left = offset > 0 ? s64{offset} : -s64{offset};
  for (s64 bit = base; bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1) != 0 && --left == 0) return static_cast<u32>(bit);
  }
  return not_found;
}

/// The amount as .clamp and .wrap take it.
template <bool clamp>
u32 limited(u32 amount) {
  return clamp ? std::min(amount, 32U) : amount & 31;
}

template <bool clamp>
AluOperation find_limited(const Form& form, bool is_left) {
  if (form.mnemonic == Mnemonic::shf && form.type == Type::b32) {
    if (is_left)
      return vectors_of<u32>([](u32 a, u32 b, u32 c) {
        return static_cast<u32>(((u64{b} << 32 | a) << limited<clamp>(c)) >> 32);
      });
    return vectors_of<u32>([](u32 a, u32 b, u32 c) {
      return static_cast<u32>((u64{b} << 32 | a) >> limited<clamp>(c));
    });
  }
  if (form.mnemonic == Mnemonic::bmsk && form.type == Type::b32)
    return lanes_of<u32>(
        [](u32 a, u32 b) { return ((u64{1} << limited<clamp>(b)) - 1) << limited<clamp>(a); });
  if (form.mnemonic != Mnemonic::szext) return {};
  if (form.type == Type::u32)
    return lanes_of<u32>([](u32 a, u32 b) { return a & ((u64{1} << limited<clamp>(b)) - 1); });
  if (form.type != Type::s32) return {};
  return lanes_of<u32>([](u32 a, u32 b) {
    const u32 unused = 32 - limited<clamp>(b);
    return unused == 32 ? 0 : static_cast<s32>(a << unused) >> unused;
  });
}

AluOperation find_clamp_or_wrap(const Form& form) {
  const Flags direction = form.flags & (flag::l | flag::r);
  const bool has_one = direction == flag::l || direction == flag::r;
  if (form.mnemonic == Mnemonic::shf ? !has_one : direction != 0) return {};
  const Flags limit = form.flags & ~direction;
  if (limit == flag::clamp) return find_limited<true>(form, direction == flag::l);
  return limit == flag::wrap ? find_limited<false>(form, direction == flag::l) : AluOperation{};
}

/// One selector of four bits for each byte; its top bit replicates the byte's sign.
u32 permuted(u32 a, u32 b, u32 selectors) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 place = 0; place < 4; ++place) {
    const u32 selector = selectors >> (4 * place);
    const u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
    const u32 chosen = (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xffU : 0U;
    result |= chosen << (8 * place);
  }
  return result;
}

/// The selectors of each special mode as one 16-bit word for each value of c[1:0].
template <u32 s0, u32 s1, u32 s2, u32 s3>
AluOperation permutation() {
  return lanes_of<u32>([](u32 a, u32 b, u32 c) {
    constexpr u32 selectors[] = {s0, s1, s2, s3};
    return permuted(a, b, selectors[c & 3]);
  });
}

AluOperation find_permutation(const Form& form) {
  if (form.type != Type::b32) return {};
  if (form.flags == 0) return lanes_of<u32>([](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
  if (form.flags == flag::f4e) return permutation<0x3210, 0x4321, 0x5432, 0x6543>();
  if (form.flags == flag::b4e) return permutation<0x5670, 0x6701, 0x7012, 0x0123>();
  if (form.flags == flag::rc8) return permutation<0x0000, 0x1111, 0x2222, 0x3333>();
  if (form.flags == flag::ecl) return permutation<0x3210, 0x3211, 0x3222, 0x3333>();
  if (form.flags == flag::ecr) return permutation<0x0000, 0x1110, 0x2210, 0x3210>();
  if (form.flags == flag::rc16) return permutation<0x1010, 0x3232, 0x1010, 0x3232>();
  return {};
}

/// A sum of products of bytes (dp4a) or halves (dp2a) of a with bytes of b.
template <unsigned count, unsigned first>
AluOperation dot_product(const Form& form) {
  return with_types<u32, s32>(form.type, [&]<class A>() {
    return with_types<u32, s32>(form.second, []<class B>() {
      return lanes_of<u32>([](u32 a, u32 b, u32 c) {
        constexpr unsigned width = count == 4 ? 8 : 16;
        for (unsigned i = 0; i < count; ++i) {
          // Up to the top and down again, as the type's sign extends it.
          const auto left = static_cast<A>(a << (32 - width * (i + 1))) >> (32 - width);
          const auto right = static_cast<B>(b << (24 - 8 * (first + i))) >> 24;
          c += static_cast<u32>(left) * static_cast<u32>(right);
        }
        return c;
      });
    });
  });
}

template <class T>
AluOperation find_slct(const Form& form) {
  if (form.second == Type::s32 && form.flags == 0)
    return vectors<T, T, T, s32>([](T a, T b, s32 c) { return c >= 0 ? a : b; });
  if (form.second != Type::f32) return {};
  // -0 is not less than 0: a subnormal flushed by .ftz chooses a, NaN chooses b.
  return with_values<flag::none, flag::ftz>(form.flags, []<Flags flags>() {
    return vectors<T, T, T, f32>([](T a, T b, f32 c) { return input<flags>(c) >= 0 ? a : b; });
  });
}

/// `exponent` masks the exponent, which is all ones for infinities and NaN.
template <class Word, Word exponent>
AluOperation find_testp(Flags flags) {
  constexpr Word least_normal = exponent & (~exponent + 1);
  AluOperation found;
  const auto row = [&]<class F>(Flags flag, F /*holds*/) {
    if (flag == flags) found = vectors<bool, Word>([](Word a) { return F{}(a & (~Word{0} >> 1)); });
  };
  row(flag::finite, [](Word size) { return size < exponent; });
  row(flag::infinite, [](Word size) { return size == exponent; });
  row(flag::number, [](Word size) { return size <= exponent; });
  row(flag::notanumber, [](Word size) { return size > exponent; });
  row(flag::normal,  // zero too
      [](Word size) { return size == 0 || (size < exponent && size >= least_normal); });
  row(flag::subnormal, [](Word size) { return size != 0 && size < least_normal; });
  return found;
}

/// |a - b| of each byte.
AluOperation find_byte_distances(const Form& form) {
  if (form.flags != 0) return {};
  return with_types<u32, s32>(form.type, []<class T>() {
    return vectors<u32, u32, u32>([](u32 a, u32 b) {
      using Byte = std::conditional_t<std::is_signed_v<T>, s8, u8>;
      u32 result = 0;
      for (unsigned shift = 0; shift < 32; shift += 8) {
        const s32 distance =
            s32{static_cast<Byte>(a >> shift)} - s32{static_cast<Byte>(b >> shift)};
        result |= static_cast<u32>(distance < 0 ? -distance : distance) << shift;
      }
      return result;
    });
  });
}

AluOperation find_of_two_types(const Form& form) {
  if (form.mnemonic == Mnemonic::slct)
    return with_word(form.type, is_movable(form.type),
                     [&]<class T>() { return find_slct<T>(form); });
  if (form.mnemonic == Mnemonic::dp4a && form.flags == 0) return dot_product<4, 0>(form);
  if (form.mnemonic != Mnemonic::dp2a) return {};
  if (form.flags == flag::lo) return dot_product<2, 0>(form);
  return form.flags == flag::hi ? dot_product<2, 2>(form) : AluOperation{};
}

}  // namespace

AluOperation find_rare_integer(const Form& form) {
  if (form.rounding != Rounding::none) return {};
  if (form.types == 2) return find_of_two_types(form);
  const Type type = form.type;
  const auto is = [&](Mnemonic mnemonic) { return form.mnemonic == mnemonic; };
  const auto of_integers = [&](auto make) { return with_types<u32, s32, u64, s64>(type, make); };
  if (is(Mnemonic::mul24) || is(Mnemonic::mad24))
    return with_types<u32, s32>(type, [&]<class T>() { return find_mul24<T>(form); });
  if (is(Mnemonic::min)) return find_relu<false>(form);
  if (is(Mnemonic::max)) return find_relu<true>(form);
  if (is(Mnemonic::add) || is(Mnemonic::sub) || is(Mnemonic::mad) || is(Mnemonic::addc) ||
      is(Mnemonic::subc) || is(Mnemonic::madc)) {
    const AluOperation saturating = find_saturating(form);
    if (saturating.function != nullptr) return saturating;
    return of_integers([&]<class T>() { return find_carrying<T>(form); });
  }
  if (is(Mnemonic::bfind))
    return of_integers([&]<class T>() { return find_highest<T>(form.flags); });
  if (is(Mnemonic::prmt)) return find_permutation(form);
  if (is(Mnemonic::vabsdiff4)) return find_byte_distances(form);
  if (is(Mnemonic::testp)) {
    if (type == Type::f32) return find_testp<u32, 0x7f800000U>(form.flags);
    return type == Type::f64 ? find_testp<u64, 0x7ff0000000000000U>(form.flags) : AluOperation{};
  }
  if (form.flags != 0) return find_clamp_or_wrap(form);

  if (is(Mnemonic::div) || is(Mnemonic::rem))
    return with_types<u16, s16, u64, s64>(type, [&]<class T>() {
      return is(Mnemonic::div) ? lanes_of<T>(quotient) : lanes_of<T>(remainder);
    });
  if (is(Mnemonic::sad))
    return with_integer(type, []<class T>() { return vectors_of<T>(distance_sum); });
  if (is(Mnemonic::bfe)) return of_integers([]<class T>() { return extraction<T>(); });
  if (is(Mnemonic::fns) && type == Type::b32)
    return lanes<u32, u32, u32, s32>([](u32 a, u32 b, s32 c) { return nth_set(a, b, c); });
  return with_values<Type::b32, Type::b64>(type, [&]<Type word>() {
    using T = std::conditional_t<word == Type::b32, u32, u64>;
    constexpr u32 width = 8 * sizeof(T);
    if (is(Mnemonic::popc)) return lanes<u32, T>([](T a) { return __builtin_popcountll(a); });
    if (is(Mnemonic::clz))
      return lanes<u32, T>([](T a) { return a == 0 ? width : width - 1 - highest_bit(a); });
    if (is(Mnemonic::brev)) return lanes_of<T>([](T a) { return reversed(a) >> (64 - width); });
    return is(Mnemonic::bfi) ? insertion<T>() : AluOperation{};
  });
}

}  // namespace sweep::alu::baseline
