#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace surroundings_fault {
namespace {

namespace fs = std::filesystem;

/// Closes the standard files with these numbers.
std::function<void()> without(std::vector<int> files) {
  return [files = std::move(files)] {
    for (const int file : files) close(file);
  };
}

/// Standard output is a pipe that nobody reads.
void break_output() {
  int ends[2];
  if (pipe(ends) != 0) _exit(127);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]);
  close(ends[1]);
}

const Fault faults[] = {
    {.name = "standard input is closed", .at_last = without({0})},
    {.name = "standard output is closed",
     .at_last = without({1}),
     .code = 74,
     .says = {"standard output cannot be written"}},
    {.name = "standard error is closed", .at_last = without({2})},
    {.name = "nothing to print to", .at_last = without({0, 1, 2}), .code = 74},
    {.name = "nobody reads standard output",
     .at_last = break_output,
     .code = 74,
     .says = {"standard output cannot be written"}},
    {.name = "nobody reads the messages",
     .at_last =
         [] {
           break_output();
           dup2(STDOUT_FILENO, STDERR_FILENO);
         },
     .code = 74},
    {.name = "signals are ignored",
     .at_last =
         [] {
           for (const int number : {SIGCHLD, SIGPIPE, SIGHUP, SIGINT}) signal(number, SIG_IGN);
         }},
    {.name = "all signals are blocked",
     .at_last =
         [] {
           sigset_t all;
           sigfillset(&all);
           sigprocmask(SIG_BLOCK, &all, nullptr);
         }},
    {.name = "neither HOME nor XDG_CACHE_HOME is set",
     .environment = {{"HOME", ""}, {"XDG_CACHE_HOME", ""}}},
    {.name = "the cache cannot be where it is said to be",
     .environment = {{"XDG_CACHE_HOME", "/proc/no/such/folder"}},
     .says = {"note: the cache of compiled programs in /proc/no/such/folder/sweep cannot be "}},
    {.name = "the cache's folder is a file",
     .environment = {{"XDG_CACHE_HOME", "/dev/null"}},
     .says = {"note: the cache of compiled programs in /dev/null/sweep cannot be "}},
    {.name = "TMPDIR is missing", .environment = {{"TMPDIR", "/no/such/folder"}}},
    {.name = "there is no environment", .at_last = [] { clearenv(); }},
    {.name = "the locale is unknown", .environment = {{"LC_ALL", "xx_YY.nonsense"}}},
};

}  // namespace
}  // namespace surroundings_fault

BOOST_AUTO_TEST_SUITE(surroundings_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(surroundings_that_lack_something, data::make(faults), fault) {
  const BrokenRun run;
  run.meet(fault);
  run.complete();
}

BOOST_AUTO_TEST_CASE(what_is_printed_to_a_closed_file_goes_into_no_other) {
  const BrokenRun run;
  std::vector<std::string> words = BrokenRun::command();
  words.pop_back();  // the tables are printed at the end, when most files are open
  const Outcome outcome = RunningProgram(words, run.folder(), {}, {}, without({0, 1, 2})).wait();
  BOOST_TEST(outcome.code == 74);
  for (const auto& entry : fs::directory_iterator(run.folder() / "results")) {
    const std::string text = read_text_file(entry.path());
    const bool is_report = entry.path().extension() != ".db";
    BOOST_TEST((is_report || !contains(text, "points measured")), entry.path());
  }
  run.check_nothing_is_lost(outcome);
  run.complete();
}

BOOST_AUTO_TEST_CASE(a_current_folder_that_was_removed_is_said) {
  const BrokenRun run;
  const fs::path gone = run.folder() / "gone";
  fs::create_directory(gone);
  const Outcome outcome =
      RunningProgram(BrokenRun::command(), gone, {}, {}, [&] { fs::remove(gone); }).wait();
  BOOST_TEST(outcome.code == 73);
  BOOST_TEST(
      contains(outcome.err, "results: this folder cannot be made: No such file or directory"),
      outcome.err);
}

BOOST_AUTO_TEST_CASE(a_mistake_before_the_run_begins_is_told_as_json_too) {
  const BrokenRun run;
  const std::pair<std::vector<std::string>, int> mistakes[] = {
      {{"run", "--json", "stirde"}, 66},
      {{"run", "--json"}, 2},
      {{"run", "--json", "stride", "--set", "STRIDE="}, 65},
      {{"run", "--json", "stride", "--device", "nonsense"}, 2},
      {{"run", "--json", "stride", "--device", "emulator", "-o", "/proc/no"}, 73},
  };
  for (const auto& [words, code] : mistakes) {
    const Outcome outcome = run_program(words, run.folder());
    BOOST_TEST(outcome.code == code, outcome.code << outcome.err);
    BOOST_TEST(outcome.out.starts_with("{\"event\":\"error\",\"message\":\""), outcome.out);
    BOOST_TEST(std::ranges::count(outcome.out, '\n') == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
