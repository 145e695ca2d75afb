#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <ostream>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/store/newest_points.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace tune {
namespace {

const char* const step_pattern = R"cuda(/* pattern:
summary: Add one to elements that are STEP apart
parameters: {STEP: {default: 4, min: 1}, BLOCK: {default: 256, min: 32}, N: 16 Ki}
buffers: {data: {type: int, length: N * STEP, init: "int(i)"}}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 4, write: N * 4}
verify: "data[i] == int(i) + (i % STEP == 0)"
*/
static_assert(STEP != 5, "five is too many");
__global__ void step(int* data) {
  data[(size_t(blockIdx.x) * BLOCK + threadIdx.x) * STEP] += 1;
}
)cuda";

const std::string small_axes = "pattern: step\naxes: {STEP: [8, 4, 2, 1], BLOCK: [128, 256]}\n";
const std::string by_sectors = "maximize: bandwidth, minimize: load_sectors";

/// A folder with a pattern and a tuned sweep over it, for the emulator.
struct TunedSweep {
  TunedSweep() { folder.write("mine/step.cu", step_pattern); }

  void write(const std::string& text) const { folder.write("tuned.yaml", text); }

  static std::vector<std::string> command(const std::vector<std::string>& more = {}) {
    return with({"run", "tuned.yaml", "--patterns", "mine", "--device", "emulator"}, more);
  }
  Outcome run(const std::vector<std::string>& more = {}) const {
    return run_program(command(more), folder.path());
  }
  std::filesystem::path database() const { return folder.path() / "results/tuned.db"; }
  RunRecord last_run() const { return Store(database(), Store::Mode::read_only).runs().back(); }

  TemporaryFolder folder;
};

/// A mistake in the sweep file, and what is said of it.
struct Mistake {
  std::string tune;
  std::string message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.tune;
}

const Mistake mistakes[] = {
    {"minimize: load_sector", "tuned.yaml:3:18: error: there is no metric 'load_sector'"},
    {"minimize: load_sectors, for_each: STEPS",
     "tuned.yaml:3:42: error: there is no parameter 'STEPS'"},
    {"minimize: load_sectors, strategy: forrest",
     "tuned.yaml:3:42: error: there is no strategy 'forrest'"},
    {"minimize: load_sectors, budget: {configurations: 0}",
     "tuned.yaml:3:57: error: 'configurations' must be an integer of at least 1"},
    {"strategy: random", "tuned.yaml:3:7: error: 'tune' does not say what to search for"},
};

}  // namespace
}  // namespace tune

