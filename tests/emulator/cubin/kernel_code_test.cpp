#include "engine/emulator/cubin/kernel_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <regex>
#include <sstream>

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

/// How many instructions there are by the bytes each lane accesses, where there are any.
using WidthCount = std::map<unsigned, std::uint64_t>;

WidthCount widths_of(const KernelCode& code, const MachineAccess& wanted) {
  WidthCount count;
  for (const MachineAccess& access : code.accesses) {
    const bool is_wanted =
        access.is_store == wanted.is_store && access.is_shared == wanted.is_shared;
    if (is_wanted) ++count[access.width];
  }
  return count;
}

constexpr MachineAccess shared_loads = {.is_shared = true};
constexpr MachineAccess shared_stores = {.is_store = true, .is_shared = true};
constexpr MachineAccess global_loads = {};
constexpr MachineAccess global_stores = {.is_store = true};

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
  std::vector<MachineAccess> shared = code->accesses;
  std::erase_if(shared, [](const MachineAccess& access) { return !access.is_shared; });
  // The lines are those of `nvcc -ptx -arch=sm_90 -lineinfo sample.cu`.
  const std::vector<MachineAccess> expected = {
      {.is_store = true, .is_shared = true, .width = 4, .ptx_line = 68},
      {.is_shared = true, .width = 16, .ptx_line = 75}};
  BOOST_TEST((shared == expected));
  for (const std::uint32_t joined : {76U, 78U, 80U}) {
    BOOST_TEST(!std::ranges::binary_search(code->ptx_lines, joined));
  }
  BOOST_TEST(code->registers.value_or(0) == 16U);  // as `ptxas -v` says
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
      BOOST_TEST((widths_of(code, shared_loads) == counted(in_shared, 0)));
      BOOST_TEST((widths_of(code, shared_stores) == counted(in_shared, 1)));
      BOOST_TEST((widths_of(code, global_loads) == counted(in_global, 0)));
      BOOST_TEST((widths_of(code, global_stores) == counted(in_global, 1)));
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
      BOOST_TEST((widths_of(code, shared_loads) == WidthCount()));
      BOOST_TEST((widths_of(code, shared_stores) == WidthCount()));
    }
  }
}

BOOST_AUTO_TEST_CASE(instructions_by_their_pipe) {
  const std::string source = R"cuda(
extern "C" __global__ void pipes(float* f, double* d, unsigned* i) {
  float x = f[threadIdx.x];
  double y = d[threadIdx.x];
  unsigned z = i[threadIdx.x];
  for (int k = 0; k < 5; ++k) x = fmaf(x, x, 2);
  for (int k = 0; k < 3; ++k) y = fma(y, y, 2);
  for (int k = 0; k < 2; ++k) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
  for (int k = 0; k < 7; ++k) z = z * z + 1;
  for (int k = 0; k < 6; ++k) z = min(z ^ 5, z << 3);
  f[threadIdx.x] = x;
  d[threadIdx.x] = y;
  i[threadIdx.x] = z;
}
)cuda";
  for (const int architecture : common_architectures()) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const KernelCode code = code_of(compile(source, architecture), "pipes");
      const auto number = [&](Pipe pipe) {
        return std::ranges::count(code.instructions, pipe, &MachineInstruction::pipe);
      };
      BOOST_TEST(number(Pipe::fma) == 5);
      BOOST_TEST(number(Pipe::fp64) == 3);
      BOOST_TEST(number(Pipe::special) == 2);
      BOOST_TEST(number(Pipe::fma_integer) >= 7);
      BOOST_TEST(number(Pipe::alu) >= 6);
      BOOST_TEST(number(Pipe::conversion) == 0);
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
  BOOST_TEST((widths_of(code_of(result, "one"), shared_loads) == WidthCount()));
  BOOST_TEST((widths_of(code_of(result, "two"), shared_loads) == WidthCount{{4, 1}}));
  BOOST_TEST((widths_of(code_of(result, "two"), shared_stores) == WidthCount{{4, 1}}));
  BOOST_TEST(!read_kernel_code(result.cubin, "on").has_value());
}

/// The lines of `text` that have `words`, counted from 1.
std::vector<std::uint32_t> lines_with(const std::string& text, const std::string& words) {
  std::vector<std::uint32_t> found;
  std::istringstream lines(text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find(words) != line.npos) found.push_back(number);
  }
  return found;
}

BOOST_AUTO_TEST_CASE(each_access_has_its_line_of_the_ptx) {
  // Two kernels, so that the second one's lines are not the file's first.
  const std::string source = R"cuda(
extern "C" __global__ void before(float* data) { data[threadIdx.x] *= 3; }
extern "C" __global__ void kernel(const volatile float* from, volatile float* to) {
  __shared__ volatile float words[32];
  words[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  if (words[threadIdx.x ^ 1] > 2) to[threadIdx.x] = words[threadIdx.x ^ 2];
}
)cuda";
  for (const int architecture : common_architectures()) {
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const NvrtcResult result = nvrtc()->compile(
          {source,
           {"--gpu-architecture=sm_" + std::to_string(architecture), "--generate-line-info"},
           {}});
      const KernelCode code = code_of(result, "kernel");
      std::vector<MachineAccess> expected;
      const std::vector<std::pair<const char*, MachineAccess>> kinds = {
          {"ld.volatile.global", global_loads},
          {"st.volatile.global", global_stores},
          {"ld.volatile.shared", shared_loads},
          {"st.volatile.shared", shared_stores}};
      for (const auto& [words, access] : kinds) {
        for (const std::uint32_t line : lines_with(result.ptx, words)) {
          expected.push_back(access);
          expected.back().width = 4;
          expected.back().ptx_line = line;
        }
      }
      BOOST_TEST(expected.size() == 5U);
      std::ranges::sort(expected);
      std::vector<MachineAccess> found = code.accesses;
      std::ranges::sort(found);
      BOOST_TEST((found == expected));
      BOOST_TEST(code_of(compile(source, architecture), "kernel").ptx_lines.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(accesses_of_256_bits) {
  const std::string source = R"cuda(
struct alignas(32) Wide { double of[4]; };
extern "C" __global__ void wide(const Wide* from, Wide* to) {
  asm volatile("{ .reg .f64 a, b, c, d; ld.global.v4.f64 {a, b, c, d}, [%0];"
               "st.global.v4.f64 [%1], {b, a, c, d}; }" ::"l"(from), "l"(to));
}
)cuda";
  for (const int architecture : common_architectures()) {
    if (architecture < 100) continue;
    BOOST_TEST_CONTEXT("sm_" << architecture) {
      const KernelCode code = code_of(compile(source, architecture), "wide");
      BOOST_TEST((widths_of(code, global_loads) == WidthCount{{32, 1}}));
      BOOST_TEST((widths_of(code, global_stores) == WidthCount{{32, 1}}));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
