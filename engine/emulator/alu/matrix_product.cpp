#include "engine/emulator/alu/matrix_product.h"

#include <cmath>

#include "engine/emulator/alu/matrix_elements.h"
#include "engine/emulator/alu/tile_product.h"

/// Products of tensor cores. Compiled once for each width of vectors.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using Element = MatrixElement;

/// Products of so many bytes of a are added at once.
constexpr unsigned bytes_at_once = 32;
/// So far below the largest addend's first bit the others are cut off; where the factors have 8
/// bits, the sum too.
constexpr unsigned bits_kept = 25;
constexpr unsigned bits_kept_of_bytes = 13;

constexpr unsigned most_sums = 16 * most_matrix_columns;

/// So many rows are worked on at once where there are so many.
#ifdef __AVX512F__
constexpr unsigned most_rows = 16;
#else
constexpr unsigned most_rows = 8;
#endif

/// The matrices of a product; sums by columns.
struct Matrices {
  RowFactor<most_matrix_elements> a;
  ColumnFactor<bytes_at_once * most_matrix_columns> b;
  alignas(64) u32 sums[most_sums];

  template <Element element>
  static void read(auto& factor, unsigned lines, unsigned k, const u32* slots,
                   const std::byte* gathered, std::byte* registers) {
    factor.template read<element>(lines, k, FactorRegisters{slots, gathered, registers});
  }

#define SWEEP_MATRIX_CASE(name) \
  case Element::name:           \
    return read<Element::name>(factor, lines, k, slots, gathered, registers);

  static void read_factor(auto& factor, Element element, unsigned lines, unsigned k,
                          const u32* slots, const std::byte* gathered, std::byte* registers) {
    switch (element) {
      SWEEP_MATRIX_CASE(f16)
      SWEEP_MATRIX_CASE(bf16)
      SWEEP_MATRIX_CASE(tf32)
      SWEEP_MATRIX_CASE(e4m3)
      SWEEP_MATRIX_CASE(e5m2)
      SWEEP_MATRIX_CASE(s8)
      SWEEP_MATRIX_CASE(u8)
      SWEEP_MATRIX_CASE(s4)
      SWEEP_MATRIX_CASE(u4)
      SWEEP_MATRIX_CASE(b1)
      default:
        return;
    }
  }
#undef SWEEP_MATRIX_CASE

#define SWEEP_MATRIX_CASE(name) \
  case Element::name:           \
    return factor.template find_powers<Element::name>(count);

  static void find_powers_of(auto& factor, Element element, unsigned count) {
    switch (element) {
      SWEEP_MATRIX_CASE(f16)
      SWEEP_MATRIX_CASE(bf16)
      SWEEP_MATRIX_CASE(tf32)
      SWEEP_MATRIX_CASE(e4m3)
      SWEEP_MATRIX_CASE(e5m2)
      default:
        return;
    }
  }
#undef SWEEP_MATRIX_CASE

  void find_powers(const MatrixProduct& product) {
    find_powers_of(a, product.a_type, product.m * product.k);
    find_powers_of(b, product.b_type, product.n * product.k);
  }

  void read_factors(const MatrixProduct& product, unsigned k, unsigned rows, std::byte* registers) {
    a.tile = rows;
    read_factor(a, product.a_type, product.m, k, product.a, product.gathered_a, registers);
    read_factor(b, product.b_type, product.n, k, product.b, product.gathered_b, registers);
  }

  /// Calls work(slot, sums, step) for each register of c or d: `sums` are those of 8 rows in the
  /// first column that it has, `step` leads from there to the column behind.
  template <unsigned bits, class Work>
  SWEEP_ALU_INLINE void for_each_register(const MatrixProduct& product, const u32* slots,
                                          std::byte* registers, Work work) {
    const unsigned count = product.m * product.n * bits / 32 / warp_size;
    for (unsigned number = 0; number < count; ++number) {
      const RegisterOrigin origin = accumulator_origin(product.m, product.n, bits, number);
      work(slot_at<u32>(registers, slots[number]),
           sums + std::size_t{origin.along} * product.m + origin.line, product.m);
    }
  }

