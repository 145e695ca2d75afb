#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "engine/search/comparison.h"
#include "tests/search/synthetic_spaces.h"

BOOST_AUTO_TEST_SUITE(predictions)

namespace {

using namespace sweep::testing;
using sweep::CostTable;
using sweep::KnownPredictions;
using sweep::SearchSpace;

using Rows = std::vector<std::size_t>;

const std::vector<std::string> names = {"local", "annealing", "genetic", "forest", "bayesian"};

/// Row 77 is predicted to be the best; the farther, the worse.
SearchSpace predicted_line() {
  std::vector<SearchSpace::Value> rows;
  std::vector<double> predictions;
  for (SearchSpace::Value row = 0; row < 400; ++row) {
    rows.push_back(row);
    predictions.push_back(std::abs(row - 77));
  }
  SearchSpace space({{400, true}}, rows);
  space.set_predictions(predictions);
  return space;
}

std::size_t median_trials(const SyntheticSpace& synthetic, const std::string& name,
                          const KnownPredictions& known = {}) {
  constexpr std::size_t most = 4000;
  constexpr std::size_t seeds = 31;
  const std::vector<std::string> one = {name};
  const std::vector<double> near_best = {0.95};
  return sweep::compare_strategies(synthetic.space, synthetic.costs, one, near_best, seeds, most,
                                   {}, known)
      .front()
      .median;
}

/// Predicts what the rows cost, but for a factor that is another for each value of a parameter.
KnownPredictions rough_predictions(const SyntheticSpace& synthetic, bool are_shuffled) {
  KnownPredictions known = {synthetic.costs, 128, are_shuffled};
  for (std::size_t row = 0; row < known.costs.size(); ++row) {
    if (known.costs[row]) *known.costs[row] *= 1 + 0.1 * (synthetic.space.values(row)[0] % 3);
  }
  return known;
}

}  // namespace

BOOST_DATA_TEST_CASE(the_best_predicted_comes_first, boost::unit_test::data::make(names), name) {
  const SearchSpace space = predicted_line();
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    BOOST_TEST(sweep::make_strategy(name, space, seed)->ask().value() == 77U);
  }
}

BOOST_DATA_TEST_CASE(every_second_of_the_first_rows_is_predicted_to_be_good_and_unlike_the_others,
                     boost::unit_test::data::make(names), name) {
  const SearchSpace space = predicted_line();
  const auto strategy = sweep::make_strategy(name, space, 1);
  std::vector<std::size_t> seeds;
  for (int i = 0; i < 8; ++i) {
    const std::size_t row = strategy->ask().value();
    if (i % 2 == 0) seeds.push_back(row);
  }
  // Of the 24 best those at both ends are the least alike.
  BOOST_TEST(std::min(seeds[1], seeds[2]) <= 66U);
  BOOST_TEST(std::max(seeds[1], seeds[2]) >= 88U);
  for (const std::size_t row : seeds) BOOST_TEST((row >= 65 && row <= 89));
}

