#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "engine/jit/nvrtc.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"
#include "tests/store/newest_points.h"
#include "tests/wait_until.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compiler_fault {
namespace {

namespace fs = std::filesystem;

/// The seventh configuration's constant, as the compiler sees it.
const std::string seventh = "STRIDE = int(7LL)";

/// A CUDA toolkit whose compiler has a fault.
const fs::path& faulty_toolkit() {
  static const TemporaryFolder folder;
  static const fs::path home = [] {
    const fs::path libraries = folder.path() / "lib64";
    fs::create_directories(libraries);
    fs::create_symlink(SWEEP_FAULTY_NVRTC, libraries / "libnvrtc.so.13");
    for (const auto& entry : fs::directory_iterator(Nvrtc().file().parent_path())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("libnvrtc-builtins")) {
        fs::create_symlink(entry.path(), libraries / name);
      }
    }
    return folder.path();
  }();
  return home;
}

Environment toolkit(const std::string& fault, const std::string& in = seventh) {
  return {{"SWEEP_CUDA_HOME", faulty_toolkit().string()},
          {"SWEEP_REAL_NVRTC", Nvrtc().file().string()},
          {"SWEEP_NVRTC_FAULT", fault},
          {"SWEEP_NVRTC_FAULT_IN", in}};
}

Environment toolkit_once(const std::string& fault, const std::string& marker) {
  Environment all = toolkit(fault);
  all.emplace_back("SWEEP_NVRTC_FAULT_ONCE", marker);
  return all;
}

const std::string failed = "failed: stride T=float STRIDE=7";

std::vector<Fault> faults() {
  return {
      {.name = "the compiler crashes over one configuration",
       .environment = toolkit("crash"),
       .code = 1,
       .says = {failed, "the compiler gave up: its process was killed by signal 11 (Segmentation"}},
      {.name = "the compiler aborts over one configuration",
       .environment = toolkit("abort"),
       .code = 1,
       .says = {failed, "its process was killed by signal 6 (Aborted)"}},
      {.name = "something kills the compiler over one configuration",
       .environment = toolkit("kill"),
       .code = 1,
       .says = {failed, "its process was killed by signal 9 (Killed)"}},
      {.name = "the compiler ends its process",
       .environment = toolkit("exit"),
       .code = 1,
       .says = {failed, "its process ended with exit code 9"}},
      {.name = "the compiler lacks memory for one configuration",
       .environment = toolkit("memory"),
       .code = 1,
       .says = {failed, "the compiler gave up: NVRTC_ERROR_OUT_OF_MEMORY"}},
      {.name = "the compiler has an error of its own",
       .environment = toolkit("internal"),
       .code = 1,
       .says = {failed, "the compiler gave up: NVRTC_ERROR_INTERNAL_ERROR"}},
      {.name = "something kills the compiler once",
       .environment = toolkit_once("kill", "killed_once")},
      {.name = "a compiler process starts at the third attempt",
       .environment = injected("spawn:sweep:1:11:3")},
  };
}

/// What a run ends with that is told to stop while all compilers hang.
Outcome stopped_outcome(const BrokenRun& run, const Fault& fault, int signal) {
  RunningProgram program = run.start(fault);
  BOOST_TEST(wait_until([&] { return contains(program.out_so_far(), "\"start\""); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(program.process(), signal);
  return program.wait();
}

}  // namespace
}  // namespace compiler_fault

BOOST_AUTO_TEST_SUITE(compiler_fault, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(a_broken_compiler_costs_the_point_it_breaks_over) {
  for (Fault fault : faults()) {
    BOOST_TEST_CONTEXT(fault.name) {
      const BrokenRun run;
      fault.options = {"--no-cache"};
      const Outcome outcome = run.meet(fault);
      // All others are measured.
      const std::vector<PointRecord> points = newest_points(run.database());
      BOOST_TEST(points.size() == BrokenRun::all_points);
      const auto failures = std::ranges::count(points, PointStatus::failed, &PointRecord::status);
      BOOST_TEST(failures == outcome.code);
      run.complete();
    }
  }
}

BOOST_AUTO_TEST_CASE(without_compiler_processes_a_run_ends_with_a_message) {
  for (const auto& [error, words] : {std::pair(11, "Resource temporarily unavailable"),
                                     std::pair(2, "No such file or directory")}) {
    const BrokenRun run;
    run.meet(
        {.name = words,
         .environment = injected("spawn:sweep:1:" + std::to_string(error)),
         .options = {"--no-cache"},
         .code = 69,
         .says = {"no compiler process can be started: " + std::string(words) + "; 'ulimit -a'",
                  "what was measured is kept"}});
    run.complete();
  }
}

BOOST_AUTO_TEST_CASE(a_run_whose_compiler_hangs_can_be_stopped) {
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const BrokenRun run;
    const Fault fault = {.name = "hang",
                         .environment = toolkit("hang", "STRIDE"),
                         .options = {"--no-cache"},
                         .code = code,
                         .says = {"Stopped. To go on where it stopped: "}};
    const auto begin = std::chrono::steady_clock::now();
    run.check(fault, stopped_outcome(run, fault, signal));
    BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)));
    run.complete();
  }
}

BOOST_AUTO_TEST_CASE(a_crash_of_the_compiler_is_a_mistake_that_check_finds) {
  const BrokenRun run;
  const Outcome check =
      run_program({"check", "--set", "STRIDE=6,7", "stride"}, run.folder(), toolkit("crash"));
  BOOST_TEST(check.code == 65, check.out);
  BOOST_TEST(
      contains(check.err,
               "error: the compiler gave up: its process was killed by signal 11 "
               "(Segmentation fault)\n  help: seen in 3 of 9 configurations, first with stride "
               "T=float STRIDE=7 "),
      check.err);
}

BOOST_AUTO_TEST_CASE(check_does_not_go_on_with_a_compiler_that_gives_up_again_and_again) {
  const BrokenRun run;
  const Outcome check =
      run_program({"check", "--no-cache", "stride"}, run.folder(), toolkit("memory", "STRIDE"));
  BOOST_TEST(check.code == 65, check.out);
  BOOST_TEST(contains(check.err, "help: seen in 3 of 3 configurations, first with stride"),
             check.err);
  BOOST_TEST(contains(check.err, " more were not compiled, since the compiler gives up"),
             check.err);
}

BOOST_AUTO_TEST_CASE(a_check_whose_compiler_hangs_shows_that_it_waits_and_can_be_stopped) {
  const BrokenRun run;
  RunningProgram check({"check", "--no-cache", "stride"}, run.folder(), toolkit("hang", "STRIDE"));
  BOOST_TEST(wait_until([&] { return contains(check.err_so_far(), "compiling stride: 0 of "); }));
  const auto begin = std::chrono::steady_clock::now();
  kill(check.process(), SIGINT);
  const Outcome outcome = check.wait();
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)));
  BOOST_TEST(outcome.code == 130);
  BOOST_TEST(contains(outcome.err, "sweep: stride: stopped when 0 of "), outcome.err);
}

BOOST_AUTO_TEST_SUITE_END()
