#include "engine/store/store.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <regex>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"
#include "tests/rapidcheck_case.h"
#include "tests/store/arbitrary_records.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace store {

bool is_utc_time(const std::string& text) {
  return std::regex_match(text, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"));
}

}  // namespace store

BOOST_FIXTURE_TEST_SUITE(store, OpenStore)

BOOST_AUTO_TEST_CASE(a_new_store_has_no_runs) {
  BOOST_TEST(store.runs().empty());
}

BOOST_AUTO_TEST_CASE(a_run_keeps_all_of_its_provenance) {
  const std::int64_t run = store.begin_run(example_provenance());
  store.end_run(run, RunState::finished);

  const RunRecord read = Store(path, Store::Mode::read_only).runs().at(0);
  BOOST_TEST(read.id == run);
  BOOST_TEST((read.provenance == example_provenance()));
  BOOST_TEST((read.state == RunState::finished));
  BOOST_TEST(is_utc_time(read.started));
  BOOST_TEST(is_utc_time(read.finished));
  BOOST_TEST(read.started <= read.finished);
}

BOOST_AUTO_TEST_CASE(a_run_is_running_until_it_ends) {
  const std::int64_t first = store.begin_run(example_provenance());
  const std::int64_t second = store.begin_run(example_provenance());
  store.end_run(second, RunState::interrupted);

  const auto runs = store.runs();
  BOOST_REQUIRE(runs.size() == 2);
  BOOST_TEST(runs[0].id == first);
  BOOST_TEST((runs[0].state == RunState::running));
  BOOST_TEST(runs[0].finished == "");
  BOOST_TEST((runs[1].state == RunState::interrupted));
  BOOST_TEST(is_utc_time(runs[1].finished));
}

BOOST_AUTO_TEST_CASE(ending_an_unknown_run_is_an_error) {
  BOOST_CHECK_EXCEPTION(store.end_run(7, RunState::finished), StoreError,
                        [&](const auto& error) { return error.what() == message("has no run 7"); });
}

BOOST_AUTO_TEST_CASE(adding_a_point_to_an_unknown_run_leaves_nothing_behind) {
  BOOST_CHECK_THROW(store.add_point(7, 0, example_point(1)), StoreError);
  BOOST_TEST(!store.metrics_of(example_key(1)));
  const std::int64_t run = store.begin_run(example_provenance());
  store.add_point(run, 0, example_point(2));
  BOOST_TEST(store.points(run).size() == 1);
}

BOOST_AUTO_TEST_CASE(points_come_back_by_their_place) {
  const std::int64_t run = store.begin_run(example_provenance());
  const std::int64_t other = store.begin_run(example_provenance());
  for (const std::int64_t stride : {3, 1, 2}) {
    store.add_point(run, 10 * stride, example_point(stride));
    store.add_point(other, 10 - stride, example_point(10 * stride));
  }
  const auto points = store.points(run);
  BOOST_REQUIRE(points.size() == 3);
  for (const std::int64_t i : {1, 2, 3}) {
    const StoredPoint& stored = points[static_cast<std::size_t>(i - 1)];
    BOOST_TEST((stored.point == example_point(i)));
    BOOST_TEST(stored.ordinal == 10 * i);
    BOOST_TEST(stored.measured_by == run);
  }
  BOOST_TEST(store.points(other).size() == 3);
  BOOST_TEST((store.points(other).front().point == example_point(30)));
  BOOST_TEST(store.points(99).empty());
}

BOOST_AUTO_TEST_CASE(any_point_comes_back_bit_for_bit) {
  check_property([&] {
    const PointRecord point = arbitrary_point();
    const std::int64_t run = store.begin_run({});
    store.add_point(run, 0, point);
    const auto points = store.points(run);
    RC_ASSERT(points.size() == 1);
    RC_ASSERT(identical(points[0].point, point));
  });
}

