#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/gpu_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace compare_versions_gpu {
namespace {

/// Adds 1 to 16 Mi elements; `element` says which one a thread takes.
std::string adding(const std::string& element) {
  return R"cuda(/* pattern:
parameters: {N: 16 Mi, BLOCK: 256}
buffers: {data: {type: float, length: N, init: "0"}}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 4, write: N * 4}
verify: {data: "data[i] == 1"}
*/
__global__ void add(float* data) {
  const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
  data[)cuda" +
         element + R"cuda(] += 1;
}
)cuda";
}

struct Fixture {
  Fixture() {
    folder.write("a/add.cu", adding("thread"));
    folder.write("copy/add.cu", adding("thread"));
    folder.write("b/add.cu", adding("thread % 32 * (N / 32) + thread / 32"));
    folder.write("wrong/add.cu", adding("thread | 1"));
    folder.write("add.yaml", "pattern: add\naxes: {BLOCK: [128, 256]}\n");
  }

  nlohmann::json compare(std::vector<std::string> more, int code) const {
    more.insert(more.begin(), "compare");
    more.insert(more.end(), {"--format", "json"});
    const Outcome compared = run_program(more, folder.path());
    BOOST_TEST_REQUIRE(compared.code == code, compared.err);
    return nlohmann::json::parse(compared.out);
  }

  TemporaryFolder folder;
};

}  // namespace
}  // namespace compare_versions_gpu

BOOST_FIXTURE_TEST_SUITE(compare_versions_gpu, compare_versions_gpu::Fixture,
                         *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(a_worse_access_is_slower_and_its_counts_and_lines_say_why) {
  const nlohmann::json compared = compare({"a/add.cu", "b/add.cu"}, 3);
  BOOST_TEST(compared["metrics"][0]["name"] == "bandwidth");
  const nlohmann::json& change = compared["configurations"][0]["changes"][0];
  BOOST_TEST(change["change"] == "worse");
  BOOST_TEST(change["ratio"]["high"] < 0.9);
  BOOST_TEST(change["ratio"]["low"] <= change["ratio"]["value"]);
  BOOST_TEST(contains(compared["causes"]["summary"].get<std::string>(), "B is slower than A"));
  BOOST_TEST(!compared["causes"]["counts"].empty());
  BOOST_TEST(compared["causes"]["files"][0]["lines"].size() == 2U);
  BOOST_TEST(!compared["causes"]["files"][0]["lines"][1]["costs_after"].empty());
  compare({"b/add.cu", "a/add.cu"}, 0);
}

BOOST_AUTO_TEST_CASE(a_copy_is_neither_slower_nor_faster) {
  const nlohmann::json compared = compare({"a/add.cu", "copy/add.cu"}, 0);
  const nlohmann::json& metric = compared["metrics"][0];
  BOOST_TEST(metric["threshold"] == 0.01);
  BOOST_TEST(metric["better_count"] == 0);
}

BOOST_AUTO_TEST_CASE(a_sweep_compares_every_point_in_turn) {
  const nlohmann::json compared = compare({"a/add.cu", "b/add.cu", "add.yaml"}, 3);
  BOOST_TEST(compared["metrics"][0]["worse"] == 2);
}

BOOST_AUTO_TEST_CASE(a_wrong_version_is_a_regression_whatever_its_speed) {
  const nlohmann::json compared = compare({"a/add.cu", "wrong/add.cu"}, 3);
  BOOST_TEST(compared["configurations"][0]["status"] == "failed_in_b");
  BOOST_TEST(compared["metrics"].empty());
}

BOOST_AUTO_TEST_SUITE_END()
