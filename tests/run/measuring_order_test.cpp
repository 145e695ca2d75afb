#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "engine/run/run_stage.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(order_of_measuring)

BOOST_AUTO_TEST_CASE(every_configuration_comes_once) {
  testing::check_property([](std::uint64_t seed) {
    std::vector<std::size_t> all(*rc::gen::inRange<std::size_t>(0, 300));
    std::vector<std::size_t> order = measuring_order(all.size(), seed);
    std::ranges::sort(order);
    std::iota(all.begin(), all.end(), std::size_t{0});
    RC_ASSERT(order == all);
  });
}

BOOST_AUTO_TEST_CASE(the_seed_decides) {
  BOOST_TEST((measuring_order(200, 1) == measuring_order(200, 1)));
  BOOST_TEST((measuring_order(200, 1) != measuring_order(200, 2)));
}

BOOST_AUTO_TEST_CASE(the_order_of_a_seed_is_the_same_everywhere) {
  BOOST_TEST(measuring_order(8, 1) == (std::vector<std::size_t>{4, 6, 3, 5, 1, 7, 2, 0}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
