#include <boost/test/unit_test.hpp>
#include <csignal>

#include "engine/store/store.h"
#include "tests/cli/gpu_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/store/newest_points.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace run {
namespace {

/// A folder with a new pattern, which no build has seen, and a sweep over it.
struct NewPattern {
  NewPattern() {
    folder.write("mine/twice.cu", R"cuda(/* pattern:
summary: Double every element
parameters: {SHIFT: {default: 0, min: 0}, N: 1 Mi}
require: [SHIFT != 3]
buffers: {data: {type: int, length: N, init: "int(i)"}}
launch: {grid: N / 256, block: 256}
useful: {read: N * 4, write: N * 4}
verify: "data[i] == 2 * int(i) + (SHIFT == 5)"
*/
__global__ void twice(int* data) { data[blockIdx.x * 256 + threadIdx.x] *= 2; }
)cuda");
    folder.write("twice.yaml", R"(pattern: twice
axes: {SHIFT: {from: 0, to: 9}}
measure: {samples: {min: 20}, seconds: 0.2}
report: {tables: [{rows: SHIFT, value: bandwidth}]}
)");
  }

  std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    return with({"run", "twice.yaml", "--patterns", "mine"}, more);
  }

  Outcome run(const std::vector<std::string>& more = {}) const {
    return run_program(command(more), folder.path());
  }

  TemporaryFolder folder;
};

}  // namespace
}  // namespace run

BOOST_FIXTURE_TEST_SUITE(run, run::NewPattern, *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(a_new_pattern_runs_without_rebuilding) {
  const Outcome first = run({"--set", "SHIFT=0,1,2"});
  BOOST_TEST(first.code == 0);
  BOOST_TEST(contains(first.out, "bandwidth [GB/s]"));
  BOOST_TEST(contains(first.err, "3 points measured, 0 failed; 0 reused"));
  const std::string csv = read_text_file(folder.path() / "results/twice.csv");
  BOOST_TEST(csv.starts_with("pattern,SHIFT,N,"));
  BOOST_TEST(contains(read_text_file(folder.path() / "results/twice.md"),
                      "sweep run twice.yaml --patterns mine --set SHIFT=0,1,2"));
  BOOST_TEST(run_program({"report", "results/twice.db", "--format", "csv"}, folder.path()).out ==
             csv);
}

BOOST_AUTO_TEST_CASE(a_wrong_result_is_a_failed_point_and_exit_code_1) {
  const Outcome first = run();
  BOOST_TEST(first.code == 1);
  BOOST_TEST(contains(first.err, "failed: twice SHIFT=5"));
  BOOST_TEST(contains(first.err, "the first is i = 0: 0, expected 1"));
  BOOST_TEST(contains(first.err, "9 points measured, 1 failed"));
}

BOOST_AUTO_TEST_CASE(a_broken_expectation_is_shown_and_exit_code_1) {
  folder.write("expect.yaml", R"(pattern: twice
axes: {SHIFT: [0, 1]}
expect: [bandwidth > 0, "time < 0", dram_read_bytes > 0]
)");
  const std::vector<std::string> words = {"run", "expect.yaml", "--patterns", "mine"};
  for (int time = 0; time < 2; ++time) {  // the second time with reused points
    const Outcome outcome = run_program(words, folder.path());
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(contains(outcome.err, "expect.yaml:3:26: error: 'time < 0': broken by 2 of 2"));
    BOOST_TEST(contains(outcome.err, "  SHIFT = 1: time = "));
    BOOST_TEST(contains(outcome.err, "cannot be checked: no point has dram_read_bytes"));
    BOOST_TEST(!contains(outcome.err, "'bandwidth > 0'"));
  }
  BOOST_TEST(contains(read_text_file(folder.path() / "results/expect.md"), "## Expectations\n"));
}

BOOST_AUTO_TEST_CASE(running_again_goes_on_where_it_stopped) {
  run({"--set", "SHIFT=0,1"});
  const Outcome second = run({"--set", "SHIFT=0,1,2"});
  BOOST_TEST(contains(second.err, "2 of 3 points are there from earlier runs"));
  BOOST_TEST(contains(second.err, "1 point measured, 0 failed; 2 reused"));
  const Outcome fresh = run({"--set", "SHIFT=0,1,2", "--fresh"});
  BOOST_TEST(contains(fresh.err, "3 points measured, 0 failed; 0 reused"));
}

BOOST_AUTO_TEST_CASE(the_first_interrupt_finishes_the_point_and_says_how_to_go_on) {
  const std::vector<std::string> command = {
      "run", "stride", "--set", "STRIDE={from: 1, to: 1000}", "--set", "BYTES=256 Mi", "--fresh"};
  RunningProgram running(command, folder.path());
  const auto database = folder.path() / "results/stride.db";
  BOOST_REQUIRE(wait_for_a_point(database));
  kill(running.process(), SIGINT);
  const Outcome stopped = running.wait();
  BOOST_TEST(stopped.code == 130);
  BOOST_TEST(contains(stopped.err, "Stopped. To go on where it stopped: "));
  BOOST_TEST(!contains(stopped.err, "--fresh"));
  const Store store(database, Store::Mode::read_only);
  const auto runs = store.runs();
  BOOST_REQUIRE(runs.size() == 1U);
  BOOST_TEST((runs.front().state == RunState::interrupted));
  const std::size_t points = store.points(runs.front().id).size();
  BOOST_TEST(points > 0U);
  BOOST_TEST(std::filesystem::exists(folder.path() / "results/stride.csv"));
}

BOOST_AUTO_TEST_CASE(a_killed_run_keeps_its_points) {
  {
    RunningProgram running({"run", "stride", "--set", "STRIDE={from: 1, to: 1000}"}, folder.path());
    BOOST_REQUIRE(wait_for_a_point(folder.path() / "results/stride.db"));
    kill(running.process(), SIGKILL);
    BOOST_TEST(running.wait().code == -SIGKILL);
  }
  const Store store(folder.path() / "results/stride.db", Store::Mode::read_only);
  const auto runs = store.runs();
  BOOST_REQUIRE(runs.size() == 1U);
  BOOST_TEST((runs.front().state == RunState::running));
  BOOST_TEST(!store.points(runs.front().id).empty());
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_written_is_named) {
  folder.write("results", "a file stands where the folder should be");
  const Outcome run_there = run();
  BOOST_TEST(run_there.code == 73);
  BOOST_TEST(contains(run_there.err, "results"));
}

BOOST_AUTO_TEST_SUITE_END()
