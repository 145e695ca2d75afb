#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/cuda/measuring_kernels.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(sm_clock)

namespace {

using Stamps = std::vector<ClockStamp>;
constexpr std::uint64_t step = 32;

}  // namespace

BOOST_AUTO_TEST_CASE(the_clock_is_cycles_over_time) {
  const Stamps before = {{1000, 5000}, {90'000, 5010}};
  const Stamps after = {{1000 + 198'000, 5000 + 100'000}, {90'000 + 198'000, 5010 + 100'000}};
  BOOST_TEST(mean_sm_clock(before, after, step) == 1.98e9, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(only_multiprocessors_that_both_stamps_saw_count) {
  const Stamps before = {{0, 0}, {1000, 5000}, {1000, 5000}};
  const Stamps after = {{500'000, 105'000}, {101'000, 105'000}, {0, 0}};
  BOOST_TEST(mean_sm_clock(before, after, step) == 1e9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(mean_sm_clock(Stamps{{0, 0}}, Stamps{{0, 0}}, step) == 0.0);
  BOOST_TEST(mean_sm_clock({}, {}, step) == 0.0);
}

BOOST_AUTO_TEST_CASE(a_multiprocessor_that_is_far_off_changes_nothing) {
  const Stamps before(5, ClockStamp{1000, 5000});
  Stamps after(5, ClockStamp{151'000, 105'000});
  after[3].cycles = 90'000'000;
  BOOST_TEST(mean_sm_clock(before, after, step) == 1.5e9, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(an_interval_too_short_for_the_timer_gives_no_clock) {
  const Stamps before = {{1000, 5000}};
  const Stamps after = {{1000 + 40'000, 5000 + 20'000}};
  BOOST_TEST(mean_sm_clock(before, after, 32) == 2e9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(mean_sm_clock(before, after, 200) == 2e9, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(mean_sm_clock(before, after, 201) == 0.0);
  BOOST_TEST(mean_sm_clock(before, after, 1'000'000) == 0.0);
  BOOST_TEST(mean_sm_clock(before, after, 0) == 0.0);
}

BOOST_AUTO_TEST_CASE(clocks_that_go_back_are_left_out) {
  BOOST_TEST(mean_sm_clock(Stamps{{1000, 50'000}}, Stamps{{2000, 5000}}, step) == 0.0);
  BOOST_TEST(mean_sm_clock(Stamps{{2000, 5000}}, Stamps{{1000, 500'000}}, step) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
