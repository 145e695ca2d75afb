// Races between blocks: what is accused, and the ways in which blocks may meet.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"
#include "tests/repeated.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace grid_races {
namespace {

/// Eight blocks of 64 threads; `body` is the kernel's. The header of cooperative groups takes
/// longer to compile than all the rest.
std::string pattern_with(const std::string& body, const std::string& launch = "") {
  const char* const header =
      contains(body, "cooperative_groups") ? "#include <cooperative_groups.h>" : "";
  return R"cuda(/* pattern:
buffers:
  in: {type: float, length: 512, init: "1"}
  out: {type: float, length: 512, init: "0"}
  sums: {type: float, length: 8, init: "0"}
  flags: {type: uint32_t, length: 8, init: "0"}
  count: {type: uint32_t, length: 1, init: "0"}
  bytes: {type: uint8_t, length: 512, init: "0"}
launch: {grid: 8, block: 64)cuda" +
         launch + R"cuda(}
useful: {read: 1}
verify: {in: "true"}
*/
)cuda" + header +
         R"cuda(
__device__ unsigned done;
__device__ float sum_of(const float* in) {
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += in[blockIdx.x * 64 + k];
  return sum;
}
__device__ void add(double* to, double value) {
  auto* const words = reinterpret_cast<unsigned long long*>(to);
  unsigned long long old = *words, assumed;
  do {
    assumed = old;
    old = atomicCAS(words, assumed, __double_as_longlong(__longlong_as_double(assumed) + value));
  } while (old != assumed);
}
__global__ void kernel(const float* in, float* out, float* sums, unsigned* flags, unsigned* count,
                       unsigned char* bytes) {
  const int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
  const bool is_first = t == 0;
)cuda" + body +
         "\n}\n";
}

struct Kernel {
  const char* name;
  std::string body;
  const char* race = "";  ///< what is said of it; nothing: it has none

  friend std::ostream& operator<<(std::ostream& out, const Kernel& row) { return out << row.name; }
};

std::string without(std::string text, const std::string& part) {
  const std::size_t at = text.find(part);
  BOOST_REQUIRE(at != std::string::npos);
  return text.erase(at, part.size());
}

const std::string last_block =
    "if (is_first) { sums[b] = sum_of(in); __threadfence();\n"
    "  if (atomicInc(count, 7) == 7) { float all = 0;\n"
    "    for (int k = 0; k < 8; ++k) all += sums[k];\n"
    "    out[0] = all; } }";
const std::string last_block_of_variable =
    "__shared__ bool is_last; if (is_first) { sums[b] = sum_of(in); __threadfence();\n"
    "  is_last = atomicAdd(&done, 1) == 7; }\n"
    "__syncthreads(); if (is_last && t < 8) out[t] = sums[t];";
const std::string chain =
    "volatile unsigned* const ready = flags;\n"
    "if (is_first) { float before = 0;\n"
    "  if (b > 0) { while (ready[b - 1] == 0) {} before = sums[b - 1]; }\n"
    "  sums[b] = before + sum_of(in); __threadfence(); ready[b] = 1; }";
const std::string plain_flag =
    "if (is_first) { if (b > 0) { while (atomicAdd(flags + b - 1, 0) == 0) {} out[b] = sums[b - "
    "1]; }\n"
    "  sums[b] = sum_of(in); __threadfence(); flags[b] = 1; }";
const std::string released =
    "if (is_first) { unsigned seen = b == 0;\n"
    "  while (seen == 0) asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(seen)\n"
    "                                 : \"l\"(flags + b - 1) : \"memory\");\n"
    "  if (b > 0) out[b] = sums[b - 1];\n"
    "  sums[b] = sum_of(in);\n"
    "  asm volatile(\"st.release.gpu.u32 [%0], 1;\" :: \"l\"(flags + b) : \"memory\"); }";
const std::string whole_grid =
    "sums[b] = b;\ncooperative_groups::this_grid().sync();\nout[i] = sums[(b + 1) % 8];";

