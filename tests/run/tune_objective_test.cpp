#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <ostream>

#include "engine/run/tuning.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(tune_objective)

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

PointRecord point_with(std::vector<Metric> metrics) {
  PointRecord point;
  point.metrics = std::move(metrics);
  return point;
}

Metric measured(const std::string& name, double value) {
  return {name, Origin::measured, value};
}

Metric emulated(const std::string& name, double value) {
  return {name, Origin::emulated, value};
}

Metric hardware(const std::string& name, double value) {
  return {name, Origin::hardware, value};
}

const TuneObjective most_bandwidth = {"bandwidth", Better::higher};
const TuneObjective least_bandwidth = {"bandwidth", Better::lower};
const TuneObjective least_time = {"time", Better::lower};
const TuneObjective most_time = {"time", Better::higher};
const TuneObjective fewest_instructions = {"instructions", Better::lower};
const TuneObjective most_instructions = {"instructions", Better::higher};
const TuneObjective fewest_conflicts = {"shared_conflicts", Better::lower};

/// What is followed once this point is known.
struct Decision {
  std::string what;
  std::vector<TuneObjective> objectives;
  std::vector<Metric> metrics;
  std::string followed;  ///< empty: nothing
  Origin origin = Origin::measured;
  std::size_t further = 0;
};
std::ostream& operator<<(std::ostream& out, const Decision& decision) {
  return out << decision.what;
}

const Decision decisions[] = {
    {"the first in the file's order, not in the point's",
     {most_bandwidth, least_time},
     {measured("time", 5), measured("bandwidth", 100)},
     "bandwidth",
     Origin::measured,
     1},
    {"the second where the first is missing",
     {most_bandwidth, least_time, fewest_instructions},
     {measured("time", 5)},
     "time",
     Origin::measured,
     1},
    {"the last has none behind it",
     {most_bandwidth, fewest_instructions},
     {emulated("instructions", 5)},
     "instructions",
     Origin::emulated,
     0},
    {"measured before hardware before emulated",
     {fewest_instructions},
     {emulated("instructions", 1), hardware("instructions", 2), measured("instructions", 3)},
     "instructions",
     Origin::measured,
     0},
    {"hardware before emulated",
     {fewest_instructions},
     {emulated("instructions", 1), hardware("instructions", 2)},
     "instructions",
     Origin::hardware,
     0},
    {"an earlier objective before a better origin",
     {fewest_instructions, least_time},
     {measured("time", 5), emulated("instructions", 1)},
     "instructions",
     Origin::emulated,
     1},
    {"nothing without a figure", {most_bandwidth}, {measured("time", 5)}, "", Origin::measured, 0},
};

/// Which of two points costs less.
struct Preference {
  std::string what;
  std::vector<TuneObjective> objectives;
  std::vector<Metric> better;
  std::vector<Metric> worse;
};
std::ostream& operator<<(std::ostream& out, const Preference& preference) {
  return out << preference.what;
}

const Preference preferences[] = {
    {"less time", {least_time}, {measured("time", 5)}, {measured("time", 6)}},
    {"more time", {most_time}, {measured("time", 6)}, {measured("time", 5)}},
    {"more bandwidth", {most_bandwidth}, {measured("bandwidth", 6)}, {measured("bandwidth", 5)}},
    {"equal times, fewer instructions",
     {least_time, fewest_instructions},
     {measured("time", 5), emulated("instructions", 100)},
     {measured("time", 5), emulated("instructions", 101)}},
    {"equal times, more instructions",
     {least_time, most_instructions},
     {measured("time", 5), emulated("instructions", 101)},
     {measured("time", 5), emulated("instructions", 100)}},
    {"equal bandwidths, fewer instructions",
     {most_bandwidth, fewest_instructions},
     {measured("bandwidth", 5), emulated("instructions", 100)},
     {measured("bandwidth", 5), emulated("instructions", 101)}},
    {"equal bandwidths, more instructions",
     {most_bandwidth, most_instructions},
     {measured("bandwidth", 5), emulated("instructions", 101)},
     {measured("bandwidth", 5), emulated("instructions", 100)}},
    {"a cost of 0 twice, fewer instructions",
     {fewest_conflicts, fewest_instructions},
     {emulated("shared_conflicts", 0), emulated("instructions", 3)},
     {emulated("shared_conflicts", 0), emulated("instructions", 4)}},
    {"a cost of 0 twice, then none and some",
     {fewest_conflicts, fewest_instructions},
     {emulated("shared_conflicts", 0), emulated("instructions", 0)},
     {emulated("shared_conflicts", 0), emulated("instructions", 1)}},
    {"no conflicts and many instructions before one conflict",
     {fewest_conflicts, fewest_instructions},
     {emulated("shared_conflicts", 0), emulated("instructions", 1e9)},
     {emulated("shared_conflicts", 1), emulated("instructions", 0)}},
    {"a little more bandwidth before many instructions fewer",
     {most_bandwidth, fewest_instructions},
     {measured("bandwidth", 4000.1), emulated("instructions", 1e9)},
     {measured("bandwidth", 4000), emulated("instructions", 0)}},
    {"the third where two are equal",
     {least_time, fewest_conflicts, fewest_instructions},
     {measured("time", 5), emulated("shared_conflicts", 7), emulated("instructions", 8)},
     {measured("time", 5), emulated("shared_conflicts", 7), emulated("instructions", 9)}},
    {"the second before the third",
     {least_time, fewest_conflicts, fewest_instructions},
     {measured("time", 5), emulated("shared_conflicts", 7), emulated("instructions", 9)},
     {measured("time", 5), emulated("shared_conflicts", 8), emulated("instructions", 1)}},
};

