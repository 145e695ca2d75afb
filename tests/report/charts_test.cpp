#include <boost/test/unit_test.hpp>

#include "report/charts/chart.h"
#include "tests/contains.h"
#include "tests/report/chart_text.h"
#include "tests/report/example_results.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(charts)

namespace {

ChartLayout chart_layout(ChartKind kind, Names x, Names values, Names series = {},
                         Names facets = {}) {
  ChartLayout layout;
  layout.kind = kind;
  layout.x = std::move(x);
  layout.values = std::move(values);
  layout.series = std::move(series);
  layout.facets = std::move(facets);
  return layout;
}

Chart only_chart(const ChartLayout& layout, const std::vector<StoredPoint>& points) {
  RunResults results;
  results.points = points;
  results.layout.charts = {layout};
  results.run.provenance.device.memory_clock_hz = 2'000'000'000;  // 4000 GB/s
  results.run.provenance.device.memory_bus_bits = 8000;
  const std::vector<Chart> charts = charts_of(results);
  BOOST_REQUIRE_EQUAL(charts.size(), 1U);
  return charts.front();
}

StoredPoint figure_at(std::int64_t stride, const char* metric, double figure) {
  return ok_point("stride", {{"STRIDE", integer(stride)}}, {{metric, Origin::measured, figure}});
}

StoredPoint timed(std::int64_t stride, std::int64_t block, double bandwidth) {
  return ok_point("stride", {{"STRIDE", integer(stride)}, {"BLOCK", integer(block)}},
                  {{"time", Origin::measured, 100},
                   {"time_low", Origin::measured, 80},
                   {"time_high", Origin::measured, 125},
                   {"bandwidth", Origin::measured, bandwidth}});
}

const ChartKind line = ChartKind::line;

BOOST_AUTO_TEST_CASE(marks_stand_by_rising_x_with_the_interval_of_the_time) {
  const Chart chart = only_chart(chart_layout(line, {"STRIDE"}, {"efficiency", "bandwidth"}),
                                 {timed(4, 128, 1000), timed(1, 128, 3000), timed(2, 128, 2000)});
  BOOST_TEST(chart.figure_label == "bandwidth [GB/s]");
  BOOST_TEST((chart.x.scale == ChartScale::log2));
  BOOST_TEST(text_of(chart.marks) ==
             "1: 3000 (2400..3750), 2: 2000 (1600..2500), 4: 1000 (800..1250)");
  BOOST_TEST(chart.marks[0].point == 1U);
  BOOST_TEST(chart.title == "bandwidth [GB/s] by STRIDE");
}

BOOST_AUTO_TEST_CASE(of_several_points_the_best_is_drawn_and_the_caption_says_over_what) {
  const Chart chart = only_chart(chart_layout(line, {"STRIDE"}, {"bandwidth"}),
                                 {timed(1, 128, 1000), timed(1, 256, 3000), timed(2, 128, 900)});
  BOOST_TEST(text_of(chart.marks) == "1: 3000 (2400..3750), 2: 900 (720..1125)");
  BOOST_TEST(chart.caption ==
             "Each mark: the best over BLOCK (128, 256). Bands: the figures' 95 % confidence "
             "intervals.");
}

BOOST_AUTO_TEST_CASE(failed_points_have_a_mark_without_a_figure) {
  const Chart chart =
      only_chart(chart_layout(ChartKind::bar, {"STRIDE"}, {"bandwidth"}),
                 {figure_at(1, "bandwidth", 5),
                  failed_point("stride", {{"STRIDE", integer(2)}}, ""), figure_at(3, "time", 5)});
  BOOST_TEST(text_of(chart.marks) == "0: 5, 1: failed");
  BOOST_TEST(contains(chart.description, "1 place without a figure: the points failed."));
  BOOST_TEST(contains(chart.caption, "Crosses at the foot: all of the points failed."));
}

BOOST_AUTO_TEST_CASE(charts_without_a_figure_are_left_out) {
  RunResults results;
  results.points = {failed_point("stride", {{"STRIDE", integer(2)}}, "")};
  results.layout.charts = {chart_layout(line, {"STRIDE"}, {"bandwidth"})};
  BOOST_TEST(charts_of(results).empty());
  results.points = {};
  BOOST_TEST(charts_of(results).empty());
  results.layout.charts.reset();
  BOOST_TEST(charts_of(results).empty());
}

BOOST_AUTO_TEST_CASE(a_logarithm_that_cannot_be_had_becomes_categories) {
  ChartLayout layout = chart_layout(line, {"STRIDE"}, {"bandwidth"});
  layout.x_scale = ScaleChoice::log2;
  layout.value_scale = ScaleChoice::log10;
  const Chart chart =
      only_chart(layout, {figure_at(0, "bandwidth", 0), figure_at(8, "bandwidth", 5)});
  BOOST_TEST((chart.x.scale == ChartScale::category));
  BOOST_TEST((chart.figure_scale == ChartScale::linear));
  BOOST_TEST(text_of(chart.marks) == "0: 0, 1: 5");
}

BOOST_AUTO_TEST_CASE(sizes_of_caches_stand_along_an_axis_of_bytes) {
  RunResults results;
  results.run.provenance.device.compute_capability = 90;
  results.run.provenance.device.l2_bytes = 60 * Mi;
  results.points = {figure_at(16 * Ki, "bandwidth", 9), figure_at(1 * Gi, "bandwidth", 2)};
  ChartLayout layout = chart_layout(line, {"STRIDE"}, {"bandwidth"});
  const auto caches = [&] {
    results.layout.charts = {layout};
    std::string text;
    for (const ChartTick& cache : charts_of(results).at(0).caches) text += cache.label + "; ";
    return text;
  };
  BOOST_TEST(caches().empty());
  layout.shows_caches = true;
  layout.x_scale = ScaleChoice::log2;
  BOOST_TEST(caches() == "L1 256 Ki; L2 60 Mi; ");
  results.layout.charts = {layout};
  const std::string picture = draw_chart(charts_of(results).at(0));
  BOOST_TEST(contains(picture, ">L1 256 Ki<"));
  BOOST_TEST(contains(picture, ">L2 60 Mi<"));
  results.points.pop_back();
  results.points.push_back(figure_at(1 * Mi, "bandwidth", 3));
  BOOST_TEST(caches() == "L1 256 Ki; ");
  layout.x_scale = ScaleChoice::category;
  BOOST_TEST(caches().empty());
}

BOOST_AUTO_TEST_CASE(series_and_panels_beyond_what_is_readable_are_told_about) {
  std::vector<StoredPoint> points;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 15; ++k) {
      points.push_back(ok_point(
          "p", {{"A", integer(i)}, {"B", integer(k)}, {"C", integer(1)}, {"D", integer(i + k)}},
          {{"time", Origin::measured, 1.0 + i + k}}));
    }
  }
  const Chart chart = only_chart(chart_layout(line, {"D"}, {"time"}, {"A"}, {"B", "C"}), points);
  BOOST_TEST(chart.panels.size() == 12U);
  BOOST_TEST(chart.series.size() == 8U);
  BOOST_TEST(chart.series_label == "A");
  BOOST_TEST(chart.series[2] == "2");
  // What has one value tells nothing apart.
  BOOST_TEST(chart.panels[1] == "B = 1");
  BOOST_TEST(contains(
      chart.caption,
      "Drawn are the first 8 of 20 combinations of A and the first 12 of 15 panels by B."));
}

