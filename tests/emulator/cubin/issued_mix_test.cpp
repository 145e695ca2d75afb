#include "engine/emulator/execution/issued_mix.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <string>

#include "engine/emulator/ptx/module.h"
#include "tests/nvrtc_fixture.h"

namespace data = boost::unit_test::data;
using namespace sweep;

namespace issued_mix {
namespace {

struct CompiledKernel {
  Kernel kernel;
  KernelCode code;

  /// Of all its blocks, each once.
  InstructionMix mix() const {
    InstructionMix sum;
    for (const BasicBlock& block : kernel.blocks) sum += block.mix;
    return sum;
  }
};

/// kernel(const int* in, int* out, int n) with this body.
CompiledKernel compiled(const std::string& body) {
  const std::string source =
      "extern \"C\" __global__ void kernel(const int* in, int* out, int n) {\n"
      "  const int t = threadIdx.x;\n" +
      body + "\n}\n";
  const NvrtcResult result =
      nvrtc()->compile({source, {"--gpu-architecture=sm_90", "--generate-line-info"}, {}});
  BOOST_REQUIRE_MESSAGE(result.ok, result.log);
  const ptx::Module module(result.ptx);
  CompiledKernel one = {lower(module, "kernel", best_simd()),
                        *read_kernel_code(result.cubin, "kernel")};
  mix_as_compiled(one.kernel, one.code);
  return one;
}

const std::vector<const char*> bodies = {
    "out[t] = in[t] * n + 3;",
    "if (t < n) out[t] = in[t] & 7;",
    "const float x = in[t]; out[t] = int(x * x * n + sqrtf(x));",
    "for (int i = n; i > 1; i = i & 1 ? 3 * i + 1 : i / 2) out[t] ^= i;",
};

}  // namespace

BOOST_DATA_TEST_CASE(what_is_not_unrolled_counts_as_it_stands_in_the_code, data::make(bodies),
                     body) {
  const CompiledKernel one = compiled(body);
  const bool has_root = std::string(body).find("sqrt") != std::string::npos;
  if (has_root) {
    BOOST_TEST(one.mix().issued < one.code.instructions.size());
  } else {
    BOOST_TEST(one.mix().issued == one.code.instructions.size());
  }
}

BOOST_AUTO_TEST_CASE(a_round_of_an_unrolled_loop_is_one_of_its_copies) {
  const CompiledKernel one = compiled(
      "for (int left = 0; left < 302; left += 4) {\n"
      "  const int x = left + (t & 3);\n"
      "  if (x < 302) out[(t >> 2) * 302 + x] += 1;\n}");
  const auto stores = std::ranges::count_if(
      one.code.accesses, [](const MachineAccess& access) { return access.is_store; });
  BOOST_REQUIRE(stores > 1);  // ptxas has unrolled it
  const auto largest = std::ranges::max(one.kernel.blocks, {},
                                        [](const BasicBlock& block) { return block.mix.issued; });
  BOOST_TEST(largest.mix.issued >= 3U);
  BOOST_TEST(one.mix().issued < one.code.instructions.size() / 4);
}

BOOST_AUTO_TEST_CASE(without_lines_of_the_ptx_the_estimate_stays) {
  const CompiledKernel one = compiled(bodies.front());
  CompiledKernel other = one;
  other.code.ptx_lines.clear();
  other.code.instructions.clear();
  mix_as_compiled(other.kernel, other.code);
  BOOST_CHECK(other.mix() == one.mix());
}

}  // namespace issued_mix
