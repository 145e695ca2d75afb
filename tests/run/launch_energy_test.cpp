#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "engine/run/measurer.h"
#include "tests/run/fake_backend.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(launch_energy)

namespace {

/// A device that draws 400 W while it works, and whose counter goes on every 50 ms.
struct Drawing {
  Drawing() {
    backend.on_repeat = [this](int launches) {
      now += launches * seconds_per_launch;
      launched += launches;
    };
    backend.on_energy = [this]() -> std::optional<double> {
      constexpr double step = 0.05;
      return std::floor(now / step) * step * watts;
    };
    backend.on_sample = [this](CacheState) { return seconds_per_launch; };
  }

  std::optional<double> measure(double seconds) {
    const auto execution = backend.prepare({}, {});
    return sweep::launch_energy(
        backend, *execution, seconds, seconds_per_launch, [this] { return now; },
        [](std::string_view) {});
  }

  FakeBackend backend;
  double now = 0;
  double watts = 400;
  double seconds_per_launch = 100e-6;
  double launched = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(is_the_power_times_the_time_of_a_launch) {
  for (const double seconds_per_launch : {20e-6, 100e-6, 3e-3, 0.7}) {
    Drawing device;
    device.seconds_per_launch = seconds_per_launch;
    const auto joules = device.measure(1);
    BOOST_TEST_REQUIRE(joules.has_value());
    BOOST_TEST(*joules == 400 * seconds_per_launch, boost::test_tools::tolerance(0.05));
    BOOST_TEST(device.now >= 1);
    BOOST_TEST(device.now < 1.5 + 3 * seconds_per_launch);
  }
}

BOOST_AUTO_TEST_CASE(a_longer_span_is_more_precise) {
  Drawing device;
  const auto joules = device.measure(20);
  BOOST_TEST(*joules == 0.04, boost::test_tools::tolerance(0.003));
}

BOOST_AUTO_TEST_CASE(is_not_known_without_a_counter_that_goes_on) {
  Drawing without;
  without.backend.on_energy = nullptr;
  BOOST_TEST(!without.measure(1).has_value());
  Drawing standing;
  standing.backend.on_energy = [] { return 7.0; };
  BOOST_TEST(!standing.measure(1).has_value());
  BOOST_TEST(standing.now < 4);
}

BOOST_AUTO_TEST_CASE(is_measured_where_it_is_asked_for) {
  for (const double seconds : {0.0, 0.5}) {
    Drawing device;
    MeasureRules rules;
    rules.energy_seconds = seconds;
    const Measurement measured = sweep::measure(
        device.backend, {}, rules, [&] { return device.now; }, [](std::string_view) {});
    const auto& metrics = measured.point.metrics;
    const auto found = std::ranges::find(metrics, "energy", &Metric::name);
    BOOST_TEST((found != metrics.end()) == (seconds > 0));
    if (found != metrics.end()) {
      BOOST_TEST(found->value == 40, boost::test_tools::tolerance(0.1));
      BOOST_TEST((found->origin == Origin::measured));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
