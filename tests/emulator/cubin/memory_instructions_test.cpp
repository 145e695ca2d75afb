#include "engine/emulator/cubin/memory_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <regex>

#include "engine/emulator/cubin/memory_instructions.h"
#include "tests/emulator/cubin/sample.h"
#include "tests/nvrtc_fixture.h"

namespace sweep {

std::ostream& operator<<(std::ostream& out, const WidthCount& count) {
  for (const unsigned width : WidthCount::widths) {
    if (count.of(width) > 0) out << count.of(width) << " x " << width << " B ";
  }
  return out;
}

}  // namespace sweep

namespace {

using namespace sweep;
using namespace sweep::testing;

WidthCount only(unsigned width, std::uint64_t count) {
  WidthCount result;
  result.add(width, count);
  return result;
}

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
  for (const unsigned width : {1U, 2U, 4U, 8U, 16U}) count.add(width, number(width) + more);
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
  BOOST_TEST(code->compute_capability == 90);
  BOOST_TEST(code->memory.shared_loads == only(16, 1));
  BOOST_TEST(code->memory.shared_stores == only(4, 1));
  BOOST_TEST(code->memory.global_loads == only(4, 4));
  BOOST_TEST(code->memory.global_stores == only(4, 1));
  BOOST_TEST(code->memory.local_loads == only(4, 1));
  BOOST_TEST(code->memory.local_stores == only(4, 4));
  BOOST_TEST(code->memory.generic_loads == WidthCount());
  BOOST_TEST(code->memory.generic_stores == WidthCount());
  // As `ptxas -v` says.
  BOOST_TEST(code->registers.value_or(0) == 16U);
  BOOST_TEST(code->shared_bytes == 2048U);
  BOOST_TEST(code->local_bytes.value_or(0) == 16U);

  MemoryInstructionCount ptx = code->memory;
  ptx.shared_loads = only(4, 4);
  BOOST_TEST(merged_shared_note(ptx, code->memory) ==
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
      BOOST_TEST(code.compute_capability == architecture);
      BOOST_TEST(code.memory.global_loads == counted(in_global, 0));
      BOOST_TEST(code.memory.global_stores == counted(in_global, 1));
      BOOST_TEST(code.memory.shared_loads == counted(in_shared, 0));
      BOOST_TEST(code.memory.shared_stores == counted(in_shared, 1));
      BOOST_TEST(code.memory.local_loads == counted(in_local, 0));
      BOOST_TEST(code.memory.local_stores == counted(in_local, 1));
      BOOST_TEST(code.memory.generic_loads == counted(of_no_space, 0));
      BOOST_TEST(code.memory.generic_stores == counted(of_no_space, 1));
      BOOST_TEST(code.shared_bytes == 1024U);
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
      MemoryInstructionCount expected;
      expected.global_stores.add(4);
      BOOST_TEST((code.memory == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(accesses_of_32_bytes) {
  const std::string source = R"cuda(
extern "C" __global__ void wide(long long* data) {
  long long a, b, c, d;
  asm volatile("ld.global.v4.b64 {%0, %1, %2, %3}, [%4];"
               : "=l"(a), "=l"(b), "=l"(c), "=l"(d) : "l"(data));
  asm volatile("st.global.v4.b64 [%4], {%0, %1, %2, %3};"
               ::"l"(a), "l"(b), "l"(c), "l"(d), "l"(data + 4));
}
)cuda";
  for (const int architecture : common_architectures()) {
    if (architecture < 100) continue;
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const NvrtcResult result =
          nvrtc()->compile({source, {"--gpu-architecture=sm_" + std::to_string(architecture)}, {}});
      if (!result.ok) continue;  // PTX 8.8, of CUDA 12.9, brought these accesses
      const KernelCode code = code_of(result, "wide");
      BOOST_TEST(code.memory.global_loads == only(32, 1));
      BOOST_TEST(code.memory.global_stores == only(32, 1));
    }
  }
}

BOOST_AUTO_TEST_CASE(resources_are_those_ptxas_names) {
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
      BOOST_TEST(code.shared_bytes == number_in(result.log, "(\\d+) bytes smem"));
      BOOST_TEST(code.local_bytes.value_or(0) == number_in(result.log, "(\\d+) bytes stack frame"));
      BOOST_TEST(code.shared_bytes == 1200U);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_kernel_of_a_program_by_its_name) {
  const std::string source = R"cuda(
extern "C" __global__ void one(int* data) { data[0] = 1; }
extern "C" __global__ void two(int* data) { data[1] = data[0]; data[2] = data[3]; }
)cuda";
  const NvrtcResult result = compile(source, 90);
  BOOST_TEST(code_of(result, "one").memory.global_stores.total() == 1U);
  BOOST_TEST(code_of(result, "two").memory.global_stores.total() == 2U);
  BOOST_TEST(code_of(result, "one").shared_bytes == 0U);
  BOOST_TEST(!read_kernel_code(result.cubin, "on").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
