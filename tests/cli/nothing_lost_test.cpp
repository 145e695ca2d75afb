#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/process_limit.h"
#include "tests/store/newest_points.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace nothing_lost {
namespace {

constexpr std::size_t all_points = 48;

/// A sweep on the emulator: small kernels, and some that take a while.
const std::vector<std::string> command = {
    "run",   "stride",  "--device", "emulator",  "--set", "STRIDE={from: 1, to: 16}",
    "--set", "T=float", "--set",    "BYTES=4 Mi"};

std::filesystem::path database_in(const std::filesystem::path& folder) {
  return folder / "results/stride.db";
}

/// The points that any run has measured.
std::size_t measured_points(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(database_in(folder))) return 0;
  try {
    const Store store(database_in(folder), Store::Mode::read_only);
    std::size_t count = 0;
    for (const RunRecord& run : store.runs()) {
      for (const StoredPoint& stored : store.points(run.id)) {
        count += stored.measured_by == run.id ? 1U : 0U;
      }
    }
    return count;
  } catch (const StoreError& error) {
    // A file that was created and has no tables yet holds no runs.
    if (error.fault() == StoreFault::missing || error.fault() == StoreFault::not_a_store) return 0;
    throw;
  }
}

/// Milliseconds that a sweep from the first to the last point takes here.
double duration_of_run(const std::filesystem::path& folder) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome run = run_program(command, folder);
  BOOST_REQUIRE_MESSAGE(run.code == 0, run.err);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace
}  // namespace nothing_lost

BOOST_AUTO_TEST_SUITE(nothing_lost, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(killed_at_any_moment_a_run_goes_on_where_it_was) {
  const TemporaryFolder unbroken;
  const double duration = duration_of_run(unbroken.path());
  const std::vector<PointRecord> expected = newest_points(database_in(unbroken.path()));
  BOOST_REQUIRE(expected.size() == all_points);

  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> moment(0, duration);
  auto folder = std::make_unique<TemporaryFolder>();
  int resumed = 0;
  // By chance none of twenty may come in the middle.
  for (int kills = 0; kills < 20 || (resumed == 0 && kills < 200); ++kills) {
    RunningProgram program(command, folder->path());
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment(random)));
    const std::size_t before = measured_points(folder->path());
    kill(program.process(), SIGKILL);
    program.wait();
    // What was there before the kill is there after it.
    const std::size_t after = measured_points(folder->path());
    BOOST_TEST(after >= before);
    if (after < all_points && kills % 7 != 6) continue;

    const Outcome rest = run_program(command, folder->path());
    BOOST_TEST(rest.code == 0, rest.err);
    BOOST_TEST(contains(rest.err, std::to_string(all_points - after) + " point"), rest.err);
    BOOST_TEST((newest_points(database_in(folder->path())) == expected));
    BOOST_TEST(measured_points(folder->path()) == all_points);
    resumed += after > 0 && after < all_points ? 1 : 0;
    folder = std::make_unique<TemporaryFolder>();
  }
  BOOST_TEST_MESSAGE("resumed " << resumed << " broken runs");
  BOOST_TEST(resumed > 0);
}

BOOST_AUTO_TEST_CASE(ctrl_c_finishes_the_point_and_says_how_to_go_on) {
  const TemporaryFolder folder;
  RunningProgram program(command, folder.path());
  BOOST_REQUIRE(wait_for_a_point(database_in(folder.path())));
  kill(program.process(), SIGINT);
  const Outcome stopped = program.wait();
  BOOST_TEST(stopped.code == 130);
  BOOST_TEST(contains(stopped.err, "Stopped. To go on where it stopped: "), stopped.err);
  BOOST_TEST(std::filesystem::exists(folder.path() / "results/stride.md"));
  const std::size_t kept = measured_points(folder.path());
  const Outcome rest = run_program(command, folder.path());
  BOOST_TEST(rest.code == 0);
  BOOST_TEST(contains(rest.err, std::to_string(kept) + " of 48 points are there"), rest.err);
  BOOST_TEST(newest_points(database_in(folder.path())).size() == all_points);
}

