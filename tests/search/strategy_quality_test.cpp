#include <algorithm>
#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "engine/search/comparison.h"
#include "tests/search/synthetic_spaces.h"

BOOST_AUTO_TEST_SUITE(strategy_quality)

namespace {

using namespace sweep::testing;

const std::array<double, 1> near_best = {0.95};
constexpr std::size_t most = 4000;

/// Over fewer seeds than the benchmark takes, so that it is quick.
std::size_t median_trials(const SyntheticSpace& synthetic, const std::string& name,
                          std::size_t seeds) {
  const std::vector<std::string> names = {name};
  return sweep::compare_strategies(synthetic.space, synthetic.costs, names, near_best, seeds, most)
      .front()
      .median;
}

}  // namespace

BOOST_AUTO_TEST_CASE(where_parameters_interact_a_third_of_the_random_trials_is_enough) {
  for (const SyntheticSpace& synthetic : {rugged_space(), failing_space(), scattered_space()}) {
    const std::size_t random = median_trials(synthetic, "random", 31);
    for (const std::string name : {"local", "annealing", "genetic"}) {
      BOOST_TEST(3 * median_trials(synthetic, name, 31) <= random,
                 name << " on " << synthetic.name);
    }
  }
}

// The least of three medians is low by luck too: a tenth more is no more.
BOOST_DATA_TEST_CASE(a_model_needs_no_more_than_the_best_of_the_others,
                     boost::unit_test::data::make({"forest", "bayesian"}), name) {
  for (const SyntheticSpace& synthetic :
       {smooth_space(), rugged_space(), failing_space(), scattered_space()}) {
    constexpr std::size_t seeds = 61;
    std::size_t least = most;
    for (const std::string other : {"local", "annealing", "genetic"}) {
      least = std::min(least, median_trials(synthetic, other, seeds));
    }
    const std::size_t own = median_trials(synthetic, name, seeds);
    BOOST_TEST(10 * own <= 11 * least, synthetic.name << ": " << own << " and " << least);
  }
}

BOOST_DATA_TEST_CASE(in_a_tiny_space_a_model_soon_uses_what_it_has_seen,
                     boost::unit_test::data::make({"forest", "bayesian"}), name) {
  std::vector<sweep::SearchSpace::Value> rows;
  sweep::CostTable costs;
  for (sweep::SearchSpace::Value row = 0; row < 15; ++row) {
    rows.push_back(row);
    costs.push_back(1 + std::abs(row - 10));
  }
  const SyntheticSpace tiny = {"line", {{{15, true}}, rows}, costs};
  BOOST_TEST(median_trials(tiny, name, 101) < median_trials(tiny, "random", 101));
}

BOOST_AUTO_TEST_SUITE_END()
