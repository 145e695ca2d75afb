#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace run_options {
namespace {

/// One small configuration on the emulator, with more options.
struct OnEmulator {
  const TemporaryFolder folder;

  Outcome run(const std::vector<std::string>& more, const Environment& environment = {}) const {
    std::vector<std::string> arguments = {"run",   "stride",    "--device", "emulator",
                                          "--set", "T=int",     "--set",    "STRIDE=1",
                                          "--set", "BLOCK=128", "--set",    "BYTES=1 Mi"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder.path(), environment);
  }
  std::string report() const { return read_text_file(folder.path() / "results/stride.md"); }
};

}  // namespace
}  // namespace run_options

BOOST_FIXTURE_TEST_SUITE(run_options, run_options::OnEmulator)

BOOST_DATA_TEST_CASE_F(OnEmulator, a_seed_is_a_whole_number_above_0,
                       data::make({"0", "-1", "+5", "1.5", "0x10", "9223372036854775808", "one"}),
                       seed) {
  const Outcome wrong = run({"--seed", seed});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: --seed " + std::string(seed) +
                              ": write a whole number from 1 to 9223372036854775807\n");
}

BOOST_AUTO_TEST_CASE(counters_are_checked_before_anything_runs) {
  const Outcome wrong = run({"--counters", "memory,drum"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err ==
             "sweep: --counters: 'drum' is neither a set of counters nor a counter; did you mean "
             "'dram'?\n");
  BOOST_TEST(run({"--counters", ","}).code == 2);
}

BOOST_AUTO_TEST_CASE(counters_of_a_gpu_are_left_out_on_the_emulator,
                     *boost::unit_test::precondition(has_compiler)) {
  const std::string said = "  --counters is left out: it asks a GPU";
  BOOST_TEST(contains(run({"--counters", "memory"}).err, said));
  BOOST_TEST(!contains(run({"--counters", "off"}).err, said));
}

BOOST_AUTO_TEST_CASE(a_run_on_the_emulator_speaks_of_no_times,
                     *boost::unit_test::precondition(has_compiler)) {
  const Outcome counted = run({});
  BOOST_TEST(counted.code == 0, counted.err);
  const std::string all = counted.out + counted.err + report();
  for (const char* word : {"Verdict", "noise", "sample", "seed", "drift", "best:"}) {
    BOOST_TEST(!contains(all, word), word << " in " << all);
  }
  BOOST_TEST(contains(report(), "| measuring | caches: false"));
}

BOOST_AUTO_TEST_CASE(a_dry_run_prints_the_plan_and_leaves_nothing) {
  const Outcome plan =
      run_program({"run", "stride", "--dry-run", "--device", "emulator"}, folder.path());
  BOOST_TEST(plan.code == 0);
  BOOST_TEST(contains(plan.err, "\n  192 configurations: STRIDE x 32"), plan.err);
  BOOST_TEST(plan.out == "");
  BOOST_TEST(std::filesystem::is_empty(folder.path()));
  BOOST_TEST(run_program({"run", "stride", "--dry-run", "--quiet"}, folder.path()).code == 2);
}

BOOST_AUTO_TEST_CASE(a_gpus_name_is_no_compute_capability) {
  const Outcome wrong = run_program({"run", "stride", "--device", "emulator", "--model", "A100"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(contains(wrong.err, "a GPU is named by --profile a100"), wrong.err);
  BOOST_TEST(run_program({"explain", "stride", "--model", "sm_80"}).code == 0);
}

BOOST_AUTO_TEST_CASE(timing_says_where_the_wall_time_went,
                     *boost::unit_test::precondition(has_compiler)) {
  const Outcome first = run({"--timing", "--no-cache"});
  BOOST_TEST(contains(first.out, "\nWhere the wall time went: 1 point measured in "), first.out);
  BOOST_TEST(contains(first.out, "  waiting for the compiler "));
  BOOST_TEST(contains(first.out,
                      "\nCompiling, beside the measuring: 1 configuration in 1 program by 1 "
                      "compiler, 0 from the cache;\n"),
             first.out);
  const Outcome again = run({"--timing"});
  BOOST_TEST(contains(again.out, "Where the wall time went: 0 points measured in "), again.out);
  BOOST_TEST(!contains(again.out, "ms a point"));
  BOOST_TEST(!contains(again.out, "Compiling"));
}

BOOST_AUTO_TEST_CASE(a_cache_that_cannot_be_used_is_said_and_costs_no_point,
                     *boost::unit_test::precondition(has_compiler)) {
  const Environment no_folder = {{"XDG_CACHE_HOME", "/dev/null"}};
  const std::string note = "note: the cache of compiled programs in /dev/null/sweep cannot be ";
  const Outcome measured = run({}, no_folder);
  BOOST_TEST(measured.code == 0);
  BOOST_TEST(contains(measured.err, note), measured.err);
  BOOST_TEST(!contains(run({"--fresh", "--no-cache"}, no_folder).err, note));
  const Outcome checked = run_program({"check", "patterns/stride.cu"}, SWEEP_SOURCE_DIR, no_folder);
  BOOST_TEST(checked.code == 0);
  BOOST_TEST(contains(checked.err, note), checked.err);
}

BOOST_AUTO_TEST_SUITE_END()