// NVRTC replaces its process' handlers of these signals while it compiles. SWEEP_INTERRUPTIONS is
// how many runs are interrupted.
BOOST_AUTO_TEST_CASE(interrupted_at_any_moment_a_run_ends_in_order) {
  const std::vector<std::string> one_point = {"run",        "stride",      "--device", "emulator",
                                              "--no-cache", "--fresh",     "--set",    "STRIDE=1",
                                              "--set",      "T=float",     "--set",    "BLOCK=256",
                                              "--set",      "BYTES=64 Ki", "--quiet"};
  const char* given = std::getenv("SWEEP_INTERRUPTIONS");
  const int wanted = given != nullptr ? std::atoi(given) : 60;
  const TemporaryFolder folder;
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> moment(20, 270);
  int interrupted = 0;
  int finished = 0;
  for (int i = 0; interrupted < wanted && i < 20 * wanted; ++i) {
    const int signal = i % 2 == 0 ? SIGINT : SIGTERM;
    const std::string output = "results-" + std::to_string(i);
    RunningProgram program(with(one_point, {"-o", output}), folder.path(), {{"PATH", ""}});
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment(random)));
    const bool is_interrupted = program.interrupt(signal);
    const Outcome outcome = program.wait();
    const std::filesystem::path database = folder.path() / output / "stride.db";
    if (!is_interrupted) {
      BOOST_TEST(outcome.code == 0, outcome.err);
      ++finished;
      continue;
    }
    ++interrupted;
    // Before there is a database, and after all is written, the signal itself ends the process.
    BOOST_TEST((outcome.code == 128 + signal || outcome.code == -signal),
               outcome.code << ' ' << outcome.err);
    if (!std::filesystem::exists(database)) continue;
    BOOST_TEST(sqlite::Database(database, sqlite::Access::read).text("PRAGMA integrity_check") ==
               "ok");
    for (const char* report : {"stride.md", "stride.html", "stride.csv"}) {
      BOOST_TEST(std::filesystem::exists(folder.path() / output / report),
                 report << " after " << outcome.code << ' ' << outcome.err);
    }
  }
  BOOST_TEST_MESSAGE("interrupted " << interrupted << " runs; " << finished << " had ended before");
  BOOST_TEST(interrupted == wanted);
}

BOOST_AUTO_TEST_CASE(a_second_run_into_the_same_store_is_refused_while_the_first_goes_on) {
  const TemporaryFolder folder;
  RunningProgram first(command, folder.path());
  BOOST_REQUIRE(wait_for_a_point(database_in(folder.path())));
  const Outcome second = run_program(command, folder.path());
  BOOST_TEST(second.code == 74);
  BOOST_TEST(
      contains(second.err, "is in use by another run (process " + std::to_string(first.process())),
      second.err);
  const Outcome elsewhere = run_program(with(command, {"-o", "other"}), folder.path());
  BOOST_TEST(elsewhere.code == 0, elsewhere.err);
  BOOST_TEST(first.wait().code == 0);
  BOOST_TEST(measured_points(folder.path()) == all_points);
}

BOOST_AUTO_TEST_CASE(a_disk_that_fills_up_ends_the_run_with_a_message_and_keeps_the_points) {
  const TemporaryFolder folder;
  RunningProgram limited(command, folder.path(), {}, {},
                         [] { limit_process(RLIMIT_FSIZE, 96 << 10); });
  const Outcome run = limited.wait();
  BOOST_TEST(run.code > 64, run.err);
  BOOST_TEST(contains(run.err, "results/stride.db"), run.err);
  BOOST_TEST(contains(run.err, "what was measured is kept"), run.err);
  const std::size_t kept = measured_points(folder.path());
  BOOST_TEST(kept < all_points);
  const Outcome rest = run_program(command, folder.path());
  BOOST_TEST(rest.code == 0, rest.err);
  BOOST_TEST(newest_points(database_in(folder.path())).size() == all_points);
  BOOST_TEST(measured_points(folder.path()) == all_points);
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_written_is_refused_before_anything_is_measured) {
  const TemporaryFolder folder;
  folder.write("results", "a file where the folder should be");
  const Outcome run = run_program(command, folder.path());
  BOOST_TEST(run.code == 73);
  BOOST_TEST(contains(run.err, "results"), run.err);
  if (geteuid() == 0) {
    BOOST_TEST_MESSAGE("skipped: root may write everywhere");
    return;
  }
  const TemporaryFolder closed;
  std::filesystem::permissions(
      closed.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Outcome refused = run_program(command, closed.path());
  BOOST_TEST(refused.code == 73);
  std::filesystem::permissions(closed.path(), std::filesystem::perms::owner_all);
}

BOOST_AUTO_TEST_SUITE_END()
