#include "engine/spec/own_metric.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <map>

#include "tests/spec/copy_pattern.h"
#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;
using namespace sweep;

// No other test is to find them.
BOOST_AUTO_TEST_SUITE(own_metric, *boost::unit_test::fixture([] {}, sweep::forget_own_metrics))

namespace {

using namespace sweep::testing;

constexpr const char* operations = " | use + - * / min max ceil_div log2 and comparisons";

/// What stands behind `metrics: ` in a sweep of the pattern `stride`.
const std::vector<TextCase> mistakes = {
    {"{speed: {value: 2 * N / time / 1e9, unit: Gop/s, better: higher, help: how fast}}", ""},
    {"{ops: 2 * N, speed: ops / time, again: sizeof(Pair) * speed}", ""},
    {"{hits: lts__t_sectors_lookup_hit.sum / 2}", ""},
    {"[speed]",
     "2:10+1 'metrics' must be a map of names | for example gflops: {value: 2 * N / time / 1e9, "
     "unit: GFLOP/s, better: higher}"},
    {"{}",
     "2:10+1 'metrics' must be a map of names | for example gflops: {value: 2 * N / time / 1e9, "
     "unit: GFLOP/s, better: higher}"},
    {"{time: N}", "2:11+4 'time' is a metric already | choose another name for the metric"},
    {"{gld_efficiency: N}",
     "2:11+14 'gld_efficiency' is nvprof's name of load_efficiency | choose another name for the "
     "metric"},
    {"{N: 2}", "2:11+1 'N' is a parameter already | choose another name for the metric"},
    {"{float: 2}", "2:11+5 'float' is an element type | choose another name for the metric"},
    {"{a-b: 2}",
     "2:11+3 'a-b' is not a name of letters, digits and '_' | choose another name for the metric"},
    {"{speed: {unit: B}}",
     "2:18+1 the metric 'speed' needs the key 'value' | for example gflops: {value: 2 * N / time / "
     "1e9, unit: GFLOP/s, better: higher}"},
    {"{speed: {value: N / tiem}}",
     "2:30+4 there is no metric or parameter 'tiem' | did you mean 'time'?"},
    {"{speed: {value: M / time}}",
     "2:26+1 there is no metric or parameter 'M' | 'sweep list metrics' shows the metrics there "
     "are"},
    {"{speed: work / time, work: N}",
     "2:18+4 'speed' uses 'work', which is not declared before it"},
    {"{speed: speed / 2}", "2:18+5 'speed' uses 'speed', which is not declared before it"},
    {"{speed: {value: N / time, unit: \"[x]\"}}",
     "2:43+3 the unit '[x]' has brackets, quotes or other marks | for example unit: GFLOP/s; "
     "without the key there is none"},
    {"{speed: {value: N, better: more}}",
     "2:37+4 'more' is not a direction | the directions are: higher, lower, neither"},
    {"{speed: {value: N, unti: B}}",
     "2:29+4 the metric 'speed' has no key 'unti' | did you mean 'unit'?"},
    {"{speed: N > 2}",
     "2:18+5 the metric 'speed' must be a number, but this is a boolean | write X ? 1 : 0 for a "
     "boolean X"},
    {"{speed: T}", "2:18+1 the metric 'speed' must be a number, but this is an element type"},
    {"{speed: N % 2}",
     std::string("2:20+1 '%' is for integers, and this is computed in floating point") +
         operations},
};

std::string messages_of(const std::string& text) {
  const auto patterns = example_patterns();
  try {
    parse_sweep(source_of(text), "own.yaml", lookup_in(patterns), {});
    return {};
  } catch (const InputError& error) {
    return messages(error.diagnostics());
  }
}

std::vector<OwnMetric> metrics_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto root = read_yaml(source_of(text), diagnostics);
  auto metrics = read_own_metrics(&*root, diagnostics);
  BOOST_TEST(messages(diagnostics) == "");
  return metrics;
}

