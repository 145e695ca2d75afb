#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/emulator/execution/emulated_pattern.h"

namespace {

using namespace sweep;

/// A pattern over N floats that is launched so.
std::string over_floats(const std::string& launch, const std::string& kernels) {
  return "/* pattern:\n"
         "parameters: {N: {default: 64 Ki}}\n"
         "buffers:\n"
         "  in: {type: float, length: N, init: \"float(i % 101)\"}\n"
         "  out: {type: float, length: N}\n" +
         launch +
         "useful: {read: N * 4, write: N * 4}\n"
         "verify: {out: \"out[i] == float(i % 101)\"}\n*/\n" +
         kernels;
}

const std::string launched_once = "launch: {grid: N / 256, block: 256}\n";

double hit_rate(const Emulated& result, const std::string& level) {
  BOOST_TEST(result.outcome == "correct");
  return result.metrics.at(level + "_hit_rate");
}

Emulated emulate_caches(const std::string& text, CacheState state, const Bindings& given = {}) {
  return emulate(text, given, emulator_settings(90, 2), state);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_copy_misses_where_it_reads_and_hits_where_it_writes) {
  const std::string copy = over_floats(launched_once,
                                       "__global__ void kernel(const float* in, float* out) {\n"
                                       "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
                                       "  out[i] = in[i];\n}\n");
  BOOST_TEST(hit_rate(emulate_caches(copy, CacheState::cold), "l1") == 0);
  BOOST_TEST(hit_rate(emulate_caches(copy, CacheState::cold), "l2") == 50);
  // Both halves of L2 have what their multiprocessors read the time before.
  BOOST_TEST(hit_rate(emulate_caches(copy, CacheState::warm), "l1") == 0);
  BOOST_TEST(hit_rate(emulate_caches(copy, CacheState::warm), "l2") == 100);
}

BOOST_AUTO_TEST_CASE(warps_of_a_block_find_each_others_sectors) {
  // The eight warps of a block read the same 128 bytes.
  const std::string shared =
      over_floats(launched_once,
                  "__global__ void kernel(const float* in, float* out) {\n"
                  "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
                  "  const float v = in[blockIdx.x * 256 + threadIdx.x % 32];\n"
                  "  out[i] = v * 0 + float(i % 101);\n}\n");
  BOOST_TEST(hit_rate(emulate_caches(shared, CacheState::cold), "l1") == 87.5);
}

BOOST_AUTO_TEST_CASE(steps_find_in_l2_what_those_before_left) {
  const std::string steps = over_floats(
      "steps:\n"
      "  - {kernel: first, arguments: [in, out], grid: N / 256, block: 256}\n"
      "  - {kernel: again, arguments: [out], grid: N / 256, block: 256}\n",
      "__global__ void first(const float* in, float* out) {\n"
      "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
      "  out[i] = in[i];\n}\n"
      "__global__ void again(float* out) {\n"
      "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
      "  out[i] += 0;\n}\n");
  const Emulated result = emulate_caches(steps, CacheState::cold);
  // Nothing has to come from memory again, and L1 is empty at each launch. Each multiprocessor
  // finds in its own half of L2 what it has written: two stores and the second step's reads are
  // hits.
  BOOST_TEST(hit_rate(result, "l1") == 0);
  BOOST_TEST(result.metrics.at("dram_read_bytes") == 65536 * 4);
  BOOST_TEST(result.metrics.at("l2_read_sectors") == 2 * 8192);
  BOOST_TEST(hit_rate(result, "l2") == 75);
  BOOST_TEST(hit_rate(emulate_caches(steps, CacheState::warm), "l2") > 80);
}

BOOST_AUTO_TEST_CASE(some_of_the_blocks_stand_for_all) {
  const std::string copy = over_floats(launched_once,
                                       "__global__ void kernel(const float* in, float* out) {\n"
                                       "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
                                       "  out[i] = in[i];\n}\n");
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.whole_budget = 10'000'000;
  const Emulated result = emulate(copy, integers({{"N", 1 << 23}}), settings, CacheState::cold);
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("executed_share") < 50);
  BOOST_TEST(result.metrics.at("l1_hit_rate") == 0);
  BOOST_TEST(result.metrics.at("l2_hit_rate") == 50, boost::test_tools::tolerance(0.02));
}
