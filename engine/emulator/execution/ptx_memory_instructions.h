#pragma once

#include "engine/emulator/cubin/memory_instructions.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// The loads and stores of a kernel's PTX, as those of its machine code are counted.
MemoryInstructionCount ptx_memory_instructions(const Kernel& kernel);

}  // namespace sweep
