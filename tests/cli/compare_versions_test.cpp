#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compare_versions {
namespace {

/// A pattern that adds 1 to elements STRIDE apart; `step` says where a thread's element lies.
std::string pattern_of(const std::string& step, const std::string& name = "walk",
                       const std::string& parameters = "BLOCK: 256") {
  return R"cuda(/* pattern:
parameters:
  STRIDE: {default: 4, min: 1}
  N: 4096
  )cuda" +
         parameters + R"cuda(
require: [N % BLOCK == 0]
buffers: {data: {type: float, length: N * STRIDE, init: "float(i % 7)"}}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 4, write: N * 4}
verify: {data: "data[i] == float(i % 7) + (i % STRIDE == 0 ? 1 : 0)"}
*/
__global__ void )cuda" +
         name + R"cuda((float* data) {
  const int thread = blockIdx.x * BLOCK + threadIdx.x;
  )cuda" +
         step +
         R"cuda(
  data[element] += 1;
}
)cuda";
}

const std::string strided = "const int element = thread * STRIDE;";
/// Lanes of a warp take elements 32 apart, so that each touches a sector of its own at STRIDE 1.
const std::string scattered =
    "const int element = (thread % 32 * (N / 32) + thread / 32) * STRIDE;";
const std::string too_far = "const int element = thread * STRIDE + (thread == 5 ? STRIDE : 0);";

struct Fixture {
  Fixture() {
    folder.write("old/walk.cu", pattern_of(strided));
    folder.write("new/walk.cu", pattern_of(scattered));
    folder.write("walk.yaml", "pattern: walk\naxes: {STRIDE: [1, 8]}\n");
  }

  Outcome compare(const std::vector<std::string>& more) const {
    return run_program(with({"compare"}, more), folder.path());
  }
  nlohmann::json json(std::vector<std::string> more, int code) const {
    more.insert(more.end(), {"--format", "json"});
    const Outcome compared = compare(more);
    BOOST_TEST_REQUIRE(compared.code == code, compared.err);
    return nlohmann::json::parse(compared.out);
  }

  TemporaryFolder folder;
};

}  // namespace
}  // namespace compare_versions

