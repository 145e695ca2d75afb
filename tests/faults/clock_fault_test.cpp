#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace clock_fault {
namespace {

/// The clock of the day is wrong by these seconds, in turns.
Environment clock_wrong_by(const std::string& seconds) {
  return {{"LD_PRELOAD", SWEEP_FAULT_INJECTION}, {"SWEEP_FAULT_CLOCK", seconds}};
}

const Fault faults[] = {
    {.name = "an hour back", .environment = clock_wrong_by("-3600")},
    {.name = "ten years ahead", .environment = clock_wrong_by("315360000")},
    {.name = "back and forth",
     .environment = clock_wrong_by("0,-3600,315360000,-7200,86400,-315360000")},
    {.name = "before 1970", .environment = clock_wrong_by("-3000000000")},
};

}  // namespace
}  // namespace clock_fault

BOOST_AUTO_TEST_SUITE(clock_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(a_clock_that_jumps_changes_no_result, data::make(faults), fault) {
  const BrokenRun run;
  Fault with_timing = fault;
  with_timing.options = {"--timing", "--no-cache"};
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run.meet(with_timing);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(taken.count() < 60);
  // Times are those of the clock that runs on.
  BOOST_TEST(contains(outcome.err, "4 points measured in "), outcome.err);
  const std::size_t at = outcome.err.find("4 points measured in ");
  if (at != std::string::npos) {
    const double told =
        std::stod(outcome.err.substr(at + std::string("4 points measured in ").size()));
    BOOST_TEST(told >= 0);
    BOOST_TEST(told <= taken.count());
  }
  // All that reads the times takes them as they are.
  const std::vector<std::string> readers[] = {{"list", "runs", "stride"},
                                              {"report", "results/stride.db"},
                                              {"report", "results/stride.db", "--format", "html"},
                                              {"report", "results/stride.db", "--format", "json"},
                                              {"cache"}};
  for (const std::vector<std::string>& words : readers) {
    const Outcome read = run_program(words, run.folder(), fault.environment);
    BOOST_TEST(read.code == 0, read.err);
  }
  run.complete();
  const Store store(run.database(), Store::Mode::read_only);
  for (const RunRecord& record : store.runs()) {
    BOOST_TEST(record.started.size() == std::string("2025-01-31T12:00:00Z").size());
    BOOST_TEST(record.finished.size() == record.started.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()
