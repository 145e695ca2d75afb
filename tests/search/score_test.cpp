#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "engine/search/comparison.h"
#include "tests/search/synthetic_spaces.h"

namespace data = boost::unit_test::data;
using boost::test_tools::tolerance;
using namespace sweep;

BOOST_AUTO_TEST_SUITE(score)

namespace {

const CostTable five = {3, std::nullopt, 9, 1, 7, 5};

SearchSpace line_of(std::size_t length) {
  std::vector<SearchSpace::Value> rows;
  for (std::size_t i = 0; i < length; ++i) rows.push_back(static_cast<SearchSpace::Value>(i));
  return {{{length, true}}, rows};
}

/// The definition word by word: `ends` has when each trial of a search ends, `found` what it gives,
/// `unit` is what a trial takes on average.
double defined_score(const CostTable& costs, const std::vector<double>& ends,
                     const CostTable& found, double unit) {
  std::vector<double> known;
  for (const auto& cost : costs) {
    if (cost) known.push_back(*cost);
  }
  std::ranges::sort(known);  // the best first
  const auto size = static_cast<double>(known.size());
  const auto random = [&](double k) {
    const auto rank = std::lround(k * (size + 1) / (k + 1));  // from the worst
    return known[known.size() - std::min(known.size(), static_cast<std::size_t>(rank))];
  };
  const double best = known.front();
  double sum = 0;
  int count = 0;
  for (double k = 1;; k += 1) {
    double now = random(1);
    bool has_any = false;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i] > k * unit || !found[i]) continue;
      now = has_any ? std::min(now, *found[i]) : *found[i];
      has_any = true;
    }
    if (random(k) > best) {
      sum += (random(k) - now) / (random(k) - best);
      ++count;
    }
    if (random(k) <= best + 0.05 * (random(1) - best)) return sum / count;
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_search_begins_at_the_median_and_has_a_budget) {
  const RandomBaseline baseline(five);
  BOOST_TEST(baseline.after(1) == 5);
  BOOST_TEST(baseline.after(2) == 3);
  BOOST_TEST(baseline.after(3) == 1);
  BOOST_TEST(baseline.after(100) == 1);
  BOOST_TEST(baseline.best() == 1);
  BOOST_TEST(baseline.budget() == 3U);
}

BOOST_AUTO_TEST_CASE(a_course_is_scored_against_random_search) {
  // Exhaustive search finds 3, 3 and 3 where random search is expected at 5, 3 and 1.
  const auto scores =
      score_strategies(line_of(6), five, {}, std::vector<std::string>{"exhaustive"}, 3);
  BOOST_REQUIRE(scores.size() == 1U);
  BOOST_TEST(scores[0].strategy == "exhaustive");
  BOOST_TEST(scores[0].by_evaluations == (0.5 + 0) / 2, tolerance(1e-12));
  BOOST_TEST(!scores[0].by_time.has_value());
}

BOOST_AUTO_TEST_CASE(time_counts_instead_of_evaluations) {
  // The first one ends after twice the mean: until then nothing is found.
  const std::vector<double> seconds = {4, 1, 1, 2, 2, 2};
  const auto scores =
      score_strategies(line_of(6), five, seconds, std::vector<std::string>{"exhaustive"}, 1);
  BOOST_TEST(scores.at(0).by_time.value() == 0);
}

BOOST_DATA_TEST_CASE(scores_are_those_of_the_definition, data::make({"random", "local", "genetic"}),
                     name) {
  for (const auto& [space_name, space, costs] : sweep::testing::synthetic_spaces()) {
    RandomGenerator random(7);
    std::vector<double> seconds;
    double sum = 0;
    for (std::size_t row = 0; row < space.size(); ++row) {
      seconds.push_back(0.25 + random.unit());
      sum += seconds.back();
    }
    const double mean = sum / static_cast<double>(space.size());
    const std::size_t trials = std::min(space.size(), 4 * RandomBaseline(costs).budget() + 4);
    double by_evaluations = 0;
    double by_time = 0;
    constexpr std::size_t seeds = 2;
    for (std::size_t seed = 1; seed <= seeds; ++seed) {
      const auto strategy = make_strategy(name, space, seed);
      std::vector<double> numbers;
      std::vector<double> ends;
      CostTable found;
      double elapsed = 0;
      for (std::size_t i = 0; i < trials; ++i) {
        const std::size_t row = strategy->ask().value();
        strategy->tell(row, costs[row]);
        found.push_back(costs[row]);
        elapsed += seconds[row];
        ends.push_back(elapsed);
        numbers.push_back(static_cast<double>(i + 1));
      }
      by_evaluations += defined_score(costs, numbers, found, 1) / seeds;
      by_time += defined_score(costs, ends, found, mean) / seeds;
    }
    const auto scores =
        score_strategies(space, costs, seconds, std::vector<std::string>{name}, seeds);
    BOOST_TEST(scores.at(0).by_evaluations == by_evaluations, tolerance(1e-9));
    BOOST_TEST(scores.at(0).by_time.value() == by_time, tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(random_search_scores_somewhat_above_nothing) {
  // Its median rank lies before the expected one.
  const auto synthetic = sweep::testing::synthetic_spaces();
  const auto scores = score_strategies(synthetic[0].space, synthetic[0].costs, {},
                                       std::vector<std::string>{"random"}, 200);
  BOOST_TEST(scores.at(0).by_evaluations > 0);
  BOOST_TEST(scores.at(0).by_evaluations < 0.3);
}

BOOST_AUTO_TEST_CASE(where_the_median_is_the_best_there_is_no_score) {
  const CostTable equal = {2, 2, 2, 5};
  BOOST_TEST(
      score_strategies(line_of(4), equal, {}, std::vector<std::string>{"random"}, 2).empty());
}

BOOST_AUTO_TEST_CASE(scores_that_are_stopped_are_none) {
  const std::atomic<bool> stop = true;
  ComparisonPace pace;
  pace.stop = &stop;
  BOOST_TEST(
      score_strategies(line_of(6), five, {}, std::vector<std::string>{"random"}, 2, pace).empty());
}

BOOST_AUTO_TEST_SUITE_END()
