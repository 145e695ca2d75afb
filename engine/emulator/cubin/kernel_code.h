#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sweep {

/// How many instructions there are by the bytes each lane accesses, where there are any.
using WidthCount = std::map<unsigned, std::uint64_t>;

/// The loads and stores of shared memory that stand in a kernel's code, each once, however often it
/// runs. Atomics, asynchronous copies (cp.async), matrix loads and stores (ldmatrix, stmatrix) and
/// accesses whose space the code does not say are not among them.
struct SharedAccesses {
  WidthCount loads;
  WidthCount stores;

  friend bool operator==(const SharedAccesses&, const SharedAccesses&) = default;
};

/// What a cubin says of a kernel.
struct KernelCode {
  SharedAccesses shared;
  std::optional<unsigned> registers;    ///< per thread
  std::optional<unsigned> local_bytes;  ///< per thread
  std::uint64_t local_loads = 0;        ///< instructions in the code, each once
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

/// What to tell of a kernel whose neighbouring shared accesses ptxas joined into wider ones, so
/// that fewer wavefronts may run than the PTX has; empty when it shows no sign of that. Signs are:
/// fewer accesses in the machine code, an access wider than any in the PTX, or fewer of one width
/// beside more of a wider one. More accesses of the same widths are an unrolled loop.
std::string merged_shared_note(const SharedAccesses& ptx, const SharedAccesses& machine_code);

}  // namespace sweep
