// How much of the results is verified, and that what only some of the blocks made is not judged.
#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace verification {
namespace {

/// 1,024 blocks of 256 threads over N integers.
std::string pattern(const std::string& init, const std::string& verify,
                    const std::string& statement, const std::string& grid = "1024") {
  return "/* pattern:\n"
         "parameters: {N: {default: 256 Ki}}\n"
         "buffers: {a: {type: int, length: N" +
         init +
         "}}\n"
         "launch: {grid: " +
         grid +
         ", block: 256}\n"
         "useful: {write: N * 4}\n"
         "verify: {a: \"" +
         verify +
         "\"}\n*/\n"
         "__global__ void kernel(int* a) {\n"
         "  const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256 + threadIdx.x;\n"
         "  " +
         statement + "\n}\n";
}

EmulatorSettings sampling() {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.whole_budget = 0;
  settings.sample_budget = 200'000;
  return settings;
}

/// By one thread: what blocks do to shared memory without atomics has no order otherwise.
EmulatorSettings whole() {
  EmulatorSettings settings = emulator_settings(90, 1);
  settings.is_exact = true;
  return settings;
}

struct SharingCase {
  const char* statement;
  const char* verify;
  const char* grid = "1024";
  friend std::ostream& operator<<(std::ostream& out, const SharingCase& one) {
    return out << one.statement;
  }
};

/// Kernels that are right when all blocks are executed one after the other, and whose buffers hold
/// something else before.
const SharingCase sharing_cases[] = {
    {"a[threadIdx.x] += 8;", "a[i] == (i < 256 ? 8192 : 0)"},
    {"atomicAdd(&a[threadIdx.x], 8);", "a[i] == (i < 256 ? 8192 : 0)"},
    // Neighbours, of which few are among the chosen.
    {"a[i / 512 * 512 + i % 256] += 1;", "a[i] == (i % 512 < 256 ? 2 : 0)"},
    // One half of the grid and the other.
    {"a[i % (512 * 256)] += 1;", "a[i] == (i < 512 * 256 ? 2 : 0)"},
    // Blocks below each other in a grid of two dimensions.
    {"a[blockIdx.x * 256 + threadIdx.x] += 1;", "a[i] == (i < 341 * 256 ? 3 : 0)", "[341, 3]"},
    // What is read is another block's, which makes no difference here.
    {"a[i] = i + 0 * ((volatile int*)a)[(i + 256) % N];", "a[i] == i"},
    {"a[threadIdx.x] = blockIdx.x;", "a[i] == (i < 256 ? 1023 : 0)"},
};

}  // namespace
}  // namespace verification

BOOST_AUTO_TEST_SUITE(verification, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(all_of_a_whole_execution_is_verified) {
  const Emulated result = emulate(pattern("", "a[i] == i", "a[i] = i;"));
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("executed_share") == 100);
  BOOST_TEST(result.metrics.at("verified_share") == 100);
  BOOST_TEST(result.notes.empty());
}

/// However different they are, and whatever they cost.
BOOST_AUTO_TEST_CASE(a_grid_of_few_blocks_is_executed_whole) {
  const std::string text = pattern("", "i >= 2048 || a[i] == i",
                                   "if (threadIdx.x < blockIdx.x * blockIdx.x % 8 * 32) "
                                   "a[i + N / 2] = i; a[i] = i;",
                                   "8");
  const Emulated result = emulate(text, {}, sampling());
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.notes.empty());
  BOOST_TEST(result.metrics.at("executed_share") == 100);
  BOOST_TEST(result.metrics.at("store_requests") == 64 + 12);
}

BOOST_AUTO_TEST_CASE(what_no_executed_block_wrote_is_not_verified) {
  const Emulated result = emulate(pattern("", "a[i] == i", "a[i] = i;"), {}, sampling());
  BOOST_TEST(result.outcome == "correct");
  const double executed = result.metrics.at("executed_share");
  BOOST_TEST(executed < 50);
  // Every block writes a share of its own.
  BOOST_TEST(result.metrics.at("verified_share") >= executed);
  BOOST_TEST(result.metrics.at("verified_share") < 2 * executed);
}

