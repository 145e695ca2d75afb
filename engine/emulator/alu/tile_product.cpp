#include "engine/emulator/alu/tile_product.h"

#include <algorithm>
#include <bit>

#include "engine/emulator/alu/tile_vectors.h"

/// Compiled once for each width of vectors.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

using Element = MatrixElement;

f64 power(int exponent) {
  return as_f64(static_cast<u64>(1023 + exponent) << 52);
}

/// Magnitudes of a matrix's elements as they come by.
struct Magnitudes {
  WideWords largest = {};
  WideWords least = ~WideWords{};  ///< but 0, less 1
  WideWords bits = {};

  SWEEP_ALU_INLINE void note(const WideSingles& values) {
    const WideWords size = as<WideWords>(values) & 0x7fffffff;
    const WideWords below = size - 1;
    largest = size > largest ? size : largest;
    least = below < least ? below : least;
    bits |= size;
  }
};

/// What elements are multiples of, and how large they are.
struct Range {
  bool is_known = false;
  f64 largest = 0;
  f64 unit = 1;       ///< a power of 2 that divides all
  f64 most_unit = 1;  ///< no larger one does
};

Range range_of(const Magnitudes& magnitudes, f32 limit) {
  using Four = Quad<u32>;
  const auto folded = [](const WideWords& words, auto combine) {
    Four parts[sizeof words / sizeof(Four)];
    __builtin_memcpy(parts, &words, sizeof words);
    Four all = parts[0];
    for (const Four& part : parts) all = combine(all, part);
    for (u32 i = 1; i < quad; ++i) all[0] = combine(Four{all[0]}, Four{all[i]})[0];
    return u32{all[0]};
  };
  const u32 largest =
      folded(magnitudes.largest, [](const Four& a, const Four& b) { return a > b ? a : b; });
  u32 least = folded(magnitudes.least, [](const Four& a, const Four& b) { return a < b ? a : b; });
  const u32 bits = folded(magnitudes.bits, [](const Four& a, const Four& b) { return a | b; });
  Range range;
  if (largest >= bits_of(limit)) return range;
  range.is_known = true;
  if (largest == 0) return range;
  range.largest = as_f32(largest);
  ++least;
  constexpr u32 one = 1U << 23;
  const int exponent = static_cast<int>(least >> 23) - 127 - 23;
  // Subnormal ones, and others so small, have no place here.
  range.is_known = exponent > -60;
  if (!range.is_known) return range;
  range.unit = power(exponent + std::countr_zero(bits % one | one));
  range.most_unit = power(exponent + std::countr_zero(least % one | one));
  return range;
}

constexpr unsigned tile_columns = 8;

/// The registers of a factor.
struct Registers {
  const u32* slots;
  const std::byte* first;  ///< where the slots begin; without slots one is behind the other

  SWEEP_ALU_INLINE const std::byte* at(unsigned number, unsigned bytes = 4 * warp_size) const {
    return first + (slots != nullptr ? slots[number] : std::size_t{number} * bytes);
  }
};

/// How a product divides.
struct Tiling {
  unsigned halves;                                  ///< of 8 rows in a tile
  unsigned rows;                                    ///< tiles below each other
  unsigned columns;                                 ///< tiles side by side
  unsigned along;                                   ///< registers along k
  unsigned parts;                                   ///< elements of a word
  unsigned steps() const { return along * parts; }  ///< each of 4 elements along k

  explicit Tiling(const MatrixProduct& product)
      : halves(tile_rows(product.m) / 8),
        rows(product.m / tile_rows(product.m)),
        columns(product.n / tile_columns),
        parts(element_bits(product.a_type) >= 32 ? 1 : 32 / element_bits(product.a_type)) {
    along = product.k / (4 * parts);
  }
};

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

/// The accumulators, before and after.
template <class T>
class Accumulators {
 public:
  using Word = std::conditional_t<sizeof(T) == 8, u64, u32>;
  static constexpr unsigned bytes = warp_size * sizeof(T);

  Accumulators(const MatrixProduct& product, std::byte* registers)
      : c_{product.c, registers},
        d_(product.d),
        registers_(registers),
        is_c_half_(product.c_type == Element::f16),
        is_d_half_(product.d_type == Element::f16),
        is_integer_(product.d_type == Element::s32),
        is_saturating_(product.is_saturating),
        count_(product.m * product.n / warp_size / (is_c_half_ ? 2 : 1)),
        has_c_(product.c != nullptr) {
    const bool is_in_place =
        !has_c_ || c_.slots == d_ ||
        (is_c_half_ == is_d_half_ && std::equal(c_.slots, c_.slots + count_, d_));
    if (is_in_place) return;
    // What is written may be what is read later.
    for (unsigned i = 0; i < count_; ++i) {
      __builtin_memcpy(copied_ + std::size_t{i} * bytes, c_.at(i, bytes), bytes);
    }
    c_ = {nullptr, copied_};
  }

