#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "engine/run/measurer.h"
#include "engine/run/statistics.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(stopping_rule)

namespace {

std::vector<double> noisy(std::size_t count) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(i % 2 == 0 ? 1.0 : 2.0);
  return samples;
}

}  // namespace

BOOST_AUTO_TEST_CASE(never_stops_before_the_fewest_samples) {
  MeasureRules rules;
  rules.min_samples = 10;
  const std::vector<double> steady(9, 1.0);
  BOOST_TEST(!should_stop(rules, steady, 1e9).has_value());
}

BOOST_AUTO_TEST_CASE(gives_up_when_each_of_the_first_samples_takes_too_long) {
  MeasureRules rules;
  BOOST_TEST(!should_stop(rules, std::vector<double>(9, 1e9), 0).has_value());
  rules.give_up_seconds = 1.5;
  BOOST_TEST((should_stop(rules, std::vector<double>{1.6, 1.7, 1.6}, 0) == StopReason::cut_off));
  BOOST_TEST(!should_stop(rules, std::vector<double>{1.6, 1.7}, 0).has_value());
  BOOST_TEST(!should_stop(rules, std::vector<double>{1.6, 1.5, 1.6}, 0).has_value());
  BOOST_TEST(!should_stop(rules, std::vector<double>{1.5, 1.7, 1.6, 1.6}, 0).has_value());
  BOOST_TEST(to_string(StopReason::cut_off) == "cut-off");
  BOOST_TEST(!note_on_stop(StopReason::cut_off, rules, std::vector<double>(3, 2.0), 0).has_value());
}

BOOST_AUTO_TEST_CASE(stops_once_the_median_is_known_well_enough) {
  const MeasureRules rules;
  const std::vector<double> steady(10, 1.0);
  BOOST_TEST((should_stop(rules, steady, 0) == StopReason::noise));
}

BOOST_AUTO_TEST_CASE(a_handful_of_equal_samples_proves_nothing) {
  MeasureRules rules;
  rules.min_samples = 1;
  BOOST_TEST(!should_stop(rules, std::vector<double>(5, 1.0), 0).has_value());
  BOOST_TEST((should_stop(rules, std::vector<double>(6, 1.0), 0) == StopReason::noise));
}

BOOST_AUTO_TEST_CASE(goes_on_while_the_samples_are_noisy) {
  const MeasureRules rules;
  BOOST_TEST(!should_stop(rules, noisy(100), 0).has_value());
}

BOOST_AUTO_TEST_CASE(stops_at_the_most_samples_and_after_the_time_allowed) {
  MeasureRules rules;
  rules.max_samples = 100;
  rules.seconds = 3;
  BOOST_TEST((should_stop(rules, noisy(100), 0) == StopReason::samples));
  BOOST_TEST((should_stop(rules, noisy(50), 3) == StopReason::seconds));
}

BOOST_AUTO_TEST_CASE(noise_is_half_the_interval_as_a_share_of_the_median) {
  const std::vector<double> samples = {90, 95, 98, 99, 100, 100, 101, 102, 105, 110};
  // Ten samples: from the second smallest to the second largest.
  BOOST_TEST(noise_of(samples) == (105.0 - 95.0) / 2 / 100, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_note_says_how_noisy_it_is_when_the_noise_did_not_stop_it) {
  const MeasureRules rules;
  const std::vector<double> samples = {90, 95, 98, 99, 100, 100, 101, 102, 105, 110};
  BOOST_TEST(!note_on_stop(StopReason::noise, rules, samples, 0.5).has_value());
  BOOST_TEST(note_on_stop(StopReason::seconds, rules, samples, 0.512).value() ==
             "sampling stopped after 0.51 s (10 samples) at a noise of 5 %, above the 0.5 % asked "
             "for");
  BOOST_TEST(note_on_stop(StopReason::samples, rules, samples, 0.512).value() ==
             "sampling stopped at 10 samples, the most allowed, at a noise of 5 %, above the 0.5 % "
             "asked for");
  BOOST_TEST(
      note_on_stop(StopReason::seconds, rules, std::vector<double>{1, 1, 1}, 130.4).value() ==
      "sampling stopped after 130 s (3 samples), too few to know the noise: it takes 6");
  BOOST_TEST(
      note_on_stop(StopReason::samples, rules, std::vector<double>{1, 1, 1}, 130.4).value() ==
      "sampling stopped at 3 samples, the most allowed, too few to know the noise: it takes 6");
}

// The spreads are those at which ten samples just do or do not suffice, and one that takes about a
// hundred: sequential looks hurt most there.
BOOST_DATA_TEST_CASE(the_interval_holds_the_median_though_its_width_stops_the_sampling,
                     data::make({0.004, 0.008, 0.02}), spread) {
  std::mt19937 generator(11);
  std::normal_distribution<double> even(0, spread);
  std::exponential_distribution<double> skewed(1);
  const MeasureRules rules;
  const std::vector<std::function<double()>> draws = {
      [&] { return std::exp(even(generator)); },  // the median is 1
      [&] { return 1 + spread * (skewed(generator) - std::log(2.0)); }};
  for (const std::function<double()>& draw : draws) {
    int held = 0;
    constexpr int trials = 1500;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> samples;
      while (!should_stop(rules, samples, 0)) {
        for (int left = next_chunk_size(rules, samples.size(), 0, 0); left > 0; --left) {
          samples.push_back(draw());
        }
      }
      const Interval interval = median_interval(samples);
      held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
    }
    BOOST_TEST(static_cast<double>(held) / trials > 0.92);
  }
}

BOOST_AUTO_TEST_SUITE_END()
