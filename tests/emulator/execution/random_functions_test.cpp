#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <cmath>

#include "tests/emulator/execution/emulated_pattern.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace random_functions {
namespace {

EmulatorSettings exact() {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.is_exact = true;
  return settings;
}

std::string outcome_of(const std::string& text, const Bindings& given = {}) {
  return emulate(text, given, exact()).outcome;
}

/// A call and its value, which must never change. The compiler cannot work out what uses `zero`.
struct Vector {
  const char* call;
  const char* value;
};

// Those of random_bits with the seed 1234567 are published with splitmix64.
const Vector vectors[] = {
    {"random_bits(zero + 1234567, 0)", "6457827717110365317u"},
    {"random_bits(1234567, zero + 1)", "3203168211198807973u"},
    {"random_bits(1234567, 2)", "9817491932198370423u"},
    {"random_bits(1234567, zero + 3)", "4593380528125082431u"},
    {"random_bits(1234567, zero + 4)", "16408922859458223821u"},
    {"random_bits(zero - 1, zero - 1)", "13029008266876403067u"},
    {"random_below(zero + 10, 0, 0)", "8"},
    {"random_below(1000000007, zero + 1, 2)", "971002760"},
    {"random_below(zero - 1, 1, 2)", "17911839290282890589u"},
    {"random_below(zero, 1, 2)", "0"},
    {"permuted(zero, 1, 0)", "0"},
    {"permuted(zero, 2, 0)", "1"},
    {"permuted(1, zero + 2, 1)", "1"},
    {"permuted(4, zero + 5, 7)", "3"},
    {"permuted(31, 32, zero + 1)", "31"},
    {"permuted(zero, 100, 42)", "92"},
    {"permuted(99, 100, 42)", "57"},
    {"permuted(zero + 12345, 1000000, 1)", "815250"},
    {"permuted((1ull << 39) + zero, (1ull << 40) + 1, 3)", "949726303966"},
    {"permuted(zero - 2, zero - 1, zero - 1)", "16719481161276279209u"},
    {"permuted(zero, 1ull << 63, 5)", "7783640523053135446"},
    {"permuted(zero + 100, 100, 1)", "100"},
    {"permuted(zero + 5, 0, 1)", "5"},
};

/// Moves i of [0, SIDE) by a permutation of [0, n), for every n < SIDE.
const char* const every_small_n = R"cuda(/* pattern:
parameters: {SEED: 0, SIDE: 160}
buffers:
  hits: {type: uint32_t, length: SIDE * SIDE, init: "0"}
  places: {type: uint32_t, length: SIDE * SIDE}
launch: {grid: SIDE, block: SIDE}
useful: {write: SIDE}
verify:
  hits: "hits[i] == 1"
  places: "(i % SIDE < i / SIDE) == (places[i] < i / SIDE)"
*/
__global__ void kernel(uint32_t* hits, uint32_t* places) {
  const uint64_t place = permuted(threadIdx.x, blockIdx.x, SEED);
  places[blockIdx.x * SIDE + threadIdx.x] = place;
  atomicAdd(&hits[blockIdx.x * SIDE + place], 1);
}
)cuda";

/// Gathers by a permutation of [0, N).
const char* const one_n = R"cuda(/* pattern:
parameters: {SEED: 1, N: 64 Ki}
buffers:
  hits: {type: uint32_t, length: N, init: "0"}
  in: {type: uint32_t, length: N, init: "i"}
  out: {type: uint32_t, length: N}
launch: {grid: "ceil_div(N, 256)", block: 256}
useful: {read: N * 4, write: N * 4}
verify: {hits: "hits[i] == 1", out: "out[i] == permuted(i, N, SEED)"}
*/
__global__ void kernel(uint32_t* hits, const uint32_t* in, uint32_t* out) {
  const uint64_t i = blockIdx.x * 256 + threadIdx.x;
  if (i >= N) return;
  out[i] = in[permuted(i, N, SEED)];
  atomicAdd(&hits[out[i]], 1);
}
)cuda";