BOOST_AUTO_TEST_CASE(figures_that_are_not_numbers_are_kept) {
  PointRecord point = example_point(1);
  const double infinity = std::numeric_limits<double>::infinity();
  point.metrics = {{"noise", Origin::measured, std::nan("")},
                   {"time", Origin::measured, infinity},
                   {"bandwidth", Origin::emulated, -infinity},
                   {"time_low", Origin::measured, -0.0}};
  const std::int64_t run = store.begin_run({});
  store.add_point(run, 0, point);
  const auto metrics = store.points(run).at(0).point.metrics;
  BOOST_REQUIRE(metrics.size() == 4);
  BOOST_TEST(std::isnan(metrics[0].value));
  BOOST_TEST(metrics[1].value == infinity);
  BOOST_TEST(metrics[2].value == -infinity);
  BOOST_TEST(std::signbit(metrics[3].value));
}

BOOST_AUTO_TEST_CASE(a_later_run_reuses_a_successful_point) {
  const std::int64_t first = store.begin_run(example_provenance());
  const std::int64_t id = store.add_point(first, 0, example_point(1));

  const std::int64_t second = store.begin_run(example_provenance());
  BOOST_TEST(store.metrics_of(example_key(1)).has_value());
  BOOST_TEST(!store.metrics_of(example_key(2)));
  const auto reused = store.reuse_point(second, 0, example_key(1));
  BOOST_REQUIRE(reused.has_value());
  BOOST_TEST(reused->id == id);
  BOOST_TEST(reused->collected_counters == "");
  BOOST_TEST(!store.reuse_point(second, 1, example_key(2)).has_value());
  store.add_point(second, 1, example_point(2));

  const auto points = store.points(second);
  BOOST_REQUIRE(points.size() == 2);
  BOOST_TEST((points[0].point == example_point(1)));
  BOOST_TEST(points[0].measured_by == first);
  BOOST_TEST(points[0].id == id);
  BOOST_TEST(points[1].measured_by == second);
}

BOOST_AUTO_TEST_CASE(many_points_are_reused_at_once) {
  const std::int64_t first = store.begin_run({});
  for (const std::int64_t i : {0, 2, 3}) store.add_point(first, i, example_point(i));
  store.add_point(first, 4, failed_point(4));

  const std::int64_t second = store.begin_run({});
  const auto reused =
      store.reuse_points(second, std::vector<std::size_t>{0, 1, 2, 3, 4},
                         [](std::size_t i) { return example_key(static_cast<std::int64_t>(i)); });
  BOOST_REQUIRE(reused.size() == 5);
  std::vector<bool> found;
  for (const auto& each : reused) found.push_back(each.has_value());
  BOOST_TEST(found == (std::vector<bool>{true, false, true, true, false}),
             boost::test_tools::per_element());
  const auto points = store.points(second);
  BOOST_REQUIRE(points.size() == 3);
  BOOST_TEST(points[1].ordinal == 2);
  BOOST_TEST(points[1].id == reused[2]->id);
  BOOST_TEST((points[1].point == example_point(2)));
  BOOST_TEST(store.reuse_points(second, {}, {}).empty());
}

BOOST_AUTO_TEST_CASE(a_failure_while_reusing_many_points_takes_all_back) {
  const std::int64_t first = store.begin_run({});
  store.add_point(first, 0, example_point(0));
  const std::int64_t second = store.begin_run({});
  store.add_point(second, 1, example_point(1));
  BOOST_CHECK_THROW(store.reuse_points(second, std::vector<std::size_t>{0, 1},
                                       [](std::size_t) { return example_key(0); }),
                    StoreError);
  BOOST_TEST(store.points(second).size() == 1);
}

BOOST_AUTO_TEST_CASE(the_newest_successful_point_is_reused) {
  const std::int64_t first = store.begin_run({});
  store.add_point(first, 0, example_point(1, 100));
  store.add_point(first, 1, example_point(1, 200));
  store.add_point(first, 2, failed_point(1));

  const std::int64_t second = store.begin_run({});
  BOOST_TEST(store.reuse_point(second, 0, example_key(1)).has_value());
  BOOST_TEST((store.points(second).at(0).point == example_point(1, 200)));
  BOOST_TEST(store.points(first).size() == 3);
}

BOOST_AUTO_TEST_CASE(a_failed_point_is_kept_but_never_reused) {
  const std::int64_t run = store.begin_run({});
  store.add_point(run, 0, failed_point(1));
  BOOST_TEST((store.points(run).at(0).point == failed_point(1)));
  BOOST_TEST(!store.metrics_of(example_key(1)));
  BOOST_TEST(!store.reuse_point(run, 1, example_key(1)).has_value());
  BOOST_TEST(store.points(run).size() == 1);
}