Bindings bindings() {
  Bindings values;
  values.set("N", std::int64_t{1} << 40);
  return values;
}

struct RelationCase {
  const char* formula;
  TimeRelation relation;
  bool needs_counts;
  friend std::ostream& operator<<(std::ostream& out, const RelationCase& row) {
    return out << row.formula;
  }
};

const std::vector<RelationCase> relations = {
    {"2 * N / time / 1e9", TimeRelation::inverse, false},
    {"bandwidth * 8", TimeRelation::inverse, false},
    {"time * N", TimeRelation::proportional, false},
    {"N / bandwidth", TimeRelation::proportional, false},
    {"min(N / time, bandwidth)", TimeRelation::inverse, false},
    {"time + 1", TimeRelation::unrelated, false},
    {"time * time", TimeRelation::unrelated, false},
    {"time * bandwidth", TimeRelation::unrelated, false},
    {"N > 4 ? time : 2 * time", TimeRelation::unrelated, false},
    {"N", TimeRelation::unrelated, false},
    {"load_sectors * 32 / time", TimeRelation::inverse, true},
    {"load_sectors", TimeRelation::unrelated, true},
    {"sm__cycles.sum / time", TimeRelation::inverse, true},
};

}  // namespace

BOOST_DATA_TEST_CASE(mistakes_have_their_place, data::make(mistakes)) {
  BOOST_TEST(messages_of("pattern: stride\nmetrics: " + sample.text + "\n") == sample.expected);
}

