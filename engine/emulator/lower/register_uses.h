#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/control_flow.h"
#include "engine/emulator/lower/flatten.h"

namespace sweep {

/// How often each register of flat code is named in what the kernel reaches. Loads whose values
/// nothing reads are left out, as ptxas leaves them out: a volatile one stays.
class RegisterUses {
 public:
  RegisterUses(const FlatCode& flat, const std::vector<CodeBlock>& blocks);

  /// Whether the flat instruction is a load that nothing needs.
  bool is_dead(std::uint32_t instruction) const { return is_dead_[instruction]; }
  /// Whether nothing but this instruction names its first operand.
  bool is_result_unused(std::uint32_t instruction) const;

 private:
  void count(std::uint32_t instruction, int change);
  void count_operand(std::uint32_t frame, const ptx::Operand& operand, int change);

  const FlatCode& flat_;
  std::vector<int> uses_;
  std::vector<bool> is_dead_;
};

}  // namespace sweep
