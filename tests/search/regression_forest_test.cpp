#include "engine/search/regression_forest.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

BOOST_AUTO_TEST_SUITE(regression_forest)

namespace {

using sweep::forest_columns;
using sweep::RandomGenerator;
using sweep::RegressionForest;

/// A step in one parameter and a value of another that stands out, as points of two columns.
struct Steps {
  std::vector<double> points;
  std::vector<double> targets;

  static double target(int x, int kind) { return (x < 10 ? 1 : 3) + (kind == 2 ? 5 : 0); }

  Steps() {
    for (int x = 0; x < 20; ++x) {
      for (int kind = 0; kind < 5; ++kind) {
        points.push_back(x);
        points.push_back(kind);
        targets.push_back(target(x, kind));
      }
    }
  }
};

RegressionForest fitted(const Steps& steps, std::uint64_t seed) {
  RandomGenerator random(seed);
  RegressionForest forest;
  forest.fit(forest_columns(steps.points, {false, true}), steps.targets, random);
  return forest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(learns_steps_and_kinds) {
  const Steps steps;
  const RegressionForest forest = fitted(steps, 1);
  for (const int x : {0, 5, 15, 19}) {
    for (int kind = 0; kind < 5; ++kind) {
      const std::vector<double> point = {static_cast<double>(x), static_cast<double>(kind)};
      BOOST_TEST(std::abs(forest.predict(point).mean - Steps::target(x, kind)) < 0.7);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_seed_fixes_the_trees) {
  const Steps steps;
  const std::vector<double> point = {9, 2};
  BOOST_TEST(fitted(steps, 7).predict(point).mean == fitted(steps, 7).predict(point).mean);
  BOOST_TEST(fitted(steps, 7).predict(point).mean != fitted(steps, 8).predict(point).mean);
}

BOOST_AUTO_TEST_CASE(the_trees_differ_most_at_a_step) {
  const RegressionForest forest = fitted(Steps(), 1);
  const std::vector<double> at_step = {9.6, 2};
  const std::vector<double> far_off = {1, 0};
  BOOST_TEST(forest.predict(at_step).variance > forest.predict(far_off).variance);
}

BOOST_AUTO_TEST_CASE(equal_targets_are_predicted_exactly) {
  RandomGenerator random(1);
  RegressionForest forest;
  forest.fit(forest_columns(std::vector<double>{1, 2, 3, 4}, {false}), std::vector<double>(4, 2.5),
             random);
  BOOST_TEST(forest.predict(std::vector<double>{9}).mean == 2.5);
  BOOST_TEST(forest.predict(std::vector<double>{9}).variance == 0);
}

BOOST_AUTO_TEST_CASE(without_rows_it_expects_nothing) {
  RandomGenerator random(1);
  RegressionForest forest = fitted(Steps(), 1);
  forest.fit(forest_columns({}, {false, false}), {}, random);
  BOOST_TEST(forest.predict(std::vector<double>{1, 1}).mean == 0);
}

BOOST_AUTO_TEST_SUITE_END()