/// How long a launch may take that is twice as slow as one with a figure of 50.
struct Limit {
  std::string what;
  TuneObjective objective;
  Origin origin;
  double figure;
  UsefulTraffic useful;
  double seconds;
};
std::ostream& operator<<(std::ostream& out, const Limit& limit) {
  return out << limit.what;
}

const UsefulTraffic bytes = {1'000'000, 3'000'000};

const Limit limits[] = {
    {"a time, in us", least_time, Origin::measured, 50, bytes, 100e-6},
    {"a bandwidth, in GB/s", most_bandwidth, Origin::measured, 50, bytes, 2 * 1e6 / 50e9},
    {"a share of 1000 GB/s, in %",
     {"percent_of_peak", Better::higher},
     Origin::measured,
     50,
     bytes,
     2 * 1e6 / 500e9},
    {"a bandwidth of shared memory",
     {"shared_bandwidth", Better::higher},
     Origin::measured,
     50,
     bytes,
     2 * 3e6 / 50e9},
    {"a time that is wanted long", most_time, Origin::measured, 50, bytes, infinity},
    {"a bandwidth that is wanted low", least_bandwidth, Origin::measured, 50, bytes, infinity},
    {"a share that is wanted low",
     {"percent_of_peak", Better::lower},
     Origin::measured,
     50,
     bytes,
     infinity},
    {"the shortest of the samples",
     {"time_min", Better::lower},
     Origin::measured,
     50,
     bytes,
     infinity},
    {"a count", fewest_instructions, Origin::emulated, 50, bytes, infinity},
    {"a measured figure that is no time",
     {"power", Better::lower},
     Origin::measured,
     50,
     bytes,
     infinity},
    {"a time that is not measured", least_time, Origin::emulated, 50, bytes, infinity},
    {"no figure", least_time, Origin::measured, 0, bytes, infinity},
    {"nothing that is moved in device memory",
     most_bandwidth,
     Origin::measured,
     50,
     {0, 3'000'000},
     infinity},
    {"nothing that is moved in shared memory",
     {"shared_bandwidth", Better::higher},
     Origin::measured,
     50,
     {1'000'000, 0},
     infinity},
};

}  // namespace

BOOST_DATA_TEST_CASE(the_first_figure_decides_what_is_followed, data::make(decisions), decision) {
  SearchObjective objective(decision.objectives);
  BOOST_TEST(!objective.followed());
  const auto cost = objective.cost(point_with(decision.metrics));
  BOOST_TEST(cost.has_value() == !decision.followed.empty());
  BOOST_REQUIRE(objective.followed().has_value() == !decision.followed.empty());
  if (decision.followed.empty()) return;
  BOOST_TEST(objective.followed()->metric == decision.followed);
  BOOST_TEST((objective.followed()->origin == decision.origin));
  BOOST_TEST(objective.further().size() == decision.further);
}

BOOST_AUTO_TEST_CASE(what_is_followed_stays) {
  SearchObjective objective({most_bandwidth, least_time});
  objective.cost(point_with({measured("time", 5)}));
  const PointRecord with_both = point_with({measured("time", 4), measured("bandwidth", 100)});
  BOOST_TEST(objective.followed()->metric == "time");
  BOOST_TEST(objective.cost(with_both).value() == 4);
  BOOST_TEST(objective.figure(with_both).value() == 4);
  // A figure of another origin is none.
  BOOST_TEST(!objective.cost(point_with({emulated("time", 3)})));
}

