#include <boost/test/unit_test.hpp>

#include "engine/recording/recording.h"
#include "engine/store/store.h"
#include "tests/store/example_records.h"
#include "tests/temporary_folder.h"

using namespace sweep;
using namespace sweep::testing;

BOOST_AUTO_TEST_SUITE(store_reader)

namespace {

std::int64_t add_run(Store& store, const std::vector<PointRecord>& points,
                     RunState state = RunState::finished) {
  const std::int64_t run = store.begin_run(example_provenance());
  for (std::size_t i = 0; i < points.size(); ++i) {
    store.add_point(run, static_cast<std::int64_t>(i), points[i]);
  }
  store.end_run(run, state);
  return run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(reads_the_run_that_knows_most) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.db";
  std::int64_t most = 0;
  {
    Store store(path, Store::Mode::read_write);
    add_run(store, {example_point(1), failed_point(2)});
    most = add_run(store, {example_point(1), failed_point(2)});
    add_run(store, {example_point(1), example_point(4)}, RunState::interrupted);
    add_run(store, {example_point(8)});
  }
  const Recording recording = read_store(path, std::nullopt);
  BOOST_TEST(recording.origin.format == "results database, run " + std::to_string(most));
  BOOST_TEST(recording.origin.file == path.string());
  BOOST_TEST(recording.origin.device == "NVIDIA H200");
  BOOST_TEST(recording.origin.kernel == "stride");
  BOOST_TEST(recording.origin.objective == "bandwidth");
  BOOST_TEST(!recording.unfinished);
  BOOST_REQUIRE(recording.entries.size() == 2U);
  BOOST_TEST(to_string(recording.entries[0].configuration) == "pattern=stride STRIDE=1 T=float");
  BOOST_CHECK(recording.entries[0].metrics == example_point(1).metrics);
  BOOST_TEST(recording.entries[1].reason == failed_point(2).reason);
  BOOST_TEST(recording.metrics.at(0).unit == "GB/s");
  BOOST_CHECK(recording.metrics.at(0).better == Better::higher);
}

BOOST_AUTO_TEST_CASE(reads_the_run_that_is_asked_for) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.db";
  {
    Store store(path, Store::Mode::read_write);
    add_run(store, {example_point(1), example_point(2)});
    add_run(store, {example_point(8)}, RunState::interrupted);
  }
  const Recording recording = read_store(path, 2);
  BOOST_TEST(recording.entries.size() == 1U);
  BOOST_TEST(recording.unfinished);
  const auto is_missing = [](const StoreError& error) {
    return error.fault() == StoreFault::missing;
  };
  BOOST_CHECK_EXCEPTION(read_store(path, 3), StoreError, is_missing);
}

BOOST_AUTO_TEST_CASE(what_was_searched_by_is_the_objective) {
  RunRecord run;
  std::vector<StoredPoint> points(1);
  points[0].point = example_point(1);
  BOOST_TEST(recording_of(run, points).origin.objective == "bandwidth");
  points[0].point.metrics = {{"load_sectors", Origin::emulated, 4}};
  BOOST_TEST(recording_of(run, points).origin.objective.empty());
  run.tuning.emplace();
  run.tuning->metric = "load_sectors";
  run.tuning->origin = Origin::emulated;
  BOOST_TEST(recording_of(run, points).origin.objective == "load_sectors.emulated");
}

BOOST_AUTO_TEST_CASE(says_what_a_sweep_needs_of_the_device) {
  RunRecord run;
  BOOST_TEST(!recording_of(run, {}).origin.is_emulated);
  run.provenance.device.backend = "emulator";
  run.provenance.device.multiprocessors = 132;
  run.provenance.device.l2_bytes = 1000;
  const RecordingOrigin origin = recording_of(run, {}).origin;
  BOOST_TEST(origin.is_emulated);
  BOOST_TEST(origin.multiprocessors == 132);
  BOOST_TEST(origin.l2_bytes == 1000U);
}

BOOST_AUTO_TEST_CASE(patterns_that_are_ranked_differently_are_compared_by_time) {
  std::vector<StoredPoint> points(2);
  points[0].point = example_point(1);
  points[1].point = example_point(2);
  points[1].point.key.pattern_name = "other";
  points[1].point.metrics = {{"time", Origin::measured, 3}};
  BOOST_TEST(recording_of(RunRecord{}, points).origin.objective == "time");
  BOOST_TEST(recording_of(RunRecord{}, points).origin.kernel == "stride, other");
}

BOOST_AUTO_TEST_SUITE_END()
