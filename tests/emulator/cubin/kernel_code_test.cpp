#include "engine/emulator/cubin/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>

#include "tests/emulator/cubin/sample.h"
#include "tests/nvrtc_fixture.h"

namespace {

using namespace sweep;
using namespace sweep::testing;

/// The architectures that this NVRTC compiles for and whose encoding is known.
std::vector<int> common_architectures() {
  std::vector<int> result;
  for (const int known : {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const auto& compiled = nvrtc()->architectures();
    if (std::ranges::find(compiled, known) != compiled.end()) result.push_back(known);
  }
  BOOST_TEST(result.size() >= 5U);
  return result;
}

NvrtcResult compile(const std::string& source, int architecture) {
  const NvrtcResult result = nvrtc()->compile(
      {source,
       {"--gpu-architecture=sm_" + std::to_string(architecture), "--ptxas-options=-v"},
       {}});
  BOOST_REQUIRE_MESSAGE(result.ok, result.log);
  return result;
}

KernelCode code_of(const NvrtcResult& result, const std::string& kernel) {
  const auto code = read_kernel_code(result.cubin, kernel);
  BOOST_REQUIRE(code.has_value());
  return *code;
}

/// The number that the group of `pattern` finds in the log; 0 when there is none.
std::uint64_t number_in(const std::string& log, const std::string& pattern) {
  std::smatch found;
  if (!std::regex_search(log, found, std::regex(pattern))) return 0;
  return std::stoull(found[1]);
}

/// `number(width)` loads of each width, each of which a store of its value follows, and one store
/// more, to tell the two apart; addresses of `space` stand in `place`.
std::string accesses(const std::string& space, const std::string& place,
                     unsigned (*number)(unsigned)) {
  struct Form {
    unsigned width;
    const char* type;
    const char* operand;
  };
  const std::vector<Form> forms = {
      {1, "u8", "%0"},
      {2, "u16", "%0"},
      {4, "u32", "%0"},
      {8, "v2.u32", "{%0, %1}"},
      {16, "v4.u32", "{%0, %1, %2, %3}"},
  };
  std::string text;
  for (const Form& form : forms) {
    const std::string type = space + form.type;
    for (unsigned i = 0; i <= number(form.width); ++i) {
      const std::string address = fmt::format("[%4 + {}]", 64 * i);
      if (i > 0) {
        text += fmt::format(
            R"cuda(asm volatile("ld.{} {}, {};" : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : {});)cuda",
            type, form.operand, address, place);
      }
      text += fmt::format(
          R"cuda(asm volatile("st.{} {}, {};" :: "r"(a), "r"(b), "r"(c), "r"(d), {});)cuda", type,
          address, form.operand, place);
    }
  }
  return text;
}

WidthCount counted(unsigned (*number)(unsigned), unsigned more) {
  WidthCount count;
  for (const unsigned width : {1U, 2U, 4U, 8U, 16U}) count[width] = number(width) + more;
  return count;
}

// Different numbers for each space and width.
unsigned in_global(unsigned width) {
  return width % 5 + 2;
}
unsigned in_shared(unsigned width) {
  return width % 7 + 2;
}
unsigned in_local(unsigned width) {
  return width % 3 + 2;
}
unsigned of_no_space(unsigned width) {
  return width % 11 + 2;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_sample) {
  const auto code = read_kernel_code(sample_cubin(), "sample");
  BOOST_REQUIRE(code.has_value());
  BOOST_TEST((code->shared == SharedAccesses{{{16, 1}}, {{4, 1}}}));
  BOOST_TEST(code->registers.value_or(0) == 16U);  // as `ptxas -v` says
  BOOST_TEST(merged_shared_note({{{4, 4}}, {{4, 1}}}, code->shared) ==
             "ptxas merged shared-memory loads: 4 in the PTX, 1 in the machine code; wavefront "
             "counts are an upper bound");
}

BOOST_AUTO_TEST_SUITE(compiled, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(every_space_and_width) {
  const std::string source =
      "extern \"C\" __global__ void all(char* data, int* where, char* generic) {\n"
      "  __shared__ char words[1024];\n"
      "  char local[1024];\n"
      "  unsigned a = 1, b = 2, c = 3, d = 4;\n"
      "  const size_t stack = __cvta_generic_to_local(local);\n"
      "  const unsigned block = (unsigned)__cvta_generic_to_shared(words);\n" +
      accesses("global.", "\"l\"(data)", in_global) +
      accesses("shared.", "\"r\"(block)", in_shared) +
      accesses("local.", "\"l\"(stack)", in_local) + accesses("", "\"l\"(generic)", of_no_space) +
      "}\n";
  for (const int architecture : common_architectures()) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const KernelCode code = code_of(compile(source, architecture), "all");
      BOOST_TEST((code.shared == SharedAccesses{counted(in_shared, 0), counted(in_shared, 1)}));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_counted) {
  const std::string source = R"cuda(
extern "C" __global__ void others(int* data, const float4* from) {
  __shared__ float4 rows[64];
  __shared__ int sums[32];
  const unsigned row = (unsigned)__cvta_generic_to_shared(rows + threadIdx.x);
  unsigned x = 0;
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(row), "l"(from));
  asm volatile("cp.async.wait_all;");
#endif
  __syncthreads();
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(row));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};" ::"r"(x), "r"(row));
#endif
  atomicAdd(sums + x, 1);
  atomicAdd(data, 1);
  data[threadIdx.x] = atomicCAS(data + 7, 3, (int)x) + atomicAdd(sums + 3, (int)x);
}
)cuda";
  for (const int architecture : common_architectures()) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const KernelCode code = code_of(compile(source, architecture), "others");
      BOOST_TEST((code.shared == SharedAccesses()));
    }
  }
}