  /// Whether all are whole numbers of units, and `most` of them at the most, which is not more
  /// than 2^22.
  bool are_units(f32 per_unit, f32 most) const {
    if (!has_c_) return true;
    constexpr f32 rounder = 0x1.8p23F;
    WideWords wrong = {};
    const auto check = [&](const WideSingles& values) {
      const WideSingles units = values * per_unit;
      const WideSingles size = as<WideSingles>(as<WideWords>(units) & 0x7fffffff);
      wrong |= as<WideWords>(~(size <= most)) | as<WideWords>((units + rounder) - rounder != units);
    };
    for (unsigned number = 0; number < count_; ++number) {
      const auto* const words = reinterpret_cast<const u32*>(c_.at(number));
      for (unsigned i = 0; i < warp_size; i += width<f32>) {
        const auto word = loaded<WideWords>(words + i);
        if (is_c_half_) {
          const Halves both = halves_of(word);
          check(both.even);
          check(both.odd);
        } else {
          check(as<WideSingles>(word));
        }
      }
    }
    return !is_any_set(wrong);
  }
  Range range() const {
    Magnitudes magnitudes;
    for (unsigned number = 0; number < count_ && has_c_; ++number) {
      const auto* const words = reinterpret_cast<const u32*>(c_.at(number));
      for (unsigned i = 0; i < warp_size; i += width<f32>) {
        const auto word = loaded<WideWords>(words + i);
        if (is_c_half_) {
          const Halves both = halves_of(word);
          magnitudes.note(both.even);
          magnitudes.note(both.odd);
        } else {
          magnitudes.note(as<WideSingles>(word));
        }
      }
    }
    return range_of(magnitudes, is_c_half_ ? beyond<Element::f16> : beyond<Element::bf16>);
  }

  /// Of 8 rows by their number, from a lane on.
  SWEEP_ALU_INLINE void read(unsigned eight, unsigned lane, Wide<T>& even, Wide<T>& odd) const {
    even = odd = Wide<T>{};
    if (!has_c_ || is_integer_) return;
    if constexpr (sizeof(T) == sizeof(f32)) {
      if (is_c_half_) {
        const Halves both = halves_of(word_at<u32>(c_, eight, lane));
        even = both.even;
        odd = both.odd;
        return;
      }
    }
    even = as<Wide<T>>(word_at<Word>(c_, 2 * eight, lane));
    odd = as<Wide<T>>(word_at<Word>(c_, 2 * eight + 1, lane));
  }
  SWEEP_ALU_INLINE void write(unsigned eight, unsigned lane, const Wide<T>& even,
                              const Wide<T>& odd) const {
    if constexpr (sizeof(T) == sizeof(f32)) {
      if (is_integer_) {
        put(2 * eight, lane, with_integers(even, 2 * eight, lane));
        put(2 * eight + 1, lane, with_integers(odd, 2 * eight + 1, lane));
        return;
      }
      // There is no -0.
      if (is_d_half_) return put(eight, lane, half_bits(even + 0.0F) | half_bits(odd + 0.0F) << 16);
      put(2 * eight, lane, as<WideWords>(even + 0.0F));
      put(2 * eight + 1, lane, as<WideWords>(odd + 0.0F));
    } else {
      put(2 * eight, lane, as<Wide<Word>>(even));
      put(2 * eight + 1, lane, as<Wide<Word>>(odd));
    }
  }

 private:
  template <class As>
  SWEEP_ALU_INLINE static Wide<As> word_at(const Registers& from, unsigned number, unsigned lane) {
    return loaded<Wide<As>>(from.at(number, bytes) + lane * sizeof(As));
  }
  SWEEP_ALU_INLINE void put(unsigned number, unsigned lane, const Wide<Word>& words) const {
    store(registers_ + d_[number] + lane * sizeof(Word), words);
  }
  SWEEP_ALU_INLINE WideWords with_integers(const WideSingles& sums, unsigned number,
                                           unsigned lane) const {
    const auto products = as<WideWords>(__builtin_convertvector(sums, WideIntegers));
    if (!has_c_) return products;
    const auto old = word_at<u32>(c_, number, lane);
    const WideWords total = old + products;
    if (!is_saturating_) return total;
    const WideWords bound = as<WideWords>(as<WideIntegers>(old) >> 31) ^ 0x7fffffff;
    return as<WideIntegers>((old ^ total) & (products ^ total)) < 0 ? bound : total;
  }

  Registers c_;
  const u32* d_;
  std::byte* registers_;
  bool is_c_half_;
  bool is_d_half_;
  bool is_integer_;
  bool is_saturating_;
  unsigned count_;
  bool has_c_;
  alignas(64) std::byte copied_[std::size_t{16} * most_matrix_columns * 4];
};

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
      const T* const own = right + (std::size_t{t} * steps * warp_size + j * 2 * quad);
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
  const auto is_exact = [&] {
    const f64 unit = a.unit * b.unit;
    if (largest > most * unit) return false;
    constexpr f64 most_checked = 0x1p22;
    if (sums.are_units(static_cast<f32>(1 / unit), static_cast<f32>(std::min(most, most_checked))))
      return true;
    // Accumulators may have a finer one.
    const Range c = sums.range();
    return c.is_known && std::max(largest, c.largest) <= most * std::min(unit, c.unit);
  };
  if (is_exact()) return true;
  refine(a, left, product.m * product.k, product.a_type);
  refine(b, right, product.n * product.k, product.b_type);
  return is_exact();
}

Registers registers_of(const u32* slots, const std::byte* gathered, const std::byte* registers) {
  return gathered != nullptr ? Registers{nullptr, gathered} : Registers{slots, registers};
}

}  // namespace

bool multiply_exactly(const MatrixProduct& product, std::byte* registers) {
  const Tiling tiling(product);
  alignas(64) f32 a[most_matrix_elements];
  alignas(64) f32 b[std::size_t{32} * most_matrix_columns];
  const bool is_integer = product.d_type == Element::s32;
  const auto left = read_factor<true>(product.a_type, tiling,
                                      registers_of(product.a, product.gathered_a, registers), a);
  if (!is_integer && !left.is_known) return false;
  const auto right = read_factor<false>(product.b_type, tiling,
                                        registers_of(product.b, product.gathered_b, registers), b);
  const Accumulators<f32> sums(product, registers);
  if (!is_integer && !are_sums_exact(product, sums, left, right, a, b)) return false;
  for (unsigned i = 0; i < product.m * product.k && product.is_negated; ++i) a[i] = -a[i];
  add_products<f32>(sums, tiling, a, b);
  return true;
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
