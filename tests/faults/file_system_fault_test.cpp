#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>

#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"
#include "tests/faults/own_mounts.h"
#include "tests/process_limit.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace file_system_fault {
namespace {

namespace fs = std::filesystem;

const std::string kept = "what was measured is kept. To go on where it stopped: ";

/// Calls that fail, by fault_injection.cpp: 5 is EIO, 12 ENOMEM, 28 ENOSPC, 30 EROFS, 122 EDQUOT.
const Fault calls[] = {
    {.name = "the device fails under the database",
     .environment = injected("write:stride.db-wal:5:5"),
     .code = 74,
     .says = {"the file 'results/stride.db' cannot be written (disk I/O error: Input/output error)",
              kept}},
    {.name = "the device fails under the database for a while",
     .environment = injected("write:stride.db-wal:7:5:2"),
     .code = 74,
     .says = {"cannot be written (disk I/O error: Input/output error)", kept}},
    {.name = "the disk is full after some points",
     .environment = injected("write:stride.db-wal:15:28"),
     .code = 74,
     .says = {"the file 'results/stride.db' cannot be written: the disk is full; what it holds "
              "already is kept",
              kept}},
    {.name = "the quota is used up",
     .environment = injected("write:stride.db-wal:21:122"),
     .code = 74,
     .says = {"cannot be written: the disk quota is used up", kept}},
    {.name = "the database cannot be synchronized",
     .environment = injected("sync:stride.db:1:5"),
     .code = 74,
     .says = {"the file 'results/stride.db' cannot be read or written (disk I/O error"}},
    {.name = "the log is not taken over into the database",
     .environment = injected("write:results/stride.db:1:5:1")},
    {.name = "the log cannot be removed", .environment = injected("remove:stride.db-wal:1:5")},
    {.name = "no memory to share with other readers",
     .environment = injected("map:stride.db-shm:1:12"),
     .code = 74,
     .says = {"the file 'results/stride.db' cannot be read or written (disk I/O error: Cannot "
              "allocate memory)"}},
    {.name = "no room for what is shared with other readers",
     .environment = injected("truncate:stride.db-shm:1:28"),
     .code = 74,
     .says = {"the file 'results/stride.db' cannot be written: the disk is full"}},
    {.name = "no room for the words in the lock",
     .environment = injected("write:stride.db.lock:1:28")},
    {.name = "the lock cannot be removed", .environment = injected("remove:stride.db.lock:1:5")},
    {.name = "the disk is full when the reports are written",
     .environment = injected("write:stride.md:1:28"),
     .code = 74,
     .says = {"results/stride.md: cannot be written: No space left on device\nWhat was measured is "
              "in results/stride.db; 'sweep report' makes the reports of it."}},
    {.name = "the disk is full when the page is written",
     .environment = injected("write:stride.html:1:28"),
     .code = 74,
     .says = {"results/stride.html: cannot be written: No space left on device"}},
    {.name = "a report cannot take its place",
     .environment = injected("rename:stride.csv:1:30"),
     .code = 73,
     .says = {"results/stride.csv: cannot be replaced: Read-only file system"}},
};

/// On whole file systems.
const Fault disks[] = {
    {.name = "a results folder without room",
     .prepare =
         [](const fs::path& folder) {
           fs::copy(folder / "results", folder / "before");
           mount_memory(folder / "results", "132k");
           fs::copy_file(folder / "before/stride.db", folder / "results/stride.db");
         },
     .code = 74,
     .says = {"the file 'results/stride.db' cannot be written: the disk is full"}},
    {.name = "a results folder that can only be read",
     .prepare = [](const fs::path& folder) { mount_read_only(folder / "results"); },
     .code = 73,
     .says = {"the file 'results/stride.db' cannot be written: the file or its folder is "
              "read-only"}},
    {.name = "a cache folder without room",
     .environment = {{"XDG_CACHE_HOME", "cache"}},
     .prepare =
         [](const fs::path& folder) {
           fs::create_directory(folder / "cache");
           mount_memory(folder / "cache", "4k");
         },
     .says = {"the cache of compiled programs in ", "cannot be written: No space left on device"}},
    {.name = "a cache folder that can only be read",
     .environment = {{"XDG_CACHE_HOME", "cache"}},
     .prepare =
         [](const fs::path& folder) {
           fs::create_directory(folder / "cache");
           mount_read_only(folder / "cache");
         },
     .says = {"the cache of compiled programs in ", "cannot be written: Read-only file system"}},
};

/// Such a relative name would be the user's.
Fault with_absolute_cache(Fault fault, const fs::path& folder) {
  for (auto& variable : fault.environment) {
    if (variable.first == "XDG_CACHE_HOME") variable.second = (folder / variable.second).string();
  }
  return fault;
}

/// Mounts of a test, which end with it.
struct Unmounted {
  const fs::path& folder;
  ~Unmounted() {
    for (const char* name : {"results", "cache", "out"}) {
      std::error_code error;
      if (!fs::exists(folder / name, error)) continue;
      try {
        unmount(folder / name);
      } catch (const std::system_error&) {
        // Nothing was mounted there.
      }
    }
  }
};

}  // namespace
}  // namespace file_system_fault

