#include "engine/emulator/execution/ptx_memory_instructions.h"

namespace sweep {

MemoryInstructionCount ptx_memory_instructions(const Kernel& kernel) {
  MemoryInstructionCount count;
  for (const Op& op : kernel.ops) {
    if (op.kind != OpKind::load && op.kind != OpKind::store) continue;
    const MemoryOp& memory = kernel.memory[op.detail];
    if (!memory.is_counted) continue;
    const bool is_load = op.kind == OpKind::load;
    switch (memory.space) {
      case ptx::Space::shared:
        (is_load ? count.shared_loads : count.shared_stores).add(memory.bytes());
        break;
      case ptx::Space::local:
        (is_load ? count.local_loads : count.local_stores).add(memory.bytes());
        break;
      case ptx::Space::global:
        (is_load ? count.global_loads : count.global_stores).add(memory.bytes());
        break;
      default:
        (is_load ? count.generic_loads : count.generic_stores).add(memory.bytes());
        break;
    }
  }
  return count;
}

}  // namespace sweep
