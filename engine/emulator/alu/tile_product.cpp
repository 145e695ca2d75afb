#include "engine/emulator/alu/tile_product.h"

#include <algorithm>

#include "engine/emulator/alu/tile_accumulators.h"

/// Compiled once for each width of vectors.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using Element = MatrixElement;

/// Calls work(number, place) for each register of a: the place that it gets, where those of 8 rows
/// lie together.
template <class Work>
SWEEP_ALU_INLINE void for_each_of_a(const Tiling& tiling, Work work) {
  unsigned number = 0;
  for (unsigned row = 0; row < tiling.rows; ++row) {
    for (unsigned along = 0; along < tiling.along; ++along) {
      for (unsigned half = 0; half < tiling.halves; ++half) {
        work(number++, (row * tiling.halves + half) * tiling.along + along);
      }
    }
  }
}

template <Element element>
Magnitudes read_a(const Tiling& tiling, const Registers& registers, f32* to) {
  constexpr unsigned parts = 32 / element_bits(element);
  Magnitudes magnitudes;
  for_each_of_a(tiling, [&](unsigned number, unsigned place) {
    const auto* const words = reinterpret_cast<const u32*>(registers.at(number));
    f32* const own = to + std::size_t{place} * parts * warp_size;
    for (unsigned i = 0; i < warp_size; i += width<f32>) {
      const auto word = loaded<WideWords>(words + i);
      for (unsigned part = 0; part < parts; ++part) {
        const auto elements = finite_elements<element>(word, part);
        magnitudes.note(elements);
        store(own + std::size_t{part} * warp_size + i, elements);
      }
    }
  });
  return magnitudes;
}

template <Element element>
Magnitudes read_b(const Tiling& tiling, const Registers& registers, f32* to) {
  constexpr unsigned parts = 32 / element_bits(element);
  Magnitudes magnitudes;
  for (unsigned number = 0; number < tiling.along * tiling.columns; ++number) {
    const auto* const words = reinterpret_cast<const u32*>(registers.at(number));
    for (unsigned part = 0; part < parts; ++part, to += warp_size) {
      alignas(64) f32 columns[warp_size];
      for (unsigned i = 0; i < warp_size; i += width<f32>) {
        const auto elements = finite_elements<element>(loaded<WideWords>(words + i), part);
        magnitudes.note(elements);
        store(columns + i, elements);
      }
      transpose_columns(columns, to);
    }
  }
  return magnitudes;
}

template <Element element, bool is_a>
Magnitudes read_elements(const Tiling& tiling, const Registers& registers, f32* to) {
  if constexpr (is_a) return read_a<element>(tiling, registers, to);
  return read_b<element>(tiling, registers, to);
}

#define SWEEP_MATRIX_CASE(name) \
  case Element::name:           \
    return range_of(read_elements<Element::name, is_a>(tiling, from, to), beyond<Element::name>);

template <bool is_a>
Range read_factor(Element element, const Tiling& tiling, const Registers& from, f32* to) {
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
    default:
      return {};
  }
}
#undef SWEEP_MATRIX_CASE

/// Tiles of c that are worked on at once: `vectors` of rows of `tiles` side by side.
template <class T, unsigned vectors, unsigned tiles>
SWEEP_ALU_INLINE void add_products(const Accumulators<T>& sums, const Tiling& tiling, unsigned tile,
                                   unsigned first_vector, const T* a, const T* b) {
  constexpr unsigned of_half = warp_size / width<T>;
  const unsigned steps = tiling.steps();
  Wide<T> even[tiles][vectors];
  Wide<T> odd[tiles][vectors];
  const T* left[vectors];
  const auto for_each = [&](auto work) {
    for (unsigned t = 0; t < tiles; ++t) {
      for (unsigned i = 0; i < vectors; ++i) {
        const unsigned vector = first_vector + i;
        work((tile + t) * tiling.halves + vector / of_half, vector % of_half * width<T>, even[t][i],
             odd[t][i]);
      }
    }
  };
  for_each([&](unsigned eight, unsigned lane, Wide<T>& evens, Wide<T>& odds) {
    sums.read(eight, lane, evens, odds);
  });
  for (unsigned i = 0; i < vectors; ++i) {
    const unsigned vector = first_vector + i;
    left[i] = a + std::size_t{vector / of_half} * steps * warp_size + vector % of_half * width<T>;
  }
  const auto add = [&]<unsigned j>(const Wide<T>(&factors)[vectors], const T* right) {
    Wide<T> evens[tiles];
    Wide<T> odds[tiles];
    for (unsigned t = 0; t < tiles; ++t) {
      const T* const own = right + (std::size_t{t} * steps * warp_size + std::size_t{j} * 2 * quad);
      evens[t] = repeated<T>(own);
      odds[t] = repeated<T>(own + quad);
    }
    for (unsigned i = 0; i < vectors; ++i) {
      const Wide<T> factor = spread<j, T>(factors[i]);
      for (unsigned t = 0; t < tiles; ++t) {
        even[t][i] = multiply_add<T>(factor, evens[t], even[t][i]);
        odd[t][i] = multiply_add<T>(factor, odds[t], odd[t][i]);
      }
    }
  };
  for (unsigned step = 0; step < steps; ++step, b += warp_size) {
    Wide<T> factors[vectors];
    for (unsigned i = 0; i < vectors; ++i) {
      factors[i] = loaded<Wide<T>>(left[i] + std::size_t{step} * warp_size);
    }
    add.template operator()<0>(factors, b);
    add.template operator()<1>(factors, b);
    add.template operator()<2>(factors, b);
    add.template operator()<3>(factors, b);
  }
  for_each([&](unsigned eight, unsigned lane, Wide<T>& evens, Wide<T>& odds) {
    sums.write(eight, lane, evens, odds);
  });
}

