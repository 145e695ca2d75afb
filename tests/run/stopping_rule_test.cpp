#include "engine/run/stopping_rule.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace sweep;

namespace {

std::vector<double> noisy(std::size_t count) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(i % 2 == 0 ? 1.0 : 2.0);
  return samples;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stopping_rule)

BOOST_AUTO_TEST_CASE(never_stops_before_the_fewest_samples) {
  MeasureRules rules;
  rules.min_samples = 10;
  const std::vector<double> steady(9, 1.0);
  BOOST_TEST(!should_stop(rules, steady, 1e9).has_value());
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

BOOST_AUTO_TEST_SUITE_END()