BOOST_AUTO_TEST_CASE(a_failed_point_costs_nothing_and_decides_nothing) {
  SearchObjective objective({least_time});
  PointRecord failed = point_with({measured("time", 5)});
  failed.status = PointStatus::failed;
  BOOST_TEST(!objective.cost(failed));
  BOOST_TEST(!objective.followed());
  BOOST_TEST(objective.cost(point_with({measured("time", 6)})).value() == 6);
  BOOST_TEST(!objective.cost(failed));
  BOOST_TEST(!objective.figure(failed));
  BOOST_TEST(!objective.figure(point_with({})));
}

BOOST_DATA_TEST_CASE(what_is_no_number_is_no_figure,
                     data::make({infinity, -infinity, not_a_number}), value) {
  SearchObjective objective({most_bandwidth});
  BOOST_TEST(objective.cost(point_with({measured("bandwidth", 5)})).value() == -5);
  const PointRecord odd = point_with({measured("bandwidth", value)});
  BOOST_TEST(!objective.cost(odd));
  BOOST_TEST(!objective.figure(odd));
}

BOOST_DATA_TEST_CASE(the_less_it_costs_the_better, data::make(preferences), preference) {
  SearchObjective objective(preference.objectives);
  const auto better = objective.cost(point_with(preference.better));
  const auto worse = objective.cost(point_with(preference.worse));
  BOOST_REQUIRE((better && worse));
  BOOST_TEST(*better < *worse);
}

BOOST_AUTO_TEST_CASE(further_objectives_change_a_cost_by_next_to_nothing) {
  SearchObjective objective({most_bandwidth, fewest_instructions});
  for (const double instructions : {0.0, 1.0, 1e12}) {
    const auto cost = objective.cost(
        point_with({measured("bandwidth", 4000), emulated("instructions", instructions)}));
    BOOST_TEST(cost.value() == -4000, boost::test_tools::tolerance(2e-6));
  }
  // A point that has none of them has its place among those that have.
  BOOST_TEST(objective.cost(point_with({measured("bandwidth", 4000)})).value() == -4000);
}

BOOST_DATA_TEST_CASE(a_time_limit_follows_from_a_figure_of_the_time, data::make(limits), limit) {
  SearchObjective objective({limit.objective});
  objective.cost(point_with({{limit.objective.metric, limit.origin, 40}}));
  Device device;
  device.memory_clock_hz = 1'000'000'000;
  device.memory_bus_bits = 4000;  // 1000 GB/s
  const double seconds = objective.seconds_when_slower(limit.figure, 2, limit.useful, device);
  if (std::isinf(limit.seconds)) {
    BOOST_TEST(seconds == infinity);
  } else {
    BOOST_TEST(seconds == limit.seconds, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(there_is_no_time_limit_before_the_first_figure) {
  const SearchObjective objective({least_time});
  BOOST_TEST(objective.seconds_when_slower(5, 2, bytes, Device{}) == infinity);
}

BOOST_AUTO_TEST_CASE(a_share_of_an_unknown_peak_is_no_time_limit) {
  SearchObjective objective({{"percent_of_peak", Better::higher}});
  objective.cost(point_with({measured("percent_of_peak", 40)}));
  BOOST_TEST(objective.seconds_when_slower(50, 2, bytes, Device{}) == infinity);
}

BOOST_AUTO_TEST_CASE(the_preferred_figure_is_the_one_nearest_to_the_device) {
  const PointRecord point = point_with({emulated("a", 1), hardware("a", 2), emulated("b", 3)});
  BOOST_TEST((preferred_figure(point, "a") == hardware("a", 2)));
  BOOST_TEST((preferred_figure(point, "b") == emulated("b", 3)));
  BOOST_TEST(!preferred_figure(point, "c"));
}

BOOST_AUTO_TEST_CASE(some_metrics_follow_from_the_time) {
  for (const char* timed : {"time", "bandwidth", "percent_of_peak", "shared_bandwidth"}) {
    BOOST_TEST(follows_from_time(timed), timed);
  }
  for (const char* other : {"instructions", "load_sectors", "power", "sm_clock", ""}) {
    BOOST_TEST(!follows_from_time(other), other);
  }
}

BOOST_AUTO_TEST_SUITE_END()
