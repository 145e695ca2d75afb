#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <ostream>

#include "engine/store/record.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(ranking)

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

StoredPoint with(StoredPoint stored, const char* name, Value value) {
  stored.point.key.parameters.set(name, std::move(value));
  return stored;
}

TuningRecord search_by(const std::string& metric, std::vector<std::string> for_each) {
  TuningRecord tuning;
  tuning.metric = metric;
  tuning.for_each = std::move(for_each);
  return tuning;
}

TunedGroup tuned(std::initializer_list<std::pair<const char*, Value>> values) {
  TunedGroup group;
  for (const auto& [name, value] : values) group.group.set(name, value);
  return group;
}

const std::int64_t one = 1;

BOOST_AUTO_TEST_CASE(a_search_has_the_groups_that_it_names) {
  const StoredPoint a = point_of("a", {{"power", 1}});
  const StoredPoint b = point_of("b", {{"power", 2}});
  const std::vector<StoredPoint> points = {with(a, "X", one), a, with(b, "X", one),
                                           with(a, "X", true), with(a, "X", one)};
  TuningRecord tuning = search_by("power", {"X", "pattern"});
  tuning.better = Better::lower;
  tuning.groups = {tuned({{"pattern", std::string("b")}, {"X", one}}),
                   tuned({{"pattern", std::string("a")}}),
                   tuned({{"pattern", std::string("a")}, {"X", std::int64_t{7}}})};
  const auto groups = ranked_groups(points, &tuning);
  BOOST_REQUIRE(groups.size() == 4);
  BOOST_TEST(groups[0].places == (Places{0, 4}), boost::test_tools::per_element());
  BOOST_TEST(to_string(groups[0].group) == "X=1 pattern=a");
  BOOST_TEST(!groups[0].tuned.has_value());
  BOOST_TEST(to_string(groups[1].group) == "pattern=a");
  BOOST_TEST(groups[1].tuned.value() == 1U);
  BOOST_TEST(groups[2].tuned.value() == 0U);
  BOOST_TEST(to_string(groups[3].group) == "X=true pattern=a");
  BOOST_TEST(!groups[3].tuned.has_value());
  BOOST_TEST((groups[0].ranked_by == RankedBy{"power", Better::lower, Origin::measured}));
}

BOOST_AUTO_TEST_CASE(a_search_without_names_has_one_group_of_what_has_its_metric) {
  std::vector<StoredPoint> points = {point_of("a", {{"power", 1}}), point_of("b", {{"power", 0}}),
                                     point_of("c", {{"time", 1}}), point_of("d", {{"power", 3}}),
                                     point_of("e", {{"power", 4}})};
  points[3].point.stopped_by = "cut-off";
  points[4].point.status = PointStatus::failed;
  TuningRecord tuning = search_by("power", {});
  tuning.groups.resize(1);
  const auto groups = ranked_groups(points, &tuning);
  BOOST_REQUIRE(groups.size() == 1);
  BOOST_TEST(groups[0].places == (Places{0, 3}), boost::test_tools::per_element());
  BOOST_TEST(groups[0].tuned.value() == 0U);
  const auto of_points = tuned_groups_of(points, tuning);
  BOOST_TEST(of_points.size() == 5U);
  BOOST_TEST(of_points[4].value() == 0U);
}

BOOST_AUTO_TEST_CASE(a_count_may_be_zero_and_an_emulated_one_is_exact) {
  StoredPoint point = point_of("p", {{"time", 10}, {"time_low", 8}, {"time_high", 20}});
  point.point.metrics.push_back({"shared_conflicts", Origin::emulated, 0});
  point.point.metrics.push_back({"shared_conflicts", Origin::hardware, -1});
  const RankedBy emulated = {"shared_conflicts", Better::lower, Origin::emulated};
  const RankedBy hardware = {"shared_conflicts", Better::lower, Origin::hardware};
  BOOST_TEST(figure_of(point.point, emulated).value() == 0);
  BOOST_TEST((interval_of(point.point, emulated) == Interval{0, 0}));
  BOOST_TEST(!figure_of(point.point, hardware).has_value());
}

BOOST_AUTO_TEST_CASE(what_does_not_follow_from_the_time_has_no_interval) {
  const StoredPoint point = point_of(
      "p", {{"time", 10}, {"time_low", 8}, {"time_high", 20}, {"power", 300}, {"bandwidth", 100}});
  BOOST_TEST(!interval_of(point.point, {"power", Better::lower}).has_value());
  // Which of two bandwidths is wanted changes nothing about them.
  BOOST_TEST((interval_of(point.point, {"bandwidth", Better::lower}) == Interval{50, 125}));
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
  const Interval time = interval_of(point.point, by_time).value();
  BOOST_TEST(time.low == 8);
  BOOST_TEST(time.high == 20);
  const Interval bandwidth = interval_of(point.point, by_bandwidth).value();
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
