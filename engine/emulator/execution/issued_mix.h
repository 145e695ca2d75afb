#pragma once

#include "engine/emulator/cubin/kernel_code.h"
#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// Gives a kernel's basic blocks the instructions that the machine code has for the lines of their
/// PTX. Where ptxas has unrolled a loop, a round counts as the mean one of those in the code; what
/// comes from no line of a block counts once, at the kernel's beginning. Divisions and roots, whose
/// rare cases are code that is mostly not executed, stay as they were estimated. Nothing changes
/// where the code has no lines, or where functions are called, whose code is elsewhere.
void mix_as_compiled(Kernel& kernel, const KernelCode& code);

}  // namespace sweep