BOOST_AUTO_TEST_CASE(a_metric_stands_wherever_a_metric_can) {
  const std::string text =
      "pattern: stride\n"
      "metrics: {speed: {value: N / time, unit: op/s, better: higher}}\n"
      "tune: {maximize: speed, minimize: time}\n"
      "expect: [speed >= 1, speed < bandwidth]\n"
      "report:\n"
      "  tables: [{rows: STRIDE, value: [speed, time]}]\n"
      "  charts: [{line: {x: STRIDE, y: speed}}]\n";
  BOOST_TEST(messages_of(text) == "");
  BOOST_TEST(find_metric("speed")->unit == "op/s");
  BOOST_TEST((find_metric("speed")->better == Better::higher));
  const StoredSweep stored = read_stored_sweep(text);
  BOOST_TEST(stored.report.tables.front().values.front() == "speed");
  BOOST_TEST(std::holds_alternative<MetricName>(stored.expect.front().left.value));
  // Another sweep has metrics of its own alone.
  BOOST_TEST(messages_of("pattern: stride\nreport: {tables: [{rows: STRIDE, value: speed}]}\n") ==
             "2:41+5 there is no metric 'speed' | 'sweep list metrics' shows the metrics there "
             "are");
  BOOST_TEST(find_metric("speed") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_pattern_has_metrics_for_all_sweeps_of_it) {
  const std::string text =
      edited(copy_pattern, "useful:", "metrics: {rate: {value: N / time, unit: 1/s}}\nuseful:");
  const std::map<std::string, PatternPtr> patterns = {{"copy", good_pattern(text)}};
  const Sweep sweep =
      parse_sweep(source_of("pattern: copy\nmetrics: {twice: rate * 2}\ntune: {maximize: twice}\n"),
                  "a.yaml", lookup_in(patterns), {});
  const std::vector<OwnMetric> own = own_metrics_of(sweep, *patterns.at("copy"));
  BOOST_TEST_REQUIRE(own.size() == 2U);
  BOOST_TEST(own[0].name == "rate");
  BOOST_TEST(own[1].name == "twice");
  try {
    parse_sweep(source_of("pattern: copy\nmetrics: {rate: 2}\n"), "a.yaml", lookup_in(patterns),
                {});
    BOOST_TEST(false);
  } catch (const InputError& error) {
    BOOST_TEST(messages(error.diagnostics()) ==
               "2:11+4 'rate' is a metric of the pattern already | it is N / time there");
  }
  BOOST_TEST(
      pattern_messages(edited(copy_pattern, "useful:", "metrics: {rate: M / time}\nuseful:")) ==
      "14:17+1 there is no metric or parameter 'M' | 'sweep list metrics' shows the metrics "
      "there are");
  forget_own_metrics();
  define_metrics_of_pattern(text);
  BOOST_TEST_REQUIRE(find_metric("rate") != nullptr);
  BOOST_TEST(find_metric("rate")->unit == "1/s");
}

BOOST_AUTO_TEST_CASE(energy_is_measured_where_it_is_named) {
  const std::vector<std::pair<std::string, double>> cases = {
      {"", 0},
      {"tune: {minimize: time}\n", 0},
      {"tune: {minimize: energy}\n", 1},
      {"tune: {minimize: [time, energy]}\n", 1},
      {"metrics: {per_element: energy / N}\n", 1},
      {"expect: [energy <= 100]\n", 1},
      {"report: {tables: [{rows: STRIDE, value: [time, energy]}]}\n", 1},
      {"report: {charts: [{line: {x: STRIDE, y: energy}}]}\n", 1},
      {"report: {charts: [{scatter: {x: time, y: energy.measured}}]}\n", 1},
      {"measure: {energy: 2.5}\n", 2.5},
      {"measure: {energy: 3}\ntune: {minimize: energy}\n", 3},
  };
  const auto patterns = example_patterns();
  for (const auto& [text, seconds] : cases) {
    const Sweep sweep =
        parse_sweep(source_of("pattern: stride\n" + text), "a.yaml", lookup_in(patterns), {});
    BOOST_TEST(sweep.measure.energy_seconds == seconds, text);
  }
}

BOOST_DATA_TEST_CASE(how_it_follows_the_time_comes_from_the_formula, data::make(relations)) {
  forget_own_metrics();
  define_own_metrics(metrics_of("{own: \"" + std::string(sample.formula) + "\"}"));
  const MetricDefinition* metric = find_metric("own");
  BOOST_TEST_REQUIRE(metric != nullptr);
  BOOST_TEST((metric->relation == sample.relation));
  BOOST_TEST(metric->needs_counts == sample.needs_counts);
}

BOOST_AUTO_TEST_CASE(ingredients_come_in_base_units) {
  std::vector<Metric> point = {{"time", Origin::measured, 2000},
                               {"bandwidth", Origin::measured, 3},
                               {"efficiency", Origin::emulated, 50},
                               {"load_sectors", Origin::emulated, 7},
                               {"load_sectors", Origin::hardware, 8}};
  const auto own = metrics_of(
      "{rate: N * N / time, share: efficiency, bytes: bandwidth * time, twice: 2 * bytes, "
      "sectors: load_sectors, none: N / power, zero: N / (N - N), size: N}");
  derive_metrics(own, bindings(), point);
  derive_metrics(own, bindings(), point);  // again, which changes nothing
  const double n = 1LL << 40;
  const std::vector<Metric> expected = {
      {"rate", Origin::measured, n * n / 2e-3}, {"share", Origin::emulated, 0.5},
      {"bytes", Origin::measured, 3e9 * 2e-3},  {"twice", Origin::measured, 6e9 * 2e-3},
      {"sectors", Origin::hardware, 8},         {"size", Origin::measured, n}};
  BOOST_TEST_REQUIRE(point.size() == 5 + expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Metric& metric = point[5 + i];
    BOOST_TEST(metric.name == expected[i].name);
    BOOST_TEST((metric.origin == expected[i].origin), metric.name);
    BOOST_TEST(metric.value == expected[i].value, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(without_a_time_there_is_what_needs_none) {
  std::vector<Metric> point = {{"load_sectors", Origin::emulated, 7}};
  derive_metrics(metrics_of("{rate: N / time, size: N}"), bindings(), point);
  BOOST_TEST_REQUIRE(point.size() == 2U);
  BOOST_TEST(point.back().name == "size");
  BOOST_TEST((point.back().origin == Origin::emulated));
}

BOOST_AUTO_TEST_SUITE_END()
