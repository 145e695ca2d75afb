#include <boost/test/unit_test.hpp>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/store/example_records.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace count_results {
namespace {

const std::string scaled = R"cu(/* pattern:
parameters: {STRIDE: {default: 1}, N: {default: 4096}}
buffers: {data: {type: float, length: N * STRIDE, init: "i"}}
launch: {grid: N / 256, block: 256}
useful: {read: N * 4, write: N * 4}
verify: {data: "data[i] == (i % STRIDE == 0 ? 2 : 1) * float(i)"}
*/
__global__ void scaled(float* data) {
  data[size_t(STRIDE) * (blockIdx.x * 256 + threadIdx.x)] *= 2;
}
)cu";

/// A database of what a GPU measured of two strides without counts.
struct Fixture {
  explicit Fixture(const std::string& expectation = "load_sectors_per_request <= 32",
                   const std::string& pattern_text = scaled,
                   const std::string& pattern_name = "scaled") {
    Provenance provenance = testing::example_provenance();
    provenance.sweep_name = "scaled";
    provenance.sweep_text =
        "pattern: scaled\naxes: {STRIDE: [1, 8]}\nexpect: [" + expectation + "]\n";
    Store store(database, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(provenance);
    for (const std::int64_t stride : {1, 8}) {
      PointRecord point;
      point.key = {pattern_name,       pattern_text,       {},
                   provenance.measure, "cuda NVIDIA H200", "NVRTC 13.0"};
      point.key.parameters.set("STRIDE", stride);
      point.key.parameters.set("N", std::int64_t{4096});
      point.metrics = {{"time", Origin::measured, 10}};
      store.add_point(run, stride, point);
    }
    store.add_note(run, std::string(too_late_to_count));
    store.end_run(run, RunState::finished);
  }

  Outcome report(const std::vector<std::string>& options = {}) const {
    return run_program(with({"report", database.string()}, options), folder.path());
  }

  TemporaryFolder folder;
  std::filesystem::path database = folder.path() / "scaled.db";
};

struct Broken : Fixture {
  Broken() : Fixture("load_sectors_per_request <= 4") {}
};
const std::string including = scaled + "#include \"gone.cuh\"\n";
struct Included : Fixture {
  Included() : Fixture("load_sectors_per_request <= 32", including + "\n// gone.cuh\n") {}
};
struct Elsewhere : Fixture {
  Elsewhere()
      : Fixture("load_sectors_per_request <= 32", including + "\n// gone.cuh\n", "here/scaled.cu") {
    std::filesystem::create_directory(folder.path() / "here");
    folder.write("here/scaled.cu", including);
    folder.write("here/gone.cuh", "");
  }
};

}  // namespace
}  // namespace count_results

BOOST_AUTO_TEST_SUITE(count_results_suite, *boost::unit_test::precondition(has_compiler))

BOOST_FIXTURE_TEST_CASE(points_get_their_counts_later, count_results::Fixture) {
  BOOST_TEST(contains(report().out, "no time to count"));
  const Outcome counted = report({"--count", "--format", "csv"});
  BOOST_TEST(counted.code == 0);
  BOOST_TEST(contains(counted.out, "load_sectors_per_request"));
  const Outcome after = report({"--count"});
  BOOST_TEST(after.code == 0);
  BOOST_TEST(contains(after.err, "every point has the emulator's counts"));
  BOOST_TEST(!contains(after.out, "no time to count"));
}

BOOST_FIXTURE_TEST_CASE(expectations_are_checked_again, count_results::Broken) {
  BOOST_TEST(report().code == 0);
  const Outcome counted = report({"--count"});
  BOOST_TEST(counted.code == 1);
  BOOST_TEST(contains(counted.err, "broken by 1 of 2 points"));
}

BOOST_FIXTURE_TEST_CASE(a_pattern_whose_files_are_gone_is_asked_for, count_results::Included) {
  const Outcome counted = report({"--count"});
  BOOST_TEST(counted.code == 65);
  BOOST_TEST(contains(counted.err, "name its folder with --patterns"));
}

/// A path where a name should be leads to a file that fits, which is not read.
BOOST_FIXTURE_TEST_CASE(a_name_in_a_database_chooses_no_file, count_results::Elsewhere) {
  const Outcome counted = report({"--count"});
  BOOST_TEST(counted.code == 65);
  BOOST_TEST(contains(counted.err, "name its folder with --patterns"));
}

BOOST_AUTO_TEST_SUITE_END()
