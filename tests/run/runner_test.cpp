#include "engine/run/runner.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/run/adding_pattern.h"
#include "tests/run/compiler_words.h"
#include "tests/run/fake_backend.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace runner {
namespace {

/// What a run told its observer.
struct Heard : RunObserver {
  void on_start(std::size_t points, std::size_t reused) override { started = {points, reused}; }
  void on_point(const Configuration& configuration, const PointRecord& point) override {
    order.push_back(to_string(configuration.parameters));
    if (on_each) on_each(point);
  }
  void on_warning(const Diagnostic& warning) override { warnings.push_back(warning.message); }
  void on_note(const std::string& note) override { notes.push_back(note); }
  void on_stage(const std::string& stage) override { stages.push_back(stage); }

  std::pair<std::size_t, std::size_t> started;
  std::vector<std::string> order;
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
  std::vector<std::string> stages;
  std::function<void(const PointRecord&)> on_each;
};

struct Fixture {
  /// Runs the configurations K = `values` on the fake backend into the folder's store.
  RunSummary run(std::initializer_list<std::int64_t> values, bool fresh = false) {
    Space space;
    space.configurations = configurations_with(pattern, "K", values);
    space.combinations = space.configurations.size();
    heard.order.clear();
    heard.stages.clear();
    backend.calls.clear();
    Sweep sweep;
    sweep.name = "test";
    sweep.source = std::make_shared<Source>(Source{"test.yaml", "pattern: add"});
    RunRequest request = {sweep, space, Provenance{}, {}, false, {}, {}};
    request.provenance.seed = seed;
    request.compile.nvrtc = nvrtc();
    request.compile.processes = nvrtc_processes();
    request.fresh = fresh;
    request.counters = counters;
    Store store(folder.path() / "test.db", Store::Mode::read_write);
    LocalMeasurer measurer(backend);
    return run_sweep(request, measurer, store, heard, stop);
  }

  RunRecord record(std::int64_t run) const {
    for (RunRecord& found : Store(folder.path() / "test.db", Store::Mode::read_only).runs()) {
      if (found.id == run) return std::move(found);
    }
    throw std::out_of_range("no such run");
  }

  std::vector<StoredPoint> points(std::int64_t run) const {
    return Store(folder.path() / "test.db", Store::Mode::read_only).points(run);
  }

  TemporaryFolder folder;
  PatternPtr pattern = pattern_from_text("add", adding_pattern);
  FakeBackend backend;
  Heard heard;
  std::atomic<bool> stop = false;
  std::uint64_t seed = 1;
  std::vector<std::string> counters;
};

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

}  // namespace
}  // namespace runner

