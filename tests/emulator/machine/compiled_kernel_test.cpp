// What the run-time compiler makes of common kernels, for every architecture that it knows.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "engine/emulator/lower/kernel.h"
#include "tests/emulator/machine/compiled_kernels.h"
#include "tests/emulator/machine/test_device.h"
#include "tests/nvrtc_fixture.h"

namespace sweep::testing {
namespace compiled_kernels_of_all_families {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t length = 1024;

std::uint32_t input(std::uint32_t i) {
  return i * 2654435761U >> 7U;
}

std::uint32_t mixed(std::uint32_t a, std::uint32_t rounds) {
  for (; rounds > 0; --rounds) a = a * 1664525U + 1013904223U;
  return a;
}

std::uint32_t collatz(std::uint32_t n) {
  std::uint32_t steps = 0;
  for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

/// Kernels over (out, in, length) and what they leave.
struct Checked {
  std::string name;
  Dim3 grid;
  Dim3 block;
  std::uint32_t results;
  std::function<std::uint32_t(std::uint32_t)> expected;
  int least_architecture = 0;
};

std::uint32_t sum_of_inputs() {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < length; ++i) sum += input(i);
  return sum;
}

std::uint32_t inputs_in_bin(std::uint32_t bin) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < length; ++i) count += input(i) % 16 == bin ? 1 : 0;
  return count;
}

std::vector<Checked> checked_kernels() {
  const auto transposed = [](std::uint32_t i) { return input(i % 32 * 32 + i / 32); };
  return {
      {"offset", {8}, {128}, length, [](auto i) { return i + 1 < length ? input(i + 1) : 0; }},
      {"gather", {8}, {128}, length, [](auto i) { return input(input(i) % length); }},
      {"reduce", {3}, {128}, 1, [](auto) { return sum_of_inputs(); }},
      {"histogram", {3}, {96}, 16, inputs_in_bin},
      {"calls", {8}, {128}, length, [](auto i) { return mixed(input(i), i % 5); }},
      {"local_array", {8}, {128}, length, [](auto i) { return input(i ^ 3U); }},
      {"collatz", {8}, {128}, length, [](auto i) { return collatz(i + 1); }},
      {"hints", {8}, {128}, length, [](auto i) { return 5 * input(i); }},
      {"async_copy", {8}, {128}, length, [](auto i) { return input(i ^ 1U); }, 80},
      {"bulk_copy", {8}, {128}, length, input, 90},
      {"transpose", {1}, {32, 8}, length, transposed},
      {"transpose_conflicts", {1}, {32, 8}, length, transposed},
  };
}

void check(const std::string& ptx, const Checked& kernel) {
  TestDevice device(ptx);
  Words values(length);
  for (std::uint32_t i = 0; i < length; ++i) values[i] = input(i);
  Allocation& in = device.words("in", values);
  Allocation& out = device.words("out", Words(length));
  Setting setting;
  setting.grid = kernel.grid;
  setting.block = kernel.block;
  setting.checks_kernel = true;
  const bool is_square = kernel.name.starts_with("transpose");
  run_grid(device.launch(kernel.name, setting, {out.base, in.base, is_square ? 32 : length}), {});
  const Words results = TestDevice::values(out);
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i < kernel.results; ++i) {
    if (results[i] != kernel.expected(i)) ++wrong;
  }
  BOOST_TEST(wrong == 0, kernel.name << ": " << wrong << " results are wrong");
}

void lower_every_kernel(const std::string& ptx) {
  const ptx::Module module(ptx);
  BOOST_TEST(module.entries().size() >= 17);
  for (const std::string& entry : module.entries()) {
    BOOST_TEST_CONTEXT(entry) {
      BOOST_CHECK_NO_THROW(lower(module, entry, best_simd()));
    }
  }
}

}  // namespace
}  // namespace compiled_kernels_of_all_families

BOOST_AUTO_TEST_SUITE(compiled_kernels_of_all_families, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(run_as_compiled_for_every_architecture) {
  for (const int architecture : nvrtc()->architectures()) {
    const std::string option = "--gpu-architecture=compute_" + std::to_string(architecture);
    const NvrtcResult result =
        nvrtc()->compile({compiled_kernels, {option, "--std=c++17", "-lineinfo"}, {}});
    BOOST_TEST_REQUIRE(result.ok, result.log);
    BOOST_TEST_CONTEXT("compute_" << architecture) {
      lower_every_kernel(result.ptx);
      for (const Checked& kernel : checked_kernels()) {
        if (architecture >= kernel.least_architecture) check(result.ptx, kernel);
      }
    }
  }
}

/// Unoptimised code keeps everything in local memory behind generic addresses.
BOOST_AUTO_TEST_CASE(run_unoptimised) {
  for (const int architecture : {80, 120}) {
    const std::string option = "--gpu-architecture=compute_" + std::to_string(architecture);
    const NvrtcResult result = nvrtc()->compile({compiled_kernels, {option, "-G"}, {}});
    BOOST_TEST_REQUIRE(result.ok, result.log);
    BOOST_TEST_CONTEXT("compute_" << architecture) {
      lower_every_kernel(result.ptx);
      for (const Checked& kernel : checked_kernels()) {
        if (architecture >= kernel.least_architecture) check(result.ptx, kernel);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
