#pragma once

#include <optional>
#include <string>

#include "engine/emulator/cubin/kernel_code.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Makes a kernel's loads and stores of shared and global memory count as the machine code issues
/// them. ptxas notes for each instruction which line of the PTX it comes from; by that
/// - a wider access with neighbours at the same base register that have no instruction of their own
///   is these together: it counts as one access of the width, they not at all;
/// - an access without an instruction whose value an equal access gives, or whose value an equal
///   store writes again, is gone;
/// - a narrower load of which the kernel uses just that part is that part;
/// - one with several instructions of its own width is unrolled, and counts as it is.
/// What is none of these counts as in the PTX and is marked (MemoryOp::is_uncertain), as are
/// accesses that stand in the machine code more or less often than those beside them: there ptxas
/// may have joined some of a loop's rounds, and atomics that the machine code has a loop for.
/// Nothing changes where the code has no lines.
void issue_as_compiled(Kernel& kernel, const KernelCode& code);

/// What to say of accesses that may count otherwise on the hardware; empty where there are none.
std::string note_on_uncertain(const Kernel& kernel, const std::optional<KernelCode>& code);

}  // namespace sweep
