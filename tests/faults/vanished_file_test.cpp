#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"
#include "tests/wait_until.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace vanished_file {
namespace {

namespace fs = std::filesystem;

/// Stops itself when it has recorded some of its points, and leaves what is to happen meanwhile to
/// the caller.
class PausedRun {
 public:
  explicit PausedRun(const BrokenRun& run) : program_(run.start(paused())) {
    BOOST_REQUIRE(wait_until([this] { return is_stopped(); }));
  }
  Outcome go_on() {
    kill(program_.process(), SIGCONT);
    return program_.wait();
  }

 private:
  static Fault paused() {
    Fault fault = {.name = "paused", .environment = injected("write:stride.db-wal:9:0:1")};
    fault.environment.emplace_back("SWEEP_FAULT_SIGNAL", std::to_string(SIGSTOP));
    return fault;
  }
  bool is_stopped() const {
    const std::string status =
        read_text_file("/proc/" + std::to_string(program_.process()) + "/status");
    return contains(status, "State:\tT");
  }

  RunningProgram program_;
};

const std::string gone =
    "was removed or replaced by another program while this run used it: the points that are not in "
    "it are lost";

}  // namespace
}  // namespace vanished_file

BOOST_AUTO_TEST_SUITE(vanished_file, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(a_database_that_is_removed_during_a_run_ends_it) {
  for (const char* name : {"results/stride.db", "results"}) {
    const BrokenRun run;
    PausedRun paused(run);
    fs::remove_all(run.folder() / name);
    const Outcome outcome = paused.go_on();
    BOOST_TEST(outcome.code == 74);
    BOOST_TEST(contains(outcome.err, "the file 'results/stride.db' " + gone), outcome.err);
    BOOST_TEST(contains(outcome.err, "Stopped by an error. To measure what is missing: "),
               outcome.err);
    BOOST_TEST(!contains(outcome.err, "is kept"), outcome.err);
    run.complete();
  }
}

BOOST_AUTO_TEST_CASE(a_database_that_is_replaced_during_a_run_ends_it) {
  const BrokenRun run;
  fs::copy_file(run.database(), run.folder() / "copy");
  PausedRun paused(run);
  fs::rename(run.folder() / "copy", run.database());
  const Outcome outcome = paused.go_on();
  BOOST_TEST(outcome.code == 74);
  BOOST_TEST(contains(outcome.err, gone), outcome.err);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_for_a_while_goes_on) {
  const BrokenRun run;
  PausedRun paused(run);
  const Outcome outcome = paused.go_on();
  BOOST_TEST(outcome.code == 0, outcome.err);
  run.check_nothing_is_lost(outcome);
  run.complete();
}

BOOST_AUTO_TEST_SUITE_END()
