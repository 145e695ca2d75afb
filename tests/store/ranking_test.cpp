#include "engine/store/ranking.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <ostream>

namespace sweep::testing {
namespace {

namespace data = boost::unit_test::data;
using Places = std::vector<std::size_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();
const RankedBy by_time = {"time", Better::lower};
const RankedBy by_bandwidth = {"bandwidth", Better::higher};

StoredPoint point_of(const std::string& pattern,
                     const std::vector<std::pair<const char*, double>>& figures) {
  StoredPoint stored;
  stored.point.key.pattern_name = pattern;
  for (const auto& [name, value] : figures) {
    const Metric metric = {name, Origin::measured, value};
    stored.point.metrics.push_back(metric);
  }
  return stored;
}

std::vector<StoredPoint> points_of(
    const std::vector<std::vector<std::pair<const char*, double>>>& figures) {
  std::vector<StoredPoint> points;
  for (const auto& each : figures) points.push_back(point_of("p", each));
  return points;
}

struct Case {
  std::vector<std::vector<std::pair<const char*, double>>> points;
  Places places;
  std::string metric;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.metric << " of " << c.points.size();
  }
};

const std::vector<Case> cases = {
    {{{{"time", 1}, {"bandwidth", 2}, {"shared_bandwidth", 3}}}, {0}, "bandwidth"},
    {{{{"time", 1}, {"bandwidth", 2}}, {{"time", 1}}}, {0, 1}, "time"},
    {{{{"time", 1}, {"bandwidth", 2}}, {{"time", 1}, {"bandwidth", 0}}}, {0, 1}, "time"},
    {{{{"time", 1}, {"bandwidth", 2}}, {{"time", 1}, {"bandwidth", infinity}}}, {0, 1}, "time"},
    {{{{"time", 1}, {"shared_bandwidth", 2}}, {{"time", 1}, {"shared_bandwidth", 2}}},
     {0, 1},
     "shared_bandwidth"},
    // What has no time takes no part, nor a say.
    {{{{"bandwidth", 3}}, {{"time", 1}}}, {1}, "time"},
    {{{{"time", 0}}, {{"time", 1}, {"bandwidth", 2}}, {{"time", std::nan("")}}}, {1}, "bandwidth"},
};

BOOST_AUTO_TEST_SUITE(ranking)

BOOST_DATA_TEST_CASE(a_group_is_ranked_by_what_all_of_it_have, data::make(cases), c) {
  const std::vector<StoredPoint> points = points_of(c.points);
  const auto groups = ranked_groups(points);
  BOOST_REQUIRE(groups.size() == 1);
  BOOST_TEST(groups[0].pattern == "p");
  BOOST_TEST(groups[0].places == c.places, boost::test_tools::per_element());
  BOOST_TEST(groups[0].ranked_by.metric == c.metric);
  BOOST_TEST((groups[0].ranked_by.better == (c.metric == "time" ? Better::lower : Better::higher)));
}

BOOST_AUTO_TEST_CASE(each_pattern_is_a_group_of_its_own) {
  std::vector<StoredPoint> points = {
      point_of("b", {{"time", 1}, {"bandwidth", 1}}), point_of("a", {{"time", 1}}),
      point_of("b", {{"time", 2}, {"bandwidth", 2}}), point_of("c", {{"bandwidth", 2}})};
  StoredPoint failed = point_of("b", {{"time", 1}});
  failed.point.status = PointStatus::failed;
  points.push_back(failed);
  const auto groups = ranked_groups(points);
  BOOST_REQUIRE(groups.size() == 2);
  BOOST_TEST(groups[0].pattern == "b");
  BOOST_TEST(groups[0].places == (Places{0, 2}), boost::test_tools::per_element());
  BOOST_TEST((groups[0].ranked_by == by_bandwidth));
  BOOST_TEST(groups[1].pattern == "a");
  BOOST_TEST((groups[1].ranked_by == by_time));
  BOOST_TEST(ranked_groups({}).empty());
}

BOOST_AUTO_TEST_CASE(a_successful_point_that_a_search_gave_up_is_cut_off) {
  PointRecord point = point_of("p", {{"time", 1}}).point;
  BOOST_TEST(!is_cut_off(point));
  point.stopped_by = "cut-off";
  BOOST_TEST(is_cut_off(point));
  point.status = PointStatus::failed;
  BOOST_TEST(!is_cut_off(point));
}

BOOST_AUTO_TEST_CASE(only_measured_figures_count) {
  StoredPoint point = point_of("p", {{"time", 1}});
  point.point.metrics.push_back({"bandwidth", Origin::emulated, 2});
  BOOST_TEST(!figure_of(point.point, by_bandwidth).has_value());
  BOOST_TEST(figure_of(point.point, by_time).value() == 1);
}

BOOST_AUTO_TEST_CASE(the_interval_is_that_of_the_time) {
  const StoredPoint point =
      point_of("p", {{"time", 10}, {"time_low", 8}, {"time_high", 20}, {"bandwidth", 100}});
  const FigureInterval time = interval_of(point.point, by_time).value();
  BOOST_TEST(time.low == 8);
  BOOST_TEST(time.high == 20);
  const FigureInterval bandwidth = interval_of(point.point, by_bandwidth).value();
  BOOST_TEST(bandwidth.low == 50);
  BOOST_TEST(bandwidth.high == 125);
}

BOOST_AUTO_TEST_CASE(without_one_of_its_ends_there_is_no_interval) {
  const std::vector<StoredPoint> points = points_of({
      {{"time", 10}, {"time_low", -1}, {"time_high", 20}, {"bandwidth", 100}},
      {{"time", 10}, {"time_low", 8}, {"bandwidth", 100}},
      {{"time", 10}, {"time_high", 20}, {"bandwidth", 100}},
      {{"time_low", 8}, {"time_high", 20}, {"bandwidth", 100}},
  });
  for (const StoredPoint& point : points) {
    BOOST_TEST(!interval_of(point.point, by_time).has_value());
    BOOST_TEST(!interval_of(point.point, by_bandwidth).has_value());
  }
  BOOST_TEST(!interval_of(point_of("p", {{"bandwidth", 1}}).point, by_bandwidth).has_value());
  BOOST_TEST(!interval_of(point_of("p", {{"time", 1}}).point, by_bandwidth).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
