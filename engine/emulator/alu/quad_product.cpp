#include <cmath>

#include "engine/emulator/alu/float_lane.h"
#include "engine/emulator/alu/matrix_product.h"

/// mma.m8n8k4 of f16: lanes 4 * i to 4 * i + 3, and those 16 behind, multiply matrices of their own
/// (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").
namespace sweep::alu::baseline {
namespace {

constexpr unsigned extent = 8;  ///< rows, and columns
constexpr unsigned along = 4;

/// Of the eight lanes, and which of its elements.
struct Place {
  unsigned lane;
  unsigned element;
};
/// Of an element of a factor: the line, and where along k.
Place factor_place(bool is_across, unsigned line, unsigned k) {
  const unsigned within = line % 4;
  return {line / 4 * 16 + (is_across ? k : within), is_across ? within : k};
}
Place accumulator_place(bool is_half, unsigned row, unsigned column) {
  const unsigned first = row / 4 * 16;
  if (is_half) return {first + row % 4, column};
  return {first + row % 2 + (column & 2), (row & 2) + (column & 4) + column % 2};
}

/// The registers of a matrix.
struct QuadRegisters {
  const std::byte* first;
  const u32* slots;
  bool is_half;

  f32 at(Place place) const {
    const u32* const words =
        reinterpret_cast<const u32*>(first + slots[place.element / (is_half ? 2 : 1)]);
    const u32 word = words[place.lane];
    if (!is_half) return as_f32(word);
    return static_cast<f32>(widened<f16_format>(word >> place.element % 2 * 16 & 0xffff));
  }
};

/// A fused chain in f32 to which c is added; of f16 two short ones, which are added to c.
f32 sum_of(const f32* a, const f32* b, f32 c, bool is_half) {
  if (!is_half) {
    f32 sum = 0;
    for (unsigned k = 0; k < along; ++k) sum = std::fma(a[k], b[k], sum);
    return c + sum;
  }
  return c + std::fma(a[1], b[1], a[0] * b[0]) + std::fma(a[3], b[3], a[2] * b[2]);
}

template <bool is_a_by_columns, bool is_b_by_rows>
void multiply_quads(const MatrixProduct& product, std::byte* registers) {
  const bool is_c_half = product.c_type == MatrixElement::f16;
  const bool is_d_half = product.d_type == MatrixElement::f16;
  // What is written may be what is read later.
  u32 sums[extent][warp_size] = {};
  for (unsigned i = 0; i < warp_size / extent * extent * extent; ++i) {
    const unsigned first = i / (extent * extent) * 4;
    const unsigned row = i / extent % extent;
    const unsigned column = i % extent;
    const auto at = [&](const u32* slots, bool is_half, Place place) {
      return QuadRegisters{registers, slots, is_half}.at({first + place.lane, place.element});
    };
    f32 a[along];
    f32 b[along];
    for (unsigned k = 0; k < along; ++k) {
      a[k] = at(product.a, true, factor_place(is_a_by_columns, row, k));
      b[k] = at(product.b, true, factor_place(is_b_by_rows, column, k));
    }
    const f32 c = at(product.c, is_c_half, accumulator_place(is_c_half, row, column));
    const f32 sum = canonical(sum_of(a, b, c, is_d_half));
    const auto [lane, element] = accumulator_place(is_d_half, row, column);
    if (is_d_half) {
      sums[element / 2][first + lane] |= narrowed<f16_format>(f64{sum}) << element % 2 * 16;
    } else {
      sums[element][first + lane] = bits_of(sum);
    }
  }
  for (unsigned i = 0; i < extent / (is_d_half ? 2 : 1); ++i) {
    __builtin_memcpy(registers + product.d[i], sums[i], sizeof sums[i]);
  }
}

}  // namespace
}  // namespace sweep::alu::baseline

namespace sweep {

MatrixFunction find_quad_function(bool is_a_by_columns, bool is_b_by_rows) {
  using namespace alu::baseline;
  if (is_a_by_columns)
    return is_b_by_rows ? multiply_quads<true, true> : multiply_quads<true, false>;
  return is_b_by_rows ? multiply_quads<false, true> : multiply_quads<false, false>;
}

}  // namespace sweep