BOOST_AUTO_TEST_CASE(every_part_of_the_key_counts) {
  const std::int64_t run = store.begin_run({});
  store.add_point(run, 0, example_point(1));
  const PointKey key = example_key(1);
  std::vector<PointKey> others(8, key);
  others[0].pattern_name = "offset";
  others[1].pattern_text += "\n";
  others[2].parameters.set("STRIDE", true);
  others[3].parameters.set("T", std::string("float"));
  others[4].parameters.set("N", std::int64_t{1});
  others[5].measure = "cache warm";
  others[6].device = "T4";
  others[7].compiler = "NVRTC 12.4";
  for (const PointKey& other : others) BOOST_TEST(!store.metrics_of(other));
  BOOST_TEST(store.metrics_of(key).has_value());
  for (const PointKey& other : others) BOOST_TEST(!store.metrics_of(other));
}

// Two keys with the same hash: each other point is given the hash of the key that is looked for.
BOOST_AUTO_TEST_CASE(a_hash_alone_does_not_make_a_point_the_same) {
  store.add_point(store.begin_run({}), 0, example_point(1));
  sqlite::Database database(path, sqlite::Access::write);
  sqlite::Statement(database, "UPDATE point SET key_hash = ?").bind(key_hash(example_key(2))).run();
  BOOST_TEST(!store.metrics_of(example_key(2)));
  store.add_point(1, 1, example_point(2));
  BOOST_TEST(store.metrics_of(example_key(2)).has_value());
}

BOOST_AUTO_TEST_CASE(each_pattern_text_is_stored_once) {
  const std::int64_t run = store.begin_run({});
  for (std::int64_t i = 0; i < 5; ++i) store.add_point(run, i, example_point(i));
  PointRecord edited = example_point(1);
  edited.key.pattern_text += "// edited\n";
  store.add_point(run, 5, edited);
  BOOST_TEST(sqlite::Database(path, sqlite::Access::read).integer("SELECT count(*) FROM pattern") ==
             2);
}

BOOST_AUTO_TEST_CASE(a_reader_leaves_no_side_files) {
  const TemporaryFolder other;
  const auto file = other.path() / "b.db";
  {
    Store writer(file, Store::Mode::read_write);
    writer.add_point(writer.begin_run({}), 0, example_point(1));
  }
  BOOST_TEST(Store(file, Store::Mode::read_only).runs().size() == 1U);
  const std::filesystem::directory_iterator files(other.path());
  BOOST_TEST(std::distance(begin(files), end(files)) == 1);
}

BOOST_AUTO_TEST_CASE(two_connections_see_each_others_points) {
  Store other(path, Store::Mode::read_write);
  const Store reader(path, Store::Mode::read_only);
  const std::int64_t mine = store.begin_run({});
  const std::int64_t theirs = other.begin_run({});
  for (std::int64_t i = 1; i <= 3; ++i) {
    store.add_point(mine, i, example_point(i));
    other.add_point(theirs, i, example_point(-i));
    BOOST_TEST(reader.points(mine).size() == static_cast<std::size_t>(i));
    BOOST_TEST(store.points(theirs).size() == static_cast<std::size_t>(i));
  }
  BOOST_TEST(other.reuse_point(theirs, 4, example_key(2)).has_value());
}

BOOST_AUTO_TEST_CASE(points_are_visited_in_their_order_and_counted) {
  const std::int64_t run = store.begin_run(example_provenance());
  for (const std::int64_t ordinal : {2, 0, 1}) {
    PointRecord point = example_point(ordinal);
    if (ordinal == 1) point.status = PointStatus::failed;
    store.add_point(run, ordinal, point);
  }
  std::vector<std::int64_t> visited;
  store.visit_points(run, [&](const StoredPoint& stored) { visited.push_back(stored.ordinal); });
  BOOST_TEST(visited == (std::vector<std::int64_t>{0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST((store.count_points(run) == PointCounts{3, 1}));
  BOOST_TEST((store.count_points(run + 1) == PointCounts{}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
