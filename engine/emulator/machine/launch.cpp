#include "engine/emulator/machine/launch.h"

#include <fmt/format.h>

#include "engine/emulator/machine/fault.h"

namespace sweep {

void prepare_launch(Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  if (launch.parameters.size() != kernel.parameter_bytes) {
    throw KernelFault(fmt::format("the kernel {} takes {} bytes of parameters, not {}", kernel.name,
                                  kernel.parameter_bytes, launch.parameters.size()));
  }
  for (const ConstantSlot& slot : kernel.constants) {
    const bool is_x = slot.kind == ConstantSlot::Kind::ctaid_x;
    if (is_x || slot.kind == ConstantSlot::Kind::ctaid_y ||
        slot.kind == ConstantSlot::Kind::ctaid_z || slot.kind == ConstantSlot::Kind::smid) {
      launch.block_constants.push_back(slot);
    }
    if (is_x || slot.kind == ConstantSlot::Kind::tid_x) launch.lane_constants.push_back(slot);
  }
  launch.moves.resize(kernel.memory.size());
  for (const Op& op : kernel.ops) {
    if (op.kind != OpKind::load && op.kind != OpKind::store) continue;
    const MemoryOp& memory = kernel.memory[op.detail];
    MemoryMoves& moves = launch.moves[op.detail];
    for (const std::uint8_t bits : memory.bits) {
      const LaneMove move =
          op.kind == OpKind::load ? find_load(memory.type, bits) : find_store(memory.type, bits);
      if (move == nullptr) {
        throw KernelFault(fmt::format("{}: its values do not fit its registers",
                                      kernel.instructions[op.instruction].opcode));
      }
      moves.moves.push_back(move);
    }
  }
}

}  // namespace sweep
