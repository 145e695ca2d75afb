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

namespace {

const std::string copy_of_floats =
    over_floats(launched_once,
                "__global__ void kernel(const float* in, float* out) {\n"
                "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
                "  out[i] = in[i];\n}\n");

Emulated emulate_samples(const std::string& text, const Bindings& given = {}) {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.samples_caches = true;
  return emulate(text, given, settings);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_sample_of_the_blocks_tells_what_all_of_them_do_to_the_caches) {
  const double bytes = 4.0 * (1 << 26);
  const Emulated result = emulate_samples(copy_of_floats, integers({{"N", 1 << 26}}));
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("l1_hit_rate") == 0);
  BOOST_TEST(result.metrics.at("l2_hit_rate") == 50, boost::test_tools::tolerance(0.01));
  BOOST_TEST(result.metrics.at("l2_read_sectors") == bytes / 32,
             boost::test_tools::tolerance(0.01));
  BOOST_TEST(result.metrics.at("l2_write_sectors") == bytes / 32,
             boost::test_tools::tolerance(0.01));
  BOOST_TEST(result.metrics.at("dram_read_bytes") == bytes, boost::test_tools::tolerance(0.01));
  BOOST_TEST(result.metrics.at("dram_write_bytes") == bytes, boost::test_tools::tolerance(0.01));
  BOOST_TEST(result.notes.back().find("told from the first") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_sample_reaches_what_earlier_blocks_have_left) {
  // As many blocks as are resident together read what those before them have read.
  const std::string planes =
      over_floats(launched_once,
                  "__global__ void kernel(const float* in, float* out) {\n"
                  "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
                  "  const size_t plane = 1056 * 256;\n"
                  "  float sum = 0;\n"
                  "  for (int k = 0; k < 6; ++k) sum += in[(i + N - k * plane) % N];\n"
                  "  out[i] = sum;\n}\n");
  const Emulated result = emulate_samples(planes, integers({{"N", 1 << 25}}));
  const double misses = 1 - result.metrics.at("l2_hit_rate") / 100;
  // In each half of L2 each line is read first once.
  const double sectors =
      result.metrics.at("l2_read_sectors") + result.metrics.at("l2_write_sectors");
  BOOST_TEST(misses * sectors * 32 / (4.0 * (1 << 25)) < 2.1);
  BOOST_TEST(misses * sectors * 32 / (4.0 * (1 << 25)) > 1.4);
}

BOOST_AUTO_TEST_CASE(a_sample_of_a_small_launch_is_all_of_it) {
  const Emulated sample = emulate_samples(copy_of_floats);
  const Emulated whole = emulate_caches(copy_of_floats, CacheState::cold);
  for (const char* metric : {"l1_hit_rate", "l2_hit_rate", "l2_read_sectors", "l2_write_sectors",
                             "dram_read_bytes", "dram_write_bytes"}) {
    BOOST_TEST_INFO(metric);
    BOOST_TEST(sample.metrics.at(metric) == whole.metrics.at(metric));
  }
}

BOOST_AUTO_TEST_CASE(a_sample_leaves_results_alone) {
  const std::string in_place = over_floats("launch: {grid: N / 256, block: 256}\n",
                                           "__global__ void kernel(float* in, float* out) {\n"
                                           "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
                                           "  out[i] = in[i];\n"
                                           "  in[i] += 1;\n}\n");
  BOOST_TEST(emulate_samples(in_place).outcome == "correct");
}

BOOST_AUTO_TEST_CASE(long_blocks_are_followed_side_by_side) {
  // Each thread reads 4096 floats: every block of a wave for some of them.
  const std::string sums =
      "/* pattern:\n"
      "parameters: {N: {default: 4 Mi}}\n"
      "buffers:\n"
      "  in: {type: float, length: N * 256, init: \"float(i % 2)\"}\n"
      "  out: {type: float, length: N / 16}\n"
      "launch: {grid: N / 4096, block: 256}\n"
      "useful: {read: N * 1024, write: N / 4}\n"
      "verify: {out: \"out[i] == 4096.0f * float(i % 2)\"}\n*/\n"
      "__global__ void kernel(const float* in, float* out) {\n"
      "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
      "  float sum = 0;\n"
      "  for (size_t k = 0; k < 4096; ++k) sum += in[k * (N / 16) + i];\n"
      "  out[i] = sum;\n}\n";
  const Emulated result = emulate_samples(sums);
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("l1_hit_rate") == 0);
  BOOST_TEST(result.metrics.at("dram_read_bytes") == 1024.0 * (1 << 22),
             boost::test_tools::tolerance(0.02));
}

