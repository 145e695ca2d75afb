#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
using nlohmann::json;

namespace run_explanations {
namespace {

struct Fixture {
  Outcome run(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", "two.yaml", "--device", "emulator", "-o", "."});
    return run_program(more, folder.path());
  }
  std::vector<RunRecord> runs() const {
    return Store(folder.path() / "two.db", Store::Mode::read_only).runs();
  }

  TemporaryFolder folder;
};

const std::string two =
    "patterns: [stride, offset]\naxes: {STRIDE: [8, 1], OFFSET: [3]}\n"
    "emulator: {set: {BYTES: 1 Mi}}\n";

}  // namespace
}  // namespace run_explanations

BOOST_FIXTURE_TEST_SUITE(run_explanations, run_explanations::Fixture,
                         *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(a_run_keeps_what_each_pattern_s_accesses_cost) {
  folder.write("two.yaml", two);
  const Outcome first = run();
  BOOST_TEST(first.code == 0, first.err);
  const std::vector<PatternExplanation> explanations = runs().at(0).explanations;
  BOOST_TEST_REQUIRE(explanations.size() == 2u);
  BOOST_TEST(explanations[0].pattern == "stride");
  BOOST_TEST(explanations[0].ordinal == 0);
  BOOST_TEST((*explanations[0].parameters.find("STRIDE") == Value(std::int64_t{8})));
  BOOST_TEST(explanations[1].pattern == "offset");
  BOOST_TEST(explanations[1].ordinal == 2);

  const Outcome explained = run_program(
      {"explain", "stride", "--set", "STRIDE=8", "--set", "BYTES=1 Mi", "--json"}, folder.path());
  BOOST_TEST(explained.code == 0, explained.err);
  // Beside what accesses cost the command predicts, for which the emulator follows caches.
  json of_run = json::parse(explanations[0].json);
  json of_command = json::parse(explained.out);
  BOOST_TEST(of_run["prediction"].empty());
  BOOST_TEST(!of_command["prediction"].empty());
  for (json* each : {&of_run, &of_command}) {
    for (const char* key : {"prediction", "device", "notes"}) each->erase(key);
  }
  BOOST_TEST(of_run == of_command);
}

BOOST_AUTO_TEST_CASE(a_run_again_has_them_from_the_store) {
  folder.write("two.yaml", two);
  run();
  const Outcome second = run();
  BOOST_TEST(second.code == 0, second.err);
  const auto all = runs();
  BOOST_TEST_REQUIRE(all.size() == 2u);
  BOOST_TEST((all[0].explanations == all[1].explanations));
  const Outcome other = run({"--model", "7.0"});
  BOOST_TEST(other.code == 0, other.err);
  const auto older = runs().at(2).explanations;
  BOOST_TEST_REQUIRE(older.size() == 2u);
  BOOST_TEST(contains(older[0].json, "emulator of 7.0"));
}

BOOST_AUTO_TEST_CASE(a_pattern_that_takes_the_emulator_too_long_is_left_out) {
  // The run itself counts it for as long as it takes: some seconds.
  folder.write("slow.cu", R"cuda(/* pattern:
buffers:
  out: {type: float, length: 1}
launch: {grid: 1, block: 32}
useful: {write: 4}
verify: {out: "out[i] >= 0"}
*/
__global__ void slow(float* out) {
  volatile __shared__ float turns[32];
  turns[threadIdx.x] = 0;
  for (int i = 0; i < 8000000; ++i) turns[threadIdx.x] = turns[threadIdx.x] + 1;
  if (threadIdx.x == 0) out[blockIdx.x] = turns[0];
}
)cuda");
  folder.write("two.yaml", "patterns: [slow, stride]\nemulator: {set: {BYTES: 1 Mi}}\n");
  const Outcome slow = run();
  BOOST_TEST(slow.code == 0, slow.err);
  BOOST_TEST(contains(slow.err,
                      "  slow: what its accesses cost is not shown: the emulator takes too long to "
                      "execute it\n"),
             slow.err);
  const auto explanations = runs().at(0).explanations;
  BOOST_TEST_REQUIRE(explanations.size() == 1u);
  BOOST_TEST(explanations[0].pattern == "stride");
}

BOOST_AUTO_TEST_SUITE_END()
