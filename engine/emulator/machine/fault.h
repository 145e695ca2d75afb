#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "engine/emulator/machine/launch.h"

namespace sweep {

/// A place in the source that a kernel was compiled from. Line 0: unknown.
struct FaultPlace {
  std::string file;
  std::uint32_t line = 0;
};

enum class FaultKind : std::uint8_t {
  misuse,
  deadlock,
  runaway,  ///< it took more instructions than it may
};

/// The launch was cancelled from outside.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("the launch was cancelled") {}
};

/// A kernel that did what a GPU would stop it for, or what no kernel may do: the message names the
/// thread, the source line and the access, and stands alone.
class KernelFault : public std::runtime_error {
 public:
  /// The message says where in its own words, or there is no place.
  KernelFault(FaultKind kind, FaultPlace place, const std::string& message)
      : std::runtime_error(message), kind_(kind), place_(std::move(place)), message_(message) {}
  /// `where` describes the place; the whole message is "where: message".
  KernelFault(FaultPlace place, const std::string& where, const std::string& message)
      : std::runtime_error(where + ": " + message), place_(std::move(place)), message_(message) {}

  FaultKind kind() const { return kind_; }
  const FaultPlace& place() const { return place_; }
  /// What happened, without `where`.
  const std::string& message() const { return message_; }

 private:
  FaultKind kind_ = FaultKind::misuse;
  FaultPlace place_;
  std::string message_;
};

/// "block (3, 0, 0)"
std::string describe_block(const Launch& launch, std::uint64_t block_index);
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
