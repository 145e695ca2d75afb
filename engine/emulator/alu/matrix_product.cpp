#include "engine/emulator/alu/matrix_product.h"

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <span>

#include "engine/emulator/alu/tile_accumulators.h"
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
/// In place of a where it has no element, which is multiplied with nothing; elements are never -0.
constexpr f32 absent = -0.0F;

/// Where the elements of a factor, and the powers of two of their exponents, begin.
struct Line {
  const f32* values;
  const f32* powers;
};

/// Cut off, not rounded, to a float with so many bits behind the leading one.
template <unsigned kept>
f32 cut(f64 value) {
  if (kept < 23) value = as_f64(bits_of(value) & ~u64{0} << (52 - kept));
  const auto rounded = static_cast<f32>(value);
  const bool is_away = std::fabs(value) < 0x1p128 && std::fabs(f64{rounded}) > std::fabs(value);
  // There is no -0.
  return (is_away ? std::nextafter(rounded, 0.0F) : rounded) + 0.0F;
}

/// The sum of an accumulator and products that integers cannot hold: one is not finite, or all are
/// very large or small, or their sum is too large.
template <unsigned kept, unsigned steps>
f64 unusual_sum(f32 accumulator, const Line& a, const Line& b) {
  const auto for_each_product = [](const f32* lefts, const f32* rights, auto work) {
    for (unsigned step = 0; step < steps; ++step, lefts += warp_size, rights += warp_size) {
      for (std::size_t j = 0; j < quad; ++j) {
        if (bits_of(lefts[j]) != bits_of(absent)) work(f64{lefts[j]} * rights[j * 2 * quad]);
      }
    }
  };
  f64 plain = accumulator;
  f64 largest = std::fabs(plain);
  for_each_product(a.values, b.values, [&](f64 product) { plain += product; });
  for_each_product(a.powers, b.powers, [&](f64 power) { largest = std::fmax(largest, power); });
  if (!std::isfinite(plain)) return plain;
  // There is no -0.
  if (largest == 0) return 0;
  const int shift = static_cast<int>(kept) - std::ilogb(largest);
  f64 total = std::trunc(std::ldexp(f64{accumulator}, shift));
  for_each_product(a.values, b.values,
                   [&](f64 product) { total += std::trunc(std::ldexp(product, shift)); });
  return std::ldexp(total, -shift) + 0.0;
}

/// The sums of a vector: whole, where halves are made of them, and cut off to floats.
struct Sums {
  WideSingles cut = {};
  f64 whole[width<f32>] = {};
};

/// Sums of even columns, and of odd ones.
struct Pair {
  Sums sums[2];
};

/// Calls work(factor, j) for each of the 4 elements of each row, spread over its quad.
template <class Work>
SWEEP_ALU_INLINE void for_each_factor(const f32* from, Work work) {
  const auto factors = loaded<WideSingles>(from);
  work(spread<0, f32>(factors), std::size_t{0});
  work(spread<1, f32>(factors), std::size_t{1});
  work(spread<2, f32>(factors), std::size_t{2});
  work(spread<3, f32>(factors), std::size_t{3});
}