BOOST_AUTO_TEST_CASE(without_predictions_nothing_is_as_with_unknown_ones) {
  SearchSpace space = predicted_line();
  space.set_predictions(std::vector<double>(space.size(), std::nan("")));
  SearchSpace without = space;
  without.set_predictions({});
  for (const std::string& name : names) {
    const auto one = sweep::make_strategy(name, space, 5);
    const auto other = sweep::make_strategy(name, without, 5);
    for (int i = 0; i < 40; ++i) {
      const std::size_t row = one->ask().value();
      BOOST_TEST(row == other->ask().value());
      one->tell(row, static_cast<double>(row));
      other->tell(row, static_cast<double>(row));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_sample_has_the_best_of_what_can_be_predicted) {
  const SyntheticSpace synthetic = rugged_space();
  const double best = **std::ranges::min_element(synthetic.costs);
  std::vector<double> shares;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    std::size_t asked = 0;
    const auto predict = [&](std::span<const std::size_t> rows) {
      BOOST_TEST(rows.size() <= 32U);
      asked += rows.size();
      CostTable costs;
      for (const std::size_t row : rows) costs.push_back(synthetic.costs[row]);
      return costs;
    };
    const auto sample = sweep::sample_predictions(synthetic.space, seed, 100, predict);
    BOOST_TEST(asked == 100U);
    BOOST_TEST(sample.size() == synthetic.space.size());
    std::vector<double> known;
    for (std::size_t row = 0; row < sample.size(); ++row) {
      if (std::isnan(sample[row])) continue;
      BOOST_TEST(sample[row] == synthetic.costs[row].value());
      known.push_back(sample[row]);
    }
    BOOST_TEST(known.size() <= 100U);
    shares.push_back(*std::ranges::min_element(known) / best);
  }
  std::ranges::sort(shares);
  BOOST_TEST(shares[7] < 1.1);  // the median: one seed is luck
}

BOOST_AUTO_TEST_CASE(a_sample_ends_where_the_space_does) {
  const SearchSpace space({{5, true}}, {0, 1, 2, 3, 4});
  std::set<std::size_t> asked;
  const auto predict = [&](std::span<const std::size_t> rows) {
    asked.insert(rows.begin(), rows.end());
    return CostTable(rows.size());
  };
  const std::vector<double> sample = sweep::sample_predictions(space, 1, 128, predict);
  BOOST_TEST(asked.size() == 5U);
  BOOST_TEST(sample.size() == 5U);
  BOOST_TEST(std::ranges::all_of(sample, [](double cost) { return std::isnan(cost); }));
}

BOOST_DATA_TEST_CASE(predictions_halve_what_a_search_needs,
                     boost::unit_test::data::make({"forest", "bayesian"}), name) {
  for (const SyntheticSpace& synthetic : {smooth_space(), rugged_space(), scattered_space()}) {
    const std::size_t without = median_trials(synthetic, name);
    const std::size_t with = median_trials(synthetic, name, rough_predictions(synthetic, false));
    BOOST_TEST(2 * with <= without, synthetic.name << ": " << with << " and " << without);
  }
}

// Medians of few seeds vary by more than the tenth that wrong predictions may cost on one space.
BOOST_DATA_TEST_CASE(wrong_predictions_cost_a_tenth_at_most,
                     boost::unit_test::data::make({"forest", "bayesian"}), name) {
  double logarithms = 0;
  const std::vector<SyntheticSpace> spaces = {smooth_space(), rugged_space(), scattered_space()};
  for (const SyntheticSpace& synthetic : spaces) {
    const std::size_t without = median_trials(synthetic, name);
    const std::size_t wrong = median_trials(synthetic, name, rough_predictions(synthetic, true));
    logarithms += std::log(static_cast<double>(wrong) / static_cast<double>(without));
  }
  BOOST_TEST(std::exp(logarithms / static_cast<double>(spaces.size())) <= 1.1);
}

BOOST_AUTO_TEST_CASE(rank_correlations_are_those_of_spearman) {
  const std::vector<double> rising = {1, 2, 4, 8, 16};
  const std::vector<double> falling = {5, 4, 3, 2, 1};
  const std::vector<double> mixed = {2, 1, 4, 3, 5};
  const std::vector<double> tied = {1, 1, 2, 2, 2};
  const std::vector<double> equal(5, 7);
  const auto near = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(sweep::rank_correlation(rising, rising) == 1, near);
  BOOST_TEST(sweep::rank_correlation(rising, falling) == -1, near);
  BOOST_TEST(sweep::rank_correlation(rising, mixed) == 0.8, near);
  BOOST_TEST(sweep::rank_correlation(rising, tied) == std::sqrt(0.75), near);
  BOOST_TEST(sweep::rank_correlation(rising, equal) == 0.0);
  BOOST_TEST(sweep::rank_correlation({}, {}) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
