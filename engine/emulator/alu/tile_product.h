#pragma once

#include "engine/emulator/alu/lanes.h"
#include "engine/emulator/alu/matrix_product.h"

/// Products that are computed where registers have their elements, tile by tile.
namespace sweep::alu::SWEEP_ALU_LEVEL {

/// Of integers, and of floats. Where no sum loses a bit, as those of small whole numbers do not,
/// any order of additions gives what the tensor cores give.
void multiply_numbers(const MatrixProduct& product, std::byte* registers);
/// Sums of any floats. The factors' elements lie as tiles have them (tile_accumulators.h); those
/// that are not finite may be as finite_elements has them.
void add_cut_products(const MatrixProduct& product, std::byte* registers, const float* a,
                      const float* b);
/// A chain of fused operations along k.
void multiply_doubles(const MatrixProduct& product, std::byte* registers);

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
