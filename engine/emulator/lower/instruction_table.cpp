#include <algorithm>
#include <array>

#include "engine/emulator/lower/lowering.h"

namespace sweep {
namespace {

constexpr InstructionRow register_operation = {"", lower_alu};

/// By mnemonic, in ASCII order.
constexpr auto rows =
    std::to_array<InstructionRow>({{"activemask", lower_activemask},
                                   {"alloca", lower_stack},
                                   {"applypriority", lower_hint},
                                   {"atom", lower_atom},
                                   {"bar", lower_barrier, EndKind::barrier},
                                   {"bar.warp", lower_warp_barrier, EndKind::collective},
                                   {"barrier", lower_barrier, EndKind::barrier},
                                   {"bra", nullptr, EndKind::branch},
                                   {"brkpt", nullptr, EndKind::trap},
                                   {"brx", nullptr, EndKind::indexed_branch},
                                   {"call", lower_system_call},
                                   {"cp", lower_copy},
                                   {"createpolicy", lower_createpolicy},
                                   {"cvta", lower_cvta},
                                   {"discard", lower_hint},
                                   {"elect", lower_elect, EndKind::collective},
                                   {"exit", nullptr, EndKind::exit},
                                   {"fence", lower_fence},
                                   {"griddepcontrol", lower_hint},
                                   {"isspacep", lower_isspacep},
                                   {"ld", lower_load, EndKind::next, false},
                                   {"ldmatrix", lower_ldmatrix},
                                   {"ldu", lower_load, EndKind::next, false},
                                   {"match", lower_match, EndKind::collective},
                                   {"mbarrier", lower_mbarrier},
                                   {"membar", lower_fence},
                                   {"mov", lower_mov},
                                   {"movmatrix", lower_movmatrix, EndKind::collective},
                                   {"nanosleep", lower_nanosleep},
                                   {"pmevent", lower_hint},
                                   {"prefetch", lower_prefetch},
                                   {"prefetchu", lower_hint},
                                   {"red", lower_red},
                                   {"redux", lower_redux, EndKind::collective},
                                   {"ret", nullptr, EndKind::exit},
                                   {"set", lower_set},
                                   {"setmaxnreg", lower_hint},
                                   {"setp", lower_setp},
                                   {"shfl", lower_shuffle, EndKind::collective},
                                   {"st", lower_store},
                                   {"stackrestore", lower_stack},
                                   {"stacksave", lower_stack},
                                   {"stmatrix", lower_stmatrix},
                                   {"trap", nullptr, EndKind::trap},
                                   {"vote", lower_vote, EndKind::collective}});
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
