#pragma once

#include <algorithm>
#include <bit>

#include "engine/emulator/alu/tile_vectors.h"

/// How products divide into tiles, and the accumulators in their registers.
namespace sweep::alu::SWEEP_ALU_LEVEL {
namespace {

inline f64 power(int exponent) {
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

using Range = MatrixRange;

inline Range range_of(const Magnitudes& magnitudes, f32 limit) {
  using Four = Quad<u32>;
  const auto folded = [](const WideWords& words, auto combine) {
    Four parts[width<u32> / quad];
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

inline constexpr unsigned tile_columns = 8;

/// The registers of a matrix.
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

/// The elements that a has in its registers.
inline unsigned elements_of_a(const MatrixProduct& product) {
  return product.m * product.k / (product.is_sparse ? 2 : 1);
}

/// Where along k the elements of a sparse a belong.
class SparsePlaces {
 public:
  SparsePlaces(const MatrixProduct& product, const std::byte* registers)
      : words_(reinterpret_cast<const u32*>(registers + product.metadata)),
        bits_(element_bits(product.a_type)),
        first_lane_(product.selector * metadata_lanes(product.k, bits_)) {}

  unsigned operator()(unsigned row, unsigned at) const {
    if (bits_ == 32) return at * 2 + index(row, at * 2) / 2;
    if (bits_ == 4) return at / 4 * 8 + index(row, at / 2) * 2 + at % 2;
    return at / 2 * 4 + index(row, at);
  }

 private:
  /// A word has 8 indices of a row and of the one 8 below; of elements below 16 bits the 16 of one.
  unsigned index(unsigned row, unsigned number) const {
    const bool is_of_two = bits_ >= 16;
    const unsigned below = row / 8;
    const unsigned lane = is_of_two ? number / 8 : number / 16 * 2 + below;
    const unsigned field = is_of_two ? number % 8 + below * 8 : number % 16;
    return words_[row % 8 * 4 + first_lane_ + lane] >> 2 * field & 3;
  }

  const u32* words_;
  unsigned bits_;
  unsigned first_lane_;
};

/// Calls work(from, to, at) for each element of a: its place among its rows' own, its place in rows
/// of k, and which of its row's own it is.
template <class Work>
void for_each_place(const MatrixProduct& product, const std::byte* registers, Work work) {
  const Tiling tiling(product);
  const unsigned in_register = quad * tiling.parts;
  const auto place = [&](unsigned row, unsigned at, unsigned along) {
    const unsigned step = (row / 8 * along + at / in_register) * tiling.parts + at % tiling.parts;
    return step * warp_size + row % 8 * quad + at % in_register / tiling.parts;
  };
  const unsigned own = elements_of_a(product) / product.m;
  const SparsePlaces places(product, registers);
  for (unsigned row = 0; row < product.m; ++row) {
    for (unsigned at = 0; at < own; ++at) {
      work(place(row, at, own / in_register),
           place(row, product.is_sparse ? places(row, at) : at, tiling.along), at);
    }
  }
}

/// The accumulators, before and after.
template <class T>
class Accumulators {
 public:
  using Word = std::conditional_t<sizeof(T) == 8, u64, u32>;
  static constexpr unsigned bytes = warp_size * sizeof(T);

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): copied_ is written where it is read
  Accumulators(const MatrixProduct& product, std::byte* registers)
      : c_{product.c, registers},
        d_(product.d),
        registers_(registers),
        is_c_half_(product.c_type == MatrixElement::f16),
        is_d_half_(product.d_type == MatrixElement::f16),
        is_integer_(product.d_type == MatrixElement::s32),
        is_saturating_(product.is_saturating),
        count_(product.m * product.n / warp_size / (is_c_half_ ? 2 : 1)),
        has_c_(product.c != nullptr) {
    const bool is_in_place =
        !has_c_ || (is_c_half_ == is_d_half_ && std::equal(c_.slots, c_.slots + count_, d_));
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
    return range_of(magnitudes,
                    is_c_half_ ? beyond<MatrixElement::f16> : beyond<MatrixElement::bf16>);
  }

  /// Of 8 rows by their number, from a lane on.
  SWEEP_ALU_INLINE void read(unsigned eight, unsigned lane, Wide<T>& even, Wide<T>& odd) const {
    if (!has_c_ || is_integer_) {
      even = odd = Wide<T>{};
      return;
    }
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
        return write_bits(eight, lane, with_integers(even, 2 * eight, lane),
                          with_integers(odd, 2 * eight + 1, lane));
      }
      // There is no -0.
      const WideSingles evens = even + 0.0F;
      const WideSingles odds = odd + 0.0F;
      if (is_d_half_) return write_bits(eight, lane, half_bits(evens), half_bits(odds));
      write_bits(eight, lane, as<WideWords>(evens), as<WideWords>(odds));
    } else {
      write_bits(eight, lane, as<Wide<Word>>(even), as<Wide<Word>>(odd));
    }
  }
  SWEEP_ALU_INLINE void write_bits(unsigned eight, unsigned lane, const Wide<Word>& even,
                                   const Wide<Word>& odd) const {
    if (is_d_half_) return put(eight, lane, even | odd << 16);
    put(2 * eight, lane, even);
    put(2 * eight + 1, lane, odd);
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

}  // namespace
}  // namespace sweep::alu::SWEEP_ALU_LEVEL
