#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/spec/keys.h"
#include "engine/spec/report_layout.h"
#include "tests/spec/example_patterns.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(chart_layouts)

namespace {

namespace data = boost::unit_test::data;
using Names = std::vector<std::string>;

const std::vector<TextCase> mistakes = {
    {"{charts: {line: T}}",
     "2:18+1 'charts' must be a list | charts: [{line: {x: STRIDE, y: bandwidth, series: T}}]"},
    {"{charts: [stride]}",
     "2:19+6 a chart must be a map of keys and values | the keys are: line, bar, heatmap, "
     "scatter, where, title"},
    {"{charts: [{}]}",
     "2:19+1 a chart needs one of the keys 'line', 'bar', 'heatmap' and 'scatter' | {line: {x: "
     "STRIDE, y: "
     "bandwidth, series: T}}"},
    {"{charts: [{lines: {x: T, y: time}}]}",
     "2:20+5 a chart has no key 'lines' | did you mean 'line'?"},
    {"{charts: [{bar: {x: T, y: time}, line: {x: T, y: time}}]}",
     "2:42+4 a chart is of one kind, and this is a second | write one item of 'charts' for each"},
    {"{charts: [{line: }]}",
     "2:20+4 'line' has no value | lines: {x: STRIDE, y: bandwidth, series: T}"},
    {"{charts: [{line: T}]}",
     "2:26+1 'line' must be a map of keys and values | the keys are: x, y, series, facet, x_scale, "
     "y_scale, caches"},
    {"{charts: [{line: {y: time}}]}",
     "2:26+1 'line' needs the key 'x' | the parameter whose values stand along the x axis"},
    {"{charts: [{line: {x: [], y: []}}]}",
     "2:30+1 'x' names no parameter | the parameter whose values stand along the x axis\n"
     "2:37+1 'y' names no metric | a metric, for example bandwidth"},
    {"{charts: [{line: {x: T, y: bandwith}}]}",
     "2:36+8 there is no metric 'bandwith' | did you mean 'bandwidth'?"},
    {"{charts: [{line: {x: STRID, y: time, series: [T, TT], facet: BLOK}}]}",
     "2:30+5 there is no parameter 'STRID' | did you mean 'STRIDE'?\n"
     "2:58+2 there is no parameter 'TT' | did you mean 'T'?\n"
     "2:70+4 there is no parameter 'BLOK' | did you mean 'BLOCK'?"},
    {"{charts: [{heatmap: {x: STRIDE, y: BLOK, value: time, series: T}}]}",
     "2:44+4 there is no parameter 'BLOK' | did you mean 'BLOCK'?\n"
     "2:63+6 'heatmap' has no key 'series' | the keys are: x, y, value, facet, value_scale"},
    {"{charts: [{line: {x: STRIDE, y: time, x_scale: log3}}]}",
     "2:56+4 'log3' is not a scale | did you mean 'log2'?"},
    {"{charts: [{line: {x: STRIDE, y: time, y_scale: category}}]}",
     "2:56+8 'category' is not a scale | the scales are: automatic, linear, log2, log10"},
    {"{charts: [{bar: {x: STRIDE, y: time, x_scale: log2}}]}",
     "2:46+7 'bar' has no key 'x_scale' | did you mean 'y_scale'?"},
    {"{charts: [{line: {x: T, y: time, series: T}}]}",
     "2:50+1 the chart has another place for 'T' already | a parameter stands on an axis, in "
     "'series' or in 'facet', once"},
    {"{charts: [{line: {x: T, y: time}, where: N}]}",
     "2:50+1 'where' must be a boolean, but this is an integer | write a comparison"},
    {"{charts: [{line: {x: T, y: time}, where: M == 1}]}",
     "2:50+1 there is no parameter 'M' | the names known here are: T, STRIDE, BLOCK, N, pattern"},
    {"{charts: [{scatter: {x: time, series: T}}]}",
     "2:29+1 'scatter' needs the key 'y' | a metric, for example time, or time.predicted for that "
     "origin alone; of a list the first there is"},
    {"{charts: [{scatter: {x: STRIDE, y: time}}]}",
     "2:33+6 'STRIDE' is a parameter, and 'x' of 'scatter' has metrics | for example x: "
     "time.measured, y: time.predicted"},
    {"{charts: [{scatter: {x: time.predict, y: tim.measured}}]}",
     "2:38+7 'predict' is no origin of a metric | did you mean 'predicted'?\n"
     "2:50+3 there is no metric 'tim' | did you mean 'time'?"},
    {"{charts: [{scatter: {x: time.emulated, y: time}}]}",
     "2:33+13 'time' is never emulated | its origins: measured, predicted"},
    {"{charts: [{scatter: {x: time, y: [time]}}]}",
     "2:42+1 both axes have the same metric | for example x: time.measured, y: time.predicted"},
    {"{charts: [{scatter: {x: [], y: time, value: time}}]}",
     "2:33+1 'x' names no metric | for example x: time.measured, y: time.predicted\n"
     "2:46+5 'scatter' has no key 'value' | the keys are: x, y, series, facet, x_scale, y_scale"},
    {"{charts: [{scatter: {x: time, y: energy, x_scale: category}}]}",
     "2:59+8 'category' is not a scale | the scales are: automatic, linear, log2, log10"},
};

BOOST_DATA_TEST_CASE(mistakes_are_shown_with_a_way_out, data::make(mistakes)) {
  BOOST_TEST(sweep_messages("pattern: stride\nreport: " + sample.text + '\n') == sample.expected);
}

BOOST_AUTO_TEST_CASE(a_chart_takes_lists_or_single_names) {
  const ReportLayout layout = read_stored_sweep(R"(report:
  charts:
    - {line: {x: STRIDE, y: [bandwidth, gld_efficiency], series: [T, A], facet: BLOCK,
              x_scale: log2, y_scale: log10, caches: true}, where: BLOCK == 256, title: Lines}
    - {heatmap: {x: STRIDE, y: [A, B], value: time, value_scale: linear}}
    - {bar: {x: [pattern, PAD], y: time}}
    - {scatter: {x: [time.measured, l1tex__t_sectors.sum], y: gld_efficiency, series: T}}
)")
                                  .report;
  BOOST_TEST_REQUIRE(layout.charts.value().size() == 4U);
  const ChartLayout& line = layout.charts->at(0);
  BOOST_TEST((line.kind == ChartKind::line));
  BOOST_TEST((names_of(line) == Names{"STRIDE", "T", "A", "BLOCK"}));
  BOOST_TEST((line.values == Names{"bandwidth", "load_efficiency"}));
  BOOST_TEST((line.series == Names{"T", "A"}));
  BOOST_TEST((line.facets == Names{"BLOCK"}));
  BOOST_TEST((line.x_scale == ScaleChoice::log2));
  BOOST_TEST((line.value_scale == ScaleChoice::log10));
  BOOST_TEST(line.shows_caches);
  BOOST_TEST(line.where.value().text() == "BLOCK == 256");
  BOOST_TEST(line.title == "Lines");
  const ChartLayout& heatmap = layout.charts->at(1);
  BOOST_TEST((heatmap.kind == ChartKind::heatmap));
  BOOST_TEST((names_of(heatmap) == Names{"STRIDE", "A", "B"}));
  BOOST_TEST((heatmap.values == Names{"time"}));
  BOOST_TEST((heatmap.value_scale == ScaleChoice::linear));
  BOOST_TEST((layout.charts->at(2).x == Names{"pattern", "PAD"}));
  const ChartLayout& scatter = layout.charts->at(3);
  const std::vector<MetricChoice> x = {{"time", Origin::measured}, {"l1tex__t_sectors.sum"}};
  BOOST_TEST((scatter.x_metrics == x));
  BOOST_TEST((scatter.y_metrics == std::vector<MetricChoice>{{"load_efficiency"}}));
  BOOST_TEST((names_of(scatter) == Names{"T"}));
}

BOOST_AUTO_TEST_CASE(no_charts_is_not_the_same_as_nothing_said) {
  BOOST_TEST(!read_stored_sweep("report: {tables: []}\n").report.charts.has_value());
  BOOST_TEST(read_stored_sweep("report: {charts: []}\n").report.charts.value().empty());
}

BOOST_AUTO_TEST_CASE(the_tables_of_words_agree_with_what_is_read) {
  const std::vector<std::string> kinds = {"line", "bar", "heatmap",
                                          "scatter"};  // in ChartKind's order
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    BOOST_TEST(chart_keys[i].name == kinds[i]);
    BOOST_TEST((chart_keys[i].form == ValueForm::map));
    BOOST_TEST(chart_keys[i].keys.front().name == "x");
  }
  BOOST_TEST(scale_names.size() == value_scale_names.size() + 1);
  BOOST_TEST(scale_names.back() == "category");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
