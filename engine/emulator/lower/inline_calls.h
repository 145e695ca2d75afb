#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/ptx/module.h"

namespace sweep {

/// The first multiple of `alignment` (0 is taken as 1) from `value` on.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
  return (value + step - 1) / step * step;
}

/// A function's body within a kernel: the kernel's own, or that of a call.
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
  std::map<const ptx::Variable*, std::uint64_t> shared_offsets;  ///< of the static ones named
  std::uint64_t dynamic_shared_alignment = 16;

  std::uint32_t register_index(std::uint32_t frame, ptx::RegisterId id) const {
    return frames[frame].first_register + id;
  }
  const ptx::Variable& variable(const ptx::Module& module, std::uint32_t frame,
                                const ptx::VariableRef& ref) const {
    return ref.is_local_to_function ? frames[frame].function->variables[ref.index]
                                    : module.variables()[ref.index];
  }
  /// Where an instruction comes from: its own places first, then the calls that led to its frame.
  std::vector<ptx::Place> places_of(std::uint32_t frame,
                                    const ptx::Instruction& instruction) const {
    std::vector<ptx::Place> places = frames[frame].function->places[instruction.place];
    const std::vector<ptx::Place>& calls = frames[frame].called_from;
    places.insert(places.end(), calls.begin(), calls.end());
    return places;
  }
};

/// A variable's own name: "tile" of "_ZZ9transposePfE4tile".
std::string variable_name(std::string_view ptx_name);

/// The error with a message in the words of fmt::format.
template <class... Values>
UnsupportedError unsupported(fmt::format_string<Values...> message, const Values&... values) {
  return UnsupportedError(fmt::vformat(message, fmt::make_format_args(values...)));
}
/// The error of what stands at a place of the source.
UnsupportedError unsupported_at(const ptx::Module& module, const ptx::Place& place,
                                const std::string& message);

/// Throws UnsupportedError for recursion, calls through pointers, and code that becomes too large.
FlatCode inline_calls(const ptx::Module& module, const std::string& entry);

}  // namespace sweep
