#include <boost/test/unit_test.hpp>

#include "report/point_columns.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(metric_column)

namespace {

PointRecord point_with(std::vector<Metric> metrics) {
  PointRecord point;
  point.metrics = std::move(metrics);
  return point;
}

std::vector<std::string> headings(const std::vector<MetricColumn>& columns) {
  std::vector<std::string> headings;
  for (const MetricColumn& column : columns) headings.push_back(heading_of(column));
  return headings;
}

const PointRecord a = point_with({{"made_up", Origin::hardware, 1},
                                  {"bandwidth", Origin::emulated, 2},
                                  {"time", Origin::measured, 3}});
const PointRecord b = point_with({{"bandwidth", Origin::measured, 4},
                                  {"another", Origin::hardware, 5},
                                  {"bandwidth", Origin::measured, 6}});
const std::vector<const PointRecord*> both = {&a, &b};

std::optional<std::string> choose(const std::vector<const PointRecord*>& points,
                                  const std::vector<std::string>& names) {
  const auto column = choose_metric(points, names);
  return column ? std::optional(heading_of(*column)) : std::nullopt;
}

BOOST_AUTO_TEST_CASE(a_figure_is_found_by_name_and_origin) {
  BOOST_TEST(figure_of(a, {"bandwidth", Origin::emulated}).value() == 2);
  BOOST_TEST(!figure_of(a, {"bandwidth", Origin::measured}).has_value());
  BOOST_TEST(figure_of(b, {"bandwidth", Origin::measured}).value() == 4);
}

BOOST_AUTO_TEST_CASE(the_heading_names_unit_and_origin) {
  BOOST_TEST(heading_of(MetricColumn{"bandwidth", Origin::measured}) == "bandwidth [GB/s]");
  BOOST_TEST(heading_of(MetricColumn{"bandwidth", Origin::emulated}) ==
             "bandwidth [GB/s], emulated");
  BOOST_TEST(heading_of(MetricColumn{"samples", Origin::measured}) == "samples");
  BOOST_TEST(heading_of(MetricColumn{"made_up", Origin::hardware}) == "made_up, hardware counter");
}

BOOST_AUTO_TEST_CASE(columns_stand_in_the_order_of_the_table_of_metrics) {
  const std::vector<std::string> expected = {
      "time [us]", "bandwidth [GB/s]", "bandwidth [GB/s], emulated", "made_up, hardware counter",
      "another, hardware counter"};
  BOOST_TEST(headings(metric_columns(both)) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_metric_that_any_point_has_is_chosen) {
  BOOST_TEST((choose(both, {"noise", "time", "bandwidth"}) == "time [us]"));
  BOOST_TEST((choose(both, {"bandwidth", "time"}) == "bandwidth [GB/s]"));
  BOOST_TEST((choose(both, {"noise"}) == std::nullopt));
  BOOST_TEST((choose({}, {"time"}) == std::nullopt));
}

BOOST_AUTO_TEST_CASE(measured_is_preferred_to_emulated) {
  BOOST_TEST((choose({&a}, {"bandwidth"}) == "bandwidth [GB/s], emulated"));
  BOOST_TEST((choose(both, {"bandwidth"}) == "bandwidth [GB/s]"));
}

BOOST_AUTO_TEST_CASE(an_unknown_metric_has_no_better) {
  BOOST_TEST((better_of("bandwidth") == Better::higher));
  BOOST_TEST((better_of("time") == Better::lower));
  BOOST_TEST((better_of("made_up") == Better::neither));
}

BOOST_AUTO_TEST_CASE(a_search_decides_what_is_better_of_its_own_metric_alone) {
  const MetricColumn instructions{"instructions", Origin::emulated};
  const MetricColumn time{"time", Origin::measured};
  BOOST_TEST((better_for(instructions, std::nullopt) == Better::neither));
  BOOST_TEST((better_for(time, std::nullopt) == Better::lower));
  const std::optional<TuningRecord> tuning =
      search_by("instructions", Origin::emulated, Better::lower);
  BOOST_TEST((better_for(instructions, tuning) == Better::lower));
  BOOST_TEST((better_for({"instructions", Origin::hardware}, tuning) == Better::neither));
  BOOST_TEST((better_for({"bandwidth", Origin::measured}, tuning) == Better::higher));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
