#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// One function body within a kernel: the kernel's own, or that of a call that has become part of
/// it.
struct Frame {
  const ptx::Function* function = nullptr;
  std::uint32_t first_register = 0;  ///< of the function's registers among all
  /// Where the function's variables lie: shared ones in the block's shared memory, all others, call
  /// parameters included, in the thread's local memory; the kernel's own parameters among them.
  std::vector<std::uint64_t> variable_offsets;
  /// The call's places, the middle of a long chain left out; empty for the kernel's own frame.
  std::vector<ptx::Place> called_from;
};

/// An instruction in its frame. Labels among its operands are still the function's own numbers;
/// FlatCode::begins turns them into places in the flat code.
struct FlatInstruction {
  const ptx::Instruction* instruction = nullptr;
  std::uint32_t frame = 0;
  /// Behind the function's body: of a `ret` out of it and of a call, where its guard does not hold;
  /// 0 for others and for system calls.
  std::uint32_t target = 0;
};

/// A kernel with the functions it calls made part of it.
struct FlatCode {
  std::vector<Frame> frames;  ///< the kernel's own first
  std::vector<FlatInstruction> code;
  /// For each frame, where each of its function's instructions begins in `code`, one more for the
  /// end.
  std::vector<std::vector<std::uint32_t>> begins;
  std::vector<ptx::Type> registers;  ///< of all frames
  std::uint64_t local_bytes = 0;
  std::uint64_t static_shared_bytes = 0;
  std::vector<SharedVariable> shared_variables;
  std::map<std::string, std::uint64_t> module_shared_offsets;
  std::uint64_t dynamic_shared_alignment = 16;
};

/// A variable's own name: "tile" of "_ZZ9transposePfE4tile".
std::string variable_name(const std::string& ptx_name);

/// The functions that a program does not define: vprintf, __assertfail, malloc, free.
bool is_system_call(std::string_view name);

/// Throws UnsupportedError for recursion, calls through pointers, and code that becomes too large.
FlatCode flatten(const ptx::Module& module, const std::string& entry);

}  // namespace sweep
