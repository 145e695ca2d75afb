#include <boost/test/unit_test.hpp>

#include "tests/run/tuned_sweeps.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(own_metrics)

namespace {

const std::string axes = "K: {from: 1, to: 4}";
constexpr const char* rates =
    "metrics: {rate: {value: 1000 * K / time, unit: op/s, better: higher}, more: 2 * rate}\n";

std::optional<Metric> metric_of(const StoredPoint& stored, const std::string& name) {
  const auto found = std::ranges::find(stored.point.metrics, name, &Metric::name);
  return found != stored.point.metrics.end() ? std::optional(*found) : std::nullopt;
}

}  // namespace

BOOST_AUTO_TEST_CASE(are_recorded_with_the_point) {
  ScriptedRun device;
  device.seconds_of = [](Tried) { return 100e-6; };
  const RunSummary summary =
      device.run("pattern: tuned\naxes: {" + axes + "}\n" + rates + ten_samples);
  for (const StoredPoint& stored : device.points(summary.run)) {
    const auto rate = metric_of(stored, "rate");
    BOOST_TEST_REQUIRE(rate.has_value());
    BOOST_TEST((rate->origin == Origin::measured));
    BOOST_TEST(rate->value == 1000.0 * static_cast<double>(tried_of(stored.point).k) / 100e-6,
               boost::test_tools::tolerance(1e-9));
    BOOST_TEST(metric_of(stored, "more")->value == 2 * rate->value);
  }
}

BOOST_AUTO_TEST_CASE(points_of_an_earlier_run_get_those_that_the_sweep_has_now) {
  ScriptedRun device;
  const std::string sweep = "pattern: tuned\naxes: {" + axes + "}\n" + ten_samples;
  device.run(sweep);
  const RunSummary again = device.run(sweep + "metrics: {rate: 7 / time}\n");
  BOOST_TEST(again.measured == 0U);
  for (const StoredPoint& stored : device.points(again.run)) {
    BOOST_TEST(metric_of(stored, "rate")->value == 7 / 100e-6, boost::test_tools::tolerance(1e-9));
  }
  const RunSummary changed = device.run(sweep + "metrics: {rate: 14 / time}\n");
  BOOST_TEST(metric_of(device.points(changed.run).front(), "rate")->value == 14 / 100e-6,
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_search_goes_by_one_as_by_a_bandwidth) {
  ScriptedRun device;
  device.seconds_of = valley(2);
  const RunSummary summary =
      device.run("pattern: tuned\naxes: {K: {from: 1, to: 6}}\n" + ten_samples +
                 "metrics: {rate: {value: K * K / time, unit: op/s, better: higher}}\n"
                 "tune: {maximize: rate, strategy: exhaustive}\n");
  BOOST_TEST((device.winner(summary) == Tried{6, 0}));
  // It was compared in turn with others, and has the interval that follows from the time's.
  const TunedGroup found = device.found(summary);
  BOOST_TEST(found.rounds > 0);
  BOOST_TEST(found.figure == 36 / 120e-6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(device.record(summary.run).tuning->metric == "rate");
}

BOOST_AUTO_TEST_CASE(what_is_slower_by_one_is_cut_off) {
  ScriptedRun device;
  device.seconds_of = [](Tried tried) { return tried.k == 1 ? 100e-6 : 300e-6; };
  const RunSummary summary = device.run("pattern: tuned\naxes: {K: [1, 2, 5]}\n" + ten_samples +
                                        "metrics: {rate: {value: K / time, better: higher}}\n"
                                        "tune: {maximize: rate, strategy: exhaustive}\n");
  // 5 takes three times as long, and does five times as much.
  BOOST_TEST(!is_cut_off(device.point(summary.run, {5, 0})->point));
  BOOST_TEST((device.winner(summary) == Tried{5, 0}));
}

BOOST_AUTO_TEST_CASE(counts_that_come_later_are_ingredients_too) {
  ScriptedRun device;
  device.counts_of = [](Tried tried) {
    return std::vector<Metric>{
        {"load_sectors", Origin::emulated, 100.0 * static_cast<double>(tried.k)}};
  };
  const RunSummary summary = device.run("pattern: tuned\naxes: {" + axes + "}\n" + ten_samples +
                                        "metrics: {sector_rate: load_sectors / time}\n");
  for (const StoredPoint& stored : device.points(summary.run)) {
    if (!metric_of(stored, "load_sectors")) continue;
    const auto rate = metric_of(stored, "sector_rate");
    BOOST_TEST_REQUIRE(rate.has_value());
    BOOST_TEST((rate->origin == Origin::measured));
  }
}

BOOST_AUTO_TEST_SUITE_END()
