#include "engine/run/device_team.h"

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <thread>

#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/scripted_run.h"

using namespace sweep;

namespace device_team {
namespace {

constexpr const char* twelve = R"(
pattern: tuned
axes: {K: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}
measure: {samples: {min: 5, max: 5}}
)";

constexpr const char* two_groups = R"(
pattern: tuned
axes: {K: [1, 2, 3, 4], G: [0, 1]}
measure: {samples: {min: 5, max: 5}}
tune: {minimize: time, for_each: G}
)";

/// A further device, which is as quick as the run's first.
class FurtherDevice : public Measurer {
 public:
  explicit FurtherDevice(int index) : local_(backend) {
    backend.device_.compute_capability = newer_than_any;
    backend.device_.index = index;
    backend.device_.uuid = "GPU-" + std::to_string(index);
    backend.on_sample = [this](CacheState) { return seconds; };
  }
  const Device& device() const override { return backend.device_; }
  const std::vector<std::string>& disturbances() override { return none_; }
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const std::function<void()>& meanwhile) override {
    const Tried tried = tried_of(workload);
    if (on_measure) on_measure(tried);
    if (dies_of && dies_of(tried)) {
      Measurement lost = failed_measurement("its process ended");
      lost.has_lost_process = true;
      return lost;
    }
    return local_.measure(workload, rules, meanwhile);
  }
  CounterResults count(std::span<const Workload> workloads,
                       const CounterRequest& request) override {
    return local_.count(workloads, request);
  }

  FakeBackend backend;
  double seconds = 100e-6;
  std::function<void(Tried)> on_measure;
  std::function<bool(Tried)> dies_of;

 private:
  LocalMeasurer local_;
  std::vector<std::string> none_;
};

struct Fixture : ScriptedRun {
  Fixture() {
    further = {&second};
    // So that each has something to do.
    on_execute = [](Tried) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
    second.on_measure = [](Tried) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  }
  /// How many of the run's points each device measured.
  std::map<int, std::size_t> shares(const RunSummary& summary) const {
    const RunRecord run = record(summary.run);
    std::map<int, std::size_t> shares;
    for (const StoredPoint& stored : points(summary.run)) {
      ++shares[run.device_of(stored.point).value_or(-1)];
    }
    return shares;
  }
  FurtherDevice second{1};
};

}  // namespace
}  // namespace device_team

using namespace device_team;