BOOST_AUTO_TEST_CASE(steps_are_followed_as_they_are_executed) {
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
  const Emulated result = emulate_samples(steps);
  BOOST_TEST(result.metrics.at("dram_read_bytes") == 65536 * 4);
  BOOST_TEST(hit_rate(result, "l2") == 75);
}

BOOST_AUTO_TEST_CASE(the_busiest_line_takes_a_pass_for_each_sector_and_each_thread_of_a_word) {
  const std::string counts =
      "/* pattern:\n"
      "parameters: {N: {default: 1 Ki}, LANES: {default: 32}}\n"
      "buffers: {out: {type: uint32_t, length: N, init: 0}}\n"
      "launch: {grid: N / 256, block: 256}\n"
      "useful: {write: N * 4}\n"
      "verify: {out: \"out[i] >= 0\"}\n*/\n"
      "__global__ void kernel(uint32_t* out) {\n"
      "  atomicAdd(&out[threadIdx.x % 32 / LANES], threadIdx.x);\n}\n";
  // 32 warps, each with one request. Where all lanes are known to reach one element, one does it.
  BOOST_TEST(emulate(counts).metrics.at("busiest_line") == 32);
  BOOST_TEST(emulate(counts, integers({{"LANES", 16}})).metrics.at("busiest_line") == 512);
  BOOST_TEST(emulate(counts, integers({{"LANES", 1}})).metrics.at("busiest_line") == 128);
  std::string floats = counts;
  for (const std::string from = "uint32_t"; floats.find(from) != std::string::npos;) {
    floats.replace(floats.find(from), from.size(), "float");
  }
  BOOST_TEST(emulate(floats, integers({{"LANES", 1}})).metrics.at("busiest_line") == 256);
}

BOOST_AUTO_TEST_CASE(the_longest_path_is_that_of_the_block_that_executes_most) {
  const auto kernel = [](const std::string& turns) {
    return "/* pattern:\n"
           "buffers: {out: {type: float, length: 1 Ki, init: 0}}\n"
           "launch: {grid: 4, block: 256}\n"
           "useful: {write: 4096}\n"
           "verify: {out: \"out[i] >= 0\"}\n*/\n"
           "__global__ void kernel(float* out) {\n"
           "  float x = out[blockIdx.x * 256 + threadIdx.x];\n"
           "#pragma unroll 1\n"
           "  for (int k = 0; k < " +
           turns +
           "; ++k) x = x * 0.5f + 1;\n"
           "  out[blockIdx.x * 256 + threadIdx.x] = x;\n}\n";
  };
  const auto even = emulate(kernel("100")).metrics;
  BOOST_TEST(even.at("longest_path") == even.at("instructions") / 32);
  const auto uneven = emulate(kernel("(blockIdx.x == 1 ? 400 : 0)")).metrics;
  BOOST_TEST(uneven.at("longest_path") > 3 * uneven.at("instructions") / 32);
}

BOOST_AUTO_TEST_CASE(instructions_are_counted_by_the_pipe_that_they_take) {
  const std::string products =
      "/* pattern:\n"
      "parameters: {N: {default: 64 Ki}}\n"
      "buffers: {out: {type: float, length: N, init: \"float(i % 2)\"}}\n"
      "launch: {grid: N / 256, block: 256}\n"
      "useful: {write: N * 4}\n"
      "verify: {out: \"out[i] > 0\"}\n*/\n"
      "__global__ void kernel(float* out) {\n"
      "  const size_t i = blockIdx.x * 256 + threadIdx.x;\n"
      "  out[i] = __expf(out[i]) * out[i] + 1;\n}\n";
  const Emulated result = emulate(products);
  BOOST_TEST(result.metrics.at("special_instructions") == result.metrics.at("warps"));
  BOOST_TEST(result.metrics.at("fma_instructions") > result.metrics.at("warps"));
  BOOST_TEST(!result.metrics.contains("fp64_instructions"));
  BOOST_TEST(!result.metrics.contains("tensor_operations"));
}
