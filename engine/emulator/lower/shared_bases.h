#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/lower/control_flow.h"
#include "engine/emulator/lower/flatten.h"

namespace sweep {

/// Which variable in shared memory an address is computed from: known where exactly one variable's
/// address flows into it, whatever is added. What comes out of memory or a function's parameter has
/// no known base.
class SharedBases {
 public:
  SharedBases(const ptx::Module& module, const FlatCode& flat,
              const std::vector<CodeBlock>& blocks);

  /// Of an address operand of the flat instruction: an index into FlatCode::shared_variables, or
  /// none.
  std::uint32_t base_of(std::uint32_t instruction, const ptx::Operand& address) const;

 private:
  /// An index of a variable, or one of these.
  using Base = std::uint32_t;
  static constexpr Base unknown = none;      ///< nothing has been computed yet
  static constexpr Base number = none - 1;   ///< no variable's address
  static constexpr Base several = none - 2;  ///< more than one's, or one's in a way unknown
  static constexpr Base dynamic = none - 3;  ///< dynamic shared memory

  Base variable(std::uint32_t frame, const ptx::VariableRef& ref) const;
  Base value(std::uint32_t instruction, const ptx::Operand& operand) const;
  Base result(std::uint32_t instruction) const;
  static Base sum(Base a, Base b);
  static Base either(Base a, Base b);

  const ptx::Module& module_;
  const FlatCode& flat_;
  std::vector<Base> bases_;  ///< of the registers
};

}  // namespace sweep
