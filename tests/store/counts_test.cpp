#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {

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
    point.counted = "load_sectors";
    return point;
  }
  PointRecord point() const { return store.points(run).at(0).point; }
};

BOOST_FIXTURE_TEST_SUITE(counts, Fixture)

BOOST_AUTO_TEST_CASE(a_point_keeps_what_counted_it) {
  BOOST_TEST((point() == counted_point()));
  const auto reused = store.reuse_point(store.begin_run({}), 0, example_key(1));
  BOOST_REQUIRE(reused.has_value());
  BOOST_TEST(reused->counted == "load_sectors");
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
  BOOST_TEST(point().counted == "memory");
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
  BOOST_TEST(store.reuse_point(run, 1, example_key(1)).value().counted == "");
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
