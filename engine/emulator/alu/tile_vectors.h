#pragma once

#include <cmath>

#include "engine/emulator/alu/matrix_elements.h"

/// Vectors of a tile of c: neighbouring rows, of each the even columns or the odd ones, which are 4
/// elements, as registers have them.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

#if defined(__AVX512F__)
inline constexpr unsigned vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr unsigned vector_bytes = 32;
#else
inline constexpr unsigned vector_bytes = 16;
#endif
inline constexpr unsigned quad = 4;  ///< elements of a row in a vector
template <class T>
constexpr unsigned width = vector_bytes / sizeof(T) < quad ? quad : vector_bytes / sizeof(T);
template <class T>
using Wide = typename VectorOf<T, width<T>>::type;
template <class T>
using Quad = typename VectorOf<T, quad>::type;

using WideWords = Wide<u32>;
using WideIntegers = Wide<s32>;
using WideSingles = Wide<f32>;

/// a * b + c; of doubles rounded once.
template <class T>
SWEEP_ALU_INLINE Wide<T> multiply_add(const Wide<T>& a, const Wide<T>& b, const Wide<T>& c) {
  constexpr bool is_single = sizeof(T) == sizeof(f32);
#if defined(__AVX512F__)
  if constexpr (is_single) {
    return as<Wide<T>>(_mm512_fmadd_ps(as<__m512>(a), as<__m512>(b), as<__m512>(c)));
  } else {
    return as<Wide<T>>(_mm512_fmadd_pd(as<__m512d>(a), as<__m512d>(b), as<__m512d>(c)));
  }
#elif defined(__FMA__)
  if constexpr (is_single) {
    return as<Wide<T>>(_mm256_fmadd_ps(as<__m256>(a), as<__m256>(b), as<__m256>(c)));
  } else {
    return as<Wide<T>>(_mm256_fmadd_pd(as<__m256d>(a), as<__m256d>(b), as<__m256d>(c)));
  }
#else
  // Where sums are exact it makes no difference.
  if constexpr (is_single) return a * b + c;
  Wide<T> sum;
  for (unsigned i = 0; i < width<T>; ++i) sum[i] = static_cast<T>(std::fma(f64{a[i]}, b[i], c[i]));
  return sum;
#endif
}

/// Element j of each quad, four times.
template <unsigned j, class T>
SWEEP_ALU_INLINE Wide<T> spread(const Wide<T>& v) {
  if constexpr (width<T> == 4) return __builtin_shufflevector(v, v, j, j, j, j);
  if constexpr (width<T> == 8) {
    return __builtin_shufflevector(v, v, j, j, j, j, 4 + j, 4 + j, 4 + j, 4 + j);
  }
  if constexpr (width<T> == 16) {
    return __builtin_shufflevector(v, v, j, j, j, j, 4 + j, 4 + j, 4 + j, 4 + j, 8 + j, 8 + j,
                                   8 + j, 8 + j, 12 + j, 12 + j, 12 + j, 12 + j);
  }
}

/// A quad in each row's place.
template <class T>
SWEEP_ALU_INLINE Wide<T> repeated(const T* from) {
#if defined(__AVX512F__)
  if constexpr (width<T> == 16) {
    return as<Wide<T>>(_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(from)));
  } else {
    return as<Wide<T>>(_mm512_maskz_broadcast_f64x4(0xff, _mm256_loadu_pd(from)));
  }
#else
  const auto four = loaded<Quad<T>>(from);
  if constexpr (width<T> == 4) return four;
  if constexpr (width<T> == 8) {
    return __builtin_shufflevector(four, four, 0, 1, 2, 3, 0, 1, 2, 3);
  }
#endif
}

/// From 8 columns of 4 elements to 4 times the even columns and the odd ones.
template <class T>
SWEEP_ALU_INLINE void transpose_columns(const T* from, T* to) {
  if constexpr (width<T> == 16) {
    const auto low = loaded<Wide<T>>(from);
    const auto high = loaded<Wide<T>>(from + width<T>);
    const Wide<T> first = __builtin_shufflevector(low, high, 0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17,
                                                  25, 5, 13, 21, 29);
    const Wide<T> second = __builtin_shufflevector(low, high, 2, 10, 18, 26, 6, 14, 22, 30, 3, 11,
                                                   19, 27, 7, 15, 23, 31);
    store(to, first);
    store(to + width<T>, second);
    return;
  }
  for (std::size_t parity = 0; parity < 2; ++parity) {
    Quad<T> columns[quad];
    for (std::size_t i = 0; i < quad; ++i) {
      columns[i] = loaded<Quad<T>>(from + (2 * i + parity) * quad);
    }
    Quad<T> pairs[quad];
    for (std::size_t i = 0; i < 2; ++i) {
      pairs[i] = __builtin_shufflevector(columns[2 * i], columns[2 * i + 1], 0, 4, 1, 5);
      pairs[i + 2] = __builtin_shufflevector(columns[2 * i], columns[2 * i + 1], 2, 6, 3, 7);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      T* const lines = to + (4 * i + parity) * quad;
      store(lines, __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 0, 1, 4, 5));
      store(lines + 2 * quad, __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 2, 3, 6, 7));
    }
  }
}

