// Clusters and cooperative grids by way of the run-time compiler: what they compute, what is
// counted of them, and what the checks say.
#include "tests/cluster_patterns.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace cluster_execution {
namespace {

EmulatorSettings settings_with(bool checks_kernel, bool is_exact) {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.checks_kernel = checks_kernel;
  settings.is_exact = is_exact;
  return settings;
}

/// A reduction over clusters of 4 blocks; what comes before the sums and at the end may be left
/// out.
std::string reduction(const std::string& first, const std::string& last) {
  return R"(/* pattern:
parameters: {BLOCKS: 4 Ki}
buffers:
  out: {type: int, length: BLOCKS / 4}
  in: {type: int, length: 64 * BLOCKS, init: "1"}
launch: {grid: BLOCKS, block: 64, cluster: 4}
useful: {read: 256 * BLOCKS}
verify: {out: "out[i] == 256"}
*/
#include <cooperative_groups.h>
__global__ void kernel(int* out, const int* in) {
  __shared__ int sum;
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  )" + first +
         R"(
  atomicAdd(cluster.map_shared_rank(&sum, 0), in[blockIdx.x * 64 + threadIdx.x]);
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 1) {
    out[blockIdx.x / 4] = *cluster.map_shared_rank(&sum, 0);
  }
  )" + last +
         "\n}\n";
}

/// A grid of BLOCKS, of which all but the first `missing` wait for each other.
std::string waiting(const std::string& condition, const std::string& launch = "cooperative: true") {
  return R"(/* pattern:
parameters: {BLOCKS: 8}
buffers: {out: {type: int, length: BLOCKS * 32}}
launch: {grid: BLOCKS, block: 32, )" +
         launch + R"(}
useful: {read: 1}
verify: "out[i] == 1"
*/
#include <cooperative_groups.h>
__global__ void kernel(int* out) {
  out[blockIdx.x * 32 + threadIdx.x] = 1;
  if ()" +
         condition + ") cooperative_groups::this_grid().sync();\n}\n";
}

struct Mistake {
  std::string text;
  const char* message;
  friend std::ostream& operator<<(std::ostream& out, const Mistake& one) {
    return out << one.message;
  }
};

const Mistake mistakes[] = {
    {reduction("__syncthreads();", "cluster.sync();"),
     "block (1, 0, 0), thread (32, 0, 0): it reaches for the shared memory of block (0, 0, 0), "
     "which may not have begun: cluster.sync() comes first"},
    {reduction("cluster.sync();", ""), "which has ended: a last cluster.sync() makes it wait"},
    {waiting("blockIdx.x != 3"),
     "deadlock: of the 8 blocks of the grid 7 wait for each other, the others have ended: block "
     "(0, "
     "0, 0) at kernel.cu:11 (barrier.sync)"},
    {waiting("true", "shared: 0"),
     "kernel.cu:11 (trap): block (0, 0, 0), thread (0, 0, 0): the kernel stopped itself with a "
     "trap, as grid.sync() does in a launch without cooperative: true"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster_execution_suite, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(blocks_work_together, data::make(cluster_patterns), pattern) {
  for (const bool checks_kernel : {false, true}) {
    BOOST_TEST(emulate(pattern.text(), {}, settings_with(checks_kernel, false)).outcome ==
               "correct");
  }
  BOOST_TEST(emulate(pattern.text(), {}, settings_with(false, true), CacheState::cold).outcome ==
             "correct");
}

BOOST_DATA_TEST_CASE(mistakes_are_found, data::make(mistakes), mistake) {
  const std::string outcome = emulate(mistake.text, {}, settings_with(true, false)).outcome;
  BOOST_TEST(contains(outcome, mistake.message), outcome);
}

BOOST_AUTO_TEST_CASE(clusters_are_chosen_as_a_whole_and_scaled) {
  const std::string text = reduction("cluster.sync();", "cluster.sync();");
  const Emulated some = emulate(text, integers({{"BLOCKS", 1 << 20}}));
  BOOST_TEST(some.outcome == "correct");
  BOOST_TEST(some.metrics.at("executed_share") < 10);
  // Of three blocks of four the atomics of two warps go to another one, and one lane reads.
  BOOST_TEST(some.metrics.at("cluster_requests") == (3 * 2 + 1) * (1 << 18));
  BOOST_TEST(some.metrics.at("cluster_bytes") == (3 * 64 + 1) * 4 * (1 << 18));
  BOOST_TEST(some.metrics.at("load_requests") == 2 * (1 << 20));
  const Emulated all = emulate(text, {}, settings_with(false, true));
  BOOST_TEST(all.metrics.at("executed_share") == 100);
  BOOST_TEST(all.metrics.at("cluster_requests") == (3 * 2 + 1) * 1024);
  BOOST_TEST(std::ranges::any_of(all.notes, [](const std::string& note) {
    return contains(note, "cluster_requests here, and in no other count");
  }));
}

BOOST_AUTO_TEST_CASE(all_blocks_of_a_cooperative_grid_are_executed) {
  const Emulated all = emulate(waiting("true"), integers({{"BLOCKS", 2000}}));
  BOOST_TEST(all.outcome == "correct");
  BOOST_TEST(all.metrics.at("executed_share") == 100);
  BOOST_TEST(all.metrics.at("atomic_requests") == 2000);
  BOOST_TEST(all.metrics.at("load_requests") == 2000);
}

BOOST_AUTO_TEST_CASE(a_kernel_says_what_clusters_it_is_compiled_for) {
  const auto outcome = [](const std::string& attributes, const std::string& launch) {
    return emulate(
               "/* pattern:\nbuffers: {out: {type: int, length: 8}}\nlaunch: {grid: 8, block: "
               "32" +
               launch + "}\nuseful: {read: 1}\nverify: \"true\"\n*/\n__global__ void " +
               attributes + " kernel(int* out) { out[blockIdx.x] = 1; }\n")
        .outcome;
  };
  BOOST_TEST(outcome("__cluster_dims__(2, 1, 1)", ", cluster: 2") == "correct");
  BOOST_TEST(
      outcome("__cluster_dims__(2, 1, 1)", ", cluster: 4") ==
      "bad launch: the kernel's __cluster_dims__ are 2 x 1 x 1, the launch's cluster 4 x 1 x "
      "1");
  BOOST_TEST(contains(outcome("__cluster_dims__(3, 1, 1)", ""),
                      "the grid's x extent is 8, which is no multiple of the cluster's 3"));
  BOOST_TEST(contains(outcome("__launch_bounds__(32, 1, 2)", ", cluster: 4"),
                      "the cluster's size, with the kernel's __launch_bounds__, is 4"));
  BOOST_TEST(contains(outcome("", ", cluster: 32"), "no multiple of the cluster's 32"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cluster_execution