BOOST_AUTO_TEST_SUITE(file_system_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(calls_that_fail, data::make(calls), fault) {
  const BrokenRun run;
  run.meet(fault);
  run.complete();
}

BOOST_DATA_TEST_CASE(disks_that_take_nothing, data::make(disks), fault) {
  if (!may_mount()) return;
  const BrokenRun run;
  const Unmounted unmounted{run.folder()};
  const Fault here = with_absolute_cache(fault, run.folder());
  const Outcome outcome = run.start(here).wait();
  if (outcome.code == 74) {
    resize_memory(run.folder() / "results", "10m");
  } else if (outcome.code == 73) {
    unmount(run.folder() / "results");
  }
  run.check(here, outcome);
  run.complete();
}

BOOST_AUTO_TEST_CASE(a_folder_for_results_that_can_only_be_read_is_refused) {
  if (!may_mount()) return;
  const BrokenRun run;
  const Unmounted unmounted{run.folder()};
  const fs::path out = run.folder() / "out";
  fs::create_directory(out);
  mount_read_only(out);
  for (const char* name : {"out", "out/new"}) {
    const Outcome outcome = run_program(BrokenRun::command({"-o", name}), run.folder());
    BOOST_TEST(outcome.code == 73);
    BOOST_TEST(contains(outcome.err, name), outcome.err);
    BOOST_TEST(contains(outcome.err, "Read-only file system"), outcome.err);
  }
  const Outcome report =
      run_program({"report", "results/stride.db", "-o", "out/report.md"}, run.folder());
  BOOST_TEST(report.code == 73);
  BOOST_TEST(report.err == "sweep: out/report.md: cannot be created: Read-only file system\n");
}

/// A run of which no file may become larger, and another without the limit.
void run_with_files_up_to(std::uintmax_t bytes) {
  const BrokenRun run;
  // A file with its words would not grow either.
  RunningProgram program(BrokenRun::command({"--quiet"}), run.folder(), {}, "/dev/null",
                         [bytes] { limit_process(RLIMIT_FSIZE, bytes); });
  const Outcome outcome = program.wait();
  BOOST_TEST((outcome.code == 73 || outcome.code == 74), outcome.code);
  run.check_nothing_is_lost(outcome);
  run.complete();
}

BOOST_DATA_TEST_CASE(files_may_not_grow, data::make({0U, 100U, 20'000U, 50'000U}), bytes) {
  run_with_files_up_to(bytes);
}

BOOST_AUTO_TEST_CASE(a_report_may_not_grow_to_its_size) {
  const BrokenRun whole;
  whole.complete();
  run_with_files_up_to(fs::file_size(whole.folder() / "results/stride.html") / 2);
}

BOOST_AUTO_TEST_CASE(a_full_disk_behind_standard_output_is_an_error) {
  for (const std::vector<std::string>& words :
       {BrokenRun::command(), std::vector<std::string>{"report", "results/stride.db"},
        std::vector<std::string>{"list", "runs", "stride"}, std::vector<std::string>{"help"}}) {
    const BrokenRun run;
    const Outcome outcome = RunningProgram(words, run.folder(), {}, "/dev/full").wait();
    BOOST_TEST(outcome.code == 74);
    BOOST_TEST(contains(outcome.err, "standard output cannot be written"), outcome.err);
    run.check_nothing_is_lost(outcome);
  }
}

BOOST_AUTO_TEST_SUITE_END()
