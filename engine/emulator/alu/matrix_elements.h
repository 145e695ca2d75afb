#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <type_traits>

#include "engine/emulator/alu/float_lane.h"

/// From the registers and bytes that matrices of tensor cores lie in to their elements, and back.
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

/// Of the lines that a register has: 8.
inline constexpr unsigned group = 8;
using Words = WordsOf<group>;
using Singles = SinglesOf<group>;
using Integers = IntegersOf<group>;

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

/// Halves as floats, which have all of their values.
SWEEP_ALU_INLINE Singles of_halves(const Words& bits) {
  const Singles finite = as<Singles>((bits & 0x7fff) << 13) * 0x1p112F;
  const Words special = 0x7f800000 | (bits & 0x3ff) << 13;
  const Words magnitude = (bits & 0x7c00) == 0x7c00 ? special : as<Words>(finite);
  return as<Singles>(magnitude | (bits & 0x8000) << 16);
}

SWEEP_ALU_INLINE Singles of_e4m3(const Words& bits) {
  const Singles finite = as<Singles>((bits & 0x7f) << 20) * 0x1p120F;
  const Words nan = Words{} + 0x7fffffff;
  const Words magnitude = (bits & 0x7f) == 0x7f ? nan : as<Words>(finite);
  return as<Singles>(magnitude | (bits & 0x80) << 24);
}

