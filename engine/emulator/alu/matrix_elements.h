#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <type_traits>

#include "engine/emulator/alu/float_lane.h"

/// Vectors, and what the elements of matrices of tensor cores are like.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

/// So many values as one vector.
template <class T, unsigned count>
struct VectorOf {
  using type [[gnu::vector_size(sizeof(T) * count)]] = T;
};
template <unsigned count>
using WordsOf = typename VectorOf<u32, count>::type;
template <unsigned count>
using SinglesOf = typename VectorOf<f32, count>::type;
template <unsigned count>
using IntegersOf = typename VectorOf<s32, count>::type;

template <class To, class From>
SWEEP_ALU_INLINE To as(const From& from) {
  return __builtin_bit_cast(To, from);
}
template <class Vector, class T>
SWEEP_ALU_INLINE Vector loaded(const T* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class Vector, class T>
SWEEP_ALU_INLINE void store(T* to, const Vector& vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

template <class Vector>
SWEEP_ALU_INLINE bool is_any_set(const Vector& mask) {
#ifdef __AVX512F__
  if constexpr (sizeof mask == sizeof(__m512i)) {
    return _mm512_test_epi32_mask(as<__m512i>(mask), as<__m512i>(mask)) != 0;
  }
#endif
#ifdef __AVX2__
  if constexpr (sizeof mask == sizeof(__m256i)) {
    return _mm256_testz_si256(as<__m256i>(mask), as<__m256i>(mask)) == 0;
  }
#endif
  u64 parts[sizeof mask / sizeof(u64)];
  __builtin_memcpy(parts, &mask, sizeof mask);
  u64 any = 0;
  for (const u64 part : parts) any |= part;
  return any != 0;
}

/// What a matrix's elements are like, if all are multiples of some power of 2 that is not small, as
/// whole numbers are.
struct Extent {
  bool is_known = false;
  f32 unit = 1;     ///< the greatest power of 2 that divides all
  f32 largest = 0;  ///< magnitude
};

/// Of `count` floats, elements of e4m3 with 6 bits behind the point at the most, others with 14:
/// subnormal ones have more.
template <class Word>
Extent extent_of(const Word* values, unsigned count, MatrixElement type) {
  const f32 scale = type == MatrixElement::e4m3 ? 0x1p6F : 0x1p14F;
  constexpr f32 most = 0x1p16F;
  // Matrices have multiples of 32 elements.
  constexpr unsigned step = 16;
  using Values = SinglesOf<step>;
  using Bits = WordsOf<step>;
  Bits largest = {};
  Bits bits = {};
  Bits differs = {};
  for (unsigned i = 0; i < count; i += step) {
    const auto value = loaded<Values>(values + i);
    const Bits size = as<Bits>(value) & 0x7fffffff;
    largest = size > largest ? size : largest;
    const Values scaled = as<Values>(size < as<u32>(most) ? as<Bits>(value) : Bits{}) * scale;
    const auto whole = __builtin_convertvector(scaled, IntegersOf<step>);
    bits |= as<Bits>(whole);
    differs |= as<Bits>(__builtin_convertvector(whole, Values) != scaled);
  }
  u32 all_bits = 0;
  Extent extent;
  for (unsigned i = 0; i < step; ++i) {
    all_bits |= bits[i];
    const f32 size = as<f32>(u32{largest[i]});
    // Of NaNs, too.
    if (!(size < most)) return {};
    extent.largest = size > extent.largest ? size : extent.largest;
  }
  if (is_any_set(differs)) return {};
  extent.is_known = true;
  if (all_bits != 0) extent.unit = static_cast<f32>(all_bits & -all_bits) / scale;
  return extent;
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
