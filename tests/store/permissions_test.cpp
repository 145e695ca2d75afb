#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "engine/store/store.h"
#include "tests/store/child_process.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace permissions {

namespace fs = std::filesystem;

/// A store in a folder that anybody may read.
struct Fixture : DatabaseFolder {
  Fixture() {
    {
      Store store(path, Store::Mode::read_write);
      store.add_point(store.begin_run(example_provenance()), 0, example_point(1));
    }
    allow(folder.path(), "r-x");
    allow(path, "r--");
  }
  static void allow(const fs::path& path, std::string_view rights) {
    using enum fs::perms;
    fs::perms granted = none;
    if (rights[0] == 'r') granted |= owner_read | group_read | others_read;
    if (rights[1] == 'w') granted |= owner_write | group_write | others_write;
    if (rights[2] == 'x') granted |= owner_exec | group_exec | others_exec;
    fs::permissions(path, granted);
  }

  std::string write() const {
    return unprivileged([&] {
      Store store(path, Store::Mode::read_write);
      store.begin_run({});
      return std::string("written");
    });
  }
  std::string read() const {
    return unprivileged([&] {
      const Store store(path, Store::Mode::read_only);
      return "points: " + std::to_string(store.points(1).size());
    });
  }
};

}  // namespace permissions

BOOST_FIXTURE_TEST_SUITE(permissions, permissions::Fixture)

BOOST_AUTO_TEST_CASE(a_store_can_be_read_where_nothing_can_be_written) {
  BOOST_TEST(read() == "points: 1");
}

BOOST_AUTO_TEST_CASE(a_read_only_file_is_not_written) {
  allow(folder.path(), "rwx");
  BOOST_TEST(write() == message("cannot be written: the file or its folder is read-only"));
}

BOOST_AUTO_TEST_CASE(a_file_in_a_read_only_folder_is_not_written) {
  allow(path, "rw-");
  BOOST_TEST(write() == message("cannot be written: the file or its folder is read-only"));
}

BOOST_AUTO_TEST_CASE(no_file_is_created_in_a_read_only_folder) {
  path = folder.path() / "b.db";
  BOOST_TEST(write() == message("cannot be created: folder '" + folder.path().string() +
                                "': Permission denied"));
}

BOOST_AUTO_TEST_CASE(a_file_that_may_not_be_read_is_an_error) {
  allow(path, "---");
  BOOST_TEST(read() == message("cannot be read: Permission denied"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_searched_is_an_error) {
  allow(folder.path(), "---");
  BOOST_TEST(read() == message("cannot be used: Permission denied"));
  BOOST_TEST(write() == message("cannot be used: Permission denied"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