BOOST_AUTO_TEST_CASE(references_that_would_squeeze_the_marks_are_left_out) {
  ChartLayout layout = chart_layout(line, {"STRIDE"}, {"bandwidth"});
  const auto labels = [&](double lower, double upper) {
    std::string text;
    for (const ChartTick& reference :
         only_chart(layout, {figure_at(1, "bandwidth", lower), figure_at(2, "bandwidth", upper),
                             figure_at(64, "bandwidth", 900)})
             .references) {
      text += reference.label + '\n';
    }
    return text;
  };
  BOOST_TEST(labels(500, 1000) == "theoretical peak: 4000 GB/s\n");
  BOOST_TEST(labels(500, 600) == "theoretical peak: 4000 GB/s\n");
  layout = chart_layout(line, {"STRIDE"}, {"bandwidth"});
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"where", "STRIDE < 64"});
  layout.where = Expression::parse(source->text, {source, 1, 1, 1}, diagnostics);
  BOOST_TEST(labels(200, 400) == "highest measured: 900.0 GB/s\n");
  BOOST_TEST(labels(1, 2) == "");
  layout.values = {"time"};
  RunResults results;
  results.points = {figure_at(1, "time", 3), figure_at(2, "time", 5)};
  results.layout.charts = {layout};
  BOOST_TEST(charts_of(results).at(0).references.empty());
}

