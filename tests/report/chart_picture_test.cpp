#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "report/charts/draw_chart.h"
#include "report/charts/figure_axis.h"
#include "report/charts/gnuplot_process.h"
#include "report/charts/gnuplot_text.h"
#include "report/charts/svg_picture.h"
#include "report/markdown.h"
#include "tests/changed_environment.h"
#include "tests/contains.h"
#include "tests/report/chart_text.h"
#include "tests/report/example_results.h"
#include "tests/report/golden_file.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {
namespace {

namespace fs = std::filesystem;

/// Charts of every kind: lines, bars, a heatmap and panels, with failed points.
std::vector<Chart> example_charts() {
  RunResults results = stride_results();
  results.layout = report_layout_of(R"(report:
  charts:
    - {line: {x: STRIDE, y: bandwidth, series: [T, BLOCK]}, title: Lines}
    - {bar: {x: T, y: bandwidth, series: STRIDE}, where: BLOCK == 256}
    - {heatmap: {x: STRIDE, y: BLOCK, value: bandwidth, facet: T}}
    - {line: {x: STRIDE, y: bandwidth, facet: [T, BLOCK]}}
)");
  return charts_of(results);
}

/// A chart all of whose texts try to get out of where they stand.
Chart hostile_chart(const std::string& file) {
  Chart chart = example_charts().front();
  const std::string text = "'; !touch " + file + "\n`touch " + file + "` $(touch " + file +
                           ") @x %s %n {/*9 x} </text><script>alert(1)</script> \\n \xff]]>--><!--";
  chart.title = text;
  chart.description = text;
  chart.figure_label = text;
  chart.series_label = text;
  chart.x.label = text;
  for (ChartTick& tick : chart.x.ticks) tick.label = text;
  for (ChartReference& reference : chart.references) reference.label = text;
  for (ChartPanel& panel : chart.panels) {
    panel.title = text;
    for (ChartSeries& series : panel.series) series.name = text;
  }
  return chart;
}

boost::test_tools::assertion_result gnuplot_is_there(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(find_gnuplot().has_value());
  result.message() << "gnuplot is not installed";
  return result;
}
const auto needs_gnuplot = boost::unit_test::precondition(gnuplot_is_there);

fs::path program(const TemporaryFolder& folder, const std::string& text) {
  return folder.write_program("gnuplot", "#!/bin/sh\n" + text + "\n");
}

std::string message_of(const fs::path& gnuplot) {
  try {
    run_gnuplot(gnuplot, "set terminal svg\n");
  } catch (const DrawingError& error) {
    return error.what();
  }
  return "no error";
}

BOOST_AUTO_TEST_SUITE(golden)

BOOST_AUTO_TEST_CASE(charts_and_their_scripts) {
  const std::vector<Chart> charts = example_charts();
  BOOST_REQUIRE_EQUAL(charts.size(), 4U);
  std::string models;
  for (const Chart& chart : charts) models += text_of(chart) + '\n';
  check_golden("charts.txt", models);
  check_golden("chart_lines.gp", gnuplot_script(charts[0], PictureFormat::svg));
  check_golden("chart_bars.gp", gnuplot_script(charts[1], PictureFormat::png));
  check_golden("chart_heatmap.gp", gnuplot_script(charts[2], PictureFormat::svg));
}

BOOST_AUTO_TEST_CASE(a_document_with_pictures) {
  const ChartPictures pictures = {{"stride-1.svg", "a b-2.svg"}, "Not all are drawn."};
  check_golden("stride_pictures.md", write_markdown(stride_results(), pictures));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(chart_pictures)

BOOST_AUTO_TEST_CASE(texts_are_single_quoted_on_one_line) {
  BOOST_TEST(gnuplot_string("a 'b' \\n") == "'a ’b’ \\n'");
  BOOST_TEST(gnuplot_string("a\nb\tc\x01 `d` 5 %") == "'a b c? ?d\? 5 %'");
  BOOST_TEST(gnuplot_tick("5 %") == "'5 %%'");
  BOOST_TEST(gnuplot_string("°C \xff\xc3 \xed\xa0\x80") == "'°C \?\? \?\?\?'");
  BOOST_TEST(shortened("äöüß", 3) == "äö…");
  BOOST_TEST(shortened("äöü", 3) == "äöü");
}

BOOST_AUTO_TEST_CASE(a_hostile_text_stays_within_its_quotes) {
  const std::string script = gnuplot_script(hostile_chart("/nowhere"), PictureFormat::svg);
  bool quoted = false;
  std::string outside;
  for (const char c : script) {
    if (c == '\'') quoted = !quoted;
    BOOST_REQUIRE(c != '`');
    BOOST_REQUIRE(!(quoted && c == '\n'));
    if (!quoted) outside += c;
  }
  BOOST_TEST(!contains(outside, "touch"));
  BOOST_TEST(!contains(outside, "!"));
}

BOOST_AUTO_TEST_CASE(ticks_are_round_and_short) {
  BOOST_TEST(tick_label(0) == "0");
  BOOST_TEST(tick_label(0.25) == "0.25");
  BOOST_TEST(tick_label(5000) == "5000");
  BOOST_TEST(tick_label(30000) == "30,000");
  BOOST_TEST(tick_label(-30000) == "-30,000");
  BOOST_TEST(tick_label(2.5e6) == "2.5 M");
  const FigureAxis axis = figure_axis_of(example_charts().front(), 5);
  BOOST_TEST(axis.from == 0);
  BOOST_TEST(axis.ticks.size() >= 3U);
  BOOST_TEST(axis.ticks.size() <= 8U);
}

BOOST_AUTO_TEST_CASE(a_logarithm_of_figures_close_together_has_ticks_too) {
  Chart chart = example_charts().front();
  chart.references.clear();
  ChartMark low;
  low.figure = 5.1;
  ChartMark high;
  high.figure = 6.9;
  chart.panels = {{"", {{"", {low, high}}}}};
  for (const ChartScale scale : {ChartScale::log2, ChartScale::log10}) {
    chart.figure_scale = scale;
    const FigureAxis axis = figure_axis_of(chart, 5);
    BOOST_TEST(axis.ticks.size() >= 2U);
    for (const ChartTick& tick : axis.ticks) {
      BOOST_TEST(tick.at >= axis.from);
      BOOST_TEST(tick.at <= axis.to);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_picture_of_each_kind, *needs_gnuplot) {
  for (const Chart& chart : example_charts()) {
    const std::string svg = draw_chart(chart, PictureFormat::svg, find_gnuplot().value());
    BOOST_TEST(contains(svg, "<title id=\"chart-title\">" + escape_xml(chart.title) + "</title>"));
    BOOST_TEST(contains(svg, escape_xml(chart.description)));
    BOOST_TEST(contains(svg, "viewBox=\"0 0 "));
    BOOST_TEST(contains(svg, "prefers-color-scheme: dark"));
    BOOST_TEST(!contains(svg, "rgb("));
    BOOST_TEST(!contains(svg, "scale(0.00)"));
    BOOST_TEST(draw_chart(chart, PictureFormat::svg, find_gnuplot().value()) == svg);
  }
  const std::string png =
      draw_chart(example_charts().front(), PictureFormat::png, find_gnuplot().value());
  BOOST_TEST(png.starts_with("\x89PNG"));
}

BOOST_AUTO_TEST_CASE(a_hostile_chart_is_drawn_and_does_nothing_else, *needs_gnuplot) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "touched";
  const std::string svg =
      draw_chart(hostile_chart(file.string()), PictureFormat::svg, find_gnuplot().value());
  BOOST_TEST(!fs::exists(file));
  BOOST_TEST(!contains(svg, "<script"));
  BOOST_TEST(!contains(svg, "<!--"));
}

BOOST_AUTO_TEST_CASE(gnuplot_is_looked_for_in_absolute_folders_alone) {
  const TemporaryFolder folder;
  program(folder, "cat");
  const fs::path before = fs::current_path();
  ChangedEnvironment environment;
  fs::current_path(folder.path());
  for (const char* relative : {"", ":", ".", ".:", "::.:/nowhere", "../"}) {
    environment.set("PATH", relative);
    BOOST_TEST(!find_gnuplot().has_value(), relative);
  }
  environment.set("PATH", folder.path().string());
  BOOST_TEST(find_gnuplot().has_value());
  fs::current_path(before);
}

BOOST_AUTO_TEST_CASE(a_gnuplot_that_fails_is_told_about) {
  const TemporaryFolder folder;
  BOOST_TEST(contains(message_of(folder.path() / "gnuplot"), "cannot be started"));
  BOOST_TEST(message_of(program(folder, "exit 3")) == "gnuplot ended with 3");
  BOOST_TEST(message_of(program(folder, "echo 'line 3: why' >&2; exit 1")) ==
             "gnuplot ended with 1: line 3: why");
  BOOST_TEST(message_of(program(folder, "kill -9 $$")) == "gnuplot was killed by signal 9");
  BOOST_TEST(message_of(program(folder, "cat > /dev/null")) == "gnuplot wrote nothing");
  BOOST_TEST(message_of(program(folder, "cat")) == "no error");
}

BOOST_AUTO_TEST_CASE(what_is_no_whole_picture_is_refused) {
  const Chart chart = example_charts().front();
  for (const char* text : {"", "x", "<svg \n<title>a</title>", "</svg>\n"}) {
    BOOST_CHECK_THROW(finish_svg(text, chart), DrawingError);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