BOOST_AUTO_TEST_CASE(elements_that_are_left_out_by_mistake_are_found_or_not_called_verified) {
  // Every fourth element is written, all are wanted.
  const std::string text = pattern(", init: \"-1\"", "a[i] == i", "a[i / 4 * 4] = i / 4 * 4;");
  BOOST_TEST(contains(emulate(text).outcome, "wrong result: 196,608 of 262,144 elements"));
  const Emulated sampled = emulate(text, {}, sampling());
  BOOST_TEST(sampled.outcome == "correct");
  BOOST_TEST(sampled.metrics.at("verified_share") < 25);
}

BOOST_AUTO_TEST_CASE(a_wrong_element_of_some_blocks_is_found_and_says_of_which_it_is_one) {
  const Emulated result =
      emulate(pattern("", "a[i] == i", "a[i] = i == 7 ? 0 : i;"), {}, sampling());
  BOOST_TEST(contains(result.outcome, "wrong result: 1 of "), result.outcome);
  BOOST_TEST(contains(result.outcome, " elements of 'a' that were judged fail the check"),
             result.outcome);
}

BOOST_AUTO_TEST_CASE(an_update_in_place_is_judged_where_each_block_has_elements_of_its_own) {
  const Emulated good =
      emulate(pattern(", init: \"i\"", "a[i] == i + 1", "a[i] += 1;"), {}, sampling());
  BOOST_TEST(good.outcome == "correct");
  BOOST_TEST(good.metrics.at("verified_share") > 0);
  const Emulated bad =
      emulate(pattern(", init: \"i\"", "a[i] == i + 1", "a[i] += 2;"), {}, sampling());
  BOOST_TEST(contains(bad.outcome, "the first is i = 0: 2, expected 1"), bad.outcome);
}

BOOST_DATA_TEST_CASE(a_buffer_that_blocks_share_is_not_judged_after_some_of_them,
                     data::make(sharing_cases), one) {
  const std::string text = pattern(", init: \"0\"", one.verify, one.statement, one.grid);
  BOOST_TEST(emulate(text, {}, whole()).outcome == "correct");
  const Emulated some = emulate(text, {}, sampling());
  BOOST_TEST(some.outcome == "correct");
  BOOST_TEST(some.metrics.at("executed_share") < 100);
  BOOST_TEST(some.metrics.at("verified_share") == 0);
}

BOOST_AUTO_TEST_CASE(blocks_may_read_what_none_writes) {
  const std::string text =
      "/* pattern:\n"
      "parameters: {N: {default: 256 Ki}}\n"
      "buffers: {in: {type: int, length: N, init: \"i\"}, out: {type: int, length: N}}\n"
      "launch: {grid: N / 256, block: 256}\n"
      "useful: {write: N * 4}\n"
      "verify: {out: \"out[i] == in[i] + in[7]\"}\n*/\n"
      "__global__ void kernel(const int* in, int* out) {\n"
      "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
      "  out[i] = in[i] + in[7];\n}\n";
  const Emulated result = emulate(text, {}, sampling());
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("verified_share") > 0);
}

BOOST_AUTO_TEST_CASE(a_verify_that_reads_what_nothing_wrote_names_its_own_line) {
  const std::string body = "if (i % 8 != 5) a[i] = i;";
  const char* const message = "kernel.cu:6: verify reads a[5], which nothing wrote";
  BOOST_TEST(emulate(pattern("", "a[i] == i", body)).outcome == message);
  // The condition is a function of the body.
  std::string text = pattern("", "is_good(a, i)", body);
  text.insert(text.find("__global__"),
              "__device__ bool is_good(const int* a, size_t i) {\n  return a[i] == i;\n}\n");
  BOOST_TEST(emulate(text).outcome == message);
  BOOST_TEST(emulate(text, {}, sampling()).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(an_init_and_a_verify_out_of_bounds_are_named_as_such) {
  BOOST_TEST(emulate(pattern("", "a[i + 1] == i + 1", "a[i] = i;")).outcome ==
             "kernel.cu:6: verify: out of bounds: reads 4 bytes at a[262144]; a has 262144 "
             "elements");
}

BOOST_AUTO_TEST_SUITE_END()