BOOST_AUTO_TEST_CASE(patterns_side_by_side_need_not_have_the_same_parameters) {
  const Chart chart =
      only_chart(chart_layout(ChartKind::bar, {"pattern", "PAD"}, {"time"}),
                 {ok_point("a", {}, {{"time", Origin::measured, 1}}),
                  ok_point("b", {{"PAD", integer(1)}}, {{"time", Origin::measured, 2}}),
                  ok_point("b", {{"PAD", integer(0)}}, {{"time", Origin::measured, 3}})});
  BOOST_TEST(chart.x.label == "pattern, PAD");
  BOOST_TEST(chart.x.ticks.at(0).label == "a");
  BOOST_TEST(chart.x.ticks.at(1).label == "b, PAD 0");
  BOOST_TEST(text_of(chart.marks) == "0: 1, 1: 3, 2: 2");
}

BOOST_AUTO_TEST_CASE(a_heatmap_has_places_on_both_axes) {
  ChartLayout layout = chart_layout(ChartKind::heatmap, {"STRIDE"}, {"bandwidth"});
  layout.y = {"BLOCK"};
  const Chart chart = only_chart(layout, {timed(4, 256, 10), timed(1, 128, 30), timed(1, 256, 20)});
  BOOST_TEST(chart.y.label == "BLOCK");
  const std::vector<ChartMark>& marks = chart.marks;
  BOOST_REQUIRE_EQUAL(marks.size(), 3U);
  BOOST_TEST(marks[0].x == 0);
  BOOST_TEST(marks[0].y == 0);
  BOOST_TEST(marks[2].x == 1);
  BOOST_TEST(marks[2].y == 1);
  BOOST_TEST(marks[2].figure.value() == 10);
  BOOST_TEST(chart.references.empty());
}

BOOST_AUTO_TEST_CASE(a_sweep_that_says_nothing_has_a_chart_for_each_table) {
  const std::vector<Chart> charts = charts_of(stride_results());
  BOOST_REQUIRE_EQUAL(charts.size(), 2U);
  BOOST_TEST((charts[0].kind == line));
  BOOST_TEST(charts[0].series_label == "T");
  BOOST_TEST(charts[1].title == "Share of the peak, float");
  BOOST_TEST(charts[1].series_label == "BLOCK");
}

BOOST_AUTO_TEST_CASE(an_empty_list_asks_for_no_charts) {
  RunResults results = stride_results();
  results.layout.charts.emplace();
  BOOST_TEST(charts_of(results).empty());
}

BOOST_AUTO_TEST_CASE(a_search_has_a_chart_of_the_best_so_far) {
  const Chart course = charts_of(tuned_results()).at(0);
  BOOST_TEST(course.title == "The best so far");
  BOOST_TEST(course.x.label == "tries");
  BOOST_TEST(course.series == (std::vector<std::string>{"T = float", "T = double"}),
             boost::test_tools::per_element());
  for (std::size_t series = 0; series < 2; ++series) {
    const std::vector<ChartMark> marks = marks_of(course, 0, series);
    BOOST_REQUIRE(marks.size() > 1U);
    BOOST_TEST(marks.back().x == 20);
    BOOST_TEST(
        std::ranges::is_sorted(marks, {}, [](const ChartMark& mark) { return mark.figure; }));
    BOOST_TEST(std::ranges::is_sorted(marks, {}, &ChartMark::x));
  }
}

BOOST_AUTO_TEST_CASE(a_sweep_without_tables_has_a_chart_of_what_varies_most) {
  RunResults results = stride_results();
  results.layout = {};
  const std::vector<Chart> charts = charts_of(results);
  BOOST_REQUIRE_EQUAL(charts.size(), 1U);
  BOOST_TEST(charts[0].x.label == "STRIDE");
  BOOST_TEST(charts[0].series_label == "T, BLOCK");
  BOOST_TEST(charts_of(tuned_results()).size() <= 2U);
}

