#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace database_file {

namespace fs = std::filesystem;
using sqlite::Access;
using sqlite::Database;

/// "Swep" in ASCII.
constexpr std::int64_t application_id = 0x53776570;

constexpr auto both_modes = {Store::Mode::read_only, Store::Mode::read_write};

struct Fixture : DatabaseFolder {
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string bytes() const { return read_text_file(path); }
  void make_store() const {
    Store store(path, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(example_provenance());
    for (std::int64_t i = 1; i <= 50; ++i) store.add_point(run, i, example_point(i));
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
  }

  /// Opening the file in this mode is this error, which names it.
  void check_refused(Store::Mode mode, StoreFault fault, const std::string& what) const {
    BOOST_CHECK_EXCEPTION(Store(path, mode), StoreError, [&](const StoreError& error) {
      const std::string said = error.what();
      BOOST_TEST(said.starts_with(message(what)), said);
      return error.fault() == fault;
    });
  }
  /// As above in both modes, and the folder stays as it is.
  void check_refused_untouched(StoreFault fault, const std::string& what) const {
    const std::string before = bytes();
    const std::size_t files = files_in_folder();
    for (const Store::Mode mode : both_modes) {
      check_refused(mode, fault, what);
      BOOST_TEST(bytes() == before);
      BOOST_TEST(files_in_folder() == files);
    }
  }
};

}  // namespace database_file

BOOST_FIXTURE_TEST_SUITE(database_file, database_file::Fixture)

BOOST_AUTO_TEST_CASE(a_missing_file_is_created_only_for_writing) {
  check_refused(Store::Mode::read_only, StoreFault::missing, "does not exist");
  BOOST_TEST(!fs::exists(path));
  { Store(path, Store::Mode::read_write).begin_run({}); }
  BOOST_TEST(Store(path, Store::Mode::read_only).runs().size() == 1);
}

BOOST_AUTO_TEST_CASE(a_closed_store_is_one_file) {
  make_store();
  BOOST_TEST(files_in_folder() == 1);
}

BOOST_AUTO_TEST_CASE(an_empty_file_becomes_a_store) {
  write("");
  check_refused(Store::Mode::read_only, StoreFault::missing, "is empty: it holds no runs");
  make_store();
  BOOST_TEST(Store(path, Store::Mode::read_only).points(1).size() == 50);
}

BOOST_AUTO_TEST_CASE(the_file_says_what_it_is) {
  make_store();
  Database database(path, Access::read);
  BOOST_TEST(database.integer("PRAGMA application_id") == application_id);
  BOOST_TEST(database.integer("PRAGMA user_version") == 1);
}

BOOST_AUTO_TEST_CASE(the_marks_are_in_the_file_while_it_is_open) {
  const Store store(path, Store::Mode::read_write);
  Database without_log(path, Access::immutable);
  BOOST_TEST(without_log.integer("PRAGMA application_id") == application_id);
}

BOOST_AUTO_TEST_CASE(a_file_of_another_kind_is_refused) {
  for (const char* text : {"x", "pattern: stride\n", "SQLite format 3"}) {
    write(text);
    check_refused_untouched(StoreFault::not_a_store, "is not a results database");
  }
  write(std::string(10000, 'x'));
  check_refused_untouched(StoreFault::not_a_store, "is not a results database");
}

BOOST_AUTO_TEST_CASE(another_programs_database_is_refused) {
  { Database(path, Access::write).execute("CREATE TABLE bookmarks (url)"); }
  check_refused_untouched(StoreFault::not_a_store, "is another program's database");
  { Database(path, Access::write).execute("PRAGMA journal_mode = WAL"); }
  check_refused_untouched(StoreFault::not_a_store, "is another program's database");
}

BOOST_AUTO_TEST_CASE(another_version_is_refused) {
  make_store();
  for (const char* version : {"0", "2", "99"}) {
    { Database(path, Access::write).execute(std::string("PRAGMA user_version = ") + version); }
    check_refused_untouched(StoreFault::other_version,
                            std::string("was written by another version of sweep (schema ") +
                                version +
                                ", this one knows 1); use that version, or another folder with "
                                "-o DIR");
  }
}