BOOST_FIXTURE_TEST_SUITE(runner, runner::Fixture, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(every_configuration_becomes_a_point_in_order) {
  const RunSummary summary = run({3, 1, 2});
  BOOST_TEST(summary.measured == 3U);
  BOOST_TEST(sorted(heard.order) == (std::vector<std::string>{"K=1", "K=2", "K=3"}),
             boost::test_tools::per_element());
  const auto stored = points(summary.run);
  BOOST_REQUIRE(stored.size() == 3U);
  BOOST_TEST(to_string(stored[0].point.key.parameters) == "K=3");
  BOOST_TEST(stored[0].point.key.pattern_text == adding_pattern);
}

BOOST_AUTO_TEST_CASE(a_second_run_measures_only_what_is_missing) {
  run({1, 2});
  const RunSummary second = run({1, 5, 2});
  BOOST_TEST(heard.started.first == 3U);
  BOOST_TEST(heard.started.second == 2U);
  BOOST_TEST(second.measured == 1U);
  BOOST_TEST(second.reused == 2U);
  BOOST_TEST(heard.order == std::vector<std::string>{"K=5"}, boost::test_tools::per_element());
  const auto stored = points(second.run);
  BOOST_REQUIRE(stored.size() == 3U);
  BOOST_TEST(to_string(stored[1].point.key.parameters) == "K=5");
  BOOST_TEST(stored[0].measured_by != second.run);
  BOOST_TEST(stored[1].measured_by == second.run);
}

BOOST_AUTO_TEST_CASE(fresh_measures_everything_again) {
  run({1, 2});
  const RunSummary second = run({1, 2}, true);
  BOOST_TEST(second.measured == 2U);
  BOOST_TEST(second.reused == 0U);
}

BOOST_AUTO_TEST_CASE(another_pattern_text_or_device_is_another_point) {
  run({1});
  backend.device_.uuid = "GPU-1";
  BOOST_TEST(run({1}).measured == 1U);
  pattern = pattern_from_text("add", std::string(adding_pattern) + "// changed\n");
  BOOST_TEST(run({1}).measured == 1U);
  BOOST_TEST(run({1}).measured == 0U);
}

BOOST_AUTO_TEST_CASE(the_same_configuration_twice_is_two_points_with_their_own_programs) {
  const RunSummary summary = run({1, 1, 2});
  BOOST_TEST(summary.measured == 3U);
  const auto stored = points(summary.run);
  BOOST_REQUIRE(stored.size() == 3U);
  BOOST_TEST(to_string(stored[2].point.key.parameters) == "K=2");
}

BOOST_AUTO_TEST_CASE(one_that_does_not_compile_is_a_failed_point_and_the_rest_goes_on) {
  const RunSummary summary = run({12, 13, 14});
  BOOST_TEST(summary.measured == 3U);
  BOOST_TEST(summary.failed == 1U);
  const auto stored = points(summary.run);
  BOOST_TEST((stored[0].point.status == PointStatus::ok));
  BOOST_TEST((stored[1].point.status == PointStatus::failed));
  BOOST_TEST((stored[2].point.status == PointStatus::ok));
  BOOST_TEST(stored[1].point.reason.find("add.cu:8:1: error: static assertion failed with "
                                         "\"unlucky\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(failed_points_are_tried_again) {
  backend.on_launch = [] { throw ExecutionFailure("out of memory"); };
  BOOST_TEST(run({1}).failed == 1U);
  backend.on_launch = nullptr;
  const RunSummary second = run({1});
  BOOST_TEST(second.measured == 1U);
  BOOST_TEST(second.failed == 0U);
}

BOOST_AUTO_TEST_CASE(a_stopped_run_keeps_its_points_and_the_next_goes_on) {
  heard.on_each = [this](const PointRecord&) { stop = heard.order.size() == 2; };
  const RunSummary first = run({1, 2, 3, 4});
  BOOST_TEST(first.interrupted);
  BOOST_TEST(heard.stages.empty());
  BOOST_TEST(points(first.run).size() == 2U);
  stop = false;
  heard.on_each = nullptr;
  const RunSummary second = run({1, 2, 3, 4});
  BOOST_TEST(second.reused == 2U);
  BOOST_TEST(second.measured == 2U);
  BOOST_TEST(!second.interrupted);
  BOOST_TEST(points(second.run).size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_stopped_run_still_reports_what_earlier_runs_measured) {
  run({3, 4});
  heard.on_each = [this](const PointRecord&) { stop = true; };
  const RunSummary second = run({1, 2, 3, 4});
  BOOST_TEST(second.interrupted);
  BOOST_TEST(second.measured == 1U);
  BOOST_TEST(second.reused == 2U);
  BOOST_TEST(points(second.run).size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_lost_device_ends_the_run_and_keeps_what_was_measured) {
  heard.on_each = [this](const PointRecord&) {
    backend.on_launch = [] { throw DeviceError("GPU 0 does not recover"); };
  };
  BOOST_CHECK_THROW(run({1, 2, 3}), DeviceError);
  const Store store(folder.path() / "test.db", Store::Mode::read_only);
  const auto runs = store.runs();
  BOOST_REQUIRE(runs.size() == 1U);
  BOOST_TEST((runs.front().state == RunState::interrupted));
  BOOST_TEST(store.points(runs.front().id).size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_seed_decides_the_order_of_measuring_but_not_that_of_the_points) {
  const auto order_of = [&](std::uint64_t number) {
    seed = number;
    const RunSummary summary = run({1, 2, 3, 4, 5, 6, 7, 8}, true);
    std::vector<std::string> stored;
    for (const StoredPoint& point : points(summary.run)) {
      stored.push_back(to_string(point.point.key.parameters));
    }
    BOOST_TEST(stored == sorted(heard.order), boost::test_tools::per_element());
    BOOST_TEST(record(summary.run).provenance.seed == number);
    return heard.order;
  };
  const std::vector<std::string> first = order_of(1);
  BOOST_TEST((order_of(1) == first));
  BOOST_TEST((order_of(2) != first));
}

BOOST_AUTO_TEST_CASE(a_device_that_only_counts_has_no_order_no_anchor_and_no_comparison) {
  backend.can_time_ = false;
  backend.device_.backend = "emulator";
  const RunSummary summary = run({3, 1, 2});
  BOOST_TEST(heard.order == (std::vector<std::string>{"K=3", "K=1", "K=2"}),
             boost::test_tools::per_element());
  const RunRecord stored = record(summary.run);
  BOOST_TEST(stored.provenance.seed == 0U);
  BOOST_TEST(stored.anchors.empty());
  BOOST_TEST(stored.comparisons.empty());
}

BOOST_AUTO_TEST_CASE(the_best_are_measured_again_in_turn) {
  // The first to be prepared is the slow one, the others are alike; its PTX tells it.
  std::string slow;
  std::string current;
  backend.on_prepare = [&](const Workload& workload) {
    current = workload.launches.front().kernel_entry + workload.program->ptx;
    if (slow.empty()) slow = current;
  };
  int taken = 0;
  backend.on_sample = [&](CacheState) {
    return (current == slow ? 2e-3 : 1e-3) * (1 + 1e-4 * (++taken % 3));
  };
  const RunSummary summary = run({1, 2, 3});
  const RunRecord stored = record(summary.run);
  BOOST_TEST(heard.stages == std::vector<std::string>{"comparing the best 2 configurations of add"},
             boost::test_tools::per_element());
  BOOST_REQUIRE(stored.comparisons.size() == 2U);
  for (const ComparisonRecord& comparison : stored.comparisons) {
    BOOST_TEST(comparison.rounds >= 6);
    BOOST_TEST(comparison.slowdown == 1.0, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(comparison.slowdown_low <= 1.0);
  }
  // The anchor is the first point and is measured again at the end.
  BOOST_REQUIRE(stored.anchors.size() >= 1U);
  BOOST_TEST(stored.anchors.front().seconds == 2e-3, boost::test_tools::tolerance(1e-3));

  // A run of the same points has nothing to measure, and knows what the first found.
  const RunSummary again = run({1, 2, 3});
  BOOST_TEST(again.measured == 0U);
  BOOST_TEST((record(again.run).comparisons == stored.comparisons));
  // One with other points does not.
  BOOST_TEST(record(run({1, 2}).run).comparisons.empty());
}

BOOST_AUTO_TEST_CASE(hardware_counters_are_read_once_for_points_that_lack_them) {
  backend.on_count = [](std::span<const Workload> workloads, const CounterRequest&,
                        const StepListener&) {
    const Observation counts = {{{"load_sectors", Origin::hardware, 64}}, {}};
    return CounterResults{std::vector<Observation>(workloads.size(), counts), {}};
  };
  counters = {"memory"};
  const RunSummary first = run({1, 2});
  BOOST_TEST(first.timing.counted == 2U);
  for (const StoredPoint& stored : points(first.run)) {
    BOOST_TEST(stored.point.collected_counters == "memory");
    BOOST_TEST((stored.point.metrics.back() == Metric{"load_sectors", Origin::hardware, 64}));
  }
  const RunSummary second = run({1, 2, 3});
  BOOST_TEST(second.measured == 1U);
  BOOST_TEST(second.timing.counted == 1U);
  counters = {"shared"};
  BOOST_TEST(run({1, 2, 3}).timing.counted == 3U);
  BOOST_TEST(run({1, 2, 3}).timing.counted == 0U);
}

BOOST_AUTO_TEST_CASE(counters_that_cannot_be_read_are_a_note_and_the_points_stay) {
  counters = {"memory"};
  const RunSummary summary = run({1, 2});  // the fake backend has none unless told
  BOOST_TEST(summary.failed == 0U);
  BOOST_TEST(summary.timing.counted == 0U);
  BOOST_TEST(heard.notes == (std::vector<std::string>{
                                "another process uses the GPU",
                                "this device has no hardware counters, so none are taken"}),
             boost::test_tools::per_element());
  BOOST_TEST(record(summary.run).notes == heard.notes, boost::test_tools::per_element());
  BOOST_TEST(points(summary.run).front().point.collected_counters.empty());
}

BOOST_AUTO_TEST_SUITE_END()
