#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace counts {

using Metrics = std::vector<Metric>;
using Notes = std::vector<std::string>;

/// A point that the emulator and the hardware have counted, and a run that reuses it.
struct Fixture : OpenStore {
  std::int64_t run = store.begin_run({});
  std::int64_t id = store.add_point(run, 0, counted_point());

  static PointRecord counted_point() {
    PointRecord point = example_point(1);
    point.metrics = {{"bandwidth", Origin::measured, 2738.25},
                     {"load_sectors", Origin::hardware, 31},
                     {"load_sectors", Origin::emulated, 32}};
    point.notes = {"executed 5 of 4096 blocks"};
    point.collected_counters = "load_sectors";
    return point;
  }
  PointRecord point() const { return store.points(run).at(0).point; }
};

}  // namespace counts

BOOST_FIXTURE_TEST_SUITE(counts, counts::Fixture)

BOOST_AUTO_TEST_CASE(a_point_keeps_what_counted_it) {
  BOOST_TEST((point() == counted_point()));
  const auto reused = store.reuse_point(store.begin_run({}), 0, example_key(1));
  BOOST_REQUIRE(reused.has_value());
  BOOST_TEST(reused->collected_counters == "load_sectors");
}

BOOST_AUTO_TEST_CASE(new_counts_replace_the_hardwares_and_nothing_else) {
  store.add_counts(id, "memory",
                   {{"load_sectors", Origin::hardware, 32}, {"l2_hit_rate", Origin::hardware, 50}},
                   {"one pass failed"});
  BOOST_TEST((point().metrics == Metrics{{"bandwidth", Origin::measured, 2738.25},
                                         {"load_sectors", Origin::emulated, 32},
                                         {"load_sectors", Origin::hardware, 32},
                                         {"l2_hit_rate", Origin::hardware, 50}}));
  BOOST_TEST((point().notes == Notes{"executed 5 of 4096 blocks", "one pass failed"}));
  BOOST_TEST(point().collected_counters == "memory");
  BOOST_TEST((point().samples == counted_point().samples));
}

BOOST_AUTO_TEST_CASE(counts_can_be_replaced_again_and_taken_away) {
  store.add_counts(id, "memory", {{"load_sectors", Origin::hardware, 33}}, {"a", "b"});
  store.add_counts(id, "memory, shared", {{"load_sectors", Origin::hardware, 34}}, {"c"});
  BOOST_TEST((point().notes == Notes{"executed 5 of 4096 blocks", "c"}));
  BOOST_TEST(point().metrics.size() == 3);
  store.add_counts(id, "", {}, {});
  BOOST_TEST((point().notes == Notes{"executed 5 of 4096 blocks"}));
  BOOST_TEST(point().metrics.size() == 2);
  BOOST_TEST(store.reuse_point(run, 1, example_key(1)).value().collected_counters == "");
}

BOOST_AUTO_TEST_CASE(a_point_without_metrics_and_notes_can_be_counted) {
  PointRecord bare = example_point(2);
  bare.metrics.clear();
  const std::int64_t other = store.add_point(run, 1, bare);
  store.add_counts(other, "memory", {{"load_sectors", Origin::hardware, 1}}, {"a"});
  const PointRecord counted = store.points(run).at(1).point;
  BOOST_TEST((counted.metrics == Metrics{{"load_sectors", Origin::hardware, 1}}));
  BOOST_TEST((counted.notes == Notes{"a"}));
  BOOST_TEST((point() == counted_point()));
}

BOOST_AUTO_TEST_CASE(counts_of_an_unknown_point_are_an_error) {
  BOOST_CHECK_EXCEPTION(
      store.add_counts(99, "memory", {}, {}), StoreError,
      [](const StoreError& error) { return error.fault() == StoreFault::missing; });
  BOOST_TEST((point() == counted_point()));
}

