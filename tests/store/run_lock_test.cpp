#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "tests/store/child_process.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace run_lock {

namespace fs = std::filesystem;

struct Fixture : DatabaseFolder {
  fs::path lock_file = folder.path() / "a.db.lock";

  /// What a run in this process hears.
  std::string refusal(const fs::path& database) const {
    try {
      const RunLock lock(database);
      return lock.held() ? "held" : "not held";
    } catch (const StoreError& error) {
      return (error.fault() == StoreFault::locked ? "locked: " : "other: ") +
             std::string(error.what());
    }
  }
};

}  // namespace run_lock

BOOST_FIXTURE_TEST_SUITE(run_lock, run_lock::Fixture)

BOOST_AUTO_TEST_CASE(a_lock_is_beside_the_database_while_it_is_held) {
  {
    const RunLock lock(path);
    BOOST_TEST(lock.held());
    BOOST_TEST(fs::exists(lock_file));
  }
  BOOST_TEST(!fs::exists(lock_file));
  BOOST_TEST(refusal(path) == "held");
}

BOOST_AUTO_TEST_CASE(a_second_run_is_told_who_is_at_work) {
  const RunLock lock(path);
  const std::string refused = refusal(path);
  const std::string who = "is in use by another run (process " + std::to_string(getpid()) + ": ";
  BOOST_TEST(refused.starts_with("locked: " + message(who)), refused);
  BOOST_TEST(refused.find("test_store") != std::string::npos, refused);
  BOOST_TEST(refused.ends_with("); wait for it or give this one its own folder with -o DIR"));
  BOOST_TEST(fs::exists(lock_file));
}

BOOST_AUTO_TEST_CASE(a_run_on_another_machine_is_named_with_it) {
  const RunLock lock(path);
  std::ofstream(lock_file) << "12\nbench-1\nsweep run a.yaml\n";
  BOOST_TEST(refusal(path).find(" (process 12 on bench-1: sweep run a.yaml);") !=
             std::string::npos);
  for (const char* text : {"", "12", "12\nbench-1"}) {
    std::ofstream(lock_file) << text;
    BOOST_TEST(refusal(path).find("is in use by another run; wait") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(other_databases_and_readers_are_not_locked_out) {
  { Store(path, Store::Mode::read_write).begin_run(example_provenance()); }
  const RunLock lock(path);
  BOOST_TEST(refusal(folder.path() / "b.db") == "held");
  BOOST_TEST(Store(path, Store::Mode::read_only).runs().size() == 1);
}

BOOST_AUTO_TEST_CASE(a_database_is_locked_by_all_its_names) {
  std::ofstream(path).close();
  fs::create_directory(folder.path() / "deep");
  fs::create_symlink(path, folder.path() / "deep" / "link.db");
  const RunLock lock(path);
  for (const fs::path& name :
       {folder.path() / "deep" / ".." / "a.db", folder.path() / "deep" / "link.db"}) {
    BOOST_TEST(refusal(name).starts_with("locked: the file '" + name.string() + "'"));
  }
}

BOOST_AUTO_TEST_CASE(a_dead_processs_file_is_in_nobodys_way) {
  {
    ChildProcess child([&](const ChildProcess::Say& say) {
      const RunLock lock(path);
      say(".");
      for (;;) pause();
      return std::string();
    });
    BOOST_TEST(child.read(1) == ".");
    BOOST_TEST(refusal(path).starts_with("locked: "));
    child.kill();
  }
  BOOST_TEST(fs::exists(lock_file));
  BOOST_TEST(refusal(path) == "held");
  BOOST_TEST(!fs::exists(lock_file));
}

// Each child takes and gives back the lock many times over, and counts in a file that only the
// lock protects.
BOOST_AUTO_TEST_CASE(taking_and_giving_back_leaves_no_gap) {
  constexpr int processes = 4;
  constexpr int turns = 200;
  const fs::path counter = folder.path() / "counter";
  std::ofstream(counter) << 0;
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (int i = 0; i < processes; ++i) {
    children.push_back(std::make_unique<ChildProcess>([&](const ChildProcess::Say&) {
      for (int turn = 0; turn < turns;) {
        try {
          const RunLock lock(path);
          int count = 0;
          std::ifstream(counter) >> count;
          std::ofstream(counter) << count + 1;
          ++turn;
        } catch (const StoreError& error) {
          if (error.fault() != StoreFault::locked) throw;
          usleep(100);
        }
      }
      return std::string("done");
    }));
  }
  for (const auto& child : children) BOOST_TEST(child->read_all() == "done");
  int count = 0;
  std::ifstream(counter) >> count;
  BOOST_TEST(count == processes * turns);
  BOOST_TEST(!fs::exists(lock_file));
}

BOOST_AUTO_TEST_CASE(where_nothing_can_be_written_the_store_says_so) {
  BOOST_TEST(refusal(folder.path() / "absent" / "a.db") == "not held");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read | fs::perms::others_exec);
  BOOST_TEST(unprivileged([&] { return refusal(path); }) == "not held");
}

BOOST_AUTO_TEST_CASE(another_users_lock_counts) {
  fs::permissions(folder.path(), fs::perms::all);
  const RunLock lock(path);
  fs::permissions(lock_file, fs::perms::owner_read | fs::perms::others_read);
  BOOST_TEST(unprivileged([&] { return refusal(path); }).starts_with("locked: "));
}

BOOST_AUTO_TEST_CASE(something_else_of_the_locks_name_is_an_error) {
  fs::create_directory(lock_file);
  BOOST_TEST(refusal(path) ==
             "other: the lock file '" + lock_file.string() + "' cannot be used: Is a directory");
}

BOOST_AUTO_TEST_CASE(a_link_of_the_locks_name_is_not_followed) {
  const fs::path precious = folder.path() / "precious";
  std::ofstream(precious) << "text";
  fs::create_symlink(precious, lock_file);
  BOOST_TEST(refusal(path).starts_with("other: the lock file"));
  BOOST_TEST(fs::file_size(precious) == 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
