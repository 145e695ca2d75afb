#include <boost/test/unit_test.hpp>
#include <future>

#include "engine/run/run_stage.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/tuned_sweeps.h"

using namespace sweep;

namespace counts_beside {
namespace {

const std::string plain = "pattern: tuned\naxes: {K: {from: 0, to: 3}}\n" + ten_samples;

/// Emulators that count K once the gate is open, and fail at K = 3.
MakeBackend counting(const std::shared_future<void>& gate) {
  return [gate](const std::atomic<bool>&) {
    auto counter = std::make_unique<FakeBackend>();
    counter->can_time_ = false;
    FakeBackend& backend = *counter;
    counter->on_prepare = [gate, &backend](const Workload& workload) {
      gate.wait();
      const auto k = tried_of(workload).k;
      if (k == 3) throw ExecutionFailure("it cannot");
      backend.observation_ = {{{"instructions", Origin::emulated, static_cast<double>(k)}}, {}};
    };
    return counter;
  };
}

/// Points that were measured, and are counted when the gate opens.
struct Fixture : ScriptedRun {
  Fixture() {
    preparing = 0;
    scripted.request.emulate = {counting(gate.get_future().share()), 1};
    for (std::size_t place = 0; place < 4; ++place) scripted.add_point(place);
  }
  void begin(CountsBeside& counts) {
    for (std::size_t place = 0; place < 4; ++place) {
      counts.begin(stage, place, *stage.summary.recent.find(place));
    }
  }
  PointRecord stored(std::int64_t place) {
    return scripted.store.point(stage.summary.run, place).value().point;
  }
  std::vector<std::string> notes() { return scripted.store.runs().front().notes; }

  std::promise<void> gate;
  ScriptedStage scripted{*this, plain};
  RunStage& stage = scripted.stage;
};

}  // namespace
}  // namespace counts_beside

BOOST_FIXTURE_TEST_SUITE(counts_beside, counts_beside::Fixture,
                         *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(late_counts_are_recorded_when_they_come) {
  CountsBeside counts(stage.request);
  begin(counts);
  counts.take_ready(stage);
  BOOST_TEST(lacks_counts(stored(1)));
  now = 100;  // of which the run may wait a share
  gate.set_value();
  counts.finish(stage);
  BOOST_TEST((stored(1).metrics.back() == Metric{"instructions", Origin::emulated, 1}));
  BOOST_TEST(stored(3).notes.back() == "the emulator does not count it: it cannot");
  BOOST_TEST(!lacks_counts(stored(3)));
  BOOST_TEST(notes().empty());
}

BOOST_AUTO_TEST_CASE(a_run_without_time_leaves_them_out_and_says_so) {
  {
    CountsBeside counts(stage.request);
    begin(counts);
    now = 0;  // no time has passed of which it could wait a share
    counts.wait(stage);
    gate.set_value();
    counts.finish(stage);
  }
  if (!lacks_counts(stored(1))) return;  // it came at the last moment
  BOOST_REQUIRE(notes().size() == 1U);
  BOOST_TEST(notes().front() == too_late_to_count);
}

BOOST_AUTO_TEST_CASE(what_was_left_out_is_counted_later) {
  gate.set_value();
  std::vector<UncountedPoint> points;
  for (std::size_t place = 0; place < 4; ++place) {
    const auto id =
        scripted.store.point(stage.summary.run, static_cast<std::int64_t>(place)).value().id;
    points.push_back({id, scripted.space.configurations.at(place)});
  }
  std::size_t told = 0;
  count_points(points, stage.compile, stage.request.sweep.measure, stage.request.emulate,
               scripted.store, [&](const UncountedPoint&, const Observation&) { ++told; });
  BOOST_TEST(told == 4U);
  BOOST_TEST((stored(2).metrics.back() == Metric{"instructions", Origin::emulated, 2}));
  BOOST_TEST(!lacks_counts(stored(3)));
}

BOOST_AUTO_TEST_SUITE_END()
