#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "report/html/page_parts.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(data_of_charts)

namespace {

using Json = nlohmann::ordered_json;

/// Two series over three strides, in two panels; one point failed.
Chart line_chart() {
  Chart chart;
  chart.title = "Bandwidth";
  chart.description = "A line chart.";
  chart.metric = {"bandwidth", Origin::measured};
  chart.x = {"STRIDE", ChartScale::log2, {{1, "1"}, {2, "2"}, {1024, "1 Ki"}}};
  chart.figure_label = "bandwidth [GB/s]";
  chart.series_label = "T";
  chart.panels = {"BLOCK", "BLOCK"};
  chart.series = {"float", "double"};
  for (std::size_t place = 0; place < 12; ++place) {
    const std::size_t i = place % 3;
    ChartMark mark{place / 6, place / 3 % 2, chart.x.ticks[i].at};
    mark.point = i;
    if (i < 2) mark.figure = 100 * static_cast<double>((mark.panel + 1) * (i + 1));
    if (i == 1) mark.interval = Interval{*mark.figure - 5, *mark.figure + 5};
    chart.marks.push_back(mark);
  }
  chart.references = {{500, "theoretical peak, 500 GB/s"}};
  return chart;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_chart_has_its_marks_and_their_points) {
  const Json chart = chart_data(line_chart());
  BOOST_TEST(chart["kind"] == "line");
  BOOST_TEST(chart["description"] == "A line chart.");
  BOOST_TEST(chart["panels"].size() == 2u);
  const Json values = chart["panels"][0]["values"];
  BOOST_TEST(chart["panels"][0]["title"] == "BLOCK");
  BOOST_TEST(chart["series_label"] == "T");
  BOOST_TEST(chart["series"].size() == 2u);
  BOOST_TEST(chart["series"][1]["name"] == "double");
  BOOST_TEST(values.size() == 6u);
  BOOST_TEST(values[1]["figure"] == 200);
  BOOST_TEST(values[1]["point"] == 1);
  BOOST_TEST(values[1]["low"] == 195);
  BOOST_TEST(values[1]["high"] == 205);
  BOOST_TEST(!values[0].contains("low"));
  // What failed is there without a figure.
  BOOST_TEST(values[2]["figure"].is_null());
  BOOST_TEST(values.back()["series"] == 1);
}

BOOST_AUTO_TEST_CASE(panels_share_the_extent_of_their_figures) {
  const Json figures = chart_data(line_chart())["figures"];
  BOOST_TEST(figures["extent"] == Json({100, 500}));
  BOOST_TEST(figures["from_zero"] == true);
  BOOST_TEST(figures["label"] == "bandwidth [GB/s]");
}

BOOST_AUTO_TEST_CASE(an_axis_has_its_scale_and_the_reports_labels) {
  const Json x = chart_data(line_chart())["x"];
  BOOST_TEST(x["scale"] == "log2");
  BOOST_TEST(x["places"] == Json({1, 2, 1024}));
  BOOST_TEST(x["labels"] == Json({"1", "2", "1 Ki"}));
}

BOOST_AUTO_TEST_CASE(a_figure_that_a_logarithm_does_not_have_is_not_drawn) {
  Chart chart = line_chart();
  chart.figure_scale = ChartScale::log10;
  chart.marks[0].figure = 0;
  const Json values = chart_data(chart)["panels"][0]["values"];
  BOOST_TEST(values[0]["figure"].is_null());
  BOOST_TEST(values[1]["figure"] == 200);
}

BOOST_AUTO_TEST_CASE(a_heatmaps_cells_have_their_figures_as_texts) {
  Chart chart = line_chart();
  chart.kind = ChartKind::heatmap;
  chart.y = {"BLOCK", ChartScale::category, {{0, "128"}, {1, "256"}}};
  for (ChartMark& mark : chart.marks) mark.y = 1;
  const Json value = chart_data(chart)["panels"][0]["values"][0];
  BOOST_TEST(value["y"] == 1);
  BOOST_TEST(value["text"] == "100.0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