BOOST_AUTO_TEST_CASE(registers_are_those_ptxas_names) {
  const std::string source = R"cuda(
extern "C" __global__ void large(int* data, int j) {
  __shared__ int words[300];
  int local[40];
  for (int i = 0; i < 40; ++i) local[(i * j) % 40] = data[i];
  words[threadIdx.x] = local[j];
  __syncthreads();
  data[threadIdx.x] = words[threadIdx.x ^ 1];
}
)cuda";
  for (const int architecture : common_architectures()) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const NvrtcResult result = compile(source, architecture);
      const KernelCode code = code_of(result, "large");
      BOOST_TEST(code.registers.value_or(0) == number_in(result.log, "Used (\\d+) registers"));
    }
  }
}

BOOST_AUTO_TEST_CASE(local_memory_is_what_ptxas_says_of_spilled_registers) {
  const std::string source = R"cuda(
extern "C" __global__ void __launch_bounds__(1024, 2) many(float* data, int n) {
  float held[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) held[i] = data[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) data[(95 - i) * n + threadIdx.x] = held[i] * held[(i * 7) % 96];
}
extern "C" __global__ void few(float* data) { data[threadIdx.x] += 1; }
)cuda";
  for (const int architecture : common_architectures()) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const NvrtcResult result = compile(source, architecture);
      const KernelCode many = code_of(result, "many");
      BOOST_TEST(many.local_bytes.value_or(0) > 0U);
      BOOST_TEST(many.local_loads > 0U);
      BOOST_TEST(many.local_stores > 0U);
      const KernelCode few = code_of(result, "few");
      BOOST_TEST(few.local_bytes.value_or(1) == 0U);
      BOOST_TEST(few.local_loads + few.local_stores == 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_kernel_of_a_program_by_its_name) {
  const std::string source = R"cuda(
extern "C" __global__ void one(int* data) {
  extern __shared__ volatile int words[];
  words[threadIdx.x] = 1;
}
extern "C" __global__ void two(int* data) {
  extern __shared__ volatile int words[];
  words[threadIdx.x] = 1;
  data[0] = words[threadIdx.x];
}
)cuda";
  const NvrtcResult result = compile(source, 90);
  BOOST_TEST((code_of(result, "one").shared == SharedAccesses{{}, {{4, 1}}}));
  BOOST_TEST((code_of(result, "two").shared == SharedAccesses{{{4, 1}}, {{4, 1}}}));
  BOOST_TEST(!read_kernel_code(result.cubin, "on").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