/// Adds the products of `steps` times 4 elements along k.
template <unsigned kept, bool needs_whole, unsigned steps>
SWEEP_ALU_INLINE void add_products(Pair& pair, const Line& a, const Line& b) {
  // Powers of two between which nothing of what follows overflows.
  constexpr u32 least = 37U << 23;
  constexpr u32 most = 217U << 23;
  const auto sum_by_one = [&](unsigned parity) {
    Sums& sums = pair.sums[parity];
    for (unsigned i = 0; i < width<f32>; ++i) {
      const std::size_t row = std::size_t{i} / quad * quad;
      const std::size_t column = parity * quad + i % quad;
      const f64 whole = unusual_sum<kept, steps>(sums.cut[i], {a.values + row, a.powers + row},
                                                 {b.values + column, b.powers + column});
      if constexpr (needs_whole) sums.whole[i] = whole;
      sums.cut[i] = cut<kept>(whole);
    }
  };
  WideWords largest[2] = {as<WideWords>(pair.sums[0].cut) & 0x7fffffff,
                          as<WideWords>(pair.sums[1].cut) & 0x7fffffff};
  for (std::size_t step = 0; step < steps; ++step) {
    const f32* const right = b.powers + step * warp_size;
    for_each_factor(a.powers + step * warp_size, [&](const WideSingles& factor, std::size_t j) {
      for (std::size_t parity = 0; parity < 2; ++parity) {
        const auto powers = as<WideWords>(factor * repeated<f32>(right + (2 * j + parity) * quad));
        largest[parity] = powers > largest[parity] ? powers : largest[parity];
      }
    });
  }
  WideSingles scale[2];
  WideSingles unit[2];
  bool is_unusual[2];
  for (unsigned parity = 0; parity < 2; ++parity) {
    const WideWords& size = largest[parity];
    is_unusual[parity] = is_any_set((size != 0) & ((size < least) | (size >= most)));
    const WideWords exponent = (size < least ? WideWords{} + least : size) >> 23;
    scale[parity] = as<WideSingles>((2 * 127 + kept - exponent) << 23);
    unit[parity] = as<WideSingles>((exponent - kept) << 23);
  }
  const auto scaled = [&](const WideSingles& value, std::size_t parity) {
    return as<WideWords>(__builtin_convertvector(value * scale[parity], WideIntegers));
  };
  // Neither half overflows: of more than 4 steps it may have 16 products, but no accumulator.
  constexpr bool is_apart = steps > 4;
  const WideWords accumulators[2] = {scaled(pair.sums[0].cut, 0), scaled(pair.sums[1].cut, 1)};
  WideWords halves[2][2] = {};
  for (unsigned parity = 0; parity < 2 && !is_apart; ++parity) {
    halves[parity][0] = accumulators[parity];
  }
  for (std::size_t step = 0; step < steps; ++step) {
    const f32* const right = b.values + step * warp_size;
    for_each_factor(a.values + step * warp_size, [&](const WideSingles& factor, std::size_t j) {
      for (std::size_t parity = 0; parity < 2; ++parity) {
        const WideSingles product = factor * repeated<f32>(right + (2 * j + parity) * quad);
        halves[parity][j % 2] += scaled(product, parity);
      }
    });
  }
  for (unsigned parity = 0; parity < 2; ++parity) {
    Sums& sums = pair.sums[parity];
    const auto& [even, odd] = halves[parity];
    WideWords total = even + odd;
    WideWords overflow = (even ^ total) & (odd ^ total);
    if constexpr (is_apart) {
      const WideWords& accumulator = accumulators[parity];
      const WideWords products = total;
      total += accumulator;
      overflow |= (products ^ total) & (accumulator ^ total);
    }
    const auto size = as<WideIntegers>(as<WideIntegers>(total) < 0 ? -total : total);
    // What rounds to 2^31 is beyond integers, too.
    if constexpr (kept > 23) {
      constexpr s32 most_size = 0x7fffff80;
      is_unusual[parity] |= is_any_set((as<WideIntegers>(overflow) < 0) | (size > most_size));
    }
    if (is_unusual[parity]) {
      sum_by_one(parity);
      continue;
    }
    if constexpr (needs_whole) {
      const auto exact = as<WideIntegers>(total);
      for (unsigned i = 0; i < width<f32>; ++i) sums.whole[i] = f64{unit[parity][i]} * exact[i];
    }
    auto rounded = as<WideWords>(__builtin_convertvector(size, WideSingles));
    if constexpr (kept > 23) {
      const WideIntegers is_away =
          __builtin_convertvector(as<WideSingles>(rounded), WideIntegers) > size;
      rounded += as<WideWords>(is_away);
    } else {
      rounded &= ~u32{0} << (23 - kept);
    }
    sums.cut = as<WideSingles>(as<WideWords>(as<WideSingles>(rounded) * unit[parity]) |
                               (total & 0x80000000));
  }
}

