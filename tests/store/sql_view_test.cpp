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

using boost::test_tools::per_element;

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

// The view `points`.

const std::string columns_of_points = "SELECT group_concat(name) FROM pragma_table_info('points')";

BOOST_AUTO_TEST_CASE(points_have_columns_for_parameters_and_metrics_as_they_come) {
  Store store(path, Store::Mode::read_write);
  BOOST_TEST(rows("SELECT version FROM points_version") == Rows{"1"}, per_element());
  BOOST_TEST(rows(columns_of_points) ==
                 Rows{"run,point,sweep,started,measured_by,pattern,status,reason,stopped_by,device,"
                      "gpu,time,time_low,time_high,bandwidth,bandwidth_low,bandwidth_high,"
                      "percent_of_peak,percent_of_peak_low,percent_of_peak_high,notes"},
             per_element());
  const std::int64_t run = store.begin_run(example_provenance());
  PointRecord point = example_point(1);
  point.key.parameters = {};
  point.key.parameters.set("T", *ElementType::find("float4"));
  point.key.parameters.set("N", std::int64_t{1} << 40);
  point.key.parameters.set("Where", std::string("peer"));
  point.key.parameters.set("time", true);
  point.metrics = {{"time", Origin::measured, 2},        {"time_low", Origin::measured, 1},
                   {"time_high", Origin::measured, 4},   {"bandwidth", Origin::measured, 8},
                   {"bottleneck", Origin::predicted, 9}, {"sm__cycles.sum", Origin::hardware, 5}};
  store.add_point(run, 0, point);
  BOOST_TEST(rows("SELECT T || ' ' || N || ' ' || \"Where\" || ' ' || \"parameter.time\" || ' ' || "
                  "time || ' ' || bandwidth_low || ' ' || bandwidth_high || ' ' || "
                  "\"bottleneck.predicted\" || ' ' || \"sm__cycles.sum.hardware\" FROM points") ==
                 Rows{"float4 1099511627776 peer 1 2.0 4.0 16.0 device memory 5.0"},
             per_element());
  // Another pattern, with other parameters and metrics: what a point lacks is NULL.
  PointRecord other = failed_point(2);
  other.key.pattern_name = "other";
  other.key.parameters = {};
  other.key.parameters.set("n", std::int64_t{3});
  other.key.parameters.set("X", std::int64_t{4});
  other.notes = {"one", "two"};
  store.add_point(run, 1, other);
  BOOST_TEST(rows("SELECT pattern || status || X || \"parameter.n\" || notes || (N IS NULL) || "
                  "(time IS NULL) FROM points WHERE point = 1") == Rows{"otherfailed43one; two11"},
             per_element());
  store.add_counts(1, "memory", {{"load_sectors", Origin::hardware, 8}}, {});
  BOOST_TEST(rows("SELECT \"load_sectors.hardware\" FROM points") == (Rows{"8.0", ""}),
             per_element());
}

BOOST_AUTO_TEST_CASE(a_point_is_a_row_of_each_run_that_has_it) {
  Store store(path, Store::Mode::read_write);
  Provenance provenance = example_provenance();
  const std::int64_t first = store.begin_run(provenance);
  store.add_point(first, 3, example_point(1));
  const std::int64_t second = store.begin_run(provenance);
  store.reuse_point(second, 5, example_point(1).key);
  store.set_devices(second, {{0, "GPU-other"}, {4, "H200"}});
  BOOST_TEST(
      rows("SELECT run || ' ' || point || ' ' || measured_by || ' ' || sweep || ' ' || device || "
           "' ' || coalesce(gpu, '-') "
           "FROM points ORDER BY run") ==
          (Rows{"1 3 1 " + provenance.sweep_name + " " + provenance.device.name + " -",
                "2 5 1 " + provenance.sweep_name + " " + provenance.device.name + " 4"}),
      per_element());
}

BOOST_AUTO_TEST_CASE(the_view_is_made_for_a_database_that_lacks_it) {
  {
    Store store(path, Store::Mode::read_write);
    store.add_point(store.begin_run({}), 0, example_point(1));
  }
  const Rows before = rows(columns_of_points);
  sqlite::Database(path, sqlite::Access::write)
      .execute("DROP VIEW points; DROP VIEW points_version; CREATE TABLE points_version (mine)");
  const Store reader(path, Store::Mode::read_only);
  BOOST_TEST(rows("SELECT count(*) FROM sqlite_master WHERE name = 'points'") == Rows{"0"},
             per_element());
  const Store writer(path, Store::Mode::read_write);
  BOOST_TEST(rows(columns_of_points) == before, per_element());
  // What somebody else made is left alone.
  BOOST_TEST(rows("SELECT count(*) FROM points_version") == Rows{"0"}, per_element());
}

BOOST_AUTO_TEST_CASE(names_that_are_none_get_no_column) {
  Store store(path, Store::Mode::read_write);
  PointRecord point = example_point(1);
  point.key.parameters.set("a\"; DROP TABLE run; --", std::int64_t{1});
  point.metrics.push_back({"x') --", Origin::measured, 1});
  store.add_point(store.begin_run({}), 0, point);
  BOOST_TEST(rows("SELECT count(*) FROM points") == Rows{"1"}, per_element());
  BOOST_TEST(
      rows("SELECT count(*) FROM pragma_table_info('points') WHERE name LIKE '%a\"%' OR name "
           "LIKE '%x%)%'") == Rows{"0"},
      per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