  /// Sums of 32 bits; those of 16 become floats.
  void read_sums(const MatrixProduct& product, std::byte* registers) {
    if (product.c == nullptr) {
      __builtin_memset(sums, 0, sizeof(u32) * product.m * product.n);
    } else if (product.c_type == Element::f16) {
      for_each_register<16>(
          product, product.c, registers, [](const SlotOf<u32>* slot, u32* to, unsigned step) {
            Words steps[4];
            transpose(slot, steps);
            for (unsigned i = 0; i < 8; ++i) {
              store(to + std::size_t{i} * step, elements_of<Element::f16>(steps[i / 2], i % 2));
            }
          });
    } else {
      for_each_register<32>(product, product.c, registers,
                            [](const SlotOf<u32>* slot, u32* to, unsigned step) {
                              Words steps[4];
                              transpose(slot, steps);
                              for (unsigned i = 0; i < 4; ++i)
                                store(to + std::size_t{2} * i * step, steps[i]);
                            });
    }
  }
  void write_sums(const MatrixProduct& product, std::byte* registers) {
    if (product.d_type == Element::f16) {
      for_each_register<16>(
          product, product.d, registers, [](SlotOf<u32>* slot, const u32* from, unsigned step) {
            Words steps[4];
            for (unsigned i = 0; i < 4; ++i) {
              steps[i] = loaded<Words>(from + std::size_t{2} * i * step) |
                         loaded<Words>(from + (std::size_t{2} * i + 1) * step) << 16;
            }
            transpose_back(steps, slot);
          });
      return;
    }
    for_each_register<32>(product, product.d, registers,
                          [](SlotOf<u32>* slot, const u32* from, unsigned step) {
                            Words steps[4];
                            for (unsigned i = 0; i < 4; ++i)
                              steps[i] = loaded<Words>(from + std::size_t{2} * i * step);
                            transpose_back(steps, slot);
                          });
  }
};

/// Where a row's, or a column's, elements along k begin: those of rows are `rows` apart.
struct Line {
  const f32* values;
  const f32* powers;
};

/// Cut off, not rounded, to a float with so many bits behind the leading one.
template <unsigned kept>
f32 cut(f64 value) {
  if (kept < 23) value = as_f64(bits_of(value) & ~u64{0} << (52 - kept));
  const auto rounded = static_cast<f32>(value);
  const bool is_away = std::isfinite(value) && std::fabs(f64{rounded}) > std::fabs(value);
  return is_away ? std::nextafter(rounded, 0.0F) : rounded;
}

/// The sum of an accumulator and products that integers cannot hold: one is not finite, or all are
/// very large or small, or their sum is too large.
template <unsigned kept, unsigned rows>
f64 unusual_sum(f32 accumulator, const Line& a, const Line& b, unsigned count) {
  const auto product_of = [&](const f32* lefts, const f32* rights, unsigned i) {
    return f64{lefts[std::size_t{i} * rows]} * rights[i];
  };
  f64 plain = accumulator;
  f64 largest = std::fabs(plain);
  for (unsigned i = 0; i < count; ++i) {
    plain += product_of(a.values, b.values, i);
    largest = std::fmax(largest, product_of(a.powers, b.powers, i));
  }
  if (!std::isfinite(plain) || largest == 0) return plain;
  const int shift = static_cast<int>(kept) - std::ilogb(largest);
  f64 total = std::trunc(std::ldexp(f64{accumulator}, shift));
  for (unsigned i = 0; i < count; ++i) {
    total += std::trunc(std::ldexp(product_of(a.values, b.values, i), shift));
  }
  return std::ldexp(total, -shift);
}

/// Sums of so many rows: whole, where halves are made of them, and cut off to floats.
template <unsigned rows>
struct Sums {
  SinglesOf<rows> cut = {};
  f64 whole[rows] = {};
};

