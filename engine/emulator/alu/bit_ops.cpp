#include "engine/emulator/alu/lanes.h"

/// Counting, extracting, permuting bits and bytes.
namespace sweep::alu::baseline {
namespace {

using ptx::Type;

constexpr u32 not_found = 0xffffffff;

u32 population(u64 value) {
  return static_cast<u32>(__builtin_popcountll(value));
}
u32 highest_bit(u64 value) {
  return 63 - static_cast<u32>(__builtin_clzll(value));
}

u64 reversed(u64 value) {
  value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
  value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
  value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
  return __builtin_bswap64(value);
}

template <class T>
AluOperation find_count(Mnemonic mnemonic) {
  constexpr u32 width = 8 * sizeof(T);
  switch (mnemonic) {
    case Mnemonic::popc:
      return lanes<u32, T>([](T a) { return population(a); });
    case Mnemonic::clz:
      return lanes<u32, T>([](T a) { return a == 0 ? width : width - 1 - highest_bit(a); });
    case Mnemonic::brev:
      return lanes<T, T>([](T a) { return static_cast<T>(reversed(a) >> (64 - width)); });
    default:
      return {};
  }
}

/// The highest bit that is not a copy of the sign; with .shiftamt how far it is from the top.
template <class T>
AluOperation find_highest(const Form& form) {
  using Word = std::make_unsigned_t<T>;
  constexpr u32 last = 8 * sizeof(T) - 1;
  const auto find = [](T a) {
    const auto word = static_cast<Word>(a < T{0} ? ~a : a);
    return word == 0 ? not_found : highest_bit(word);
  };
  using Find = decltype(find);
  if (form.flags == 0) return lanes<u32, T>([](T a) { return Find{}(a); });
  if (form.flags != flag::shiftamt) return {};
  return lanes<u32, T>([](T a) {
    const u32 found = Find{}(a);
    return found == not_found ? found : last - found;
  });
}

u32 least(u32 a, u32 b) {
  return a < b ? a : b;
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
  return clamp ? least(amount, 32) : amount & 31;
}

template <bool clamp>
AluOperation find_limited(const Form& form) {
  const bool left = (form.flags & flag::l) != 0;
  switch (form.mnemonic) {
    case Mnemonic::shf:
      if (form.type != Type::b32) return {};
      if (left)
        return vectors<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
          return static_cast<u32>(((u64{b} << 32 | a) << limited<clamp>(c)) >> 32);
        });
      return vectors<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
        return static_cast<u32>((u64{b} << 32 | a) >> limited<clamp>(c));
      });
    case Mnemonic::bmsk:
      if (form.type != Type::b32) return {};
      return lanes<u32, u32, u32>([](u32 a, u32 b) {
        const u64 field = (u64{1} << limited<clamp>(b)) - 1;
        return static_cast<u32>(field << limited<clamp>(a));
      });
    case Mnemonic::szext:
      if (form.type == Type::u32)
        return lanes<u32, u32, u32>(
            [](u32 a, u32 b) { return static_cast<u32>(a & ((u64{1} << limited<clamp>(b)) - 1)); });
      if (form.type == Type::s32)
        return lanes<u32, u32, u32>([](u32 a, u32 b) {
          const u32 width = limited<clamp>(b);
          if (width == 0) return 0U;
          return static_cast<u32>(static_cast<s32>(a << (32 - width)) >> (32 - width));
        });
      return {};
    default:
      return {};
  }
}

AluOperation find_clamp_or_wrap(const Form& form) {
  const Flags direction = form.flags & (flag::l | flag::r);
  const bool one = direction == flag::l || direction == flag::r;
  if (form.mnemonic == Mnemonic::shf ? !one : direction != 0) return {};
  const Flags limit = form.flags & ~direction;
  if (limit == flag::clamp) return find_limited<true>(form);
  if (limit == flag::wrap) return find_limited<false>(form);
  return {};
}

u32 byte_of(u64 value, u32 index) {
  return static_cast<u32>(value >> (8 * (index & 7))) & 0xff;
}

/// One selector of four bits for each byte; its top bit replicates the byte's sign.
u32 permuted(u32 a, u32 b, u32 selectors) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 place = 0; place < 4; ++place) {
    const u32 selector = selectors >> (4 * place);
    const u32 byte = byte_of(bytes, selector);
    const u32 chosen = (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xffU : 0U;
    result |= chosen << (8 * place);
  }
  return result;
}

