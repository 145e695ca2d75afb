#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "report/charts/chart.h"
#include "tests/contains.h"
#include "tests/report/chart_text.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(scatter_charts)

namespace {

ChartLayout scatter(std::vector<MetricChoice> x, std::vector<MetricChoice> y, Names series = {}) {
  ChartLayout layout{ChartKind::scatter};
  layout.x_metrics = std::move(x);
  layout.y_metrics = std::move(y);
  layout.series = std::move(series);
  return layout;
}

StoredPoint point_of(std::int64_t stride, std::vector<Metric> metrics) {
  return ok_point("stride", {{"STRIDE", integer(stride)}}, std::move(metrics));
}

/// The measured and the predicted time.
StoredPoint timed(std::int64_t stride, double measured, double predicted) {
  return point_of(stride,
                  {{"time", Origin::measured, measured}, {"time", Origin::predicted, predicted}});
}

Chart only_chart(const ChartLayout& layout, std::vector<StoredPoint> points) {
  RunResults results;
  results.points = std::move(points);
  const auto chart = build_chart(layout, results);
  BOOST_REQUIRE(chart.has_value());
  return *chart;
}

const ChartLayout predicted_against_measured =
    scatter({{"time", Origin::measured}}, {{"time", Origin::predicted}});

}  // namespace

BOOST_AUTO_TEST_CASE(each_point_with_both_figures_has_a_mark) {
  const Chart chart =
      only_chart(predicted_against_measured,
                 {timed(1, 20, 22), timed(1, 10, 9), point_of(2, {{"time", Origin::measured, 5}}),
                  failed_point("stride", {{"STRIDE", integer(4)}}, "")});
  BOOST_TEST(chart.title == "time [us], predicted, against time [us], measured");
  BOOST_TEST(text_of(chart.marks) == "10: 9, 20: 22");
  BOOST_TEST(chart.marks[0].point == 1U);
  BOOST_TEST(chart.caption ==
             "On the line both are equal; y is 0.9000 to 1.100 times x, in the median 1.100 times. "
             "2 points without both figures: not drawn.");
  BOOST_TEST(contains(chart.description,
                      "Scatter chart of time [us], predicted against time [us], measured."));
}

BOOST_AUTO_TEST_CASE(axes_of_one_unit_are_alike_and_logarithmic_beyond_a_decade) {
  Chart chart = only_chart(predicted_against_measured, {timed(1, 10, 9), timed(2, 20, 95)});
  BOOST_TEST(chart.slopes.front().label == "y = x");
  BOOST_TEST((chart.x.scale == ChartScale::log10));
  BOOST_TEST((chart.figure_scale == ChartScale::log10));
  const DrawnAxis x = second_figure_axis_of(chart, 8);
  const DrawnAxis y = figure_axis_of(chart, 6);
  BOOST_TEST(x.from == y.from);
  BOOST_TEST(x.to == y.to);
  chart = only_chart(predicted_against_measured, {timed(1, 10, 9), timed(2, 20, 85)});
  BOOST_TEST((chart.x.scale == ChartScale::linear));
  BOOST_TEST((chart.figure_scale == ChartScale::linear));
}

BOOST_AUTO_TEST_CASE(axes_of_two_units_stand_by_themselves) {
  const Chart chart = only_chart(
      scatter({{"time"}}, {{"instructions"}}),
      {point_of(1, {{"time", Origin::measured, 1}, {"instructions", Origin::emulated, 8}}),
       point_of(2, {{"time", Origin::measured, 99}, {"instructions", Origin::emulated, 10}})});
  BOOST_TEST(chart.slopes.empty());
  BOOST_TEST((chart.x.scale == ChartScale::log10));
  BOOST_TEST((chart.figure_scale == ChartScale::linear));
  BOOST_TEST(chart.x.label == "time [us]");
  BOOST_TEST(!contains(draw_chart(chart), "y = x"));
}

BOOST_AUTO_TEST_CASE(a_scale_for_one_of_two_axes_that_are_alike_is_that_of_both) {
  ChartLayout layout = predicted_against_measured;
  layout.x_scale = ScaleChoice::log2;
  const std::vector<StoredPoint> points = {timed(1, 10, 9), timed(2, 20, 22)};
  BOOST_TEST((only_chart(layout, points).figure_scale == ChartScale::log2));
  layout.value_scale = ScaleChoice::linear;
  const Chart chart = only_chart(layout, points);
  BOOST_TEST((chart.x.scale == ChartScale::log2));
  BOOST_TEST((chart.figure_scale == ChartScale::linear));
  BOOST_TEST(chart.slopes.empty());
}

BOOST_AUTO_TEST_CASE(the_first_metric_that_is_there_is_drawn_from_the_origin_that_is_meant) {
  const Chart chart =
      only_chart(scatter({{"time", Origin::predicted}, {"instructions"}}, {{"bandwidth"}}),
                 {point_of(1, {{"time", Origin::measured, 3},
                               {"instructions", Origin::emulated, 7},
                               {"bandwidth", Origin::measured, 40}})});
  BOOST_TEST(text_of(chart.marks) == "7: 40");
  RunResults results;
  results.points = {point_of(1, {{"time", Origin::measured, 3}})};
  BOOST_TEST(!build_chart(predicted_against_measured, results).has_value());
}

