#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/emulator/machine/launch.h"
#include "engine/emulator/ptx/module.h"

namespace sweep::testing {

/// Executes the kernel `k(out)` of a module as the PTX ISA's text says, one thread at a time until
/// it waits for others: slow, plain, and sharing no code with the machine but the reader of PTX.
/// Knows what `random_program` writes. `out` is the memory at `address`.
void run_reference(const ptx::Module& module, Dim3 grid, Dim3 block, std::uint64_t address,
                   std::vector<std::byte>& out);

}  // namespace sweep::testing