template <class T>
void add_products(const Accumulators<T>& sums, const Tiling& tiling, const T* a, const T* b) {
  constexpr unsigned most_vectors = 4;
  constexpr unsigned most_tiles = vector_bytes == 64 ? 2 : 1;  // as many as registers hold
  const unsigned vectors = tiling.halves * warp_size / width<T>;
  const std::size_t tile_size = std::size_t{tiling.steps()} * warp_size;
  for (unsigned row = 0; row < tiling.rows; ++row, a += tiling.halves * tile_size) {
    for (unsigned column = 0; column < tiling.columns;) {
      const unsigned tile = row * tiling.columns + column;
      const bool is_wide = column + most_tiles <= tiling.columns;
      const T* const right = b + column * tile_size;
      for (unsigned first = 0; first < vectors; first += most_vectors) {
        if (vectors < most_vectors) {
          add_products<T, 2, 1>(sums, tiling, tile, first, a, right);
        } else if (is_wide) {
          add_products<T, most_vectors, most_tiles>(sums, tiling, tile, first, a, right);
        } else {
          add_products<T, most_vectors, 1>(sums, tiling, tile, first, a, right);
        }
      }
      column += is_wide && vectors >= most_vectors ? most_tiles : 1;
    }
  }
}

/// So many units may products' sums have, and as many the accumulators: together a float holds
/// them. Of elements of 8 bits tensor cores keep fewer bits.
f64 most_units(const MatrixProduct& product) {
  return element_bits(product.a_type) == 8 ? 0x1p12 : 0x1p23;
}

/// Takes the largest unit there is.
void refine(Range& range, const f32* values, unsigned count, Element type) {
  const Extent extent = extent_of(values, count, type);
  if (extent.is_known) range.unit = f64{extent.unit};
}

bool are_sums_exact(const MatrixProduct& product, const Accumulators<f32>& sums, Range a, Range b,
                    const f32* left, const f32* right) {
  if (!a.is_known || !b.is_known) return false;
  const f64 most = most_units(product);
  const f64 largest = a.largest * b.largest * product.k;
  if (largest > most * (a.most_unit * b.most_unit)) return false;
  const auto are_units = [&] {
    const f64 unit = a.unit * b.unit;
    constexpr f64 most_checked = 0x1p22;
    return largest <= most * unit && sums.are_units(static_cast<f32>(1 / unit),
                                                    static_cast<f32>(std::min(most, most_checked)));
  };
  if (are_units()) return true;
  const Range c = sums.range();
  // No factors' unit makes up for that of the accumulators.
  if (!c.is_known || std::max(largest, c.largest) > most * c.most_unit) return false;
  // Accumulators may have a finer one.
  const auto is_exact = [&] {
    return std::max(largest, c.largest) <= most * std::min(a.unit * b.unit, c.unit);
  };
  if (is_exact()) return true;
  refine(a, left, elements_of_a(product), product.a_type);
  refine(b, right, product.n * product.k, product.b_type);
  return are_units() || is_exact();
}

Registers registers_of(const u32* slots, const std::byte* gathered, const std::byte* registers) {
  return gathered != nullptr ? Registers{nullptr, gathered} : Registers{slots, registers};
}

}  // namespace

void multiply_numbers(const MatrixProduct& product, std::byte* registers) {
  const Tiling tiling(product);
  Tiling own = tiling;
  if (product.is_sparse) own.along /= 2;
  alignas(64) f32 a[most_matrix_elements];
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written where it is not there yet
  ConvertedFactor converted;
  converted.is_there = false;
  ConvertedFactor& b = product.converted_b != nullptr ? *product.converted_b : converted;
  const auto left = read_factor<true>(product.a_type, own,
                                      registers_of(product.a, product.gathered_a, registers), a);
  if (!b.is_there) {
    b.range = read_factor<false>(product.b_type, tiling,
                                 registers_of(product.b, product.gathered_b, registers), b.values);
    b.is_there = true;
  }
  const Accumulators<f32> sums(product, registers);
  for (unsigned i = 0; i < elements_of_a(product) && product.is_negated; ++i) a[i] = -a[i];
  const bool is_integer = product.d_type == Element::s32;
  if (!is_integer && !are_sums_exact(product, sums, left, b.range, a, b.values)) {
    return add_cut_products(product, registers, a, b.values);
  }
  if (!product.is_sparse) return add_products<f32>(sums, tiling, a, b.values);
  alignas(64) f32 whole[std::size_t{2} * most_matrix_elements];
  std::fill_n(whole, product.m * product.k, 0.0F);
  for_each_place(product, registers,
                 [&](unsigned from, unsigned to, unsigned) { whole[to] = a[from]; });
  add_products<f32>(sums, tiling, whole, b.values);
}

void multiply_doubles(const MatrixProduct& product, std::byte* registers) {
  const Tiling tiling(product);
  constexpr unsigned bytes = warp_size * sizeof(f64);
  alignas(64) f64 a[most_matrix_elements];
  alignas(64) f64 b[most_matrix_elements];
  for_each_of_a(tiling, [&](unsigned number, unsigned place) {
    __builtin_memcpy(a + std::size_t{place} * warp_size, registers + product.a[number], bytes);
  });
  for (unsigned number = 0; number < product.n * product.k / warp_size; ++number) {
    alignas(64) f64 columns[warp_size];
    __builtin_memcpy(columns, registers + product.b[number], bytes);
    transpose_columns(columns, b + std::size_t{number} * warp_size);
  }
  const Accumulators<f64> sums(product, registers);
  add_products<f64>(sums, tiling, a, b);
}

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