/// Adds products of rows of a and a column of b to their sums.
template <unsigned rows, unsigned kept, bool needs_whole, unsigned count>
SWEEP_ALU_INLINE void add_products(Sums<rows>& sums, const Line& a, const Line& b) {
  using RowWords = WordsOf<rows>;
  using RowSingles = SinglesOf<rows>;
  using RowIntegers = IntegersOf<rows>;
  // Powers of two between which nothing of what follows overflows.
  constexpr u32 least = 37U << 23;
  constexpr u32 most = 217U << 23;
  const auto sum_by_one = [&] {
    for (unsigned row = 0; row < rows; ++row) {
      const Line own = {a.values + row, a.powers + row};
      sums.whole[row] = unusual_sum<kept, rows>(sums.cut[row], own, b, count);
      sums.cut[row] = cut<kept>(sums.whole[row]);
    }
  };
  RowWords largest = as<RowWords>(sums.cut) & 0x7fffffff;
  for (unsigned i = 0; i < count; ++i) {
    const auto powers =
        as<RowWords>(loaded<RowSingles>(a.powers + std::size_t{i} * rows) * b.powers[i]);
    largest = powers > largest ? powers : largest;
  }
  if (is_any_set((largest != 0) & ((largest < least) | (largest >= most)))) return sum_by_one();
  const RowWords exponent = (largest < least ? RowWords{} + least : largest) >> 23;
  const auto scale = as<RowSingles>((2 * 127 + kept - exponent) << 23);
  const auto unit = as<RowSingles>((exponent - kept) << 23);
  const auto scaled = [&](const RowSingles& value) {
    return as<RowWords>(__builtin_convertvector(value * scale, RowIntegers));
  };
  // Neither half overflows.
  RowWords even = scaled(sums.cut);
  RowWords odd = {};
  for (unsigned i = 0; i < count; ++i) {
    const RowSingles product = loaded<RowSingles>(a.values + std::size_t{i} * rows) * b.values[i];
    (i % 2 == 0 ? even : odd) += scaled(product);
  }
  const RowWords total = even + odd;
  const auto size = as<RowIntegers>(as<RowIntegers>(total) < 0 ? -total : total);
  // What rounds to 2^31 is beyond integers, too.
  if constexpr (kept > 23) {
    constexpr s32 most_size = 0x7fffff80;
    const auto overflow = as<RowIntegers>((even ^ total) & (odd ^ total)) < 0;
    if (is_any_set(overflow | (size > most_size))) return sum_by_one();
  }
  if constexpr (needs_whole) {
    const auto exact = as<RowIntegers>(total);
    for (unsigned row = 0; row < rows; ++row) sums.whole[row] = f64{unit[row]} * exact[row];
  }
  auto rounded = as<RowWords>(__builtin_convertvector(size, RowSingles));
  if constexpr (kept > 23) {
    const RowIntegers is_away =
        __builtin_convertvector(as<RowSingles>(rounded), RowIntegers) > size;
    rounded += as<RowWords>(is_away);
  } else {
    rounded &= ~u32{0} << (23 - kept);
  }
  sums.cut = as<RowSingles>(as<RowWords>(as<RowSingles>(rounded) * unit) | (total & 0x80000000));
}