/// 2^16 draws, of which each of PLACES places should get SHARE, within five standard deviations.
std::string counting(int places, const std::string& statements, int share, int margin) {
  return fmt::format(R"cuda(/* pattern:
buffers: {{counts: {{type: int32_t, length: {0}, init: "0"}}}}
launch: {{grid: 256, block: 256}}
useful: {{write: 4}}
verify: "counts[i] > {2} && counts[i] < {3}"
*/
__global__ void kernel(int32_t* counts) {{
  const uint64_t draw = blockIdx.x * 256 + threadIdx.x;
  {1}
}}
)cuda",
                     places, statements, share - margin, share + margin);
}

}  // namespace
}  // namespace random_functions

BOOST_AUTO_TEST_SUITE(random_functions, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(equal_arguments_give_equal_results_for_ever) {
  std::string calls;
  std::string values;
  for (const Vector& one : vectors) {
    calls += fmt::format("  *out++ = {};\n", one.call);
    values += fmt::format("    {},\n", one.value);
  }
  BOOST_TEST(outcome_of(fmt::format(
                 "/* pattern:\nbuffers: {{out: {{type: uint64_t, length: {}}}}}\n"
                 "arguments: {{zero: {{type: uint64_t, value: 0}}}}\n"
                 "launch: {{grid: 1, block: 1}}\nuseful: {{write: 8}}\n"
                 "verify: \"out[i] == expected(i)\"\n*/\n"
                 "__device__ uint64_t expected(size_t i) {{\n  const uint64_t values[] = {{\n{}"
                 "  }};\n  return values[i];\n}}\n"
                 "__global__ void kernel(uint64_t* out, uint64_t zero) {{\n{}}}\n",
                 std::size(vectors), values, calls)) == "correct");
}

BOOST_DATA_TEST_CASE(every_small_range_is_permuted, data::make({0, 1, 7}), seed) {
  BOOST_TEST(outcome_of(every_small_n, integers({{"SEED", seed}})) == "correct");
}

BOOST_DATA_TEST_CASE(larger_ranges_are_permuted, data::make({65535, 65536, 65537, 100000}), n) {
  BOOST_TEST(outcome_of(one_n, integers({{"N", n}})) == "correct");
}

BOOST_AUTO_TEST_CASE(a_permuted_gather_finds_its_sectors_nowhere_near_each_other) {
  const Emulated gather = emulate(one_n, {}, exact());
  // 32 draws from 8192 sectors: 31.94 different ones.
  BOOST_TEST(gather.metrics.at("load_sectors_per_request") > 31.0);
}

BOOST_AUTO_TEST_CASE(draws_are_spread_evenly) {
  BOOST_TEST(outcome_of(counting(10, "atomicAdd(&counts[random_below(10, 1, draw)], 1);", 6554,
                                 385)) == "correct");
  BOOST_TEST(outcome_of(counting(10, "atomicAdd(&counts[random_below(10, draw, 1)], 1);", 6554,
                                 385)) == "correct");
  BOOST_TEST(outcome_of(counting(64,
                                 "const uint64_t bits = random_bits(1, draw);\n"
                                 "  for (int bit = 0; bit < 64; ++bit) {\n"
                                 "    atomicAdd(&counts[bit], int(bits >> bit & 1));\n  }",
                                 32768, 640)) == "correct");
}

BOOST_DATA_TEST_CASE(every_place_is_as_likely_whatever_the_range, data::make({2, 3, 5, 8, 32}), n) {
  const int share = 65536 / n;
  const int margin = static_cast<int>(5 * std::sqrt(share));
  const std::string count = fmt::format("atomicAdd(&counts[permuted({}, {}, draw)], 1);", n / 2, n);
  BOOST_TEST(outcome_of(counting(n, count, share, margin)) == "correct");
}

BOOST_AUTO_TEST_SUITE_END()
