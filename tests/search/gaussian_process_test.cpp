#include "engine/search/gaussian_process.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

BOOST_AUTO_TEST_SUITE(gaussian_process)

namespace {

using sweep::GaussianProcess;
using sweep::Prediction;
using sweep::RandomGenerator;

constexpr int steps = 20;

/// Along `x`, 0 to 1, with a jump in the middle; the second column says nothing.
double target_at(double x) {
  return x + (x < 0.5 ? 0 : 2);
}

GaussianProcess fitted(std::uint64_t seed, int stride = 1) {
  std::vector<double> points;
  std::vector<double> targets;
  for (int i = 0; i <= steps; i += stride) {
    const double x = static_cast<double>(i) / steps;
    points.insert(points.end(), {x, static_cast<double>(i * 7 % 5) / 4});
    targets.push_back(target_at(x));
  }
  RandomGenerator random(seed);
  GaussianProcess process({false, false});
  process.fit(points, targets, true, random);
  return process;
}

Prediction at(const GaussianProcess& process, std::vector<double> point) {
  return process.predict(point).front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(learns_a_slope_and_a_jump) {
  const GaussianProcess process = fitted(1);
  for (const double x : {0.0, 0.22, 0.43, 0.57, 0.81, 1.0}) {
    BOOST_TEST(std::abs(at(process, {x, 0.5}).mean - target_at(x)) < 0.4, "at " << x);
  }
}

BOOST_AUTO_TEST_CASE(is_least_certain_where_it_knows_least) {
  const GaussianProcess process = fitted(1, 4);
  const double near = at(process, {0.2, 0.75}).variance;
  const double between = at(process, {0.3, 0.5}).variance;
  BOOST_TEST(near >= 0);
  BOOST_TEST(near < between);
}

BOOST_AUTO_TEST_CASE(values_without_an_order_are_alike_or_not) {
  RandomGenerator random(1);
  GaussianProcess process({true});
  process.fit({0, 1, 2, 3}, {5, 1, 1, 1}, false, random);
  BOOST_TEST(at(process, {7}).mean == at(process, {40}).mean);
  BOOST_TEST(at(process, {0}).mean > 4);
  BOOST_TEST(at(process, {1}).mean < 2);
}

BOOST_AUTO_TEST_CASE(what_is_believed_makes_certain_and_changes_little) {
  GaussianProcess process = fitted(1, 4);
  const std::vector<double> point = {0.3, 0.5};
  const Prediction before = at(process, point);
  process.believe(point);
  const Prediction after = at(process, point);
  BOOST_TEST(after.variance < before.variance / 2);
  BOOST_TEST(after.mean == before.mean, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(many_points_are_predicted_as_one_by_one) {
  const GaussianProcess process = fitted(1);
  std::vector<double> points;
  for (int i = 0; i < 21; ++i) points.insert(points.end(), {i / 20.0, i % 3 / 2.0});
  const std::vector<Prediction> all = process.predict(points);
  BOOST_TEST(all.size() == 21U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Prediction one = at(process, {points[2 * i], points[2 * i + 1]});
    BOOST_TEST(all[i].mean == one.mean);
    BOOST_TEST(all[i].variance == one.variance);
  }
}

BOOST_AUTO_TEST_CASE(equal_targets_and_equal_points_are_no_trouble) {
  RandomGenerator random(1);
  GaussianProcess process({false});
  process.fit({0.5, 0.5, 0.5, 0.2}, {0, 0, 0, 0}, true, random);
  BOOST_TEST(std::isfinite(at(process, {0.5}).mean));
  BOOST_TEST(std::isfinite(at(process, {0.9}).variance));
  process.fit({0.5, 0.5}, {-1, 1}, true, random);
  BOOST_TEST(std::abs(at(process, {0.5}).mean) < 0.01);
}

BOOST_AUTO_TEST_CASE(before_anything_is_learnt_all_is_expected_to_be_the_same) {
  const GaussianProcess process({false});
  BOOST_TEST(at(process, {0.1}).mean == at(process, {0.9}).mean);
  BOOST_TEST(at(process, {0.1}).variance > 0);
}

BOOST_AUTO_TEST_CASE(the_seed_fixes_the_weights) {
  BOOST_TEST(at(fitted(3), {0.31, 0.2}).mean == at(fitted(3), {0.31, 0.2}).mean);
}

BOOST_AUTO_TEST_SUITE_END()
