#include "report/html/page_parts.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(vega_spec)

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
  for (const double scale : {1.0, 2.0}) {
    ChartPanel panel;
    panel.title = "BLOCK";
    for (const char* name : {"float", "double"}) {
      ChartSeries series;
      series.name = name;
      for (std::size_t i = 0; i < 3; ++i) {
        ChartMark mark;
        mark.x = chart.x.ticks[i].at;
        mark.point = i;
        if (i < 2) mark.figure = mark.y = 100 * scale * static_cast<double>(i + 1);
        if (i == 1) mark.low = *mark.figure - 5;
        if (i == 1) mark.high = *mark.figure + 5;
        series.marks.push_back(mark);
      }
      panel.series.push_back(series);
    }
    chart.panels.push_back(panel);
  }
  chart.references = {{500, "theoretical peak, 500 GB/s"}};
  return chart;
}

Json layer_of(const Json& spec, const std::string& mark) {
  for (const Json& layer : spec["layer"]) {
    if (layer["mark"]["type"] == mark) return layer;
  }
  return nullptr;
}

std::size_t count_layers(const Json& spec, const std::string& mark) {
  return static_cast<std::size_t>(std::ranges::count_if(
      spec["layer"], [&](const Json& layer) { return layer["mark"]["type"] == mark; }));
}

Json parameter(const Json& spec, const std::string& name) {
  for (const Json& each : spec["params"]) {
    if (each["name"] == name) return each["value"];
  }
  return "missing";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_has_its_marks_and_their_points) {
  const Json spec = vega_lite_spec(line_chart(), 0);
  const Json line = layer_of(spec, "line");
  BOOST_REQUIRE(!line.is_null());
  const auto has_figure = [](const Json& value) { return value["figure"].is_number(); };
  // What failed is there without a figure, so that the line has a gap.
  BOOST_TEST(line["data"]["values"].size() == 6u);
  BOOST_TEST(std::ranges::count_if(line["data"]["values"], has_figure) == 4);
  BOOST_TEST(line["data"]["values"][1]["figure"] == 200);
  BOOST_TEST(line["data"]["values"][1]["point"] == 1);
  BOOST_TEST(line["data"]["values"].back()["series"] == 1);
  BOOST_TEST(spec["width"] == "container");
  BOOST_TEST(spec["description"] == "A line chart.");
  BOOST_TEST(parameter(spec, "chosen").is_null());
}

BOOST_AUTO_TEST_CASE(panels_share_the_domain_of_their_figures) {
  const Chart chart = line_chart();
  for (const std::size_t panel : {0U, 1U}) {
    const Json line = layer_of(vega_lite_spec(chart, panel), "line");
    BOOST_TEST(line["encoding"]["y"]["scale"]["domain"] == Json({0, 500}));
  }
}

BOOST_AUTO_TEST_CASE(an_axis_that_does_not_begin_at_zero_fits_its_figures) {
  Chart chart = line_chart();
  chart.figures_from_zero = false;
  const Json line = layer_of(vega_lite_spec(chart, 0), "line");
  BOOST_TEST(line["encoding"]["y"]["scale"]["domain"] == Json({100, 500}));
}

BOOST_AUTO_TEST_CASE(a_logarithmic_axis_has_its_base_and_the_reports_labels) {
  const Json spec = vega_lite_spec(line_chart(), 0);
  const Json x = spec["encoding"]["x"];
  BOOST_TEST(x["scale"]["type"] == "log");
  BOOST_TEST(x["scale"]["base"] == 2);
  BOOST_TEST(x["axis"]["values"] == Json({1, 2, 1024}));
  BOOST_TEST(parameter(spec, "x_labels") == Json({"1", "2", "1 Ki"}));
}

BOOST_AUTO_TEST_CASE(intervals_references_and_failures_have_layers) {
  const Json spec = vega_lite_spec(line_chart(), 0);
  BOOST_TEST(count_layers(spec, "area") == 1u);
  BOOST_TEST(count_layers(spec, "rule") == 1u);
  Json crosses;
  for (const Json& layer : spec["layer"]) {
    if (layer["mark"].value("style", "") == "failed") crosses = layer;
  }
  BOOST_REQUIRE(!crosses.is_null());
  BOOST_TEST(crosses["data"]["values"].size() == 2u);
  BOOST_TEST(crosses["data"]["values"][0]["point"] == 2);

  Chart chart = line_chart();
  chart.references.clear();
  for (ChartPanel& panel : chart.panels) {
    for (ChartSeries& series : panel.series) {
      for (ChartMark& mark : series.marks) mark.low = mark.high = std::nullopt;
    }
  }
  const Json plain = vega_lite_spec(chart, 0);
  BOOST_TEST(count_layers(plain, "area") == 0u);
  BOOST_TEST(count_layers(plain, "rule") == 0u);
}

BOOST_AUTO_TEST_CASE(a_figure_that_a_logarithm_does_not_have_is_not_drawn) {
  Chart chart = line_chart();
  chart.figure_scale = ChartScale::log10;
  chart.panels[0].series[0].marks[0].figure = 0;
  const Json line = layer_of(vega_lite_spec(chart, 0), "line");
  BOOST_TEST(line["data"]["values"][0]["figure"].is_null());
  BOOST_TEST(line["data"]["values"][1]["figure"] == 200);
}

BOOST_AUTO_TEST_CASE(bars_stand_side_by_side_and_on_zero) {
  Chart chart = line_chart();
  chart.kind = ChartKind::bar;
  chart.x.scale = ChartScale::category;
  chart.figures_from_zero = false;
  const Json bar = layer_of(vega_lite_spec(chart, 0), "bar");
  BOOST_REQUIRE(!bar.is_null());
  BOOST_TEST(bar["encoding"]["xOffset"]["field"] == "series");
  BOOST_TEST(bar["encoding"]["y"]["scale"]["domain"][0] == 0);
}

BOOST_AUTO_TEST_CASE(a_heatmap_has_its_larger_rows_above) {
  Chart chart = line_chart();
  chart.kind = ChartKind::heatmap;
  chart.x.scale = ChartScale::category;
  chart.y = {"BLOCK", ChartScale::category, {{0, "128"}, {1, "256"}}};
  for (ChartMark& mark : chart.panels[0].series[0].marks) mark.y = 1;
  const Json spec = vega_lite_spec(chart, 0);
  const Json cells = layer_of(spec, "rect");
  BOOST_REQUIRE(!cells.is_null());
  BOOST_TEST(cells["encoding"]["y"]["scale"]["domain"] == Json({1, 0}));
  BOOST_TEST(cells["encoding"]["color"]["scale"]["scheme"] == "viridis");
  BOOST_TEST(layer_of(spec, "text")["data"]["values"][0]["text"] == "100.0");
  BOOST_TEST(count_layers(spec, "rect") == 2u);
}

BOOST_AUTO_TEST_CASE(no_text_is_part_of_an_expression) {
  Chart chart = line_chart();
  chart.x.ticks[0].label = "\"); alert(1); (\"";
  chart.x.label = "HOSTILE";
  chart.panels[0].series[0].name = "HOSTILE";
  const Json spec = vega_lite_spec(chart, 0);
  BOOST_TEST(spec["encoding"]["x"]["axis"]["labelExpr"] ==
             "x_labels[indexof(x_places, datum.value)]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
