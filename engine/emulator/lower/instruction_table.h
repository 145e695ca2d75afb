#pragma once

#include <string_view>

#include "engine/emulator/lower/lowering.h"

namespace sweep {

/// How instructions of one mnemonic are lowered.
struct InstructionRow {
  std::string_view mnemonic;  ///< "bar.warp" tells the warp's barrier from the block's
  /// How the basic block ends that it ends; `next`: it ends none.
  EndKind end = EndKind::next;
  /// Adds the ops of an instruction that ends no block; null where it always does.
  void (*lower)(Lowering&) = nullptr;
  /// Makes the op that a collective or barrier block ends with.
  Op (*lower_end)(Lowering&) = nullptr;
};

/// Mnemonics without a row of their own are register operations.
const InstructionRow& row_of(const ptx::Instruction& instruction);

}  // namespace sweep