template <unsigned kept, bool needs_whole, unsigned steps>
void add_all_products(const MatrixProduct& product, const Accumulators<f32>& sums,
                      std::span<const Line> lefts, const Line& b) {
  const Tiling tiling(product);
  constexpr unsigned of_eight = warp_size / width<f32>;
  const std::size_t tile_size = std::size_t{tiling.steps()} * warp_size;
  const unsigned vectors = tiling.halves * of_eight;
  const auto bits_of_sums = [](const Sums& of) {
    WideWords words = as<WideWords>(of.cut);
    if constexpr (needs_whole) {
      for (unsigned i = 0; i < width<f32>; ++i) words[i] = narrowed<f16_format>(of.whole[i]);
      return words;
    }
    const WideWords nan = WideWords{} + 0x7fffffff;
    return (words & 0x7fffffff) <= 0x7f800000 ? words : nan;
  };
  for (unsigned tile = 0; tile < tiling.rows * tiling.columns; ++tile) {
    for (unsigned vector = 0; vector < vectors; ++vector) {
      const unsigned eight = vector / of_eight;
      const unsigned lane = vector % of_eight * width<f32>;
      const std::size_t left =
          (std::size_t{tile / tiling.columns} * tiling.halves + eight) * tile_size + lane;
      const std::size_t right = tile % tiling.columns * tile_size;
      Pair pair;
      auto& [even, odd] = pair.sums;
      Pair added;
      Pair& begin = product.is_by_halves ? added : pair;
      sums.read(tile * tiling.halves + eight, lane, begin.sums[0].cut, begin.sums[1].cut);
      for (const Line& a : lefts) {
        for (std::size_t at = 0; at < tile_size; at += std::size_t{steps} * warp_size) {
          add_products<kept, needs_whole, steps>(pair, {a.values + left + at, a.powers + left + at},
                                                 {b.values + right + at, b.powers + right + at});
        }
      }
      if (product.is_by_halves) {
        even.cut += added.sums[0].cut;
        odd.cut += added.sums[1].cut;
      }
      sums.write_bits(tile * tiling.halves + eight, lane, bits_of_sums(even), bits_of_sums(odd));
    }
  }
}

template <unsigned kept, bool needs_whole>
void add_all_products(const MatrixProduct& product, const Accumulators<f32>& sums,
                      std::span<const Line> lefts, const Line& b) {
  const unsigned own = bytes_at_once * 8 / element_bits(product.a_type);
  const unsigned wanted = product.is_sparse ? 2 * own : own;
  switch ((product.k < wanted ? product.k : wanted) / quad) {
    case 1:
      return add_all_products<kept, needs_whole, 1>(product, sums, lefts, b);
    case 2:
      return add_all_products<kept, needs_whole, 2>(product, sums, lefts, b);
    case 4:
      return add_all_products<kept, needs_whole, 4>(product, sums, lefts, b);
    case 8:
      return add_all_products<kept, needs_whole, 8>(product, sums, lefts, b);
    default:
      return add_all_products<kept, needs_whole, 16>(product, sums, lefts, b);
  }
}

/// Elements of 8 bits that are multiplied as halves have the exponents of halves.
template <Element element>
void find_powers(const f32* finite, f32* values, f32* powers, unsigned count, bool are_halves) {
  for (unsigned i = 0; i < count; i += width<f32>) {
    // There is no -0.
    const WideSingles elements = with_special<element>(loaded<WideSingles>(finite + i)) + 0.0F;
    store(values + i, elements);
    store(powers + i,
          are_halves ? powers_of<Element::f16>(elements) : powers_of<element>(elements));
  }
}
void find_powers(Element element, const f32* finite, f32* values, f32* powers, unsigned count,
                 bool are_halves) {
  switch (element) {
    case Element::f16:
      return find_powers<Element::f16>(finite, values, powers, count, are_halves);
    case Element::e4m3:
      return find_powers<Element::e4m3>(finite, values, powers, count, are_halves);
    case Element::e5m2:
      return find_powers<Element::e5m2>(finite, values, powers, count, are_halves);
    default:
      return find_powers<Element::bf16>(finite, values, powers, count, are_halves);
  }
}

s32 clamped(s64 value) {
  constexpr s64 least = -0x80000000LL;
  constexpr s64 most = 0x7fffffff;
  return static_cast<s32>(value < least ? least : value > most ? most : value);
}