BOOST_AUTO_TEST_CASE(metrics_of_another_origin_are_added_behind_those_that_are_there) {
  PointRecord timed = example_point(3);
  timed.notes = {"a note"};
  timed.collected_counters = "memory";
  const std::int64_t other = store.add_point(run, 1, timed);
  store.add_metrics(other,
                    {{"load_sectors", Origin::emulated, 8}, {"instructions", Origin::emulated, 9}},
                    {"executed 5 of 4096 blocks"});
  PointRecord expected = timed;
  expected.metrics.push_back({"load_sectors", Origin::emulated, 8});
  expected.metrics.push_back({"instructions", Origin::emulated, 9});
  expected.notes.emplace_back("executed 5 of 4096 blocks");
  BOOST_TEST((store.points(run).at(1).point == expected));
  BOOST_TEST((point() == counted_point()));
  // The hardware's counts come and go without them.
  store.add_counts(other, "shared", {{"l2_hit_rate", Origin::hardware, 50}}, {"one pass failed"});
  expected.metrics.push_back({"l2_hit_rate", Origin::hardware, 50});
  expected.notes.emplace_back("one pass failed");
  expected.collected_counters = "shared";
  BOOST_TEST((store.points(run).at(1).point == expected));
}

BOOST_AUTO_TEST_CASE(metrics_can_be_added_to_a_point_that_has_nothing) {
  PointRecord bare = example_point(3);
  bare.metrics.clear();
  const std::int64_t other = store.add_point(run, 1, bare);
  store.add_metrics(other, {}, {});
  BOOST_TEST((store.points(run).at(1).point == bare));
  store.add_metrics(other, {{"instructions", Origin::emulated, 9}}, {"a"});
  BOOST_TEST(
      (store.points(run).at(1).point.metrics == Metrics{{"instructions", Origin::emulated, 9}}));
  BOOST_TEST((store.points(run).at(1).point.notes == Notes{"a"}));
}

BOOST_AUTO_TEST_CASE(every_run_that_has_the_point_sees_what_was_added) {
  const std::int64_t later = store.begin_run({});
  BOOST_REQUIRE(store.reuse_point(later, 7, example_key(1)));
  store.add_metrics(id, {{"power", Origin::measured, 300}}, {});
  for (const auto& [in, ordinal] : {std::pair(run, 0), std::pair(later, 7)}) {
    const auto stored = store.point(in, ordinal);
    BOOST_REQUIRE(stored.has_value());
    BOOST_TEST((stored->point.metrics.back() == Metric{"power", Origin::measured, 300}));
  }
  const Store reader(path, Store::Mode::read_only);
  BOOST_TEST(reader.point(later, 7).value().point.metrics.size() == 4);
}

BOOST_AUTO_TEST_CASE(metrics_of_an_unknown_point_are_an_error) {
  BOOST_CHECK_EXCEPTION(
      store.add_metrics(99, {{"power", Origin::measured, 300}}, {"a"}), StoreError,
      [](const StoreError& error) { return error.fault() == StoreFault::missing; });
  BOOST_TEST((point() == counted_point()));
}

BOOST_AUTO_TEST_CASE(a_point_is_found_by_its_place_in_a_run) {
  const std::int64_t other = store.add_point(run, 4, failed_point(2));
  const std::int64_t later = store.begin_run({});
  store.reuse_point(later, 3, example_key(1));
  const StoredPoint first = store.point(run, 0).value();
  BOOST_TEST(first.id == id);
  BOOST_TEST(first.ordinal == 0);
  BOOST_TEST(first.measured_by == run);
  BOOST_TEST((first.point == counted_point()));
  BOOST_TEST(store.point(run, 4).value().id == other);
  BOOST_TEST((store.point(run, 4).value().point == failed_point(2)));
  const StoredPoint reused = store.point(later, 3).value();
  BOOST_TEST(reused.id == id);
  BOOST_TEST(reused.ordinal == 3);
  BOOST_TEST(reused.measured_by == run);
  for (const auto& [in, ordinal] :
       {std::pair(run, 1), std::pair(run, 3), std::pair(run, -1), std::pair(later, 0),
        std::pair(later, 4), std::pair(later + 1, 0)}) {
    BOOST_TEST(!store.point(in, ordinal), in << ", " << ordinal);
  }
}

BOOST_AUTO_TEST_CASE(metrics_are_found_by_the_key_of_a_point_that_succeeded) {
  BOOST_TEST((store.metrics_of(example_key(1)) == counted_point().metrics));
  BOOST_TEST(!store.metrics_of(example_key(2)));
  store.add_point(run, 1, failed_point(2));
  BOOST_TEST(!store.metrics_of(example_key(2)));
  // Of several the newest, as when it is used again.
  store.add_point(run, 2, example_point(1, 99));
  BOOST_TEST((store.metrics_of(example_key(1)) == example_point(1, 99).metrics));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