/// The elements that words have at one place, as floats. What is not finite becomes at least
/// `beyond`, or stays what it is.
template <MatrixElement element>
SWEEP_ALU_INLINE WideSingles finite_elements(const WideWords& words, unsigned part) {
  const auto shifted = [](const WideWords& high, unsigned by, u32 mask) {
    return as<WideSingles>(as<WideWords>(as<WideIntegers>(high) >> by) & mask);
  };
  const auto whole = [](const WideIntegers& values) {
    return __builtin_convertvector(values, WideSingles);
  };
  constexpr unsigned bits = element_bits(element);
  const WideWords high = words << (32 - bits - bits * part);
  if constexpr (element == MatrixElement::f16) return shifted(high, 3, 0x8fffe000) * 0x1p112F;
  if constexpr (element == MatrixElement::bf16) return as<WideSingles>(high & 0xffff0000);
  if constexpr (element == MatrixElement::tf32) return as<WideSingles>(words & 0xffffe000);
  if constexpr (element == MatrixElement::e4m3) return shifted(high, 4, 0x87f00000) * 0x1p120F;
  if constexpr (element == MatrixElement::e5m2) return shifted(high, 3, 0x8fe00000) * 0x1p112F;
  if constexpr (element == MatrixElement::s8 || element == MatrixElement::s4) {
    return whole(as<WideIntegers>(high) >> (32 - bits));
  }
  if constexpr (element == MatrixElement::u8 || element == MatrixElement::u4) {
    return whole(as<WideIntegers>(high >> (32 - bits)));
  }
}
template <MatrixElement element>
constexpr f32 beyond = element == MatrixElement::e4m3                                    ? 480
                       : element == MatrixElement::f16 || element == MatrixElement::e5m2 ? 0x1p16F
                                                                                         : 0x1p60F;

/// Both halves of words as floats.
struct Halves {
  WideSingles even;
  WideSingles odd;
};
/// What is beyond f16, e4m3 and e5m2 is infinite or not a number, as its bits say.
template <MatrixElement element>
SWEEP_ALU_INLINE WideSingles with_special(const WideSingles& values) {
  if constexpr (element == MatrixElement::bf16) return values;
  const WideWords bits = as<WideWords>(values);
  const WideWords size = bits & 0x7fffffff;
  constexpr u32 first = __builtin_bit_cast(u32, f32{beyond<element>});
  // e4m3 has no infinity.
  const WideWords payload = element == MatrixElement::e4m3 ? WideWords{} + 1 : size - first;
  const WideWords special = 0x7f800000 | payload | (bits & 0x80000000);
  return as<WideSingles>(size >= first ? special : bits);
}
SWEEP_ALU_INLINE Halves halves_of(const WideWords& words) {
  constexpr auto half = MatrixElement::f16;
  return {with_special<half>(finite_elements<half>(words, 0)),
          with_special<half>(finite_elements<half>(words, 1))};
}
SWEEP_ALU_INLINE WideWords half_bits(const WideSingles& values) {
#if defined(__AVX512F__)
  return as<WideWords>(
      _mm512_maskz_cvtepu16_epi32(0xffff, _mm512_maskz_cvtps_ph(0xffff, as<__m512>(values), 0)));
#elif defined(__AVX2__)
  return as<WideWords>(_mm256_cvtepu16_epi32(_mm256_cvtps_ph(as<__m256>(values), 0)));
#else
  WideWords bits;
  for (unsigned i = 0; i < width<f32>; ++i) bits[i] = narrowed<f16_format>(f64{values[i]});
  return bits;
#endif
}

/// What such an element has at least for its exponent, as a float's bits.
template <MatrixElement element>
constexpr u32 least_exponent = (element == MatrixElement::e4m3 ? 127U - 6
                                : element == MatrixElement::f16 || element == MatrixElement::e5m2
                                    ? 127U - 14
                                    : 1U)
                               << 23;

/// 2 to the power of the elements' exponents, 0 for 0: those of subnormal ones are the least.
template <MatrixElement element>
SWEEP_ALU_INLINE WideSingles powers_of(const WideSingles& elements) {
  const WideWords smallest = WideWords{} + least_exponent<element>;
  const WideWords bits = as<WideWords>(elements);
  const WideWords exponent = bits & 0x7f800000;
  const WideWords power = exponent > smallest ? exponent : smallest;
  return as<WideSingles>((bits & 0x7fffffff) == 0 ? WideWords{} : power);
}

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
