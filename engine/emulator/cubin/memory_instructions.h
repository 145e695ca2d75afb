#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sweep {

/// Instructions by the bytes each lane accesses.
class WidthCount {
 public:
  /// The widths that are told apart.
  static constexpr std::array<unsigned, 6> widths = {1, 2, 4, 8, 16, 32};

  /// `width` is one of `widths`; others are not counted.
  void add(unsigned width, std::uint64_t count = 1);
  std::uint64_t of(unsigned width) const;
  std::uint64_t total() const;

  friend bool operator==(const WidthCount&, const WidthCount&) = default;

 private:
  std::array<std::uint64_t, widths.size()> counts_{};
};

/// The loads and stores that stand in a kernel's code, each once, however often it runs. Atomics,
/// asynchronous copies (cp.async), matrix loads and stores (ldmatrix, stmatrix) and constant memory
/// are not among them. Generic ones are those whose space the code does not say.
struct MemoryInstructionCount {
  WidthCount shared_loads;
  WidthCount shared_stores;
  WidthCount global_loads;
  WidthCount global_stores;
  WidthCount local_loads;
  WidthCount local_stores;
  WidthCount generic_loads;
  WidthCount generic_stores;

  friend bool operator==(const MemoryInstructionCount&, const MemoryInstructionCount&) = default;
};

/// What a cubin says of a kernel.
struct KernelCode {
  int compute_capability = 0;  ///< major * 10 + minor
  MemoryInstructionCount memory;
  std::optional<unsigned> registers;         ///< per thread
  std::uint64_t shared_bytes = 0;            ///< static, per block, without the system's
  std::optional<std::uint64_t> local_bytes;  ///< per thread: the stack

  friend bool operator==(const KernelCode&, const KernelCode&) = default;
};

/// Reads a kernel's machine code from a cubin; `kernel` is its name as in the PTX (mangled, unless
/// extern "C"). Functions that it calls without inlining are not looked at.
///
/// Nothing when the bytes are no cubin, have no such kernel, or are for an architecture whose
/// encoding is not known here: known are 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.3, 11.0, 12.0 and
/// 12.1. NVIDIA documents no encoding; this one, of 16 bytes an instruction, was compared with what
/// nvdisasm 13.0 prints for each of them.
std::optional<KernelCode> read_kernel_code(std::span<const char> cubin, std::string_view kernel);

/// What to tell of a kernel whose neighbouring shared accesses ptxas joined into wider ones, so
/// that fewer wavefronts may run than the PTX has; empty when it shows no sign of that. Signs are:
/// fewer accesses in the machine code, an access wider than any in the PTX, or fewer of one width
/// beside more of a wider one. More accesses of the same widths are an unrolled loop.
std::string merged_shared_note(const MemoryInstructionCount& ptx,
                               const MemoryInstructionCount& machine_code);

}  // namespace sweep
