#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/cuda/cuda_execution.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(event_step)

BOOST_AUTO_TEST_CASE(the_step_is_the_smallest_difference) {
  const std::vector<double> times = {2.048e-6, 4.096e-6, 2.080e-6, 2.048e-6, 3.2e-6};
  BOOST_TEST(smallest_step(times) == 32e-9, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(rounding_is_no_step) {
  const std::vector<double> times = {2.0e-6, 2.0000001e-6, 2.5e-6};
  BOOST_TEST(smallest_step(times) == 0.5e-6, boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(without_a_difference_the_documented_step_holds) {
  const std::vector<double> equal = {2e-6, 2e-6};
  BOOST_TEST(smallest_step(equal) == 0.5e-6);
  BOOST_TEST(smallest_step({}) == 0.5e-6);
}

BOOST_AUTO_TEST_CASE(times_far_apart_say_nothing_about_the_step) {
  const std::vector<double> times = {2e-6, 50e-6};
  BOOST_TEST(smallest_step(times) == 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()
