#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/control_flow.h"
#include "engine/emulator/lower/flatten.h"

namespace sweep {

/// Which registers of flat code have one value in all lanes of a warp, as far as a compiler sees
/// it: those that a single instruction computes from constants, parameters, the block's place, or
/// what it loads from a uniform address.
class UniformRegisters {
 public:
  UniformRegisters(const FlatCode& flat, const std::vector<CodeBlock>& blocks);

  /// Of an operand of the flat instruction: a value, or an address.
  bool is_uniform(std::uint32_t instruction, const ptx::Operand& operand) const;

 private:
  bool is_known(std::uint32_t instruction) const;

  const FlatCode& flat_;
  std::vector<bool> is_uniform_;
};

}  // namespace sweep