BOOST_AUTO_TEST_CASE(figures_that_are_not_above_zero_are_drawn_on_a_linear_axis) {
  const Chart chart = only_chart(predicted_against_measured, {timed(1, 0, 0), timed(2, 50, 60)});
  BOOST_TEST((chart.x.scale == ChartScale::linear));
  BOOST_TEST(contains(draw_chart(chart), "<path"));
  // All in one place.
  BOOST_TEST(
      !contains(draw_chart(only_chart(predicted_against_measured, {timed(1, 0, 0)})), "nan"));
}

BOOST_AUTO_TEST_CASE(series_are_colours_and_intervals_upright_bars) {
  RunResults results = predicted_results();
  const Chart chart = charts_of(results).back();
  BOOST_TEST(chart.series == Names({"copy", "gather"}), boost::test_tools::per_element());
  BOOST_TEST(contains(chart.caption, "Upright bars: what holds the predicted figures with 90 %."));
}

BOOST_AUTO_TEST_CASE(of_very_many_points_those_that_others_cover_are_left_out) {
  std::vector<StoredPoint> points;
  for (int i = 0; i < 20000; ++i) {
    const double time = 10 + i % 50;
    points.push_back(timed(i, time, i == 777 ? 500 : time * (1 + 1e-5 * (i % 7))));
  }
  const Chart chart = only_chart(predicted_against_measured, points);
  BOOST_TEST(chart.marks.size() <= 101U);
  BOOST_TEST(contains(chart.caption, "Of 20,000 marks "));
  BOOST_TEST(std::ranges::count(chart.marks, 500, &ChartMark::figure) == 1);
}

BOOST_AUTO_TEST_CASE(a_run_with_both_times_shows_last_how_they_agree) {
  RunResults results = predicted_results();
  const auto titles = [&] {
    Names all;
    for (const Chart& chart : charts_of(results)) all.push_back(chart.title);
    return all;
  };
  const std::string title = "Predicted against measured time";
  BOOST_REQUIRE_EQUAL(titles().size(), 2U);
  BOOST_TEST(titles().back() == title);
  // Charts of the sweep's own stand before it.
  ChartLayout lines;
  lines.x = {"STRIDE"};
  lines.values = {"time"};
  lines.series = {"pattern"};
  lines.title = "Lines";
  results.layout.charts = {lines};
  BOOST_TEST(titles() == Names({"Lines", title}), boost::test_tools::per_element());
  // Another scatter chart, or none at all, is the sweep's own choice.
  results.layout.charts->push_back(predicted_against_measured);
  BOOST_TEST(titles().size() == 2U);
  BOOST_TEST(titles().back() != title);
  results.layout.charts->clear();
  BOOST_TEST(titles().empty());
}

BOOST_AUTO_TEST_CASE(a_few_points_do_not_show_how_times_agree) {
  RunResults results;
  for (int i = 1; i <= 3; ++i) results.points.push_back(timed(i, 10 * i, 11 * i));
  BOOST_TEST(charts_of(results).size() == 1U);
  results.points.push_back(timed(4, 40, 41));
  BOOST_TEST(charts_of(results).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_roofline_has_each_point_at_each_level_and_what_a_level_moves_at_most) {
  // In us, GB/s, sectors and bytes: a copy of 10,000 bytes by 160 sectors, and of those by 320.
  const auto counted = [](std::int64_t stride, double sectors, double passes) {
    return point_of(stride, {{"time", Origin::measured, 10},
                             {"bandwidth", Origin::measured, 1},
                             {"load_data_wavefronts", Origin::emulated, passes},
                             {"store_data_wavefronts", Origin::emulated, passes},
                             {"load_tag_wavefronts", Origin::emulated, 10},
                             {"store_tag_wavefronts", Origin::emulated, 10},
                             {"l2_read_sectors", Origin::hardware, sectors / 2},
                             {"l2_write_sectors", Origin::emulated, sectors / 2},
                             {"dram_read_bytes", Origin::emulated, 5000},
                             {"dram_write_bytes", Origin::emulated, 0},
                             {"l1_time", Origin::predicted, 2},
                             {"l2_time", Origin::predicted, 4}});
  };
  RunResults results;
  results.points = {counted(1, 160, 40), counted(2, 320, 5)};
  results.layout.charts.emplace();
  BOOST_TEST(charts_of(results).empty());
  results.layout.charts.reset();
  const Chart chart = charts_of(results).back();
  BOOST_TEST(chart.title == "Roofline of the memory hierarchy");
  // L1's second figure is of its tags.
  BOOST_TEST(text_of(marks_of(chart, 0, 0)) == "0.9765625: 1, 3.90625: 1");
  BOOST_TEST(text_of(marks_of(chart, 0, 1)) == "0.9765625: 1, 1.953125: 1");
  BOOST_TEST(text_of(marks_of(chart, 0, 2)) == "2: 1, 2: 1");
  BOOST_TEST(chart.slopes[0].at == 5.12);
  BOOST_TEST(chart.slopes[1].at == 2.56);
  BOOST_TEST(
      (chart.series == Names{"L1: at most 5.120 GB/s", "L2: at most 2.560 GB/s", "device memory"}));
  BOOST_TEST(chart.slopes[2].at == 0);
  const std::string picture = draw_chart(chart);
  BOOST_TEST(contains(picture, "L2: at most 2.560 GB/s"));
  BOOST_TEST(!contains(picture, "device memory: at most"));
  results.run.provenance.device.memory_clock_hz = 1'000'000'000;
  results.run.provenance.device.memory_bus_bits = 128;
  BOOST_TEST(charts_of(results).back().series[2] == "device memory: at most 32.00 GB/s");
  results.points.pop_back();
  for (const Chart& other : charts_of(results)) BOOST_TEST(other.title != chart.title);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