namespace {

struct Mistake {
  std::vector<std::string> arguments;
  int code;
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.message;
}

const std::vector<Mistake> mistakes = {
    {{"old/walk.cu"}, 2, "sweep compare old/x.cu new/x.cu [SWEEP.yaml]"},
    {{"old/walk.cu", "runs.db"}, 2, "git show HEAD~1:patterns/x.cu > /tmp/x.cu"},
    {{"old/walk.cu", "walk.yaml"}, 2, "two versions of a pattern are compared"},
    {{"old/walk.cu", "old/../old/walk.cu"}, 2, "are one file; compare two versions of it"},
    {{"old/walk.cu", "no/walk.cu"}, 66, "no/walk.cu"},
    {{"old/walk.cu", "new/walk.cu", "no.yaml"}, 66, "no.yaml: no such file"},
    {{"old/walk.cu", "new/walk.cu", "runs.db"}, 2, "runs.db is a results database"},
    {{"old/walk.cu", "new/walk.cu", "other.yaml"}, 65, "other.yaml:1:10: error: this sweep is not"},
    {{"old/walk.cu", "more/walk.cu", "more.yaml"},
     65,
     "more.yaml:2:8: error: only B (more/walk.cu) has a parameter 'UNROLL'"},
    {{"old/walk.cu", "more/walk.cu", "--set", "UNROLL=1,2"}, 65, "--set:1:1: error: only B"},
    {{"more/walk.cu", "kind/walk.cu"}, 65, "kind/walk.cu:6:3: error: 'UNROLL' is a boolean here"},
    {{"old/walk.cu", "new/walk.cu", "--set", "STRID=2"}, 65, "did you mean 'STRIDE'?"},
    {{"old/walk.cu", "new/walk.cu", "--set", "N=100"}, 65, "is left: N % BLOCK == 0 does not hold"},
    {{"old/walk.cu", "new/walk.cu", "--where", "STRID < 2"}, 65, "--where:1:1: error"},
    {{"old/walk.cu", "new/walk.cu", "--ignore", "N"}, 2, "--ignore is for runs of databases"},
    {{"old/walk.cu", "new/walk.cu", "--device", "replay:x.db"}, 2, "a recording measures nothing"},
    {{"a.db", "b.db", "--set", "N=1"}, 2, "--set is for two versions of a pattern"},
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(compare_versions, compare_versions::Fixture,
                         *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(mistakes_are_explained, data::make(mistakes), mistake) {
  folder.write("other.yaml", "pattern: stride\n");
  folder.write("more.yaml", "pattern: walk\naxes: {UNROLL: [1, 2]}\n");
  folder.write("more/walk.cu", pattern_of(strided, "walk", "BLOCK: 256\n  UNROLL: 1"));
  folder.write("kind/walk.cu", pattern_of(strided, "walk", "BLOCK: 256\n  UNROLL: true"));
  std::vector<std::string> words = mistake.arguments;
  words.insert(words.end(), {"--patterns", SWEEP_SOURCE_DIR "/patterns"});
  if (mistake.arguments.front().ends_with(".db")) words = mistake.arguments;
  const Outcome wrong = compare(words);
  BOOST_TEST(wrong.code == mistake.code);
  BOOST_TEST(contains(wrong.err, mistake.message), wrong.err);
  BOOST_TEST(wrong.out.empty());
}

BOOST_AUTO_TEST_CASE(counts_and_lines_say_why_a_version_is_worse) {
  const Outcome worse =
      compare({"old/walk.cu", "new/walk.cu", "--set", "STRIDE=1", "--device", "emulator"});
  BOOST_TEST(worse.code == 3);
  BOOST_TEST(contains(worse.out, "walk: B against A"));
  BOOST_TEST(contains(worse.out, "nothing was timed"));
  BOOST_TEST(contains(worse.out, "load_sectors"));
  BOOST_TEST(contains(worse.out, "-   14     const int element = thread * STRIDE;"));
  BOOST_TEST(contains(worse.out, "+   14     const int element = (thread % 32 * (N / 32)"));
  BOOST_TEST(contains(worse.out, "    15     data[element] += 1;"));
  BOOST_TEST(contains(worse.out, "| A: load data[element]: 4 sectors/request (ideal 4)"));
  BOOST_TEST(contains(worse.out, "| B: load data[element]: 32 sectors/request (ideal 4)"));
  BOOST_TEST(contains(worse.out, "regression: of 1 configuration in both runs 1 worse"));
  const Outcome better =
      compare({"new/walk.cu", "old/walk.cu", "--set", "STRIDE=1", "--device", "emulator"});
  BOOST_TEST(better.code == 0);
  BOOST_TEST(contains(better.out, "no regression: of 1 configuration in both runs 1 better"));
}

BOOST_AUTO_TEST_CASE(a_sweep_gives_the_points) {
  const nlohmann::json compared =
      json({"old/walk.cu", "new/walk.cu", "walk.yaml", "--device", "emulator"}, 3);
  BOOST_TEST(compared["sweep"] == "walk");
  BOOST_TEST(compared["configurations"].size() == 2U);
  BOOST_TEST(compared["before"]["run"] == "old/walk.cu");
  BOOST_TEST(compared["after"]["points"] == 2);
  // At a stride of 8 every element of either version is in a sector of its own.
  BOOST_TEST(compared["causes"]["configuration"] == "STRIDE = 1");
  BOOST_TEST(compared["causes"]["counts"][0]["origin"] == "emulated");
  BOOST_TEST(compared["causes"]["counts"][0]["change"] == "worse");
  const nlohmann::json& lines = compared["causes"]["files"][0]["lines"];
  BOOST_TEST_REQUIRE(lines.size() == 3U, compared.dump(1));
  BOOST_TEST(lines[0]["before"] == 14);
  BOOST_TEST(lines[0]["after"].is_null());
  BOOST_TEST(lines[2]["costs_before"].size() == 2U);  // a load and a store
  const nlohmann::json one = json(
      {"old/walk.cu", "new/walk.cu", "walk.yaml", "--where", "STRIDE > 1", "--device", "emulator"},
      3);  // more instructions
  BOOST_REQUIRE(one["configurations"].size() == 1U);
  BOOST_TEST(one["configurations"][0]["parameters"]["STRIDE"] == 8);
}

BOOST_AUTO_TEST_CASE(the_files_may_have_two_names) {
  folder.write("faster.cu", pattern_of(strided, "faster"));
  const Outcome compared =
      compare({"new/walk.cu", "faster.cu", "walk.yaml", "--device", "emulator"});
  BOOST_TEST(compared.code == 0, compared.err);
  BOOST_TEST(contains(compared.out, "@@ A: new/walk.cu, B: faster.cu @@"));
  BOOST_TEST(contains(compared.out, "no regression: of 2 configurations in both runs 2 better"));
}

BOOST_AUTO_TEST_CASE(lines_of_included_files_and_other_defaults_are_told) {
  const auto write = [&](const std::string& version, const std::string& index, int block) {
    folder.write(version + "/add.cuh",
                 "__device__ void plus_one(float* data, int i) { data[" + index + "] += 1; }\n");
    folder.write(version + "/add.cu", R"cuda(/* pattern:
parameters: {BLOCK: )cuda" + std::to_string(block) +
                                          R"cuda(, N: 4096}
buffers: {data: {type: float, length: N, init: "0"}}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 4, write: N * 4}
verify: {data: "data[i] == 1"}
*/
#include "add.cuh"
__global__ void add(float* data) { plus_one(data, blockIdx.x * BLOCK + threadIdx.x); }
)cuda");
  };
  write("a", "i", 256);
  write("b", "i / 32 + i % 32 * 128", 128);
  const Outcome compared = compare({"a/add.cu", "b/add.cu", "--device", "emulator"});
  BOOST_TEST(compared.code == 3, compared.err);
  BOOST_TEST(contains(compared.out, "the defaults differ: BLOCK is 256 in A and 128 in B"));
  BOOST_TEST(contains(compared.out, "@@ A: a/add.cuh, B: b/add.cuh @@"));
  BOOST_TEST(contains(compared.out, "32 sectors/request (ideal 4)"));
}

BOOST_AUTO_TEST_CASE(versions_that_fail_are_told_from_those_that_differ) {
  folder.write("wrong/walk.cu", pattern_of(too_far));
  folder.write("broken/walk.cu", pattern_of("const int element = thread * STRID;"));
  const Outcome wrong = compare({"old/walk.cu", "wrong/walk.cu", "--device", "emulator"});
  BOOST_TEST(wrong.code == 3);
  BOOST_TEST(contains(wrong.err, "B (wrong/walk.cu): "), wrong.err);
  BOOST_TEST(
      contains(wrong.out, "B (wrong/walk.cu) fails in 1 of 1 configuration: it cannot take"));
  BOOST_TEST(contains(wrong.out, "regression: of 1 configuration in both runs 1 newly failing"));
  const Outcome broken = compare({"broken/walk.cu", "old/walk.cu", "--device", "emulator"});
  BOOST_TEST(broken.code == 0);
  BOOST_TEST(contains(broken.err, "identifier \"STRID\" is undefined"), broken.err);
  BOOST_TEST(contains(broken.out, "A (broken/walk.cu) fails in 1 of 1 configuration"));
  const Outcome both = compare({"broken/walk.cu", "wrong/walk.cu", "--device", "emulator"});
  BOOST_TEST(both.code == 65);
  BOOST_TEST(contains(both.err, "nothing to compare: 1 configuration of both"), both.err);
}

BOOST_AUTO_TEST_CASE(a_version_against_its_copy_is_the_same) {
  folder.write("copy/walk.cu", pattern_of(strided));
  const Outcome copy = compare({"old/walk.cu", "copy/walk.cu", "--device", "emulator"});
  BOOST_TEST(copy.code == 0);
  BOOST_TEST(contains(copy.out, "no line of the two versions differs"), copy.out << copy.err);
}

BOOST_AUTO_TEST_CASE(every_format_says_why) {
  for (const char* format : {"md", "html"}) {
    const Outcome compared = compare({"old/walk.cu", "new/walk.cu", "--set", "STRIDE=1", "--device",
                                      "emulator", "--format", format});
    BOOST_TEST(compared.code == 3);
    BOOST_TEST(contains(compared.out, "Counts that differ"));
    BOOST_TEST(contains(compared.out, "const int element = thread * STRIDE;"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