BOOST_FIXTURE_TEST_SUITE(device_team_suite, device_team::Fixture,
                         *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(devices_share_the_points) {
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST(summary.failed == 0U);
  BOOST_TEST(points(summary.run).size() == 12U);
  const auto shares_of = shares(summary);
  BOOST_TEST(shares_of.size() == 2U);
  BOOST_TEST(shares_of.at(0) + shares_of.at(1) == 12U);
}

BOOST_AUTO_TEST_CASE(what_any_of_them_measured_is_not_measured_again) {
  const RunSummary first = run(twelve);
  const RunSummary again = run(twelve);
  BOOST_TEST(again.measured == 0U);
  BOOST_TEST(again.reused == 12U);
  BOOST_TEST((shares(again) == shares(first)));
  BOOST_TEST((record(again.run).devices == record(first.run).devices));
}

BOOST_AUTO_TEST_CASE(their_times_are_compared) {
  second.seconds = 110e-6;
  const RunRecord found = record(run(twelve).run);
  BOOST_REQUIRE(found.devices.size() == 2U);
  BOOST_TEST(found.devices[1].index == 1);
  BOOST_TEST(found.devices[1].uuid == "GPU-1");
  BOOST_TEST(found.devices[0].to_first.ratio == 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(found.devices[1].to_first.ratio == 1.1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(found.devices[1].to_alone.ratio == 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(device_spread(found.devices) == 0.1, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(one_that_falls_out_leaves_its_points_to_the_others) {
  int measured = 0;
  second.on_measure = [&](Tried) {
    if (++measured > 2) throw DeviceError("it is gone");
  };
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST(points(summary.run).size() == 12U);
  BOOST_TEST(summary.failed == 0U);
  const auto notes = record(summary.run).notes;
  BOOST_TEST(std::ranges::any_of(notes, [](const std::string& note) {
    return note == "GPU 1 has fallen out, and the others do its part: it is gone";
  }));
}

BOOST_AUTO_TEST_CASE(the_first_may_fall_out_too) {
  FurtherDevice first(7);
  first.on_measure = [](Tried) { throw DeviceError("it is gone"); };
  measurer = &first;
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST((shares(summary) == std::map<int, std::size_t>{{1, 12}}));
}

BOOST_AUTO_TEST_CASE(the_last_one_ends_the_run) {
  FurtherDevice first(7);
  first.on_measure = second.on_measure = [](Tried) { throw DeviceError("it is gone"); };
  measurer = &first;
  BOOST_CHECK_THROW(run(twelve), DeviceError);
}

BOOST_AUTO_TEST_CASE(what_ends_ones_process_is_tried_on_another) {
  second.dies_of = [](Tried tried) { return tried.k == 5; };
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.failed == 0U);
  BOOST_TEST(summary.measured == 12U);
}

BOOST_AUTO_TEST_CASE(what_ends_both_has_failed) {
  FurtherDevice first(7);
  first.dies_of = second.dies_of = [](Tried tried) { return tried.k == 5; };
  measurer = &first;
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.failed == 1U);
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST(point(summary.run, {5, 0}).value().point.reason == "its process ended");
}

BOOST_AUTO_TEST_CASE(one_whose_process_keeps_ending_falls_out) {
  second.dies_of = [](Tried) { return true; };
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.failed == 0U);
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST((shares(summary) == std::map<int, std::size_t>{{0, 12}}));
}

BOOST_AUTO_TEST_CASE(what_one_gave_back_returns_to_it_where_the_other_falls_out) {
  FurtherDevice first(7);
  std::atomic<bool> has_died = false;
  second.dies_of = [&](Tried tried) { return tried.k == 5 && !has_died.exchange(true); };
  first.on_measure = [&](Tried tried) {
    // The other one comes to it first, unless this one has taken it already.
    for (int i = 0; i < 500 && !has_died; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (tried.k == 5 && has_died) throw DeviceError("it is gone");
  };
  measurer = &first;
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.failed == 0U);
  BOOST_TEST(points(summary.run).size() == 12U);
}

BOOST_AUTO_TEST_CASE(the_gpus_that_have_fallen_out_stay_in_the_record) {
  FurtherDevice third(2);
  further.push_back(&third);
  on_execute = [](Tried) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  third.on_measure = on_execute;
  second.on_measure = [](Tried) { throw DeviceError("it is gone"); };
  const RunRecord found = record(run(twelve).run);
  BOOST_REQUIRE(found.devices.size() == 3U);
  BOOST_TEST(found.devices.back().index == 1);
  BOOST_TEST(found.devices.back().to_first.ratio == 0);
  BOOST_TEST(found.devices[1].to_first.ratio == 1, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_stopped_comparison_of_gpus_is_made_up_for) {
  on_each_stage = [&](const std::string& stage) { stop = contains(stage, "GPUs"); };
  const RunRecord stopped = record(run(twelve).run);
  BOOST_TEST(stopped.devices.at(1).to_first.ratio == 0);
  on_each_stage = nullptr;
  stop = false;
  const RunRecord again = record(run(twelve).run);
  BOOST_TEST(again.devices.at(1).to_first.ratio == 1, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(each_measures_rounds_of_the_final_comparison_of_its_own) {
  // Figures of both in one round would be twice as slow.
  second.seconds = 200e-6;
  std::size_t of_second = 0;
  on_each_stage = [&](const std::string& stage) {
    if (!contains(stage, "the best")) return;
    second.on_measure = [&](Tried) { ++of_second; };
  };
  const RunRecord found = record(run(twelve).run);
  BOOST_REQUIRE(found.comparisons.size() > 1U);
  for (const ComparisonRecord& one : found.comparisons) {
    BOOST_TEST(one.rounds == 12);
    BOOST_TEST(one.slowdown == 1, boost::test_tools::tolerance(1e-9));
  }
  BOOST_TEST(of_second == 6 * found.comparisons.size());
}

BOOST_AUTO_TEST_CASE(the_final_comparison_goes_on_with_those_that_are_left) {
  on_each_stage = [&](const std::string& stage) {
    if (!contains(stage, "the best")) return;
    second.on_measure = [](Tried) { throw DeviceError("it is gone"); };
  };
  const RunRecord found = record(run(twelve).run);
  BOOST_REQUIRE(found.comparisons.size() > 1U);
  for (const ComparisonRecord& one : found.comparisons) BOOST_TEST(one.rounds == 12);
  BOOST_TEST(std::ranges::count(found.notes,
                                "GPU 1 takes no further part in comparing the best: it is gone") ==
             1);
}

BOOST_AUTO_TEST_CASE(a_searchs_group_stays_on_one_device) {
  const RunSummary summary = run(two_groups);
  const RunRecord found = record(summary.run);
  BOOST_REQUIRE(found.tuning.has_value());
  BOOST_TEST(found.tuning->groups.size() == 2U);
  std::map<std::int64_t, std::set<int>> devices_of;
  for (const StoredPoint& stored : points(summary.run)) {
    devices_of[tried_of(stored.point).g].insert(found.device_of(stored.point).value());
  }
  BOOST_TEST(devices_of.at(0).size() == 1U);
  BOOST_TEST(devices_of.at(1).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_group_is_searched_anew_where_its_device_falls_out) {
  int measured = 0;
  second.on_measure = [&](Tried) {
    if (++measured > 2) throw DeviceError("it is gone");
  };
  const RunSummary summary = run(two_groups);
  const RunRecord found = record(summary.run);
  BOOST_REQUIRE(found.tuning.has_value());
  BOOST_TEST(found.tuning->groups.size() == 2U);
  BOOST_TEST((shares(summary) == std::map<int, std::size_t>{{0, 8}}));
}

BOOST_AUTO_TEST_CASE(a_stop_ends_all_of_them) {
  on_each = [&](Tried) { stop = true; };
  const RunSummary summary = run(twelve);
  BOOST_TEST(summary.interrupted);
  BOOST_TEST(summary.measured < 12U);
  on_each = nullptr;
  stop = false;
  BOOST_TEST(points(run(twelve).run).size() == 12U);
}

BOOST_AUTO_TEST_SUITE_END()
