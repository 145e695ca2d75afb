#include <sqlite3.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace sql_view {

using Rows = std::vector<std::string>;

/// A person's view of the file: samples and metrics as rows.
struct Fixture : DatabaseFolder {
  Rows rows(const std::string& sql) const {
    Rows rows;
    // As a tool of hers reads it: the engine's own connections use no views.
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    BOOST_REQUIRE(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == 0);
    BOOST_TEST(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == 0,
               sqlite3_errmsg(database));
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const unsigned char* text = sqlite3_column_text(statement, 0);
      rows.emplace_back(text != nullptr ? reinterpret_cast<const char*>(text) : "");
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return rows;
  }
};

const std::string all_metrics =
    "SELECT point_id || ' ' || ordinal || ' ' || name || ' ' || origin || ' ' || unit || ' ' || "
    "value FROM metric ORDER BY point_id, ordinal";
const std::string all_samples =
    "SELECT point_id || ' ' || ordinal || ' ' || seconds || ' ' || sm_clock_hz || ' ' || mark "
    "FROM sample ORDER BY point_id, ordinal";

}  // namespace sql_view

BOOST_FIXTURE_TEST_SUITE(sql_view, sql_view::Fixture)

BOOST_AUTO_TEST_CASE(metrics_are_rows) {
  Store store(path, Store::Mode::read_write);
  const std::int64_t run = store.begin_run({});
  store.add_point(run, 0, example_point(1));
  PointRecord other = example_point(2);
  other.metrics = {{"load_sectors", Origin::emulated, 4}, {"sm__cycles", Origin::hardware, 0.5}};
  store.add_point(run, 1, other);
  store.add_point(run, 2, failed_point(3));
  BOOST_TEST(rows(all_metrics) ==
                 (Rows{"1 0 bandwidth measured GB/s 2738.25", "1 1 time measured us 1000.0",
                       "2 0 load_sectors emulated 1 4.0", "2 1 sm__cycles hardware  0.5"}),
             boost::test_tools::per_element());
  BOOST_TEST(
      rows("SELECT name FROM metric WHERE point_id = 2 AND value > 1") == Rows{"load_sectors"},
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(counts_that_are_added_later_are_rows_too) {
  Store store(path, Store::Mode::read_write);
  const std::int64_t id = store.add_point(store.begin_run({}), 0, example_point(1));
  store.add_counts(id, "memory", {{"load_sectors", Origin::hardware, 8}}, {});
  BOOST_TEST(rows(all_metrics).back() == "1 2 load_sectors hardware 1 8.0");
}

BOOST_AUTO_TEST_CASE(figures_that_are_not_numbers_are_what_sqlite_has_for_them) {
  Store store(path, Store::Mode::read_write);
  PointRecord point = example_point(1);
  const double infinity = std::numeric_limits<double>::infinity();
  point.metrics = {{"noise", Origin::measured, std::nan("")},
                   {"time", Origin::measured, infinity},
                   {"power", Origin::measured, -infinity}};
  store.add_point(store.begin_run({}), 0, point);
  BOOST_TEST(rows("SELECT coalesce(value, 'null') FROM metric") == (Rows{"null", "Inf", "-Inf"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(samples_are_rows) {
  Store store(path, Store::Mode::read_write);
  store.add_point(store.begin_run({}), 0, example_point(1));
  BOOST_TEST(rows(all_samples) == (Rows{"1 0 0.001 1980000000.0 ",
                                        "1 1 0.0011 1400000000.0 low clock", "1 2 0.0009 0.0 "}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(points_with_the_same_metrics_share_their_list) {
  Store store(path, Store::Mode::read_write);
  const std::int64_t run = store.begin_run({});
  for (std::int64_t i = 0; i < 10; ++i) {
    store.add_point(run, i, example_point(i));
    Store other(path, Store::Mode::read_write);
    other.add_point(run, 10 + i, example_point(i));
  }
  BOOST_TEST(rows("SELECT count(DISTINCT list_id) FROM metric_list") == Rows{"1"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_metric_is_read_whatever_its_unit_was_called) {
  PointRecord point = example_point(1);
  point.metrics = {{"temperature", Origin::measured, 45}};
  std::int64_t run = 0;
  {
    Store store(path, Store::Mode::read_write);
    run = store.begin_run({});
    store.add_point(run, 0, point);
  }
  sqlite::Database(path, sqlite::Access::write).execute("UPDATE metric_list SET unit = 'C'");
  Store store(path, Store::Mode::read_write);
  store.add_point(run, 1, point);
  for (const StoredPoint& stored : store.points(run)) {
    BOOST_TEST((stored.point.metrics == point.metrics));
  }
  BOOST_TEST(rows("SELECT unit FROM metric ORDER BY point_id") == (Rows{"C", "°C"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_has_its_devices_peak) {
  Store(path, Store::Mode::read_write).begin_run(example_provenance());
  BOOST_TEST(rows("SELECT peak_bandwidth FROM run") == Rows{"4814304000000.0"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