BOOST_AUTO_TEST_CASE(another_version_is_refused_while_its_mark_is_in_the_log) {
  make_store();
  Database writer(path, Access::write);
  writer.execute("PRAGMA user_version = 99");
  BOOST_TEST(Database(path, Access::immutable).integer("PRAGMA user_version") == 1);
  for (const Store::Mode mode : both_modes) {
    check_refused(mode, StoreFault::other_version, "was written by another version");
  }
}

BOOST_AUTO_TEST_CASE(a_search_that_makes_no_sense_is_damage) {
  make_store();
  for (const char* text : {"{", "[]", "{}", "[1,2]"}) {
    BOOST_TEST_CONTEXT(text) {
      {
        Database(path, Access::write)
            .execute(std::string("UPDATE run SET tuning = '") + text + "'");
      }
      const Store store(path, Store::Mode::read_only);
      BOOST_CHECK_EXCEPTION(store.runs(), StoreError, [&](const StoreError& error) {
        BOOST_TEST(
            std::string(error.what()).starts_with(message("is damaged (what a search found: ")));
        return error.fault() == StoreFault::damaged;
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(figures_that_do_not_fit_are_damage) {
  make_store();
  for (const char* change :
       {"samples = '[[1,2,\"odd\"]]'", "samples = '[[1]]'", "metric_values = '[1]'",
        "metric_values = '[1,x]'", "metric_list = 99"}) {
    BOOST_TEST_CONTEXT(change) {
      Database database(path, Access::write);
      database.execute(std::string("UPDATE point SET ") + change + " WHERE id = 3");
      const Store store(path, Store::Mode::read_only);
      BOOST_CHECK_EXCEPTION(store.points(1), StoreError, [](const StoreError& error) {
        return error.fault() == StoreFault::damaged;
      });
      database.execute(
          "UPDATE point SET (samples, metric_list, metric_values) = (SELECT samples, "
          "metric_list, metric_values FROM point WHERE id = 4) WHERE id = 3");
    }
  }
  BOOST_TEST(Store(path, Store::Mode::read_only).points(1).size() == 50);
}

BOOST_AUTO_TEST_CASE(a_truncated_database_is_damaged) {
  make_store();
  fs::resize_file(path, fs::file_size(path) / 2);
  check_refused(Store::Mode::read_only, StoreFault::damaged,
                "is damaged (database disk image is malformed)");
  check_refused(Store::Mode::read_write, StoreFault::damaged, "is damaged");
}

BOOST_AUTO_TEST_CASE(damage_inside_is_found_when_it_is_read) {
  make_store();
  std::string damaged = bytes();
  for (std::size_t i = 4096; i < damaged.size(); ++i) damaged[i] = '\x55';
  write(damaged);
  const auto read = [&] { return Store(path, Store::Mode::read_only).points(1); };
  BOOST_CHECK_EXCEPTION(read(), StoreError, [](const StoreError& error) {
    return error.fault() == StoreFault::damaged;
  });
}

BOOST_AUTO_TEST_CASE(contents_that_make_no_sense_are_damage) {
  make_store();
  { Database(path, Access::write).execute("UPDATE point SET parameters = '{' WHERE id = 3"); }
  const Store store(path, Store::Mode::read_only);
  BOOST_CHECK_EXCEPTION(store.points(1), StoreError, [&](const StoreError& error) {
    BOOST_TEST(
        std::string(error.what()).starts_with(message("is damaged (a point's parameters: ")));
    return error.fault() == StoreFault::damaged;
  });
}

BOOST_AUTO_TEST_CASE(a_folder_is_refused) {
  fs::create_directory(path);
  for (const Store::Mode mode : both_modes) {
    check_refused(mode, StoreFault::not_a_store, "is a folder");
  }
}

BOOST_AUTO_TEST_CASE(a_store_is_not_created_in_a_folder_that_does_not_exist) {
  path = folder.path() / "results" / "a.db";
  check_refused(
      Store::Mode::read_write, StoreFault::inaccessible,
      "cannot be created: folder '" + path.parent_path().string() + "': No such file or directory");
  check_refused(Store::Mode::read_only, StoreFault::missing, "does not exist");
}

BOOST_AUTO_TEST_CASE(file_names_may_have_any_characters) {
  path = folder.path() / "a b?c%20#'é.db";
  make_store();
  BOOST_TEST(fs::exists(path));
  Database immutable(path, Access::immutable);
  BOOST_TEST(immutable.integer("SELECT count(*) FROM point") == 50);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
