#include "engine/run/anchor.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "tests/rapidcheck_case.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace {

struct Case {
  std::vector<AnchorReading> readings;
  std::string sentence;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.sentence; }
};

const std::vector<Case> cases = {
    {{{0, 1.0, {0.999, 1.001}}, {20, 1.002, {1.000, 1.004}}, {45, 0.987, {0.986, 0.988}}},
     "the anchor configuration's time drifted by -1.3 % over 45 s (3 measurements)"},
    {{{0, 1.0, {0.999, 1.001}}, {20, 1.05, {0.9, 1.2}}, {45, 1.013, {1.012, 1.014}}},
     "the anchor configuration's time drifted by +1.3 % over 45 s (3 measurements)"},
    {{{5, 1.0, {0.99, 1.01}}, {20, 1.002, {0.99, 1.01}}, {50, 0.997, {0.99, 1.01}}},
     "the anchor configuration's time held within 0.3 % over 45 s (3 measurements)"},
    {{{0, 1.0, {1, 1}}, {3, 1.0, {1, 1}}},
     "the anchor configuration's time held within 0 % over 3.0 s (2 measurements)"},
    {{{0, 1.0, {1, 1}, 1980e6, 41}, {30, 1.1, {1.1, 1.1}, 1800e6, 83}},
     "the anchor configuration's time drifted by +10 % over 30 s (2 measurements), its clock from "
     "1980 to 1800 MHz, its temperature from 41 to 83 C"},
    {{{0, 1.0, {1, 1}, 1980e6, 0}, {30, 1.1, {1.1, 1.1}, 1980e6, 83}},
     "the anchor configuration's time drifted by +10 % over 30 s (2 measurements)"},
    {{{0, 0, {}}, {10, 2, {1.9, 2.1}}, {20, 3, {2.9, 3.1}}, {30, 0, {}}},
     "the anchor configuration's time drifted by +50 % over 10 s (2 measurements)"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(anchor)

BOOST_DATA_TEST_CASE(drift_is_told_in_a_sentence, data::make(cases), c) {
  BOOST_TEST(describe_drift(c.readings).value() == c.sentence);
}

BOOST_AUTO_TEST_CASE(one_reading_is_no_drift) {
  BOOST_TEST(!anchor_drift({}).has_value());
  const std::vector<AnchorReading> one = {{0, 1.0, {1, 1}}};
  BOOST_TEST(!anchor_drift(one).has_value());
  BOOST_TEST(!describe_drift(one).has_value());
}

BOOST_AUTO_TEST_CASE(the_drift_names_the_reading_that_deviates_most) {
  const std::vector<AnchorReading> readings = {{0, 1.0, {0.999, 1.001}},
                                               {10, 1.02, {1.019, 1.021}},
                                               {20, 0.95, {0.94, 0.96}},
                                               {30, 1.01, {1.009, 1.011}},
                                               {40, 1.2, {0.9, 1.5}}};
  const AnchorDrift drift = anchor_drift(readings).value();
  BOOST_TEST(drift.where == 2U);
  BOOST_TEST(drift.share == -0.05, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(drift.beyond_noise);
  BOOST_TEST(drift.over_seconds == 40);
  BOOST_TEST(drift.readings == 5U);
}

BOOST_AUTO_TEST_CASE(it_is_due_after_seconds_and_points) {
  AnchorSchedule schedule(0, {5, 2, 0.02, 0.05});
  BOOST_TEST(!schedule.is_due(100));  // it was never measured
  BOOST_TEST(!schedule.is_due_at_end(100));
  schedule.on_anchor(0, 0.05);
  BOOST_TEST(!schedule.is_due(100));  // no point since
  BOOST_TEST(!schedule.is_due_at_end(100));
  schedule.on_point();
  BOOST_TEST(!schedule.is_due(100));  // one is not two
  BOOST_TEST(schedule.is_due_at_end(100));
  schedule.on_point();
  BOOST_TEST(!schedule.is_due(5));
  BOOST_TEST(schedule.is_due(5.06));
  schedule.on_anchor(6, 6.05);
  BOOST_TEST(!schedule.is_due(100));
}

BOOST_AUTO_TEST_CASE(a_slow_anchor_is_measured_less_often) {
  AnchorSchedule schedule(0);
  schedule.on_anchor(0, 0.5);
  schedule.on_point();
  BOOST_TEST(!schedule.is_due(24.9));
  BOOST_TEST(schedule.is_due(25.1));
  BOOST_TEST(!schedule.is_due_at_end(9.9));
  BOOST_TEST(schedule.is_due_at_end(10.1));
}

BOOST_AUTO_TEST_CASE(measuring_it_again_takes_no_more_than_its_share) {
  sweep::testing::check_property([] {
    const AnchorRules rules;
    AnchorSchedule schedule(0, rules);
    const double cost = 0.001 * *rc::gen::inRange(1, 2000);
    double now = cost;
    double spent = 0;
    double last = now;
    schedule.on_anchor(0, now);
    for (int i = 0; i < 300; ++i) {
      now += 0.001 * *rc::gen::inRange(1, 1000);
      schedule.on_point();
      if (!schedule.is_due(now)) continue;
      RC_ASSERT(now - last >= rules.seconds);
      schedule.on_anchor(now, now + cost);
      now += cost;
      last = now;
      spent += cost;
      RC_ASSERT(spent <= rules.share * now + 1e-9);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