/// The selectors of each special mode as one 16-bit word for each value of c[1:0].
template <u32 s0, u32 s1, u32 s2, u32 s3>
AluOperation permutation() {
  return lanes<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
    constexpr u32 selectors[] = {s0, s1, s2, s3};
    return permuted(a, b, selectors[c & 3]);
  });
}

AluOperation find_permutation(const Form& form) {
  if (form.type != Type::b32) return {};
  switch (form.flags) {
    case 0:
      return lanes<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) { return permuted(a, b, c); });
    case flag::f4e:
      return permutation<0x3210, 0x4321, 0x5432, 0x6543>();
    case flag::b4e:
      return permutation<0x5670, 0x6701, 0x7012, 0x0123>();
    case flag::rc8:
      return permutation<0x0000, 0x1111, 0x2222, 0x3333>();
    case flag::ecl:
      return permutation<0x3210, 0x3211, 0x3222, 0x3333>();
    case flag::ecr:
      return permutation<0x0000, 0x1110, 0x2210, 0x3210>();
    case flag::rc16:
      return permutation<0x1010, 0x3232, 0x1010, 0x3232>();
    default:
      return {};
  }
}

/// A sum of products of bytes of a with bytes (dp4a) or halves (dp2a) of b.
template <class A, class B, unsigned count, unsigned first>
AluOperation dot_product() {
  return lanes<u32, u32, u32, u32>([](u32 a, u32 b, u32 c) {
    for (unsigned i = 0; i < count; ++i) {
      const auto left = static_cast<A>(a >> ((count == 4 ? 8 : 16) * i));
      const auto right = static_cast<B>(b >> (8 * (first + i)));
      c += static_cast<u32>(s32{left}) * static_cast<u32>(s32{right});
    }
    return c;
  });
}

template <class A, class B, unsigned count, unsigned first>
AluOperation find_dot_product(const Form& form) {
  using SignedA = std::make_signed_t<A>;
  using SignedB = std::make_signed_t<B>;
  const bool a_is_signed = form.type == Type::s32;
  const bool b_is_signed = form.second == Type::s32;
  if (a_is_signed)
    return b_is_signed ? dot_product<SignedA, SignedB, count, first>()
                       : dot_product<SignedA, B, count, first>();
  return b_is_signed ? dot_product<A, SignedB, count, first>() : dot_product<A, B, count, first>();
}

AluOperation find_dot(const Form& form) {
  const auto word = [](Type type) { return type == Type::u32 || type == Type::s32; };
  if (form.types != 2 || !word(form.type) || !word(form.second)) return {};
  if (form.mnemonic == Mnemonic::dp4a)
    return form.flags == 0 ? find_dot_product<u8, u8, 4, 0>(form) : AluOperation{};
  if (form.flags == flag::lo) return find_dot_product<u16, u8, 2, 0>(form);
  if (form.flags == flag::hi) return find_dot_product<u16, u8, 2, 2>(form);
  return {};
}

/// Those of one type.
AluOperation find_single(const Form& form) {
  const bool plain = form.flags == 0;
  switch (form.mnemonic) {
    case Mnemonic::popc:
    case Mnemonic::clz:
    case Mnemonic::brev:
      if (plain && form.type == Type::b32) return find_count<u32>(form.mnemonic);
      if (plain && form.type == Type::b64) return find_count<u64>(form.mnemonic);
      return {};
    case Mnemonic::bfi:
      if (plain && form.type == Type::b32) return insertion<u32>();
      if (plain && form.type == Type::b64) return insertion<u64>();
      return {};
    case Mnemonic::fns:
      if (!plain || form.type != Type::b32) return {};
      return lanes<u32, u32, u32, s32>([](u32 a, u32 b, s32 c) { return nth_set(a, b, c); });
    case Mnemonic::prmt:
      return find_permutation(form);
    default:
      return find_clamp_or_wrap(form);
  }
}

template <class T>
AluOperation find_typed(const Form& form) {
  if (form.mnemonic == Mnemonic::bfind) return find_highest<T>(form);
  return form.flags == 0 ? extraction<T>() : AluOperation{};
}

}  // namespace

AluOperation find_bits(const Form& form) {
  if (form.rounding != Rounding::none) return {};
  if (form.mnemonic == Mnemonic::dp4a || form.mnemonic == Mnemonic::dp2a) return find_dot(form);
  if (form.types != 1) return {};
  if (form.mnemonic != Mnemonic::bfind && form.mnemonic != Mnemonic::bfe) return find_single(form);
  return with_types<u32, s32, u64, s64>(form.type, [&]<class T>() { return find_typed<T>(form); });
}

}  // namespace sweep::alu::baseline
