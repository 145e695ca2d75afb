#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "engine/run/measurer.h"
#include "tests/run/fake_backend.h"

using namespace sweep;

namespace measuring {
namespace {

double value_of(const PointRecord& point, std::string_view name) {
  for (const Metric& metric : point.metrics) {
    if (metric.name == name) return metric.value;
  }
  return -1;
}

/// What measuring gives, of a workload that moves 64 useful bytes unless another is given.
struct Measuring {
  FakeBackend backend;  ///< 1 ms a sample, a peak of 1000 GB/s
  MeasureRules rules;
  UsefulTraffic useful{64, 0};
  Clock clock = [] { return 0.0; };

  Measurement measurement() {
    Workload workload;
    workload.useful = useful;
    return measure(backend, workload, rules, clock,
                   [this](std::string_view step) { steps.emplace_back(step); });
  }
  PointRecord measured() { return measurement().point; }

  std::vector<std::string> steps;
};

}  // namespace
}  // namespace measuring

BOOST_FIXTURE_TEST_SUITE(measuring, measuring::Measuring)

BOOST_AUTO_TEST_CASE(verifies_after_one_launch_and_before_the_first_sample) {
  useful = {0, 0};
  measurement();
  const std::vector<std::string> first(backend.calls.begin(), backend.calls.begin() + 6);
  BOOST_TEST(first == (std::vector<std::string>{"prepare ", "initialise", "launch", "verify",
                                                "observe", "sample"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(metrics_follow_from_the_samples) {
  useful = {500'000'000, 0};
  const PointRecord point = measured();
  BOOST_TEST((point.status == PointStatus::ok));
  BOOST_TEST(point.samples.size() == 10U);
  BOOST_TEST(point.stopped_by == "noise");
  const auto close = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(value_of(point, "time") == 1000.0, close);
  BOOST_TEST(value_of(point, "bandwidth") == 500.0, close);
  BOOST_TEST(value_of(point, "percent_of_peak") == 50.0, close);
  BOOST_TEST(value_of(point, "samples") == 10.0, close);
  BOOST_TEST(value_of(point, "noise") == 0.0);
}

BOOST_AUTO_TEST_CASE(useful_bytes_of_shared_memory_are_a_bandwidth_of_their_own) {
  useful = {0, 2'000'000'000};
  const PointRecord point = measured();
  BOOST_TEST(value_of(point, "shared_bandwidth") == 2000.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(value_of(point, "bandwidth") == -1);
}

BOOST_AUTO_TEST_CASE(without_useful_bytes_there_is_no_bandwidth) {
  useful = {0, 0};
  const PointRecord point = measured();
  BOOST_TEST(value_of(point, "bandwidth") == -1);
  BOOST_TEST(value_of(point, "time") == 1000.0, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_wrong_result_is_a_failed_point_that_is_not_timed) {
  backend.on_verify = [] { return std::optional<std::string>("wrong result: 1 of 64"); };
  const PointRecord point = measured();
  BOOST_TEST((point.status == PointStatus::failed));
  BOOST_TEST(point.reason == "wrong result: 1 of 64");
  BOOST_TEST(point.samples.empty());
  BOOST_TEST(point.metrics.empty());
  BOOST_TEST(backend.calls.back() == "verify");
}

BOOST_AUTO_TEST_CASE(what_the_backend_counted_stands_beside_the_times) {
  backend.observation_ = {{{"load_sectors", Origin::emulated, 128}}, {"executed 5 of 4096 blocks"}};
  const PointRecord both = measured();
  BOOST_TEST(value_of(both, "time") == 1000.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(value_of(both, "load_sectors") == 128);
  BOOST_TEST(both.notes == std::vector<std::string>{"executed 5 of 4096 blocks"},
             boost::test_tools::per_element());

  backend.can_time_ = false;
  backend.calls.clear();
  const PointRecord counts = measured();
  BOOST_TEST((counts.status == PointStatus::ok));
  BOOST_TEST((counts.metrics == backend.observation_.metrics));
  BOOST_TEST(counts.notes.size() == 1U);
  BOOST_TEST(counts.samples.empty());
  BOOST_TEST(backend.calls.back() == "observe");
}

BOOST_AUTO_TEST_CASE(a_failed_point_has_no_notes) {
  backend.observation_ = {{{"load_sectors", Origin::emulated, 128}}, {"a note"}};
  backend.on_sample = [](CacheState) -> double { throw ExecutionFailure("illegal address"); };
  const PointRecord point = measured();
  BOOST_TEST(point.metrics.empty());
  BOOST_TEST(point.notes.empty());
}

BOOST_AUTO_TEST_CASE(a_failure_while_sampling_leaves_no_samples) {
  int left = 5;
  backend.on_sample = [&](CacheState) -> double {
    if (--left == 0) throw ExecutionFailure("illegal address");
    return 1;
  };
  const PointRecord point = measured();
  BOOST_TEST(point.reason == "illegal address");
  BOOST_TEST(point.samples.empty());
  BOOST_TEST(point.stopped_by.empty());
}

BOOST_AUTO_TEST_CASE(noisy_samples_are_taken_until_the_time_is_over) {
  int taken = 0;
  backend.on_sample = [&](CacheState) { return ++taken % 2 == 0 ? 1.0 : 2.0; };
  rules.seconds = 1;
  // A sample takes 10 ms of wall time.
  clock = [&] { return 0.01 * taken; };
  const PointRecord point = measured();
  BOOST_TEST(point.stopped_by == "seconds");
  BOOST_TEST(point.samples.size() >= 100U);
  BOOST_TEST(point.samples.size() <= 101U);
  BOOST_TEST(
      point.notes == std::vector<std::string>{"sampling stopped after 1 s (100 samples) at a "
                                              "noise of 33 %, above the 0.5 % asked for"},
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_cache_is_in_the_state_that_the_rules_say) {
  bool always_warm = true;
  backend.on_sample = [&](CacheState cache) {
    always_warm = always_warm && cache == CacheState::warm;
    return 1.0;
  };
  rules.cache = CacheState::warm;
  measurement();
  BOOST_TEST(always_warm);
}

BOOST_AUTO_TEST_CASE(samples_are_taken_in_chunks_after_two_that_are_thrown_away) {
  int taken = 0;
  backend.on_sample = [&](CacheState) {
    ++taken;
    return taken <= 2 ? 100.0 : taken % 2 == 0 ? 1.0 : 2.0;
  };
  rules.max_samples = 30;
  const PointRecord point = measured();
  const std::vector<int> chunks = {1, 1, 10, 2, 2, 2, 3, 3, 4, 4};
  BOOST_TEST(backend.chunks == chunks, boost::test_tools::per_element());
  BOOST_TEST(point.samples.size() == 30U);
  BOOST_TEST(point.stopped_by == "samples");
  BOOST_TEST(std::ranges::count(steps, "sample") == 8);
  BOOST_TEST(std::ranges::count(steps, "warm-up") == 1);
  for (const Sample& sample : point.samples) BOOST_TEST(sample.seconds < 3);
}

BOOST_AUTO_TEST_CASE(slow_samples_are_taken_one_by_one_and_stop_at_the_fewest) {
  double now = 0;
  backend.on_sample = [&](CacheState) {
    now += 0.4;
    return backend.calls.size() % 2 == 0 ? 0.4 : 0.5;
  };
  clock = [&] { return now; };
  const PointRecord point = measured();
  BOOST_TEST(backend.chunks == std::vector<int>(12, 1), boost::test_tools::per_element());
  BOOST_TEST(point.samples.size() == 10U);
  BOOST_TEST(point.stopped_by == "seconds");
}

BOOST_AUTO_TEST_CASE(a_dip_of_the_clock_is_kept_and_repeated_but_no_part_of_the_figures) {
  int taken = 0;
  backend.on_clocked_sample = [&]() -> Sample {
    ++taken;
    const bool dip = taken >= 3 && taken <= 5;  // the first three after the warm-up
    return dip ? Sample{2e-3, 1000e6} : Sample{1e-3, 1980e6};
  };
  const PointRecord point = measured();
  const std::vector<int> chunks = {1, 1, 10, 3};
  BOOST_TEST(backend.chunks == chunks, boost::test_tools::per_element());
  BOOST_TEST(point.samples.size() == 13U);
  for (std::size_t i = 0; i < 13; ++i) {
    BOOST_TEST((point.samples[i].mark == (i < 3 ? SampleMark::low_clock : SampleMark::plain)));
  }
  BOOST_TEST(value_of(point, "samples") == 10);
  BOOST_TEST(value_of(point, "low_clock_samples") == 3);
  BOOST_TEST(value_of(point, "time_high") == 1000, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(value_of(point, "sm_clock") == 1980, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(point.notes.empty());
}

BOOST_AUTO_TEST_CASE(a_clock_that_stays_low_is_the_clock) {
  int taken = 0;
  backend.on_clocked_sample = [&]() -> Sample {
    ++taken;
    return taken > 9 ? Sample{1.2e-3, 1500e6} : Sample{1e-3, 1980e6};
  };
  rules.noise = 0.2;
  const PointRecord point = measured();
  // Three of the first ten are low and repeated; the three repeats are too: no dip then.
  const std::vector<int> chunks = {1, 1, 10, 3};
  BOOST_TEST(backend.chunks == chunks, boost::test_tools::per_element());
  BOOST_TEST(value_of(point, "samples") == 13);
  BOOST_TEST(value_of(point, "low_clock_samples") == 0);
  BOOST_TEST_REQUIRE(point.notes.size() == 1U);
  BOOST_TEST(point.notes[0] ==
             "the clock changed while sampling, between 1500 and 1980 MHz: the figures mix its "
             "speeds");
}

BOOST_AUTO_TEST_CASE(clocks_that_never_settle_do_not_keep_it_busy) {
  int taken = 0;
  backend.on_clocked_sample = [&]() -> Sample {
    ++taken;
    return {taken % 2 == 0 ? 1.0 : 2.0, taken % 5 == 0 ? 1500e6 : 1980e6};
  };
  rules.max_samples = 200;
  const PointRecord point = measured();
  BOOST_TEST(point.stopped_by == "samples");
  BOOST_TEST(value_of(point, "samples") == 200);
  BOOST_TEST(point.samples.size() <= 300U);
}

BOOST_AUTO_TEST_CASE(the_state_of_the_device_is_asked_for_after_the_last_sample) {
  backend.state_ = {1980e6, 3201e6, 45, 300, {"power cap"}};
  backend.launches_per_sample_ = 16;
  backend.observation_ = {{}, {"a note of the backend's"}};
  const PointRecord point = measured();
  BOOST_TEST(backend.calls.back() == "state");
  BOOST_TEST(backend.calls[backend.calls.size() - 2] == "sample");
  BOOST_TEST(value_of(point, "sm_clock") == 1980, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(value_of(point, "temperature") == 45);
  BOOST_TEST(value_of(point, "power") == 300);
  BOOST_TEST(value_of(point, "launches_per_sample") == 16);
  const std::vector<std::string> notes = {"the device held its clocks back: power cap",
                                          "a note of the backend's"};
  BOOST_TEST(point.notes == notes, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(where_time_went_is_told_by_phase) {
  double now = 0;
  backend.on_launch = [&] { now += 0.5; };
  backend.on_sample = [&](CacheState) {
    now += 0.01;
    return 0.01;
  };
  clock = [&] { return now; };
  const PhaseTimes times = measurement().times;
  const auto close = boost::test_tools::tolerance(1e-9);
  BOOST_TEST(times[Phase::first_launch] == 0.5, close);
  BOOST_TEST(times[Phase::warm_up] == 0.02, close);
  BOOST_TEST(times[Phase::sample] == 0.1, close);
  BOOST_TEST(std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0) == 0.62, close);
}

BOOST_AUTO_TEST_CASE(counting_where_nothing_counts_is_said_once) {
  LocalMeasurer measurer(backend);
  BOOST_TEST(measurer.disturbances() == backend.disturbances(), boost::test_tools::per_element());
  const std::vector<Workload> workloads(3);
  const CounterRequest request{{"memory"}, CacheState::cold};
  const CounterResults first = measurer.count(workloads, request);
  BOOST_TEST(first.workloads.size() == 3U);
  BOOST_TEST(first.workloads.front().metrics.empty());
  BOOST_TEST(first.problems == std::vector<std::string>{"this device has no hardware counters, so "
                                                        "none are taken"},
             boost::test_tools::per_element());
  BOOST_TEST(measurer.count(workloads, request).problems.empty());
}

BOOST_AUTO_TEST_SUITE_END()
