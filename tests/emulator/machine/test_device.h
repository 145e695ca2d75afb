#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/emulator/machine/grid_run.h"
#include "engine/emulator/machine/launch.h"

/// Runs PTX on the machine, for tests.
namespace sweep::testing {

/// A kernel's body and what the checks say of it.
struct CheckedKernel {
  const char* name;
  const char* body;
  const char* message;  ///< what the message has in it; empty: there is none

  friend std::ostream& operator<<(std::ostream& out, const CheckedKernel& one) {
    return out << one.name;
  }
};

/// How a kernel is launched.
struct Setting {
  Dim3 grid = {1, 1, 1};
  Dim3 block = {32, 1, 1};
  std::uint64_t dynamic_shared = 0;
  bool checks_kernel = false;
  std::uint64_t instruction_limit = 1'000'000;
  GridOptions options = {};
  std::size_t words = 0;      ///< of `out`; 0: one for each thread
  bool is_output_set = true;  ///< whether `out`, all zeros, may be read before it is written
  Dim3 cluster = {1, 1, 1};   ///< of more than one block: asked for by the launch
  bool is_cooperative = false;
};

struct Outcome {
  std::vector<std::uint32_t> out;
  LaunchCount count;
  std::string printed;
};

/// A program and the memory that its kernels work on.
class TestDevice {
 public:
  explicit TestDevice(const std::string& ptx);

  const Kernel& kernel() const { return kernel_; }
  AddressSpace& memory() { return memory_; }
  /// Global memory of 32-bit words.
  Allocation& words(const std::string& name, const std::vector<std::uint32_t>& values);
  static std::vector<std::uint32_t> values(const Allocation& allocation);
  /// Makes ready the kernel `entry` with these arguments, cut to the size of its parameters.
  Launch launch(const std::string& entry, const Setting& setting,
                const std::vector<std::uint64_t>& arguments);

 private:
  ptx::Module program_;
  AddressSpace memory_;
  std::vector<std::uint64_t> variable_addresses_;
  Kernel kernel_;
};

/// A module with the kernel `k(out)`. The body finds `%out`, the thread's numbers `%me` in the
/// block and `%id` in the grid, both linear, and registers %p, %h (16 bits), %r, %d (64 bits), %f,
/// %g (f64) and %q (128 bits) of 64 each. What it leaves in `%result` is stored to out[%id].
std::string kernel_text(std::string_view body, std::string_view module_scope = "");

/// Runs `k(out)` of a module.
Outcome run_module(const std::string& ptx, const Setting& setting = {});
/// Runs a body, as `kernel_text` takes it.
Outcome run_body(std::string_view body, const Setting& setting = {});

/// The message of the fault that a body ends with; empty when it ends well.
std::string fault_of(std::string_view body, const Setting& setting = {});

}  // namespace sweep::testing