const std::vector<Kernel> kernels = {
    {"elements of one's own", "out[i] += in[i];"},
    {"one value by all", "out[0] = 3;"},
    {"neighbouring bytes", "bytes[t * 8 + b] = t + b;"},
    {"counting", "atomicAdd(count, 1u); atomicAdd(flags + t % 8, 1u);"},
    {"a loop around compare-and-swap", "add(reinterpret_cast<double*>(out), in[i]);"},
    {"the last block", last_block},
    {"the last block, by a variable", last_block_of_variable},
    {"a chain of flags", chain},
    {"a flag stored plainly behind a fence", plain_flag},
    {"release and acquire", released},
    {"a neighbour's element", "out[i] = in[i]; sums[b] = out[(i + 64) % 512];",
     "a race between blocks: it writes out["},
    {"a neighbour's element before it is written", "sums[b] = out[(i + 64) % 512]; out[i] = in[i];",
     "a race between blocks: it writes out["},
    {"values of their own at one place", "out[t] = b + 1;",
     "a race between blocks: it writes out[0], which block (0, 0, 0), thread (0, 0, 0) writes at "
     "kernel.cu:32 (st.global.f32)"},
    {"what all read, written by a late one", "out[i] = sums[0]; if (b == 7) sums[0] = 2;",
     "a race between blocks: it "},
    {"what all read, written by an early one", "out[i] = sums[0]; if (b == 1) sums[0] = 2;",
     "a race between blocks: it "},
    {"pairs that all read, halves of them written",
     "out[i] = reinterpret_cast<float2*>(sums)[t % 4].y;"
     " if (b == 3 && t < 4) sums[2 * t + 1] = 2;",
     "a race between blocks: it "},
    {"pairs that all read, their other halves written",
     "out[i] = sums[t % 4 * 2]; if (b == 3 && t < 4) sums[2 * t + 1] = 2;"},
    {"a sum without atomics", "if (is_first) *count += 1;",
     "a race between blocks: it reads count[0]"},
    {"a counter read plainly", "if (is_first) { atomicAdd(count, 1u); out[i] = *count; }",
     "a race between blocks: it reads count[0]"},
    {"a counter begun plainly", "if (is_first) { if (b == 0) *count = 5; atomicAdd(count, 1u); }",
     "a race between blocks: it updates count[0]"},
    {"the last block without its fence", without(last_block, "__threadfence();"),
     "a race between blocks: it reads sums["},
    {"the last block, by a variable, without its fence",
     without(last_block_of_variable, "__threadfence();"), "a race between blocks: it reads sums["},
    {"a chain without its fence", without(chain, "__threadfence();"),
     "a race between blocks: it reads sums[0]"},
    {"a chain without its wait", without(chain, "while (ready[b - 1] == 0) {}"),
     "a race between blocks: it reads sums[0]"},
    {"a plain flag without its wait",
     without(plain_flag, "while (atomicAdd(flags + b - 1, 0) == 0) {}"),
     "a race between blocks: it reads sums[0]"},
};

EmulatorSettings checking() {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.checks_kernel = true;
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(grid_races_suite, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(races_between_blocks_are_found, data::make(kernels), row) {
  const std::string outcome = emulate(pattern_with(row.body), {}, checking()).outcome;
  if (*row.race == '\0') {
    BOOST_TEST(outcome == "correct");
  } else {
    BOOST_TEST(contains(outcome, row.race), outcome);
  }
  BOOST_TEST(emulate(pattern_with(row.body)).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(a_grid_that_meets_has_none) {
  const std::string cooperative = ", cooperative: true";
  BOOST_TEST(emulate(pattern_with(whole_grid, cooperative), {}, checking()).outcome == "correct");
  const std::string apart = without(whole_grid, "cooperative_groups::this_grid().sync();");
  BOOST_TEST(contains(emulate(pattern_with(apart, cooperative), {}, checking()).outcome,
                      "a race between blocks: it "));
}

/// What the last block of a grid writes over is no result as long as that block is missing.
BOOST_AUTO_TEST_CASE(what_a_missing_last_block_writes_is_not_judged) {
  const std::string text = R"cuda(/* pattern:
buffers: {sums: {type: float, length: 4096}, count: {type: uint32_t, length: 1, init: "0"}}
launch: {grid: 4096, block: 64}
useful: {read: 1}
verify: {sums: "sums[i] == (i == 0 ? 4096 : 1)"}
*/
__global__ void kernel(float* sums, unsigned* count) {
  if (threadIdx.x > 0) return;
  sums[blockIdx.x] = 1;
  __threadfence();
  if (atomicAdd(count, 1) < gridDim.x - 1) return;
  float all = 0;
  for (unsigned k = 0; k < gridDim.x; ++k) all += sums[k];
  sums[0] = all;
}
)cuda";
  EmulatorSettings few = checking();
  few.whole_budget = few.sample_budget = 10'000;
  BOOST_TEST(emulate(text, {}, few).outcome == "correct");
  EmulatorSettings whole = checking();
  whole.is_exact = true;
  BOOST_TEST(emulate(text, {}, whole).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(launches_come_one_after_the_other) {
  const std::string steps = R"cuda(/* pattern:
buffers: {data: {type: float, length: 512, init: "1"}, out: {type: float, length: 512}}
steps:
  - {kernel: fill, arguments: [data], grid: 8, block: 64}
  - {kernel: turn, arguments: [data, out], grid: 8, block: 64}
useful: {read: 1}
verify: {out: "out[i] == (i + 64) % 512"}
*/
__global__ void fill(float* data) { data[blockIdx.x * 64 + threadIdx.x] = blockIdx.x * 64 + threadIdx.x; }
__global__ void turn(float* data, float* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = data[(i + 64) % 512];
}
)cuda";
  BOOST_TEST(emulate(steps, {}, checking()).outcome == "correct");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace grid_races
