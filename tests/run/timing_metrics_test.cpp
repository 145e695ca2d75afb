#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "engine/run/measurer.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(timing_metrics)

namespace {

double value_of(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  return -1;
}

const std::vector<Sample> samples = {
    {40e-6, 1980e6},
    {10e-6, 1970e6},
    {30e-6, 1960e6},
    {20e-6, 1950e6},
    {50e-6, 1990e6},
    {90e-6, 1200e6, SampleMark::low_clock},
    {99e-6, 0, SampleMark::outlier},
};

}  // namespace

BOOST_AUTO_TEST_CASE(figures_leave_out_what_ran_below_the_clock_of_the_others) {
  const std::vector<Metric> metrics = sweep::timing_metrics(samples, 1, UsefulTraffic{}, Device{});
  const auto close = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(value_of(metrics, "time") == 35, close);
  BOOST_TEST(value_of(metrics, "time_min") == 10, close);
  BOOST_TEST(value_of(metrics, "time_q1") == 22.5, close);
  BOOST_TEST(value_of(metrics, "time_q3") == 47.5, close);
  BOOST_TEST(value_of(metrics, "samples") == 6);
  BOOST_TEST(value_of(metrics, "outliers") == 1);
  BOOST_TEST(value_of(metrics, "low_clock_samples") == 1);
  BOOST_TEST(value_of(metrics, "launches_per_sample") == -1);
}

BOOST_AUTO_TEST_CASE(launches_are_told_when_a_sample_is_the_mean_of_several) {
  BOOST_TEST(value_of(sweep::timing_metrics(samples, 64, UsefulTraffic{}, Device{}),
                      "launches_per_sample") == 64);
}

BOOST_AUTO_TEST_CASE(too_few_samples_have_no_interval) {
  for (std::size_t count = 1; count <= 7; ++count) {
    const std::vector<Sample> few(count, Sample{10e-6});
    const std::vector<Metric> metrics = sweep::timing_metrics(few, 1, UsefulTraffic{}, Device{});
    const double expected = count < 6 ? -1 : 10;
    BOOST_TEST(value_of(metrics, "time") == 10, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(value_of(metrics, "time_low") == expected, boost::test_tools::tolerance(1e-9));
    BOOST_TEST(value_of(metrics, "time_high") == expected, boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(no_samples_no_metrics) {
  BOOST_TEST(sweep::timing_metrics({}, 1, UsefulTraffic{1, 1}, Device{}).empty());
}

BOOST_AUTO_TEST_CASE(the_clock_is_the_samples_before_it_is_the_devices) {
  const DeviceState state{1200e6, 3201e6, 55, 420.5, {}};
  const auto close = boost::test_tools::tolerance(1e-9);
  const std::vector<Metric> known = state_metrics(samples, state);
  BOOST_TEST(value_of(known, "sm_clock") == 1970, close);
  BOOST_TEST(value_of(known, "memory_clock") == 3201, close);
  BOOST_TEST(value_of(known, "temperature") == 55, close);
  BOOST_TEST(value_of(known, "power") == 420.5, close);
  const std::vector<Sample> unknown = {{1e-3}};
  BOOST_TEST(value_of(state_metrics(unknown, state), "sm_clock") == 1200, close);
  BOOST_TEST(state_metrics(unknown, DeviceState{}).empty());
}

BOOST_AUTO_TEST_CASE(every_metric_stands_in_the_table) {
  Device device;
  device.memory_clock_hz = 1'000'000'000;
  device.memory_bus_bits = 4000;
  std::vector<Metric> metrics = sweep::timing_metrics(samples, 2, UsefulTraffic{1, 1}, device);
  const DeviceState state{1, 1, 1, 1, {}};
  std::ranges::move(state_metrics(samples, state), std::back_inserter(metrics));
  BOOST_TEST(metrics.size() == 19U);
  for (const Metric& metric : metrics) BOOST_TEST(find_metric(metric.name) != nullptr, metric.name);
}

BOOST_AUTO_TEST_CASE(a_note_says_why_the_clocks_were_low) {
  DeviceState state;
  BOOST_TEST(!note_on_throttling(state).has_value());
  state.throttle_reasons = {"power cap", "heat"};
  BOOST_TEST(note_on_throttling(state).value() ==
             "the device held its clocks back: power cap, heat");
}

BOOST_AUTO_TEST_CASE(what_lies_elsewhere_is_held_against_its_link) {
  Device device;
  device.memory_clock_hz = 1'000'000'000;
  device.memory_bus_bits = 4096;
  device.reach.peers = {{1, 400e9}, {2, 0}};
  device.reach.host_link = 50e9;
  const auto metrics = [&](Place place, std::int64_t peer) {
    return sweep::timing_metrics(samples, 1, {350'000, 0, place, peer}, device);
  };
  const auto close = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(value_of(metrics(Place::peer, 1), "percent_of_link_peak") == 2.5, close);
  BOOST_TEST(value_of(metrics(Place::peer, 1), "link_peak") == 400, close);
  BOOST_TEST(value_of(metrics(Place::peer, 1), "percent_of_peak") == -1);
  BOOST_TEST(value_of(metrics(Place::peer, 2), "percent_of_link_peak") == -1);
  BOOST_TEST(value_of(metrics(Place::managed_host, 1), "percent_of_link_peak") == 20, close);
  BOOST_TEST(value_of(metrics(Place::compressed, 1), "percent_of_link_peak") == -1);
  BOOST_TEST(value_of(metrics(Place::compressed, 1), "percent_of_peak") > 0);
}

BOOST_AUTO_TEST_SUITE_END()