template <unsigned rows, unsigned kept, bool needs_whole>
void add_all_products(Matrices& matrices, const MatrixProduct& product) {
  const unsigned wanted = bytes_at_once * 8 / element_bits(product.a_type);
  const unsigned at_once = product.k < wanted ? product.k : wanted;
  for (unsigned column = 0; column < product.n; ++column) {
    for (unsigned row = 0; row < product.m; row += rows) {
      u32* const own = matrices.sums + std::size_t{column} * product.m + row;
      Sums<rows> sums;
      sums.cut = as<SinglesOf<rows>>(loaded<WordsOf<rows>>(own));
      const auto add_in_steps = [&]<unsigned count>() {
        for (unsigned along = 0; along < product.k; along += count) {
          const std::size_t left = std::size_t{row} * product.k + std::size_t{along} * rows;
          const std::size_t right = std::size_t{column} * product.k + along;
          add_products<rows, kept, needs_whole, count>(
              sums, {matrices.a.values + left, matrices.a.powers + left},
              {matrices.b.values + right, matrices.b.powers + right});
        }
      };
      if constexpr (kept < 23) {
        at_once == 32 ? add_in_steps.template operator()<32>()
                      : add_in_steps.template operator()<16>();
      } else if (at_once == 16) {
        add_in_steps.template operator()<16>();
      } else if (at_once == 8) {
        add_in_steps.template operator()<8>();
      } else {
        add_in_steps.template operator()<4>();
      }
      if constexpr (needs_whole) {
        for (unsigned i = 0; i < rows; ++i) own[i] = narrowed<f16_format>(sums.whole[i]);
      } else {
        const auto words = as<WordsOf<rows>>(sums.cut);
        const WordsOf<rows> nan = WordsOf<rows>{} + 0x7fffffff;
        store(own, (words & 0x7fffffff) <= 0x7f800000 ? words : nan);
      }
    }
  }
}

template <unsigned rows>
void multiply_rows(Matrices& matrices, const MatrixProduct& product) {
  matrices.find_powers(product);
  const bool is_half = product.d_type == Element::f16;
  if (element_bits(product.a_type) == 8) {
    return is_half ? add_all_products<rows, bits_kept_of_bytes, true>(matrices, product)
                   : add_all_products<rows, bits_kept_of_bytes, false>(matrices, product);
  }
  is_half ? add_all_products<rows, bits_kept, true>(matrices, product)
          : add_all_products<rows, bits_kept, false>(matrices, product);
}

void multiply_floats(const MatrixProduct& product, std::byte* registers) {
  Matrices matrices;  // NOLINT: what is read is written before
  const unsigned rows = product.m % most_rows == 0 ? most_rows : group;
  matrices.read_factors(product, product.k, rows, registers);
  for (unsigned i = 0; i < product.m * product.k && product.is_negated; ++i) {
    matrices.a.values[i] = -matrices.a.values[i];
  }
  matrices.read_sums(product, registers);
  if constexpr (most_rows != group) {
    if (rows == most_rows) multiply_rows<most_rows>(matrices, product);
  }
  if (rows == group) multiply_rows<group>(matrices, product);
  matrices.write_sums(product, registers);
}

s32 clamped(s64 value) {
  constexpr s64 least = -0x80000000LL;
  constexpr s64 most = 0x7fffffff;
  return static_cast<s32>(value < least ? least : value > most ? most : value);
}

/// Words of 32 elements, combined, and the bits counted that are set.
void multiply_bits(const MatrixProduct& product, std::byte* registers) {
  const unsigned k = product.k / 32;
  Matrices matrices;  // NOLINT: what is read is written before
  matrices.read_factors(product, k, group, registers);
  matrices.read_sums(product, registers);
  for (unsigned column = 0; column < product.n; ++column) {
    for (unsigned row = 0; row < product.m; ++row) {
      u32* const own = matrices.sums + std::size_t{column} * product.m + row;
      s64 sum = static_cast<s32>(*own);
      for (unsigned along = 0; along < k; ++along) {
        const u32 a = bits_of(matrices.a.values[matrices.a.place_of(row, along, k)]);
        const u32 b = bits_of(matrices.b.values[column * k + along]);
        sum += __builtin_popcount(product.is_and ? a & b : a ^ b);
      }
      *own = static_cast<u32>(product.is_saturating ? clamped(sum) : static_cast<s32>(sum));
    }
  }
  matrices.write_sums(product, registers);
}

}  // namespace

void multiply_matrices(const MatrixProduct& product, std::byte* registers) {
  if (product.d_type == Element::f64) return multiply_doubles(product, registers);
  if (product.a_type == Element::b1) return multiply_bits(product, registers);
  if (!multiply_exactly(product, registers)) multiply_floats(product, registers);
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