BOOST_FIXTURE_TEST_SUITE(tune, tune::TunedSweep, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(the_winner_is_named_and_the_second_run_reuses_all) {
  write(small_axes + "tune: {" + by_sectors + "}\n");
  const Outcome first = run();
  BOOST_TEST(first.code == 0, first.err);
  BOOST_TEST(contains(first.err,
                      "  searches 8 configurations for the highest bandwidth, or "
                      "else the lowest load_sectors\n"),
             first.err);
  BOOST_TEST(contains(first.err, "8 points measured, 0 failed; 0 reused"), first.err);
  BOOST_TEST(contains(first.out,
                      "Searched for the lowest load_sectors, emulated, by the strategy 'bayesian' "
                      "with the seed 1: tried 8 of 8"),
             first.out);
  BOOST_TEST(contains(first.out, "best: STEP = 1"), first.out);
  BOOST_TEST(contains(first.out, "the default has 4.00 times the winner's load sectors"),
             first.out);
  const std::string report = read_text_file(folder.path() / "results/tuned.md");
  BOOST_TEST(contains(report, "## Tuning"));
  BOOST_TEST(contains(report, "The search tried every configuration."));

  const Outcome second = run();
  BOOST_TEST(second.code == 0, second.err);
  BOOST_TEST(contains(second.err, "0 points measured, 0 failed; 8 reused"), second.err);
  BOOST_TEST(second.out == first.out);
  const Outcome fresh = run({"--fresh"});
  BOOST_TEST(contains(fresh.err, "8 points measured, 0 failed; 0 reused"), fresh.err);
  BOOST_TEST(fresh.out == first.out);
}

BOOST_AUTO_TEST_CASE(a_default_that_the_axes_do_not_have_is_tried_too) {
  write(small_axes + "tune: {" + by_sectors + "}\n");
  const Outcome narrowed = run({"--set", "STEP=2,8", "--set", "BLOCK=64,128"});
  BOOST_TEST(narrowed.code == 0, narrowed.err);
  BOOST_TEST(contains(narrowed.err, "5 points measured, 0 failed; 0 reused"), narrowed.err);
  BOOST_TEST(contains(narrowed.out, "tried 5 of 5"), narrowed.out);
  BOOST_TEST(contains(narrowed.out, "best: STEP = 2, BLOCK = "), narrowed.out);
  // What the default has is what the user sets, where that is one value.
  const Outcome set = run({"--set", "STEP=2,8", "--set", "BLOCK=64"});
  BOOST_TEST(contains(set.err, "1 point measured, 0 failed; 2 reused"), set.err);
  BOOST_TEST(contains(set.out, "the default has 2.00 times the winner's load sectors"), set.out);
}

BOOST_AUTO_TEST_CASE(each_group_has_its_winner) {
  write(small_axes + "tune: {" + by_sectors + ", for_each: BLOCK}\n");
  const Outcome outcome = run();
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(contains(outcome.out, "best of BLOCK = 128: STEP = 1"), outcome.out);
  BOOST_TEST(contains(outcome.out, "best of BLOCK = 256: STEP = 1"), outcome.out);
  BOOST_TEST(last_run().tuning.value().groups.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_search_ends_by_itself) {
  write(
      "pattern: step\naxes: {STEP: {from: 1, to: 64}, BLOCK: [64, 128, 256, 512]}\n"
      "where: STEP != 5\n"
      "tune: {minimize: load_sectors, budget: {no_better: {by: 1 %, in: 12}}}\n");
  const Outcome outcome = run({"--set", "N=2 Ki"});
  BOOST_TEST(outcome.code == 0, outcome.err);
  const RunRecord record = last_run();
  const TunedGroup& group = record.tuning.value().groups.at(0);
  BOOST_TEST(group.ended == "stopped without a gain of 1 % in the last 12 configurations");
  BOOST_TEST(group.configurations == 252);
  BOOST_TEST(group.tried < 252);
  BOOST_TEST(group.tried >= 13);
  BOOST_TEST(group.winner.has_value());
  BOOST_TEST(contains(read_text_file(folder.path() / "results/tuned.md"),
                      "The search stopped without a gain of 1 % in the last 12 configurations."));
}

BOOST_AUTO_TEST_CASE(a_configuration_that_fails_is_shown_and_does_not_end_the_search) {
  write("pattern: step\naxes: {STEP: {from: 1, to: 6}}\ntune: {minimize: load_sectors}\n");
  for (int time = 0; time < 2; ++time) {  // the second time it fails again
    const Outcome outcome = run();
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(contains(outcome.err, "five is too many"), outcome.err);
    BOOST_TEST(contains(read_text_file(folder.path() / "results/tuned.md"),
                        "tried 6 of 6 configurations; 1 failed."));
    BOOST_TEST(contains(outcome.out, "best: STEP = 1: "), outcome.out);
  }
}

BOOST_AUTO_TEST_CASE(ctrl_c_in_the_middle_keeps_what_is_there_and_the_search_goes_on) {
  const std::string text =
      "pattern: step\naxes: {STEP: {from: 6, to: 37}, BLOCK: [64, 128, 256, 512], N: 2 Mi}\n"
      "tune: {minimize: load_sectors, budget: {configurations: 40}}\n";
  write(text);
  RunningProgram program(command(), folder.path());
  BOOST_REQUIRE(wait_for_a_point(database()));
  kill(program.process(), SIGINT);
  const Outcome stopped = program.wait();
  BOOST_TEST(stopped.code == 130);
  BOOST_TEST(contains(stopped.err, "Stopped. To go on where it stopped: "), stopped.err);
  const RunRecord record = last_run();
  BOOST_TEST((record.state == RunState::interrupted));
  const TunedGroup& group = record.tuning.value().groups.at(0);
  BOOST_TEST(group.ended == "was interrupted");
  const std::int64_t kept = group.tried;
  BOOST_TEST(kept >= 1);
  BOOST_TEST(contains(stopped.err, std::to_string(kept) + " point"), stopped.err);
  BOOST_TEST(contains(read_text_file(folder.path() / "results/tuned.md"), "was interrupted"));

  const Outcome rest = run();
  BOOST_TEST(rest.code == 0, rest.err);
  BOOST_TEST(contains(rest.err, std::to_string(40 - kept) + " point"), rest.err);
  BOOST_TEST(contains(rest.err, "; " + std::to_string(kept) + " reused"), rest.err);
  // It has found what a search finds that nobody stops.
  const TunedSweep unbroken;
  unbroken.write(text);
  BOOST_TEST(unbroken.run().code == 0);
  BOOST_TEST((last_run().tuning == unbroken.last_run().tuning));
  const Store store(database(), Store::Mode::read_only);
  const Store other(unbroken.database(), Store::Mode::read_only);
  const auto points = store.points(last_run().id);
  const auto expected = other.points(unbroken.last_run().id);
  BOOST_REQUIRE(points.size() == expected.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    BOOST_TEST((points[i].point == expected[i].point), i);
  }
}

BOOST_DATA_TEST_CASE(a_mistake_has_its_place, data::make(mistakes), mistake) {
  write(small_axes + "tune: {" + mistake.tune + "}\n");
  const Outcome outcome = run();
  BOOST_TEST(outcome.code == 65);
  BOOST_TEST(contains(outcome.err, mistake.message), outcome.err);
  BOOST_TEST(!std::filesystem::exists(database()));
}

BOOST_AUTO_TEST_CASE(the_plan_says_how_much_is_searched) {
  write(small_axes +
        "tune: {maximize: bandwidth, minimize: load_sectors, for_each: STEP, strategy: random, "
        "budget: {configurations: 1, seconds: 20}}\n");
  const Outcome outcome = run();
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(contains(outcome.err,
                      "  searches 8 configurations for the highest bandwidth, or else the lowest "
                      "load_sectors, at most 1 of each of 4 groups, for at most 20 s each\n"),
             outcome.err);
}

BOOST_AUTO_TEST_CASE(what_the_device_does_not_give_is_no_objective) {
  write(small_axes + "tune: {maximize: bandwidth}\n");
  const Outcome outcome = run();
  BOOST_TEST(outcome.code == 65);
  BOOST_TEST(contains(outcome.err,
                      "tuned.yaml:3:18: error: this sweep tunes bandwidth, which "
                      "emulator"),
             outcome.err);
  BOOST_TEST(contains(outcome.err, "help: where nothing is timed another objective can decide"),
             outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
