#pragma once

#include "engine/emulator/alu/lanes.h"
#include "engine/emulator/alu/matrix_product.h"

/// Products that are computed where registers have their elements, tile by tile: those whose sums
/// come out the same in any order, and chains of doubles.
namespace sweep::alu::SWEEP_ALU_LEVEL {

/// Of integers, and of floats where no sum loses a bit, as those of small whole numbers do not.
/// Changes nothing and gives false for any other.
bool multiply_exactly(const MatrixProduct& product, std::byte* registers);
/// A chain of fused operations along k.
void multiply_doubles(const MatrixProduct& product, std::byte* registers);

}  // namespace sweep::alu::SWEEP_ALU_LEVEL
