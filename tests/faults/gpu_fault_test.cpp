#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "engine/store/store.h"
#include "tests/cli/gpu_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"

using namespace sweep;

namespace gpu_fault {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> command = {"run", "stride", "--device", "0", "--json"};

std::size_t points_in(const std::string& out) {
  std::size_t count = 0;
  for (std::size_t at = out.find("\"event\":\"point\""); at != std::string::npos;
       at = out.find("\"event\":\"point\"", at + 1)) {
    ++count;
  }
  return count;
}

/// The process that measures for a run; 0 when there is none now.
pid_t measuring_worker_of(pid_t run) {
  using std::string_literals::operator""s;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(run) + "/task")) {
    std::istringstream children(read_text_file(task.path() / "children"));
    for (pid_t child = 0; children >> child;) {
      const std::string words = read_text_file("/proc/" + std::to_string(child) + "/cmdline");
      if (words.ends_with("\0worker\0"s + "0\0"s)) return child;
    }
  }
  return 0;
}

/// The points of the newest run, and how many of them failed.
std::pair<std::size_t, std::size_t> points_and_failures(const fs::path& database,
                                                        std::string& reason) {
  const Store store(database, Store::Mode::read_only);
  const std::vector<StoredPoint> points = store.points(store.runs().back().id);
  std::size_t failures = 0;
  for (const StoredPoint& stored : points) {
    if (stored.point.status != PointStatus::failed) continue;
    ++failures;
    reason = stored.point.reason;
  }
  return {points.size(), failures};
}

}  // namespace
}  // namespace gpu_fault

BOOST_AUTO_TEST_SUITE(gpu_fault, *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(a_killed_worker_costs_the_point_it_was_at) {
  const TemporaryFolder folder;
  const fs::path database = folder.path() / "results/stride.db";
  RunningProgram run(command, folder.path());
  BOOST_REQUIRE(wait_until([&] { return points_in(run.out_so_far()) >= 5; }));
  const pid_t worker = measuring_worker_of(run.process());
  BOOST_REQUIRE(worker != 0);
  kill(worker, SIGKILL);
  const Outcome outcome = run.wait();
  BOOST_TEST(outcome.code == 1, outcome.err);
  std::string reason;
  const auto [points, failures] = points_and_failures(database, reason);
  BOOST_TEST(failures == 1U);
  BOOST_TEST(reason == "the process that runs the kernel was killed by signal 9 (Killed)");

  const Outcome rest = run_program(command, folder.path());
  BOOST_TEST(rest.code == 0, rest.err);
  const auto [all_points, no_failures] = points_and_failures(database, reason);
  BOOST_TEST(all_points == points);
  BOOST_TEST(no_failures == 0U);
}

BOOST_AUTO_TEST_CASE(without_libcupti_all_is_measured_but_the_counters) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program(with(command, {"--set", "STRIDE=1,2", "--counters", "memory"}), folder.path(),
                  {{"LD_PRELOAD", SWEEP_FAULT_INJECTION}, {"SWEEP_FAULT", "load:libcupti:1:2"}});
  BOOST_TEST(outcome.code == 0, outcome.err);
  BOOST_TEST(contains(outcome.out, "the hardware's counters cannot be read"), outcome.out);
}

BOOST_AUTO_TEST_SUITE_END()
