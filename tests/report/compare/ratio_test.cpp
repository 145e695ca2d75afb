#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "report/compare/run_comparison.h"
#include "tests/rapidcheck_case.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(ratio)

namespace {

namespace data = boost::unit_test::data;
using boost::test_tools::tolerance;

constexpr double infinite = std::numeric_limits<double>::infinity();

Estimate exact(double value) {
  return {value, Interval{value, value}};
}

struct SideCase {
  const char* name;
  double low, value, high, threshold;
  Change change;
};
std::ostream& operator<<(std::ostream& out, const SideCase& each) {
  return out << each.name;
}

const SideCase side_cases[] = {
    {"in the middle", 0.99, 1, 1.01, 0.05, Change::same},
    {"surely different, but little", 1.01, 1.02, 1.03, 0.05, Change::same},
    {"wholly above", 1.06, 1.08, 1.1, 0.05, Change::worse},
    {"just at the threshold", 1.05, 1.05, 1.05, 0.05, Change::same},
    {"across the upper end", 1.04, 1.06, 1.08, 0.05, Change::unclear},
    {"across the lower end", 0.94, 0.96, 0.98, 0.05, Change::unclear},
    {"so wide that it holds all", 0.5, 1, 2, 0.05, Change::unclear},
    {"wholly below", 0.9, 0.92, 0.94, 0.05, Change::better},
    {"below by a share of the lower", 0.951, 0.951, 0.951, 0.05, Change::better},
    {"exact and equal", 1, 1, 1, 0, Change::same},
    {"exact and a little more", 1.0001, 1.0001, 1.0001, 0, Change::worse},
    {"exact and a little less", 0.9999, 0.9999, 0.9999, 0, Change::better},
    {"off by rounding", 1 + 1e-13, 1 + 1e-13, 1 + 1e-13, 0, Change::same},
    {"an interval around 1 without a threshold", 0.99, 1, 1.01, 0, Change::unclear},
    {"from nothing to something", infinite, infinite, infinite, 0.05, Change::worse},
    {"from something to nothing", 0, 0, 0, 0.05, Change::better},
};

BOOST_DATA_TEST_CASE(an_interval_counts_whole, data::make(side_cases), each) {
  const Estimate ratio{each.value, Interval{each.low, each.high}};
  BOOST_TEST((change_by(ratio, each.threshold) == each.change));
}

BOOST_AUTO_TEST_CASE(figures_without_an_interval_count_by_themselves) {
  BOOST_TEST((change_by(Estimate{1.04, {}}, 0.05) == Change::same));
  BOOST_TEST((change_by(Estimate{1.06, {}}, 0.05) == Change::worse));
  BOOST_TEST((change_by(Estimate{0.94, {}}, 0.05) == Change::better));
}

BOOST_AUTO_TEST_CASE(zeros_are_equal_to_each_other_and_nothing_else) {
  BOOST_TEST(ratio_of(exact(0), exact(0)).value == 1);
  BOOST_TEST(ratio_of(exact(0), exact(5)).value == infinite);
  BOOST_TEST(ratio_of(exact(5), exact(0)).value == 0);
  BOOST_TEST((change_by(ratio_of(exact(0), exact(0)), 0) == Change::same));
  BOOST_TEST((change_by(ratio_of(exact(0), exact(5)), 0) == Change::worse));
  BOOST_TEST((change_by(ratio_of(exact(5), exact(0)), 0) == Change::better));
}

BOOST_AUTO_TEST_CASE(the_interval_adds_up_like_standard_errors) {
  const Estimate before{100, Interval{97, 103}};
  const Estimate after{100, Interval{96, 104}};
  const Estimate ratio = ratio_of(before, after);
  BOOST_TEST(ratio.value == 1);
  BOOST_TEST(ratio.interval.value().low == 0.95, tolerance(2e-3));
  BOOST_TEST(ratio.interval.value().high == 1.05, tolerance(2e-3));
  const Estimate without{100, {}};
  BOOST_TEST(!ratio_of(before, without).interval.has_value());
}

BOOST_AUTO_TEST_CASE(exchanging_the_figures_inverts_the_ratio) {
  check_property([] {
    const auto figure = [] {
      const double value = *rc::gen::inRange(1, 1000);
      const double down = *rc::gen::inRange(0, 90) / 100.0;
      const double up = *rc::gen::inRange(0, 90) / 100.0;
      return Estimate{value, Interval{value * (1 - down), value * (1 + up)}};
    };
    const Estimate a = figure();
    const Estimate b = figure();
    const Estimate once = ratio_of(a, b);
    const Estimate back = inverse(ratio_of(b, a));
    const auto is_near = [](double x, double y) { return std::abs(x / y - 1) < 1e-12; };
    RC_ASSERT(is_near(once.value, back.value));
    RC_ASSERT(is_near(once.interval->low, back.interval->low));
    RC_ASSERT(is_near(once.interval->high, back.interval->high));
    RC_ASSERT(once.interval->low <= once.value && once.value <= once.interval->high);
  });
}

/// Noise as timings have it: skewed, of a few shared samples.
BOOST_AUTO_TEST_CASE(nineteen_of_twenty_intervals_hold_the_true_ratio) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.02);
  constexpr int runs = 2000;
  // The interval of the median of ten samples, from the 2nd to the 9th: 97.9 %.
  const auto measure = [&](double truth) {
    std::vector<double> samples(10);
    for (double& sample : samples) sample = truth * noise(random);
    std::ranges::sort(samples);
    return Estimate{(samples[4] + samples[5]) / 2, Interval{samples[1], samples[8]}};
  };
  int held = 0;
  for (int i = 0; i < runs; ++i) {
    const Estimate ratio = ratio_of(measure(100), measure(110));
    held += ratio.interval->low <= 1.1 && 1.1 <= ratio.interval->high ? 1 : 0;
  }
  BOOST_TEST(held >= runs * 0.95);
  BOOST_TEST(held <= runs * 0.999);
}

BOOST_AUTO_TEST_CASE(the_geometric_mean_is_surer_than_its_parts) {
  const std::vector<Estimate> ratios(
      4, Estimate{2, Interval{2 * std::exp(-0.02), 2 * std::exp(0.02)}});
  const Estimate mean = geometric_mean(ratios).value();
  BOOST_TEST(mean.value == 2, tolerance(1e-12));
  BOOST_TEST(mean.interval.value().high == 2 * std::exp(0.01), tolerance(1e-12));
  const std::vector<Estimate> opposite = {{0.5, {}}, {2, {}}, {infinite, {}}, {0, {}}};
  BOOST_TEST(geometric_mean(opposite).value().value == 1, tolerance(1e-12));
  BOOST_TEST(!geometric_mean(opposite).value().interval.has_value());
  BOOST_TEST(!geometric_mean(std::vector<Estimate>{{0, {}}}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