BOOST_AUTO_TEST_CASE(words_are_bars_and_sparse_rows_are_the_categories_of_bars) {
  RunResults results;
  for (const char* type : {"float", "double"}) {
    results.points.push_back(ok_point("p",
                                      {{"T", element(type)}, {"A", integer(1)}, {"B", integer(7)}},
                                      {{"time", Origin::measured, 2}}));
  }
  results.points.push_back(ok_point("p",
                                    {{"T", element("float")}, {"A", integer(2)}, {"B", integer(8)}},
                                    {{"time", Origin::measured, 2}}));
  results.layout.tables = {layout({"T"}, {}, {"time"}), layout({"A", "B"}, {"T"}, {"time"}),
                           layout({"A"}, {}, {"time"}, "A == 1")};
  const std::vector<Chart> charts = charts_of(results);
  BOOST_REQUIRE_EQUAL(charts.size(), 2U);
  BOOST_TEST((charts[0].kind == ChartKind::bar));
  BOOST_TEST((charts[1].kind == ChartKind::bar));
  BOOST_TEST(charts[1].x.label == "A, B");
}

BOOST_AUTO_TEST_CASE(of_a_line_with_many_marks_the_extremes_are_drawn) {
  std::vector<StoredPoint> points;
  for (std::int64_t i = 0; i < 5000; ++i) {
    // Between 1 and 2, but for two peaks.
    const double figure = i == 1234 ? 100 : i == 4321 ? 0.5 : 1 + static_cast<double>(i % 7) / 7;
    points.push_back(figure_at(i, "bandwidth", figure));
  }
  const Chart chart = only_chart(chart_layout(line, {"STRIDE"}, {"bandwidth"}), points);
  const std::vector<ChartMark>& marks = chart.marks;
  BOOST_TEST(marks.size() == 1000U);
  BOOST_TEST(chart.x.ticks.size() == marks.size());
  const auto has = [&](double x, double y) {
    return std::ranges::any_of(
        marks, [&](const ChartMark& mark) { return mark.x == x && mark.figure == y; });
  };
  BOOST_TEST(has(1234, 100));
  BOOST_TEST(has(4321, 0.5));
  BOOST_TEST(std::ranges::is_sorted(marks, {}, &ChartMark::x));
  BOOST_TEST(contains(chart.caption,
                      "Of 5,000 marks 1,000 are drawn: of neighbours the lowest and the highest."));
}

BOOST_AUTO_TEST_CASE(of_many_bars_and_of_a_large_heatmap_the_first_are_drawn) {
  std::vector<StoredPoint> points;
  for (std::int64_t i = 0; i < 300; ++i) {
    points.push_back(timed(i, 2 * i, 1000 + static_cast<double>(i)));
  }
  const Chart bars = only_chart(chart_layout(ChartKind::bar, {"STRIDE"}, {"bandwidth"}), points);
  BOOST_TEST(bars.x.ticks.size() == 250U);
  BOOST_TEST(bars.marks.size() == 250U);
  BOOST_TEST(contains(bars.caption, "Drawn are the first 250 of 300 places along STRIDE."));

  ChartLayout layout = chart_layout(ChartKind::heatmap, {"STRIDE"}, {"bandwidth"});
  layout.y = {"BLOCK"};
  const Chart heatmap = only_chart(layout, points);
  BOOST_TEST(heatmap.x.ticks.size() == 128U);
  BOOST_TEST(heatmap.y.ticks.size() == 128U);
  BOOST_TEST(heatmap.marks.size() == 128U);
}

BOOST_AUTO_TEST_CASE(a_search_says_which_figure_is_the_better_one) {
  RunResults results;
  for (const double figure : {7.0, 5.0, 6.0}) {
    results.points.push_back(figure_at(1, "instructions", figure));
  }
  results.points.push_back(figure_at(2, "instructions", 9));
  results.layout.charts = {chart_layout(line, {"STRIDE"}, {"instructions"})};
  BOOST_TEST(text_of(charts_of(results).at(0).marks) == "1: 7, 2: 9");
  results.run.tuning = search_by("instructions", Origin::measured, Better::lower);
  const Chart chart = charts_of(results).at(0);
  BOOST_TEST(text_of(chart.marks) == "1: 5, 2: 9");
  BOOST_TEST(contains(chart.description, "the lowest at STRIDE = 1"), chart.description);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
