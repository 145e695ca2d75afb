#include <sqlite3.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/contains.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace hostile_database {

struct Fixture : DatabaseFolder {
  Fixture() {
    Store store(path, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(example_provenance());
    for (std::int64_t i = 1; i <= 3; ++i) store.add_point(run, i, example_point(i));
    store.end_run(run, RunState::finished);
  }

  /// Changes the file as a stranger's tool may.
  void change(const std::string& sql) const {
    sqlite3* database = nullptr;
    BOOST_REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    char* message = nullptr;
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message);
    BOOST_TEST(message == nullptr, (message != nullptr ? message : ""));
    sqlite3_free(message);
    sqlite3_close(database);
  }

  /// Reads everything; how it ended.
  std::string read() const {
    try {
      const Store store(path, Store::Mode::read_only);
      std::size_t points = 0;
      for (const RunRecord& run : store.runs()) points += store.points(run.id).size();
      return std::to_string(points) + " points";
    } catch (const StoreError& error) {
      return error.what();
    }
  }
};

/// What takes the place of a table or stands beside it.
const std::vector<std::string> changes = {
    // A view that never ends.
    "ALTER TABLE run RENAME TO old_run;"
    "CREATE VIEW run AS WITH RECURSIVE t(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM t) "
    "SELECT * FROM old_run WHERE id IN (SELECT id FROM t);",
    "DROP TABLE run_note; CREATE VIEW run_note AS SELECT 1 AS run_id, 1 AS ordinal, 'x' AS text;",
    // Values of other types than those written.
    "UPDATE run SET sweep_name = x'00ff', seed = 'text', memory_clock_hz = 'much', "
    "multiprocessors = 1e300;",
    "UPDATE run SET sweep_text = zeroblob(50000000);",
    "UPDATE point SET parameters = '{\"STRIDE\": [[[[1]]]]}';",
    "UPDATE point SET parameters = x'ff';",
    "UPDATE pattern SET text = NULL WHERE 0; UPDATE pattern SET name = '../../.bashrc';",
    "UPDATE run_point SET ordinal = 9223372036854775807 WHERE ordinal = 3;",
};

}  // namespace hostile_database
}  // namespace

using hostile_database::Fixture;

BOOST_FIXTURE_TEST_SUITE(hostile_database_suite, Fixture)

BOOST_DATA_TEST_CASE_F(Fixture, is_read_or_refused_at_once, data::make(hostile_database::changes),
                       sql) {
  change(sql);
  const auto begin = std::chrono::steady_clock::now();
  const std::string ended = read();
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(10)));
  BOOST_TEST((ended == "3 points" || contains(ended, path.string())), ended);
  BOOST_TEST_MESSAGE(ended);
}

BOOST_AUTO_TEST_CASE(a_view_in_the_place_of_a_table_is_not_looked_through) {
  change(hostile_database::changes.front());
  BOOST_TEST(contains(read(), "prohibited"), read());
}

BOOST_AUTO_TEST_CASE(its_triggers_do_not_run) {
  change(
      "CREATE TABLE trap (x); CREATE TRIGGER t1 AFTER INSERT ON run BEGIN INSERT INTO trap "
      "VALUES (1); END; CREATE TRIGGER t2 AFTER INSERT ON point BEGIN DELETE FROM run; END;");
  {
    Store store(path, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(example_provenance());
    store.add_point(run, 1, example_point(7));
    BOOST_TEST(store.runs().size() == 2U);
  }
  sqlite::Database database(path, sqlite::Access::read);
  BOOST_TEST(database.integer("SELECT count(*) FROM trap") == 0);
}

BOOST_AUTO_TEST_CASE(texts_are_values_and_never_statements) {
  const std::string text = "'); DROP TABLE run; --\"; ATTACH '/tmp/x' AS x; \x01";
  Provenance provenance = example_provenance();
  provenance.sweep_name = text;
  provenance.sweep_text = text;
  provenance.device.name = text;
  PointRecord point = example_point(9);
  point.key.pattern_name = text;
  point.reason = text;
  point.notes = {text};
  std::int64_t run = 0;
  {
    Store store(path, Store::Mode::read_write);
    run = store.begin_run(provenance);
    store.add_point(run, 1, point);
  }
  const Store store(path, Store::Mode::read_only);
  BOOST_TEST(store.runs().size() == 2U);
  BOOST_TEST((store.points(run).front().point == point));
  BOOST_TEST(store.runs().back().provenance.sweep_name == text);
}

BOOST_AUTO_TEST_CASE(a_schema_cannot_be_rewritten_nor_a_library_loaded) {
  sqlite::Database database(path, sqlite::Access::write);
  database.execute("PRAGMA writable_schema = ON");
  BOOST_CHECK_THROW(database.execute("UPDATE sqlite_schema SET sql = 'x'"), StoreError);
  BOOST_CHECK_THROW(database.execute("SELECT load_extension('x')"), StoreError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
