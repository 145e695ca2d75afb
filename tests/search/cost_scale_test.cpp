#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "engine/search/strategy.h"

BOOST_AUTO_TEST_SUITE(cost_scale)

BOOST_AUTO_TEST_CASE(differences_are_ratios_where_all_costs_have_one_sign) {
  const sweep::CostScale times(std::array{1.0, 4.0});
  BOOST_TEST(times(4) - times(2) == std::log(2), boost::test_tools::tolerance(1e-12));
  const sweep::CostScale bandwidths(std::array{-1.0, -4.0});
  BOOST_TEST(bandwidths(-2) - bandwidths(-4) == std::log(2), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(mixed_costs_stay_as_they_are) {
  BOOST_TEST(sweep::CostScale(std::array{-1.0, 4.0})(3) == 3);
  BOOST_TEST(sweep::CostScale(std::array{0.0, 4.0})(3) == 3);
  BOOST_TEST(sweep::CostScale({})(3) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
