#include "engine/emulator/alu/matrix_product.h"

#include <cmath>

#include "engine/emulator/alu/float_lane.h"

/// Products of tensor cores. Compiled once for each width of vectors.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using Element = MatrixElement;

/// What one step works on: so many rows of a matrix, or columns.
constexpr unsigned group = 8;
using Words [[gnu::vector_size(4 * group)]] = u32;
using Singles [[gnu::vector_size(4 * group)]] = f32;
using Integers [[gnu::vector_size(4 * group)]] = s32;

/// Products of so many bytes of a are added at once, 16 at most.
constexpr unsigned bytes_at_once = 32;
/// So far below the largest addend's first bit the others are cut off.
constexpr unsigned bits_kept = 25;

template <class To, class From>
SWEEP_ALU_INLINE To as(const From& from) {
  return __builtin_bit_cast(To, from);
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

/// The elements that registers have at one place.
template <Element element>
SWEEP_ALU_INLINE auto elements_of(const Words& words, unsigned part) {
  if constexpr (element == Element::f16) return of_halves(words >> 16 * part & 0xffff);
  if constexpr (element == Element::bf16) return as<Singles>(words >> 16 * part << 16);
  if constexpr (element == Element::tf32) return as<Singles>(words & 0xffffe000);
  if constexpr (element == Element::e4m3) return of_e4m3(words >> 8 * part & 0xff);
  if constexpr (element == Element::e5m2) return of_halves((words >> 8 * part & 0xff) << 8);
  if constexpr (element == Element::s8) return as<Integers>(words << (24 - 8 * part)) >> 24;
  if constexpr (element == Element::u8) return as<Integers>(words >> 8 * part & 0xff);
  if constexpr (element == Element::s4) return as<Integers>(words << (28 - 4 * part)) >> 28;
  if constexpr (element == Element::u4) return as<Integers>(words >> 4 * part & 0xf);
  if constexpr (element == Element::b1) return as<Integers>(words);
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

/// Reads a factor: the element of line l that is i along k becomes to[i * lines + l].
template <Element element, class T>
void read_lines(T* to, unsigned lines, unsigned tile_lines, unsigned k, const u32* slots,
                std::byte* registers) {
  // A register of single bits is a word, of which there are k / 32.
  constexpr unsigned bits = element == Element::b1 ? 32 : element_bits(element);
  constexpr unsigned parts = bits >= 32 ? 1 : 32 / bits;
  const unsigned count = lines * k / parts / warp_size;
  for (unsigned number = 0; number < count; ++number) {
    const RegisterOrigin origin = factor_origin(tile_lines, k, bits, number);
    const auto* const slot = slot_at<T>(registers, slots[number]);
    T* row = to + std::size_t{origin.along} * lines + origin.line;
    if constexpr (element == Element::f64) {
      for (unsigned step = 0; step < 4; ++step, row += lines) {
        for (unsigned i = 0; i < group; ++i) row[i] = as_f64(slot[4 * i + step]);
      }
    } else {
      Words steps[4];
      transpose(slot, steps);
      for (const Words& words : steps) {
        for (unsigned part = 0; part < parts; ++part, row += lines) {
          const auto elements = elements_of<element>(words, part);
          __builtin_memcpy(row, &elements, sizeof elements);
        }
      }
    }
  }
}

#define SWEEP_MATRIX_CASE(name) \
  case Element::name:           \
    return read_lines<Element::name>(to, lines, tile_lines, k, slots, registers);

template <class T>
void read_factor(Element element, T* to, unsigned lines, unsigned tile_lines, unsigned k,
                 const u32* slots, std::byte* registers) {
  if constexpr (std::is_same_v<T, f64>) {
    read_lines<Element::f64>(to, lines, tile_lines, k, slots, registers);
  } else if constexpr (std::is_same_v<T, f32>) {
    switch (element) {
      SWEEP_MATRIX_CASE(f16)
      SWEEP_MATRIX_CASE(bf16)
      SWEEP_MATRIX_CASE(tf32)
      SWEEP_MATRIX_CASE(e4m3)
      SWEEP_MATRIX_CASE(e5m2)
      default:
        return;
    }
  } else {
    switch (element) {
      SWEEP_MATRIX_CASE(s8)
      SWEEP_MATRIX_CASE(u8)
      SWEEP_MATRIX_CASE(s4)
      SWEEP_MATRIX_CASE(u4)
      SWEEP_MATRIX_CASE(b1)
      default:
        return;
    }
  }
}
#undef SWEEP_MATRIX_CASE

/// The matrices of a product: factors line after line at each place along k, sums by rows.
template <class T>
struct Matrices {
  alignas(64) T a[most_matrix_elements];
  alignas(64) T b[most_matrix_elements];
  alignas(64) T sums[most_matrix_elements];

  void read_factors(const MatrixProduct& product, unsigned k, std::byte* registers) {
    read_factor(product.a_type, a, product.m, tile_rows(product.m), k, product.a, registers);
    read_factor(product.b_type, b, product.n, group, k, product.b, registers);
  }
};

/// Calls work(index, word, part) for each element of c or d: its index by rows, and the register's
/// word that has it.
template <class T, unsigned bits, class Work>
SWEEP_ALU_INLINE void for_each_sum(const MatrixProduct& product, const u32* slots,
                                   std::byte* registers, Work work) {
  constexpr unsigned parts = bits == 16 ? 2 : 1;
  const unsigned count = product.m * product.n / parts / warp_size;
  for (unsigned number = 0; number < count; ++number) {
    const RegisterOrigin origin = accumulator_origin(product.m, product.n, bits, number);
    auto* const words = slot_at<T>(registers, slots[number]);
    for (unsigned row = 0; row < group; ++row) {
      const unsigned first = (origin.line + row) * product.n + origin.along;
      for (unsigned step = 0; step < 4; ++step) {
        for (unsigned part = 0; part < parts; ++part) {
          work(first + 2 * step + part, words[4 * row + step], part);
        }
      }
    }
  }
}

/// Cut off, not rounded, to a float.
f32 cut(f64 value) {
  const auto rounded = static_cast<f32>(value);
  const bool is_away = std::isfinite(value) && std::fabs(f64{rounded}) > std::fabs(value);
  return is_away ? std::nextafter(rounded, 0.0F) : rounded;
}

/// The sum of an accumulator and products of which one is not finite, or very large or small.
f64 unusual_sum(f32 accumulator, const f32* a, unsigned a_step, const f32* b, unsigned b_step,
                unsigned count) {
  const auto product = [&](unsigned i) {
    return f64{a[std::size_t{i} * a_step]} * b[std::size_t{i} * b_step];
  };
  f64 plain = accumulator;
  f64 largest = std::fabs(plain);
  for (unsigned i = 0; i < count; ++i) {
    plain += product(i);
    largest = std::fmax(largest, std::fabs(product(i)));
  }
  if (!std::isfinite(plain) || largest == 0) return plain;
  const int shift = static_cast<int>(bits_kept) - std::ilogb(largest);
  f64 total = std::trunc(std::ldexp(f64{accumulator}, shift));
  for (unsigned i = 0; i < count; ++i) total += std::trunc(std::ldexp(product(i), shift));
  return std::ldexp(total, -shift);
}

/// Sums of `group` elements: whole, where halves are made of them, and cut off to floats.
struct Sums {
  Singles cut = {};
  f64 whole[group] = {};
};

/// Adds products of a row of a and columns of b to their sums.
template <bool needs_whole, unsigned count>
SWEEP_ALU_INLINE void add_products(Sums& sums, const f32* a, unsigned a_step, const f32* b,
                                   unsigned b_step) {
  // Powers of two between which nothing of what follows overflows.
  constexpr u32 least = 37U << 23;
  constexpr u32 most = 217U << 23;
  const Words magnitude_bits = Words{} + 0x7fffffff;
  Singles products[count];
  Words largest = as<Words>(sums.cut) & magnitude_bits;
  for (unsigned i = 0; i < count; ++i) {
    Singles row;
    __builtin_memcpy(&row, b + std::size_t{i} * b_step, sizeof row);
    products[i] = a[std::size_t{i} * a_step] * row;
    const Words magnitude = as<Words>(products[i]) & magnitude_bits;
    largest = magnitude > largest ? magnitude : largest;
  }
  const auto is_unusual = (largest != 0) & ((largest < least) | (largest >= most));
  u64 unusual[4];
  __builtin_memcpy(unusual, &is_unusual, sizeof unusual);
  if ((unusual[0] | unusual[1] | unusual[2] | unusual[3]) != 0) {
    for (unsigned j = 0; j < group; ++j) {
      sums.whole[j] = unusual_sum(sums.cut[j], a, a_step, b + j, b_step, count);
      sums.cut[j] = cut(sums.whole[j]);
    }
    return;
  }
  const Words exponent = (largest < least ? Words{} + least : largest) >> 23;
  const auto scale = as<Singles>((2 * 127 + bits_kept - exponent) << 23);
  const auto unit = as<Singles>((exponent - bits_kept) << 23);
  Integers total = __builtin_convertvector(sums.cut * scale, Integers);
  for (unsigned i = 0; i < count; ++i) {
    total += __builtin_convertvector(products[i] * scale, Integers);
  }
  if constexpr (needs_whole) {
    for (unsigned j = 0; j < group; ++j) sums.whole[j] = f64{unit[j]} * total[j];
  }
  const auto sign = as<Words>(total) & 0x80000000;
  const Integers size = total < 0 ? -total : total;
  const Singles rounded = __builtin_convertvector(size, Singles);
  const Integers is_away = __builtin_convertvector(rounded, Integers) > size;
  sums.cut = as<Singles>(as<Words>(as<Singles>(as<Integers>(rounded) + is_away) * unit) | sign);
}

template <bool is_half>
void multiply_floats(const MatrixProduct& product, std::byte* registers) {
  const unsigned m = product.m;
  const unsigned n = product.n;
  const unsigned k = product.k;
  Matrices<f32> matrices;  // NOLINT: what is read is written before
  matrices.read_factors(product, k, registers);
  f32* const elements = matrices.sums;
  if (product.c_type == Element::f16) {
    for_each_sum<u32, 16>(product, product.c, registers, [&](unsigned at, u32 word, unsigned part) {
      elements[at] = static_cast<f32>(widened<f16_format>(word >> 16 * part & 0xffff));
    });
  } else {
    for_each_sum<u32, 32>(product, product.c, registers,
                          [&](unsigned at, u32 word, unsigned) { elements[at] = as<f32>(word); });
  }
  const unsigned wanted = bytes_at_once * 8 / element_bits(product.a_type);
  const unsigned at_once = k < wanted ? k : wanted;
  for (unsigned row = 0; row < m; ++row) {
    for (unsigned column = 0; column < n; column += group) {
      f32* const element = elements + std::size_t{row} * n + column;
      Sums sums;
      __builtin_memcpy(&sums.cut, element, sizeof sums.cut);
      const auto add_all = [&]<unsigned count>() {
        for (unsigned along = 0; along < k; along += count) {
          add_products<is_half, count>(sums, matrices.a + std::size_t{along} * m + row, m,
                                       matrices.b + std::size_t{along} * n + column, n);
        }
      };
      if (at_once >= 16) {
        add_all.template operator()<16>();
      } else if (at_once == 8) {
        add_all.template operator()<8>();
      } else {
        add_all.template operator()<4>();
      }
      if constexpr (is_half) {
        for (unsigned j = 0; j < group; ++j)
          element[j] = as<f32>(narrowed<f16_format>(sums.whole[j]));
      } else {
        const Words nan = Words{} + 0x7fffffff;
        const Words magnitude = as<Words>(sums.cut) & 0x7fffffff;
        const Words words = magnitude <= 0x7f800000 ? as<Words>(sums.cut) : nan;
        __builtin_memcpy(element, &words, sizeof words);
      }
    }
  }
  if constexpr (is_half) {
    for_each_sum<u32, 16>(product, product.d, registers,
                          [&](unsigned at, SlotOf<u32>& word, unsigned part) {
                            const u32 half = as<u32>(elements[at]);
                            word = part == 0 ? half : word | half << 16;
                          });
  } else {
    for_each_sum<u32, 32>(
        product, product.d, registers,
        [&](unsigned at, SlotOf<u32>& word, unsigned) { word = as<u32>(elements[at]); });
  }
}

/// A chain of fused operations.
void multiply_doubles(const MatrixProduct& product, std::byte* registers) {
  Matrices<f64> matrices;  // NOLINT: what is read is written before
  matrices.read_factors(product, product.k, registers);
  for_each_sum<u64, 64>(product, product.c, registers,
                        [&](unsigned at, u64 word, unsigned) { matrices.sums[at] = as_f64(word); });
  for (unsigned along = 0; along < product.k; ++along) {
    const f64* const b = matrices.b + std::size_t{along} * product.n;
    for (unsigned row = 0; row < product.m; ++row) {
      const f64 a = matrices.a[along * product.m + row];
      f64* const sums = matrices.sums + std::size_t{row} * product.n;
      for (unsigned column = 0; column < product.n; ++column) {
        sums[column] = std::fma(a, b[column], sums[column]);
      }
    }
  }
  for_each_sum<u64, 64>(
      product, product.d, registers,
      [&](unsigned at, SlotOf<u64>& word, unsigned) { word = bits_of(matrices.sums[at]); });
}

s32 clamped(s64 value) {
  constexpr s64 least = -0x80000000LL;
  constexpr s64 most = 0x7fffffff;
  return static_cast<s32>(value < least ? least : value > most ? most : value);
}

void multiply_integers(const MatrixProduct& product, std::byte* registers) {
  const bool is_binary = product.a_type == Element::b1;
  const unsigned k = is_binary ? product.k / 32 : product.k;
  Matrices<s32> matrices;  // NOLINT: what is read is written before
  matrices.read_factors(product, k, registers);
  for_each_sum<u32, 32>(product, product.c, registers, [&](unsigned at, u32 word, unsigned) {
    matrices.sums[at] = static_cast<s32>(word);
  });
  for (unsigned row = 0; row < product.m; ++row) {
    for (unsigned column = 0; column < product.n; column += group) {
      Integers total = {};
      for (unsigned along = 0; along < k; ++along) {
        const s32 a = matrices.a[along * product.m + row];
        Integers b;
        __builtin_memcpy(&b, matrices.b + std::size_t{along} * product.n + column, sizeof b);
        if (!is_binary) {
          total += a * b;
          continue;
        }
        const Integers bits = product.is_and ? a & b : a ^ b;
        for (unsigned j = 0; j < group; ++j) total[j] += __builtin_popcount(as<u32>(s32{bits[j]}));
      }
      s32* const sums = matrices.sums + std::size_t{row} * product.n + column;
      for (unsigned j = 0; j < group; ++j) {
        const s64 exact = s64{sums[j]} + total[j];
        sums[j] = product.is_saturating ? clamped(exact) : static_cast<s32>(exact);
      }
    }
  }
  for_each_sum<u32, 32>(product, product.d, registers,
                        [&](unsigned at, SlotOf<u32>& word, unsigned) {
                          word = static_cast<u32>(matrices.sums[at]);
                        });
}

}  // namespace

void multiply_matrices(const MatrixProduct& product, std::byte* registers) {
  if (product.d_type == Element::s32) return multiply_integers(product, registers);
  if (product.d_type == Element::f64) return multiply_doubles(product, registers);
  if (product.d_type == Element::f16) return multiply_floats<true>(product, registers);
  multiply_floats<false>(product, registers);
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
