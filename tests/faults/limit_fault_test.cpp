#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/cli/compiler_precondition.h"
#include "tests/faults/broken_run.h"
#include "tests/process_limit.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace limit_fault {
namespace {

const std::string refused =
    "the system refuses what is needed: Resource temporarily unavailable; 'ulimit -a' shows this "
    "shell's limits of processes, open files and memory";

const Fault threads[] = {
    {.name = "no thread can be started",
     .environment = injected("thread::1:11"),
     .code = 71,
     .says = {refused}},
    {.name = "one thread can be started", .environment = injected("thread::2:11")},
    {.name = "two threads can be started", .environment = injected("thread::3:11")},
};

/// What the program may end with when it has too little: never a signal. 127 is the loader's word
/// that it does not come as far as the program.
bool is_regular(int code) {
  for (const int known : {0, 1, 69, 71, 73, 74, 127}) {
    if (code == known) return true;
  }
  return false;
}

}  // namespace
}  // namespace limit_fault

BOOST_AUTO_TEST_SUITE(limit_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(threads_that_do_not_start, data::make(threads), fault) {
  const BrokenRun run;
  run.meet(fault);
  run.complete();
}

// How much the libraries need differs from machine to machine: somewhere among these limits each
// part of the program goes without.
BOOST_DATA_TEST_CASE(open_files, data::make({5U, 6U, 7U, 8U, 9U, 10U, 12U, 16U}), most) {
  const BrokenRun run;
  const Fault fault = {.name = "open files", .options = {"--no-cache"}, .at_last = [most = most] {
                         limit_process(RLIMIT_NOFILE, most);
                       }};
  const Outcome outcome = run.start(fault).wait();
  BOOST_TEST(is_regular(outcome.code), outcome.code << outcome.err);
  run.check_nothing_is_lost(outcome);
  run.complete();
}

BOOST_DATA_TEST_CASE(memory, data::make({64U, 128U, 160U, 200U, 240U, 300U, 400U}), mebibytes) {
  const BrokenRun run;
  const Fault fault = {.name = "memory", .options = {"--no-cache"}, .at_last = [most = mebibytes] {
                         limit_process(RLIMIT_AS, rlim_t{most} << 20U);
                       }};
  const Outcome outcome = run.start(fault).wait();
  BOOST_TEST(is_regular(outcome.code), outcome.code << outcome.err);
  run.check_nothing_is_lost(outcome);
  run.complete();
}

BOOST_AUTO_TEST_SUITE_END()
