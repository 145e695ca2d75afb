#pragma once

#include <string>

#include "engine/emulator/cubin/memory_instructions.h"

namespace sweep {

/// What to tell of a kernel whose neighbouring shared accesses ptxas joined into wider ones, so
/// that fewer wavefronts may run than the PTX has; empty when it shows no sign of that. Signs are:
/// fewer accesses in the machine code, an access wider than any in the PTX, or fewer of one width
/// beside more of a wider one. More accesses of the same widths are an unrolled loop.
std::string merged_shared_note(const MemoryInstructionCount& ptx,
                               const MemoryInstructionCount& machine_code);

}  // namespace sweep
