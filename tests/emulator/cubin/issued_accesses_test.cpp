#include "engine/emulator/execution/issued_accesses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "tests/nvrtc_fixture.h"

namespace data = boost::unit_test::data;
using namespace sweep;

namespace issued_accesses {
namespace {

struct Case {
  const char* name;
  const char* body;  ///< of kernel(const int* in, int* out, int n), whose shared memory is `s`
  std::vector<std::string> expected;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.name; }
};

/// "load 4": as in the PTX; "load 4 -> 16 with 3"; "load 4 gone"; "load 4 ?".
std::string describe(OpKind kind, const MemoryOp& memory) {
  std::string text = fmt::format("{} {}", kind == OpKind::load ? "load" : "store", memory.bytes());
  if (!memory.is_counted) text += " gone";
  if (memory.issued_bytes != 0) text += fmt::format(" -> {}", memory.issued_bytes);
  if (memory.issued_offset != 0) text += fmt::format(" at {}", memory.issued_offset);
  if (memory.joined != 0) text += fmt::format(" with {}", memory.joined);
  if (memory.is_uncertain) text += " ?";
  return text;
}

struct CompiledKernel {
  Kernel kernel;
  std::optional<KernelCode> code;
};

CompiledKernel compiled(const std::string& body, int architecture) {
  const std::string source =
      "extern \"C\" __global__ void kernel(const int* in, int* out, int n) {\n"
      "  __shared__ int s[1024];\n  const int t = threadIdx.x;\n" +
      body + "\n}\n";
  const NvrtcResult result = nvrtc()->compile(
      {source,
       {fmt::format("--gpu-architecture=sm_{}", architecture), "--generate-line-info"},
       {}});
  BOOST_REQUIRE_MESSAGE(result.ok, result.log);
  const ptx::Module module(result.ptx);
  CompiledKernel one = {lower(module, "kernel", best_simd()),
                        read_kernel_code(result.cubin, "kernel")};
  BOOST_REQUIRE(one.code.has_value());
  issue_as_compiled(one.kernel, *one.code);
  return one;
}

std::vector<std::string> shared_accesses(const std::string& body, int architecture) {
  const Kernel kernel = compiled(body, architecture).kernel;
  std::vector<std::string> accesses;
  for (const Op& op : kernel.ops) {
    const bool is_access = op.kind == OpKind::load || op.kind == OpKind::store;
    if (!is_access || kernel.memory[op.detail].space != ptx::Space::shared) continue;
    accesses.push_back(describe(op.kind, kernel.memory[op.detail]));
  }
  std::ranges::sort(accesses);
  return accesses;
}

const std::vector<Case> cases = {
    {"what is as it was",
     "s[t] = in[t]; __syncthreads(); out[t] = s[t ^ 1] + s[t ^ 33];",
     {"load 4", "load 4", "store 4"}},
    {"four words",
     "s[t] = in[t]; __syncthreads();\n"
     "const int* p = s + 4 * (t % 8); out[t] = p[0] + p[1] * n + p[2] * n * n + p[3];",
     {"load 4 -> 16 with 3", "load 4 gone", "load 4 gone", "load 4 gone", "store 4"}},
    {"words that are not aligned to their sum",
     "s[t] = in[t]; __syncthreads();\n"
     "const int* p = s + t; out[t] = p[0] + p[1] * n;",
     {"load 4", "load 4", "store 4"}},
    {"a pair and what follows it",
     "s[t] = in[t]; __syncthreads();\n"
     "const int* p = s + 4 * (t % 8); out[t] = p[0] + p[1] * n + p[2] * n * n;",
     {"load 4 -> 16 with 2", "load 4 gone", "load 4 gone", "store 4"}},
    {"neighbours at addresses that are known",
     "s[t] = in[t]; __syncthreads(); out[t] = s[4] + s[5] * n + s[6] * n * n + s[7];",
     {"load 4 -> 16 with 3", "load 4 gone", "load 4 gone", "load 4 gone", "store 4"}},
    {"stores of a structure",
     "int* p = s + 4 * t; p[0] = n; p[1] = n + t; p[2] = t; p[3] = 7; __syncthreads();\n"
     "out[t] = s[t ^ 1];",
     {"load 4", "store 4 -> 16 with 3", "store 4 gone", "store 4 gone", "store 4 gone"}},
    {"a vector of which a half is used",
     "s[t] = in[t]; __syncthreads(); int a, b, c, d;\n"
     "asm(\"ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];\" : \"=r\"(a), \"=r\"(b), \"=r\"(c), "
     "\"=r\"(d)\n"
     "    : \"l\"(__cvta_generic_to_shared(s + 4 * (t % 8)))); out[t] = c + d * n;",
     {"load 16 -> 8 at 8", "store 4"}},
};

}  // namespace
}  // namespace issued_accesses

BOOST_AUTO_TEST_SUITE(issued_accesses, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(by_what_the_machine_code_has, data::make(issued_accesses::cases), row) {
  for (const int architecture : {75, 80, 90, 100, 120}) {
    const auto& known = nvrtc()->architectures();
    if (std::ranges::find(known, architecture) == known.end()) continue;
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const auto accesses = issued_accesses::shared_accesses(row.body, architecture);
      BOOST_TEST(accesses == row.expected, boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_loop_of_which_ptxas_joins_some_rounds_is_not_certain) {
  // The compiler unrolls it by four, ptxas again, and the words of a round lie in two quadruples.
  const auto accesses = issued_accesses::shared_accesses(
      "s[t] = in[t]; __syncthreads(); int sum = 0;\n"
      "for (int i = 1; i < n; ++i) sum = sum * n + s[i];\nout[t] = sum;",
      90);
  const std::vector<std::string> expected = {"load 4",   "load 4 ?", "load 4 ?",
                                             "load 4 ?", "load 4 ?", "store 4"};
  BOOST_TEST(accesses == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(atomics_that_are_loops_of_loads_are_not_certain) {
  for (const auto& [type, is_loop] : {std::pair("int", false), {"float", true}}) {
    const CompiledKernel one = compiled(
        fmt::format("{0}* f = reinterpret_cast<{0}*>(s); f[t] = 0; __syncthreads();\n"
                    "atomicAdd(f + t % 2, {0}(in[t])); __syncthreads(); out[t] = f[t % 2];",
                    type),
        90);
    const std::string note = note_on_uncertain(one.kernel, one.code);
    BOOST_TEST((note.find("are loops in the machine code") != note.npos) == is_loop, note);
  }
}

BOOST_AUTO_TEST_CASE(nothing_changes_where_lines_are_not_known) {
  Kernel kernel;
  kernel.ops.resize(1);
  kernel.ops[0].kind = OpKind::load;
  kernel.ops[0].detail = 0;
  kernel.memory.resize(1);
  kernel.memory[0].space = ptx::Space::shared;
  KernelCode code;
  code.accesses = {{.is_shared = true, .width = 16}};
  issue_as_compiled(kernel, code);
  BOOST_TEST(kernel.memory[0].issued_bytes == 0U);
  BOOST_TEST(kernel.memory[0].is_counted);
}

BOOST_AUTO_TEST_SUITE_END()
