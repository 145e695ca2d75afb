#include <boost/test/unit_test.hpp>

#include "engine/run/run_stage.h"
#include "tests/rapidcheck_case.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(drift_reference)

BOOST_AUTO_TEST_CASE(it_is_due_after_seconds_and_a_point) {
  DriftSchedule schedule(0);
  BOOST_TEST(!schedule.is_due(100));  // it was never measured
  BOOST_TEST(!schedule.is_due(100, true));
  schedule.on_reference(0, 0.05);
  BOOST_TEST(!schedule.is_due(100));  // no point since
  BOOST_TEST(!schedule.is_due(100, true));
  schedule.on_point();
  BOOST_TEST(schedule.is_due(100, true));
  BOOST_TEST(!schedule.is_due(5));
  BOOST_TEST(schedule.is_due(5.06));
  schedule.on_reference(6, 6.05);
  BOOST_TEST(!schedule.is_due(100));
}

BOOST_AUTO_TEST_CASE(a_slow_reference_is_measured_less_often) {
  DriftSchedule schedule(0);
  schedule.on_reference(0, 0.5);
  schedule.on_point();
  BOOST_TEST(!schedule.is_due(24.9));
  BOOST_TEST(schedule.is_due(25.1));
  BOOST_TEST(!schedule.is_due(9.9, true));
  BOOST_TEST(schedule.is_due(10.1, true));
}

BOOST_AUTO_TEST_CASE(measuring_it_again_takes_no_more_than_its_share) {
  sweep::testing::check_property([] {
    DriftSchedule schedule(0);
    const double cost = 0.001 * *rc::gen::inRange(1, 2000);
    double now = cost;
    double spent = 0;
    double last = now;
    schedule.on_reference(0, now);
    for (int i = 0; i < 300; ++i) {
      now += 0.001 * *rc::gen::inRange(1, 1000);
      schedule.on_point();
      if (!schedule.is_due(now)) continue;
      RC_ASSERT(now - last >= DriftSchedule::pause);
      schedule.on_reference(now, now + cost);
      now += cost;
      last = now;
      spent += cost;
      RC_ASSERT(spent <= DriftSchedule::share * now + 1e-9);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
