#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/store/store.h"
#include "tests/process_limit.h"
#include "tests/store/child_process.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace full_disk {

namespace fs = std::filesystem;

struct Fixture : DatabaseFolder {
  /// Adds points, with a "." for each, until that fails; gives the reason.
  static std::string fill(const fs::path& path, const ChildProcess::Say& say) {
    try {
      Store store(path, Store::Mode::read_write);
      const std::int64_t run = store.begin_run(example_provenance());
      PointRecord point = example_point(1);
      point.reason = std::string(1000, 'x');
      for (std::int64_t i = 0;; ++i) {
        store.add_point(run, i, point);
        say(".");
      }
    } catch (const StoreError& error) {
      return error.what();
    }
  }
  static std::size_t stored_points(const fs::path& path) {
    return Store(path, Store::Mode::read_only).points(1).size();
  }
};

}  // namespace full_disk

BOOST_FIXTURE_TEST_SUITE(full_disk, full_disk::Fixture)

BOOST_AUTO_TEST_CASE(a_limit_on_the_size_of_files_costs_no_earlier_point) {
  ChildProcess child([&](const ChildProcess::Say& say) {
    signal(SIGXFSZ, SIG_IGN);
    limit_process(RLIMIT_FSIZE, 200'000);
    return fill(path, say);
  });
  const std::string said = child.read_all();
  const std::size_t points = said.find_first_not_of('.');
  BOOST_REQUIRE(points != std::string::npos);
  BOOST_TEST(said.substr(points) ==
             message("cannot be written: it has reached the largest size that a file may have "
                     "here (ulimit -f); what it holds already is kept"));
  BOOST_TEST(points > 0);
  BOOST_TEST(stored_points(path) == points);
}

// A file system of its own, which only the child sees.
BOOST_AUTO_TEST_CASE(a_full_disk_costs_no_earlier_point) {
  ChildProcess child([&](const ChildProcess::Say& say) {
    if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=600k") != 0) {
      return std::string("no file system");
    }
    const fs::path ballast = folder.path() / "ballast";
    std::ofstream(ballast) << std::string(100'000, 'x');
    std::string reason = fill(path, say);
    fs::remove(ballast);
    return "\n" + std::to_string(stored_points(path)) + " " + reason;
  });
  const std::string said = child.read_all();
  if (said == "no file system") {
    BOOST_TEST_MESSAGE("skipped: this process may not mount a file system of its own");
    return;
  }
  const std::size_t points = said.find('\n');
  BOOST_REQUIRE(points != std::string::npos);
  BOOST_TEST(points > 0);
  BOOST_TEST(said.substr(points + 1) ==
             std::to_string(points) + " " +
                 message("cannot be written: the disk is full; what it holds already is kept"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
