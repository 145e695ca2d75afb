#include "engine/emulator/lower/instruction_table.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

constexpr InstructionRow register_operation = {"", EndKind::next, lower_alu};

/// By mnemonic, in ASCII order.
constexpr std::array rows = {
    InstructionRow{"activemask", EndKind::next, lower_activemask},
    InstructionRow{"alloca", EndKind::next, lower_stack},
    InstructionRow{"applypriority", EndKind::next, lower_hint},
    InstructionRow{"atom", EndKind::next, lower_atom},
    InstructionRow{"bar", EndKind::barrier, nullptr, lower_barrier},
    InstructionRow{"bar.warp", EndKind::collective, nullptr, lower_warp_barrier},
    InstructionRow{"barrier", EndKind::barrier, nullptr, lower_barrier},
    InstructionRow{"bra", EndKind::branch},
    InstructionRow{"brkpt", EndKind::trap},
    InstructionRow{"brx", EndKind::indexed_branch},
    InstructionRow{"call", EndKind::next, lower_system_call},
    InstructionRow{"cp", EndKind::next, lower_copy},
    InstructionRow{"createpolicy", EndKind::next, lower_createpolicy},
    InstructionRow{"cvta", EndKind::next, lower_cvta},
    InstructionRow{"discard", EndKind::next, lower_hint},
    InstructionRow{"elect", EndKind::collective, nullptr, lower_elect},
    InstructionRow{"exit", EndKind::exit},
    InstructionRow{"fence", EndKind::next, lower_fence},
    InstructionRow{"griddepcontrol", EndKind::next, lower_hint},
    InstructionRow{"isspacep", EndKind::next, lower_isspacep},
    InstructionRow{"ld", EndKind::next, lower_load},
    InstructionRow{"ldmatrix", EndKind::next, lower_ldmatrix},
    InstructionRow{"ldu", EndKind::next, lower_load},
    InstructionRow{"match", EndKind::collective, nullptr, lower_match},
    InstructionRow{"mbarrier", EndKind::next, lower_mbarrier},
    InstructionRow{"membar", EndKind::next, lower_fence},
    InstructionRow{"mov", EndKind::next, lower_mov},
    InstructionRow{"movmatrix", EndKind::collective, nullptr, lower_movmatrix},
    InstructionRow{"nanosleep", EndKind::next, lower_nanosleep},
    InstructionRow{"pmevent", EndKind::next, lower_hint},
    InstructionRow{"prefetch", EndKind::next, lower_prefetch},
    InstructionRow{"prefetchu", EndKind::next, lower_hint},
    InstructionRow{"red", EndKind::next, lower_red},
    InstructionRow{"redux", EndKind::collective, nullptr, lower_redux},
    InstructionRow{"ret", EndKind::exit},
    InstructionRow{"setmaxnreg", EndKind::next, lower_hint},
    InstructionRow{"shfl", EndKind::collective, nullptr, lower_shuffle},
    InstructionRow{"st", EndKind::next, lower_store},
    InstructionRow{"stackrestore", EndKind::next, lower_stack},
    InstructionRow{"stacksave", EndKind::next, lower_stack},
    InstructionRow{"stmatrix", EndKind::next, lower_stmatrix},
    InstructionRow{"trap", EndKind::trap},
    InstructionRow{"vote", EndKind::collective, nullptr, lower_vote},
};
static_assert(std::ranges::is_sorted(rows, {}, &InstructionRow::mnemonic));

}  // namespace

const InstructionRow& row_of(const ptx::Instruction& instruction) {
  const bool is_warp_barrier =
      instruction.mnemonic == "bar" &&
      std::ranges::find(instruction.modifiers, "warp") != instruction.modifiers.end();
  const std::string_view name = is_warp_barrier ? "bar.warp" : instruction.mnemonic;
  const auto* const row = std::ranges::lower_bound(rows, name, {}, &InstructionRow::mnemonic);
  return row != rows.end() && row->mnemonic == name ? *row : register_operation;
}

}  // namespace sweep
