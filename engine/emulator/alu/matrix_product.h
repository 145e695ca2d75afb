#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/emulator/alu/alu.h"

/// In every place where it is called: files that include this are compiled for wider vectors than
/// the machine may have, and the linker takes an inline function from any of them.
#define SWEEP_MATRIX_INLINE [[gnu::always_inline]] constexpr

namespace sweep {

/// What matrices of tensor cores have for elements.
enum class MatrixElement : std::uint8_t {
  f16,
  bf16,
  tf32,
  e4m3,
  e5m2,
  f32,
  f64,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32
};

/// In a register; of tf32 with the bits that are not looked at.
SWEEP_MATRIX_INLINE unsigned element_bits(MatrixElement element) {
  switch (element) {
    case MatrixElement::b1:
      return 1;
    case MatrixElement::s4:
    case MatrixElement::u4:
      return 4;
    case MatrixElement::e4m3:
    case MatrixElement::e5m2:
    case MatrixElement::s8:
    case MatrixElement::u8:
      return 8;
    case MatrixElement::f16:
    case MatrixElement::bf16:
      return 16;
    case MatrixElement::f64:
      return 64;
    default:
      return 32;
  }
}

/// That a, or b of mma and wmma, has; of single bits in words of 32.
constexpr unsigned most_matrix_elements = 1024;
/// The most columns of b, c and d, which wgmma has; a line of its factors has 32 bytes, and of b 64
/// where a is sparse.
constexpr unsigned most_matrix_columns = 256;

/// What elements of a matrix are multiples of, and how large they are.
struct MatrixRange {
  bool is_known = false;
  double largest = 0;
  double unit = 1;       ///< a power of 2 that divides all
  double most_unit = 1;  ///< no larger one does
};

/// A factor b as numbers, once it has been a product's, in the order that tiles have.
struct alignas(64) ConvertedFactor {  // NOLINT(cppcoreguidelines-pro-type-member-init)
  float values[std::size_t{64} * most_matrix_columns];
  MatrixRange range;
  bool is_there;
};

/// A product of tensor cores: d = a * b + c, where a has m rows of k elements, b k of n, and c and
/// d m of n. What a matrix's registers hold is as in the fragments of mma.sync (PTX ISA, "Matrix
/// Fragments for mma"); larger matrices (of wmma, of wgmma) are tiles of such, one behind the other
/// along n, then along m:
/// - a: tiles of 16 rows, or of 8 if m is 8. A register has the lines of 8 rows with 4 lanes to a
///   line; the rows below come next, then what is further along k;
/// - b: the same with tiles of 8 columns;
/// - c and d: tiles of 16 (8) by 8. Elements of 32 and 64 bits fill a register for the even columns
///   and one for the odd, those of 16 bits share one; the 8 rows below come next.
struct MatrixProduct {
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
  MatrixElement a_type = MatrixElement::f16;
  MatrixElement b_type = MatrixElement::f16;
  MatrixElement c_type = MatrixElement::f32;
  MatrixElement d_type = MatrixElement::f32;
  bool is_saturating = false;  ///< integers: to the bounds of s32
  bool is_and = false;         ///< b1: combined by `and`, not by `xor`
  // The slots of each matrix's registers.
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  const std::uint32_t* c = nullptr;  ///< null: zeros
  const std::uint32_t* d = nullptr;
  bool is_negated = false;  ///< floating-point products are subtracted
  // Registers of a and b that lie one behind the other, as wgmma gathers them from shared memory;
  // null: they are those of the slots.
  const std::byte* gathered_a = nullptr;
  const std::byte* gathered_b = nullptr;
  // b of products that share it: whoever comes first converts it; or null.
  ConvertedFactor* converted_b = nullptr;
  // Of a sparse a, half of whose places along k have elements: rows have these alone, side by side.
  bool is_sparse = false;
  std::uint32_t metadata = 0;  ///< the slot of what says where they belong
  std::uint32_t selector = 0;  ///< which of four lanes have it
  /// 8-bit floats of mma: halves of them are multiplied, first those of each register's low half,
  /// then the others; c is added last.
  bool is_by_halves = false;
  int rounding = 0;  ///< of f64, as std::fesetround takes it; 0 is to nearest
};

/// The 2-bit indices of a sparse row's metadata: each is of an element, or of two of 4 bits; those
/// of 32 bits have two (PTX ISA, "Sparse matrix storage").
SWEEP_MATRIX_INLINE unsigned sparse_indices(unsigned k, unsigned element_bits) {
  return element_bits == 32 ? k : element_bits == 4 ? k / 4 : k / 2;
}
/// Of four lanes, which share two rows, so many have their metadata.
SWEEP_MATRIX_INLINE unsigned metadata_lanes(unsigned k, unsigned element_bits) {
  return sparse_indices(k, element_bits) / 8;
}

/// Of a tile of a, c and d.
SWEEP_MATRIX_INLINE unsigned tile_rows(unsigned m) {
  return m == 8 ? 8 : 16;
}

/// The first element that a register has, which is lane 0's.
struct RegisterOrigin {
  unsigned line = 0;
  unsigned along = 0;
};
/// Of a register of c or d: the row, and the column. Lane t has row + t / 4 and column + t % 4 * 2,
/// elements of 16 bits the column behind as well.
SWEEP_MATRIX_INLINE RegisterOrigin accumulator_origin(unsigned m, unsigned n, unsigned element_bits,
                                                      unsigned number) {
  const unsigned of_8_rows = element_bits == 16 ? 1 : 2;
  const unsigned of_tile = of_8_rows * tile_rows(m) / 8;
  const unsigned tile = number / of_tile;
  const unsigned within = number % of_tile;
  return {tile / (n / 8) * tile_rows(m) + within / of_8_rows * 8,
          tile % (n / 8) * 8 + within % of_8_rows};
}
/// Of a register of a, its row and where along k; of b, whose tiles have 8 lines, its column. Lane
/// t has line + t / 4, and all elements of a register from along + t % 4 * elements on.
SWEEP_MATRIX_INLINE RegisterOrigin factor_origin(unsigned tile_lines, unsigned k,
                                                 unsigned element_bits, unsigned number) {
  const unsigned elements = element_bits >= 32 ? 1 : 32 / element_bits;
  const unsigned halves = tile_lines / 8;
  const unsigned of_tile = halves * (k / (4 * elements));
  const unsigned within = number % of_tile;
  return {number / of_tile * tile_lines + within % halves * 8, within / halves * 4 * elements};
}
using MatrixFunction = void (*)(const MatrixProduct& product, std::byte* registers);
/// Products of floating-point elements are exact; their sums are as tensor cores of compute
/// capability 9.0 make them (F. Khattak and M. Mikaitis, "Accurate Models of NVIDIA Tensor Cores",
/// 2025, whose results of an H200 these are bit for bit): the products of 32 bytes of a row and the
/// accumulator are aligned to the largest exponent, a product's being the sum of its factors', cut
/// off two bits below a float's last, added, and cut to a float. Of elements of 8 bits only 13 bits
/// behind the leading one are kept, in the sum too. Results of f16 are rounded to nearest even. f64
/// is a chain of fused multiply-adds along k.
///
/// mma has no tensor cores for floats of 8 bits there: ptxas makes halves of them. Of a sparse a
/// the products of its 32 bytes are taken to be added at once, which no published measurement says.
MatrixFunction find_matrix_function(Simd simd);
/// mma.m8n8k4 of f16, for which 9.0 has no tensor cores: the arithmetic is that of ptxas. Each
/// eight lanes have a product of their own; m is the rows of all four.
MatrixFunction find_quad_function(bool is_a_by_columns, bool is_b_by_rows);

}  // namespace sweep
