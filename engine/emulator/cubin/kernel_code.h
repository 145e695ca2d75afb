#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sweep {

/// A load or store in a kernel's machine code: LDS, STS, LDG or STG. Atomics, asynchronous copies
/// (cp.async), matrix loads and stores (ldmatrix, stmatrix) and accesses whose space the code does
/// not say are none.
struct MachineAccess {
  bool is_store = false;
  bool is_shared = false;      ///< else global
  unsigned width = 0;          ///< bytes that a lane accesses
  std::uint32_t ptx_line = 0;  ///< of the instruction that it comes from; 0: not known

  friend auto operator<=>(const MachineAccess&, const MachineAccess&) = default;
};

/// What executes an instruction, as far as it is arithmetic.
enum class Pipe : std::uint8_t {
  other,
  alu,          ///< integer sums, logic, shifts, comparisons, choices, moves
  fma,          ///< sums and products of floats
  fma_integer,  ///< integer products, which half of that pipe executes
  fp64,
  special,
  conversion,
};

/// An instruction in a kernel's machine code.
struct MachineInstruction {
  std::uint32_t ptx_line = 0;  ///< of the instruction that it comes from; 0: not known
  Pipe pipe = Pipe::other;
};

/// What a cubin says of a kernel.
struct KernelCode {
  /// Those that stand in the code, each once, however often it runs; in their order.
  std::vector<MachineAccess> accesses;
  /// The lines of the PTX text that instructions of any kind come from, rising. None where the
  /// program was compiled without line information.
  std::vector<std::uint32_t> ptx_lines;
  std::optional<unsigned> registers;    ///< per thread
  std::optional<unsigned> local_bytes;  ///< per thread
  /// All of them, each once, but for what fills the code up and the branch behind its end; in their
  /// order.
  std::vector<MachineInstruction> instructions;
  std::uint64_t local_loads = 0;
  std::uint64_t local_stores = 0;
};

/// Reads a kernel's machine code from a cubin; `kernel` is its name as in the PTX (mangled, unless
/// extern "C"). Functions that it calls without inlining are not looked at.
///
/// Nothing when the bytes are no cubin, have no such kernel, or are for an architecture whose
/// encoding is not known here: known are 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.3, 11.0, 12.0 and
/// 12.1. NVIDIA documents no encoding; this one, of 16 bytes an instruction, was compared with what
/// nvdisasm 13.0 prints for each of them. What a broken file says of itself is never believed.
std::optional<KernelCode> read_kernel_code(std::span<const char> cubin, std::string_view kernel);

}  // namespace sweep
