#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "report/charts/chart.h"
#include "report/run_report.h"
#include "tests/contains.h"
#include "tests/report/chart_text.h"
#include "tests/report/example_results.h"
#include "tests/report/golden_file.h"

namespace sweep::testing {
namespace {

/// Lines, bars, a heatmap and panels, with failed points.
std::vector<Chart> example_charts() {
  RunResults results = stride_results();
  results.layout = read_stored_sweep(R"(report:
  charts:
    - {line: {x: STRIDE, y: bandwidth, series: [T, BLOCK]}, title: Lines}
    - {bar: {x: T, y: bandwidth, series: STRIDE}, where: BLOCK == 256}
    - {heatmap: {x: STRIDE, y: BLOCK, value: bandwidth, facet: T}}
    - {line: {x: STRIDE, y: bandwidth, facet: [T, BLOCK]}}
)")
                       .report;
  return charts_of(results);
}

/// A chart all of whose texts try to get out of where they stand.
Chart hostile_chart() {
  Chart chart = example_charts().front();
  const std::string text =
      "\"' onload='x' </text></title><script>alert(1)</script> &lt; <!-- \n \x01 \xff \xef\xbf\xbf "
      "\xe2\x80\xae ]]>-->";
  chart.title = text;
  chart.description = text;
  chart.figure_label = text;
  chart.series_label = text;
  chart.x.label = text;
  for (ChartTick& tick : chart.x.ticks) tick.label = text;
  for (ChartTick& reference : chart.references) reference.label = text;
  std::ranges::fill(chart.panels, text);
  std::ranges::fill(chart.series, text);
  return chart;
}

BOOST_AUTO_TEST_SUITE(golden)

BOOST_AUTO_TEST_CASE(charts_and_their_pictures) {
  const std::vector<Chart> charts = example_charts();
  BOOST_REQUIRE_EQUAL(charts.size(), 4U);
  std::string models;
  for (const Chart& chart : charts) models += text_of(chart) + '\n';
  check_golden("charts.txt", models);
  check_golden("chart_lines.svg", draw_chart(charts[0]));
  check_golden("chart_bars.svg", draw_chart(charts[1]));
  check_golden("chart_heatmap.svg", draw_chart(charts[2]));
  check_golden("chart_panels.svg", draw_chart(charts[3]));
  const Chart scatter = charts_of(predicted_results()).back();
  check_golden("scatter.txt", text_of(scatter));
  check_golden("chart_scatter.svg", draw_chart(scatter));
}

BOOST_AUTO_TEST_CASE(a_document_with_pictures) {
  const ChartPictures pictures = {{"stride-1.svg", "a b-2.svg"}, "Not all are drawn."};
  check_golden("stride_pictures.md", write_markdown(stride_results(), pictures));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(chart_pictures)

BOOST_AUTO_TEST_CASE(texts_are_escaped_on_one_line) {
  BOOST_TEST(escape_svg("a 'b' <c> & \"d\"") == "a &#39;b&#39; &lt;c&gt; &amp; &quot;d&quot;");
  BOOST_TEST(escape_svg("a\nb\tc\rd") == "a b c d");
  const std::string replaced = "\xef\xbf\xbd";
  BOOST_TEST(escape_svg("\x01 \xff \xe2\x80\xae") == replaced + " " + replaced + " " + replaced);
  BOOST_TEST(escape_svg("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd") == replaced + replaced + replaced);
  BOOST_TEST(escape_svg("°C") == "°C");
}

BOOST_AUTO_TEST_CASE(a_hostile_text_stays_a_text) {
  const std::string svg = draw_chart(hostile_chart());
  // Outside of the texts stand only the elements of every picture.
  bool is_inside = false;
  std::string element;
  std::set<std::string> elements;
  for (const char c : svg) {
    if (c == '<') {
      BOOST_REQUIRE(!is_inside);
      element.clear();
    }
    if (c == '<' || c == '>') is_inside = c == '<';
    if (is_inside) element += c;
    if (c == '>') elements.insert(element.substr(1, element.find(' ') - 1));
  }
  const std::set<std::string> expected = {"svg",   "/svg",   "title", "/title", "desc", "/desc",
                                          "style", "/style", "rect",  "path",   "text", "/text"};
  BOOST_TEST(elements == expected, boost::test_tools::per_element());
  BOOST_TEST(!contains(svg, "onload='"));
}

BOOST_AUTO_TEST_CASE(ticks_are_round_and_short) {
  BOOST_TEST(tick_label(0) == "0");
  BOOST_TEST(tick_label(0.25) == "0.25");
  BOOST_TEST(tick_label(5000) == "5000");
  BOOST_TEST(tick_label(30000) == "30,000");
  BOOST_TEST(tick_label(-30000) == "-30,000");
  BOOST_TEST(tick_label(2.5e6) == "2.5 M");
  const DrawnAxis axis = figure_axis_of(example_charts().front(), 5);
  BOOST_TEST(axis.from == 0);
  BOOST_TEST(axis.ticks.size() >= 3U);
  BOOST_TEST(axis.ticks.size() <= 8U);
}

BOOST_AUTO_TEST_CASE(a_logarithm_of_figures_close_together_has_ticks_too) {
  Chart chart = example_charts().front();
  chart.references.clear();
  chart.marks.resize(2);
  chart.marks[0] = {.figure = 5.1};
  chart.marks[1] = {.figure = 6.9};
  for (const ChartScale scale : {ChartScale::log2, ChartScale::log10}) {
    chart.figure_scale = scale;
    const DrawnAxis axis = figure_axis_of(chart, 5);
    BOOST_TEST(axis.ticks.size() >= 2U);
    for (const ChartTick& tick : axis.ticks) {
      BOOST_TEST(tick.at >= axis.from);
      BOOST_TEST(tick.at <= axis.to);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_picture_has_its_description_and_colours_for_a_dark_page) {
  for (const Chart& chart : example_charts()) {
    const std::string svg = draw_chart(chart);
    BOOST_TEST(contains(svg, "<title id=\"chart-title\">" + escape_svg(chart.title) + "</title>"));
    BOOST_TEST(contains(svg, escape_svg(chart.description)));
    BOOST_TEST(contains(svg, "prefers-color-scheme: dark"));
    BOOST_TEST(draw_chart(chart) == svg);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
