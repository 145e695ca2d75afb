#pragma once

#include <string>

#include "engine/emulator/machine/fault.h"
#include "engine/emulator/machine/launch.h"
#include "engine/emulator/machine/warp.h"

namespace sweep {

/// "block (3, 0, 0), thread (12, 0, 0)"
std::string describe_thread(const Launch& launch, std::uint64_t block_index, std::uint32_t warp,
                            unsigned lane);

/// Where the reader of a pattern finds an instruction: the innermost of its places that lies in the
/// file the kernel itself stands in. Line 0: unknown.
ptx::Place user_place(const InstructionInfo& instruction);

/// "stride.cu:28 (ld.global.f32)"
std::string describe_instruction(const Kernel& kernel, std::uint32_t instruction);

/// "byte 4 of 'tile'": what lies at a byte of the block's shared memory.
std::string describe_shared_byte(const Kernel& kernel, std::uint64_t byte);

/// Its file and line, as the compiler was told them.
FaultPlace fault_place(const Kernel& kernel, std::uint32_t instruction);
/// What an instruction of a function over elements did wrong, which `what` tells of "it": at the
/// line of the pattern's header that has the function.
KernelFault function_fault(const Launch& launch, std::uint32_t instruction,
                           const std::string& what);
/// What an instruction did wrong.
KernelFault fault_at(const Kernel& kernel, std::uint32_t instruction, const std::string& message);

}  // namespace sweep