/// The elements that registers have at one place; integers as floats, too.
template <MatrixElement element>
SWEEP_ALU_INLINE Singles elements_of(const Words& words, unsigned part) {
  using Element = MatrixElement;
  const auto whole = [](const Integers& values) {
    return __builtin_convertvector(values, Singles);
  };
  if constexpr (element == Element::f16) return of_halves(words >> 16 * part & 0xffff);
  if constexpr (element == Element::bf16) return as<Singles>(words >> 16 * part << 16);
  if constexpr (element == Element::tf32) return as<Singles>(words & 0xffffe000);
  if constexpr (element == Element::e4m3) return of_e4m3(words >> 8 * part & 0xff);
  if constexpr (element == Element::e5m2) return of_halves((words >> 8 * part & 0xff) << 8);
  if constexpr (element == Element::s8) return whole(as<Integers>(words << (24 - 8 * part)) >> 24);
  if constexpr (element == Element::u8) return whole(as<Integers>(words >> 8 * part & 0xff));
  if constexpr (element == Element::s4) return whole(as<Integers>(words << (28 - 4 * part)) >> 28);
  if constexpr (element == Element::u4) return whole(as<Integers>(words >> 4 * part & 0xf));
  if constexpr (element == Element::b1) return as<Singles>(words);
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
SWEEP_ALU_INLINE Singles powers_of(const Singles& elements) {
  const Words least = Words{} + least_exponent<element>;
  const Words bits = as<Words>(elements);
  const Words exponent = bits & 0x7f800000;
  const Words power = exponent > least ? exponent : least;
  return as<Singles>((bits & 0x7fffffff) == 0 ? Words{} : power);
}

/// A register's words for the 8 lines that it has: those of the lines' first lanes, of the second,
/// ...
SWEEP_ALU_INLINE void transpose(const SlotOf<u32>* slot, Words (&steps)[4]) {
  Words rows[4];
  __builtin_memcpy(rows, slot, sizeof rows);
  Words halves[4];
  for (std::size_t half = 0; half < 2; ++half) {
    const Words& upper = rows[2 * half];
    const Words& lower = rows[2 * half + 1];
    halves[2 * half] = __builtin_shufflevector(upper, lower, 0, 4, 8, 12, 1, 5, 9, 13);
    halves[2 * half + 1] = __builtin_shufflevector(upper, lower, 2, 6, 10, 14, 3, 7, 11, 15);
  }
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const Words& upper = halves[pair];
    const Words& lower = halves[pair + 2];
    steps[2 * pair] = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 8, 9, 10, 11);
    steps[2 * pair + 1] = __builtin_shufflevector(upper, lower, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// The same backwards.
SWEEP_ALU_INLINE void transpose_back(const Words (&steps)[4], SlotOf<u32>* slot) {
  Words halves[4];
  for (std::size_t pair = 0; pair < 2; ++pair) {
    const Words& even = steps[2 * pair];
    const Words& odd = steps[2 * pair + 1];
    halves[pair] = __builtin_shufflevector(even, odd, 0, 1, 2, 3, 8, 9, 10, 11);
    halves[pair + 2] = __builtin_shufflevector(even, odd, 4, 5, 6, 7, 12, 13, 14, 15);
  }
  Words rows[4];
  for (std::size_t half = 0; half < 2; ++half) {
    const Words& first = halves[2 * half];
    const Words& second = halves[2 * half + 1];
    rows[2 * half] = __builtin_shufflevector(first, second, 0, 4, 8, 12, 1, 5, 9, 13);
    rows[2 * half + 1] = __builtin_shufflevector(first, second, 2, 6, 10, 14, 3, 7, 11, 15);
  }
  __builtin_memcpy(slot, rows, sizeof rows);
}

/// The words of 8 elements that lie side by side in memory.
template <unsigned bits>
SWEEP_ALU_INLINE Words packed_words(const std::byte* bytes) {
  if constexpr (bits == 32) {
    return loaded<Words>(bytes);
  } else {
    using Narrow = typename VectorOf<std::conditional_t<bits == 16, u16, u8>, group>::type;
    return __builtin_convertvector(loaded<Narrow>(bytes), Words);
  }
}

/// A register of single bits is a word.
template <MatrixElement element>
constexpr unsigned word_bits = element == MatrixElement::b1 ? 32 : element_bits(element);

/// The elements of a factor as floats; of single bits words of 32.
template <unsigned size>
struct Factor {
  alignas(64) f32 values[size];
  alignas(64) f32 powers[size];  ///< of floating-point elements, where they matter: see powers_of

  SWEEP_ALU_INLINE void put(unsigned at, const Singles& elements) { store(values + at, elements); }
  /// Puts elements so far apart from each other.
  SWEEP_ALU_INLINE void put_apart(unsigned at, unsigned step, const Singles& elements) {
    for (unsigned i = 0; i < group; ++i, at += step) values[at] = elements[i];
  }
  /// Of so many elements.
  template <MatrixElement element>
  void find_powers(unsigned count) {
    for (unsigned at = 0; at < count; at += group) {
      store(powers + at, powers_of<element>(loaded<Singles>(values + at)));
    }
  }
};

/// Where the words of a factor's registers are.
struct FactorRegisters {
  const u32* slots;
  const std::byte* gathered;  ///< null: by slots
  std::byte* registers;

  const SlotOf<u32>* at(unsigned number) const {
    if (gathered == nullptr) return slot_at<u32>(registers, slots[number]);
    return reinterpret_cast<const SlotOf<u32>*>(gathered) + std::size_t{number} * warp_size;
  }
};

/// The rows of a in tiles: element i along k of row r is at (r / tile * k + i) * tile + r % tile.
template <unsigned size>
struct RowFactor : Factor<size> {
  unsigned tile;

  unsigned place_of(unsigned row, unsigned along, unsigned k) const {
    return (row / tile * k + along) * tile + row % tile;
  }

  template <MatrixElement element>
  void read(unsigned rows, unsigned k, const FactorRegisters& registers) {
    constexpr unsigned parts = 32 / word_bits<element>;
    const unsigned count = rows * k / parts / warp_size;
    for (unsigned number = 0; number < count; ++number) {
      const RegisterOrigin origin = factor_origin(tile_rows(rows), k, word_bits<element>, number);
      Words steps[4];
      transpose(registers.at(number), steps);
      unsigned at = place_of(origin.line, origin.along, k);
      for (const Words& words : steps) {
        for (unsigned part = 0; part < parts; ++part, at += tile) {
          this->put(at, elements_of<element>(words, part));
        }
      }
    }
  }
};

/// The columns of b: element i along k of column c is at c * k + i.
template <unsigned size>
struct ColumnFactor : Factor<size> {
  template <MatrixElement element>
  void read(unsigned columns, unsigned k, const FactorRegisters& registers) {
    constexpr unsigned bits = word_bits<element>;
    constexpr unsigned parts = 32 / bits;
    const unsigned count = columns * k / parts / warp_size;
    for (unsigned number = 0; number < count; ++number) {
      const RegisterOrigin origin = factor_origin(group, k, bits, number);
      const auto* const slot = registers.at(number);
      const auto* const bytes = reinterpret_cast<const std::byte*>(slot);
      const unsigned at = origin.line * k + origin.along;
      // The four words of a column lie side by side.
      if constexpr (parts == 1) {
        for (unsigned column = 0; column < group; ++column) {
          const auto words = loaded<WordsOf<4>>(slot + std::size_t{4} * column);
          const Words both = __builtin_shufflevector(words, words, 0, 1, 2, 3, 0, 1, 2, 3);
          const Singles elements = elements_of<element>(both, 0);
          __builtin_memcpy(this->values + at + column * k, &elements, sizeof words);
        }
      } else if constexpr (bits >= 8) {
        for (unsigned first = 0; first < group * 4 * parts; first += group) {
          const Words words = packed_words<bits>(bytes + std::size_t{first} * bits / 8);
          const unsigned column = first / (4 * parts);
          this->put(at + column * k + first % (4 * parts), elements_of<element>(words, 0));
        }
      } else {
        for (unsigned pair = 0; pair < group; pair += 2) {
          const auto words = loaded<Words>(slot + std::size_t{4} * pair);
          for (unsigned part = 0; part < parts; ++part) {
            const Singles elements = elements_of<element>(words, part);
            for (unsigned i = 0; i < group; ++i) {
              this->values[at + (pair + i / 4) * k + i % 4 * parts + part] = elements[i];
            }
          }
        }
      }
    }
  }
};

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
  constexpr unsigned step = 2 * group;
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