/// Words of 32 elements, combined, and the bits counted that are set.
void multiply_bits(const MatrixProduct& product, std::byte* registers) {
  const unsigned k = product.k / 32;
  u32 a[most_matrix_elements];
  u32 b[std::size_t{most_matrix_columns} * bytes_at_once / sizeof(u32)];
  const auto read = [&](u32* to, unsigned lines, unsigned tile_lines, const u32* slots,
                        const std::byte* gathered) {
    const Registers from = {gathered != nullptr ? nullptr : slots,
                            gathered != nullptr ? gathered : registers};
    for (unsigned number = 0; number < lines * k / warp_size; ++number) {
      const RegisterOrigin origin = factor_origin(tile_lines, k, 32, number);
      const auto* const words = reinterpret_cast<const SlotOf<u32>*>(from.at(number));
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        to[(origin.line + lane / 4) * k + origin.along + lane % 4] = words[lane];
      }
    }
  };
  read(a, product.m, tile_rows(product.m), product.a, product.gathered_a);
  read(b, product.n, tile_columns, product.b, product.gathered_b);
  // What is written may be what is read later.
  u32 sums[std::size_t{16} * most_matrix_columns];
  const unsigned count = product.m * product.n / warp_size;
  for (unsigned number = 0; number < count; ++number) {
    const RegisterOrigin origin = accumulator_origin(product.m, product.n, 32, number);
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      s64 sum = 0;
      if (product.c != nullptr) {
        sum = static_cast<s32>(slot_at<u32>(registers, product.c[number])[lane]);
      }
      for (unsigned along = 0; along < k; ++along) {
        const u32 left = a[(origin.line + lane / 4) * k + along];
        const u32 right = b[(origin.along + lane % 4 * 2) * k + along];
        sum += __builtin_popcount(product.is_and ? left & right : left ^ right);
      }
      sums[number * warp_size + lane] =
          static_cast<u32>(product.is_saturating ? clamped(sum) : static_cast<s32>(sum));
    }
  }
  for (unsigned number = 0; number < count; ++number) {
    __builtin_memcpy(registers + product.d[number], sums + std::size_t{number} * warp_size,
                     sizeof(u32) * warp_size);
  }
}

}  // namespace

void add_cut_products(const MatrixProduct& product, std::byte* registers, const f32* a,
                      const f32* b) {
  alignas(64) f32 a_values[most_matrix_elements];
  alignas(64) f32 a_powers[most_matrix_elements];
  alignas(64) f32 b_values[std::size_t{2} * bytes_at_once * most_matrix_columns];
  alignas(64) f32 b_powers[std::size_t{2} * bytes_at_once * most_matrix_columns];
  find_powers(product.a_type, a, a_values, a_powers, elements_of_a(product), product.is_by_halves);
  find_powers(product.b_type, b, b_values, b_powers, product.n * product.k, product.is_by_halves);
  const Accumulators<f32> sums(product, registers);
  const Line right = {b_values, b_powers};
  const bool is_half = product.d_type == Element::f16;
  const auto add = [&](std::span<const Line> lefts) {
    if (element_bits(product.a_type) == 8 && !product.is_by_halves) {
      return is_half ? add_all_products<bits_kept_of_bytes, true>(product, sums, lefts, right)
                     : add_all_products<bits_kept_of_bytes, false>(product, sums, lefts, right);
    }
    is_half ? add_all_products<bits_kept, true>(product, sums, lefts, right)
            : add_all_products<bits_kept, false>(product, sums, lefts, right);
  };
  if (!product.is_sparse && !product.is_by_halves) return add(std::array{Line{a_values, a_powers}});
  alignas(64) f32 values[2][most_matrix_elements];
  alignas(64) f32 powers[2][most_matrix_elements];
  for (f32* const each : values) std::fill_n(each, product.m * product.k, absent);
  for (f32* const each : powers) std::fill_n(each, product.m * product.k, 0.0F);
  for_each_place(product, registers, [&](unsigned from, unsigned to, unsigned at) {
    const unsigned half = product.is_by_halves ? at % 4 / 2 : 0;
    values[half][to] = a_values[from];
    powers[half][to] = a_powers[from];
  });
  const Line lefts[] = {{values[0], powers[0]}, {values[1], powers[1]}};
  add(std::span(lefts).first(product.is_by_halves ? 2 : 1));
}

void multiply_matrices(const MatrixProduct& product, std::byte* registers) {
  if (product.d_type == Element::f64) {
    if (product.rounding == FE_TONEAREST) return multiply_doubles(product, registers);
    std::fesetround(product.rounding);
    multiply_doubles(product, registers);
    std::fesetround(FE_TONEAREST);
    return;
  }
  if (product.a_type == Element::b1) return multiply_bits(product, registers);
  multiply_numbers(product, registers);
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
