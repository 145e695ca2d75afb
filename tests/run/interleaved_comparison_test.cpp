#include "engine/run/interleaved_comparison.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "engine/run/run_stage.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/tuned_sweeps.h"

using namespace sweep;
using boost::test_tools::per_element;
using boost::test_tools::tolerance;

namespace interleaved_comparison {
namespace {

const std::string plain = "pattern: tuned\naxes: {K: {from: 0, to: 12}}\n" + ten_samples;
const RankedBy by_time = {"time", Better::lower, Origin::measured};
const RankedBy by_bandwidth = {"bandwidth", Better::higher, Origin::measured};

ComparisonRules until_clear(std::size_t most_rounds = 40) {
  ComparisonRules rules;
  rules.most_rounds = most_rounds;
  rules.until_clear = true;
  return rules;
}

/// K is a configuration's place in the space.
struct Fixture : ScriptedRun {
  Fixture() { preparing = 0; }

  std::vector<std::size_t> point_indices(const InterleavedComparison& comparison) const {
    std::vector<std::size_t> result;
    for (const Candidate& candidate : comparison.candidates())
      result.push_back(candidate.point_index);
    return result;
  }
  std::size_t best(const InterleavedComparison& comparison) const {
    return comparison.candidates()[comparison.best()].point_index;
  }
  /// In how many rounds a candidate was measured.
  std::size_t rounds(const InterleavedComparison& comparison, std::size_t point_index) const {
    const auto found =
        std::ranges::find(comparison.candidates(), point_index, &Candidate::point_index);
    return static_cast<std::size_t>(
        std::ranges::count_if(found->figures, [](double figure) { return figure > 0; }));
  }

  ScriptedStage scripted{*this, plain};
  RunStage& stage = scripted.stage;
};

}  // namespace
}  // namespace interleaved_comparison

BOOST_FIXTURE_TEST_SUITE(interleaved_comparison, interleaved_comparison::Fixture,
                         *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(the_fastest_is_the_best_and_the_others_are_compared_with_it) {
  seconds_of = valley(2);
  const std::vector<std::size_t> places = {0, 1, 2, 3};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_TEST(comparison.run());
  BOOST_TEST(best(comparison) == 2U);
  const std::vector<ComparisonRecord> records = comparison.records();
  BOOST_REQUIRE(records.size() == 4U);
  const double expected[] = {1.1, 1.05, 1, 1.05};
  for (std::size_t i = 0; i < records.size(); ++i) {
    BOOST_TEST(records[i].ordinal == static_cast<std::int64_t>(places[i]));
    BOOST_TEST(records[i].rounds == 12);
    BOOST_TEST(records[i].slowdown == expected[i], tolerance(1e-9));
    BOOST_TEST(records[i].slowdown_low == expected[i], tolerance(1e-9));
    BOOST_TEST(records[i].slowdown_high == expected[i], tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(more_of_a_bandwidth_is_better) {
  seconds_of = valley(2);
  const std::vector<std::size_t> places = {3, 2, 1};
  InterleavedComparison comparison(stage, places, by_bandwidth);
  BOOST_TEST(comparison.run());
  BOOST_TEST(best(comparison) == 2U);
  BOOST_TEST(
      comparison.advantage(comparison.candidates()[1], comparison.candidates()[0]).value().ratio ==
          1.05,
      tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(it_ends_when_it_is_clear_and_the_slower_are_not_measured_further) {
  Noise noise;
  seconds_of = [&](Tried tried) {
    if (tried.k == 5) return 200e-6;
    return (tried.k == 2 ? 100e-6 : 100.5e-6) * (1 + 3e-3 * noise());
  };
  const std::vector<std::size_t> places = {1, 2, 5};
  InterleavedComparison comparison(stage, places, by_time, until_clear());
  BOOST_TEST(comparison.run());
  BOOST_TEST(best(comparison) == 2U);
  BOOST_TEST(rounds(comparison, 5) == 8U);
  BOOST_TEST(rounds(comparison, 1) == rounds(comparison, 2));
  BOOST_TEST(rounds(comparison, 2) % 8 == 0U);
}

BOOST_AUTO_TEST_CASE(the_reference_is_measured_in_every_round) {
  Noise noise;
  seconds_of = [&](Tried tried) { return (tried.k == 0 ? 150e-6 : 100e-6) * (1 + 8e-3 * noise()); };
  const std::vector<std::size_t> places = {1, 2};
  ComparisonRules rules = until_clear(24);
  rules.reference = 0;
  InterleavedComparison comparison(stage, places, by_time, rules);
  BOOST_TEST(comparison.run());
  BOOST_TEST(point_indices(comparison) == (std::vector<std::size_t>{1, 2, 0}), per_element());
  BOOST_TEST(rounds(comparison, 0) == comparison.candidates().front().figures.size());
  BOOST_TEST(rounds(comparison, 0) >= 8U);
}

BOOST_AUTO_TEST_CASE(those_that_are_the_same_as_far_as_it_matters_end_it_too) {
  seconds_of = [](Tried tried) { return tried.k == 2 ? 100e-6 : 100.1e-6; };
  const std::vector<std::size_t> places = {1, 2, 3};
  InterleavedComparison comparison(stage, places, by_time, until_clear());
  BOOST_TEST(comparison.run());
  BOOST_TEST(rounds(comparison, 2) == 8U);
}

BOOST_AUTO_TEST_CASE(what_slows_the_device_for_a_while_slows_all) {
  // Between the rounds the clock changes by ten times what the two differ by.
  seconds_of = [this](Tried tried) {
    return (tried.k == 2 ? 100e-6 : 101e-6) * (1 + 0.1 * std::sin(now * 40));
  };
  const std::vector<std::size_t> places = {1, 2};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_TEST(comparison.run());
  BOOST_TEST(best(comparison) == 2U);
  BOOST_TEST(comparison.records()[0].slowdown == 1.01, tolerance(4e-3));
}

BOOST_AUTO_TEST_CASE(a_round_has_all_in_an_order_that_changes) {
  std::vector<std::size_t> executed;
  on_execute = [&](Tried tried) { executed.push_back(static_cast<std::size_t>(tried.k)); };
  const std::vector<std::size_t> places = {1, 2, 3};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_TEST(comparison.run());
  BOOST_REQUIRE(executed.size() == 36U);
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t round = 0; round < 12; ++round) {
    const auto begin = executed.begin() + static_cast<std::ptrdiff_t>(3 * round);
    std::vector<std::size_t> all(begin, begin + 3);
    orders.insert(all);
    std::ranges::sort(all);
    BOOST_TEST(all == places, per_element());
  }
  BOOST_TEST(orders.size() == 6U);
}

BOOST_AUTO_TEST_CASE(it_takes_no_longer_than_it_may) {
  preparing = 0.1;  // a round of two takes 0.2 s
  const std::vector<std::size_t> places = {1, 2};
  InterleavedComparison few(stage, places, by_time);
  BOOST_TEST(few.run());
  BOOST_TEST(rounds(few, 1) == 6U);
  // After a long run it may take a share of that.
  now += 18;
  InterleavedComparison more(stage, places, by_time);
  BOOST_TEST(more.run());
  BOOST_TEST(rounds(more, 1) == 10U);
}

BOOST_AUTO_TEST_CASE(where_the_fewest_rounds_take_too_long_there_is_none) {
  preparing = 6;  // six rounds of two would take 72 s
  const std::vector<std::size_t> places = {1, 2};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_TEST(!comparison.run());
  BOOST_TEST(rounds(comparison, 1) == 1U);
}

BOOST_AUTO_TEST_CASE(it_needs_two) {
  const std::vector<std::size_t> places = {1};
  InterleavedComparison alone(stage, places, by_time);
  BOOST_TEST(!alone.run());
  InterleavedComparison with_itself(stage, places, by_time, {.reference = 1});
  BOOST_TEST(!with_itself.run());
  BOOST_TEST(now == 0);  // nothing was measured
}

BOOST_AUTO_TEST_CASE(what_does_not_compile_takes_no_part) {
  ScriptedStage other(*this, "pattern: tuned\naxes: {K: [1, 13, 2]}\n" + ten_samples);
  const std::vector<std::size_t> places = {0, 1, 2};
  InterleavedComparison comparison(other.stage, places, by_time);
  BOOST_TEST(comparison.run());
  BOOST_TEST(point_indices(comparison) == (std::vector<std::size_t>{0, 2}), per_element());
}

BOOST_AUTO_TEST_CASE(what_fails_in_a_round_is_out) {
  seconds_of = valley(1);
  int launches = 0;
  on_execute = [&](Tried tried) {
    if (tried.k == 1 && ++launches == 3) throw ExecutionFailure("an illegal address");
  };
  const std::vector<std::size_t> places = {1, 2, 3};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_TEST(comparison.run());
  BOOST_TEST(launches == 3);
  BOOST_TEST(point_indices(comparison) == (std::vector<std::size_t>{2, 3}), per_element());
  BOOST_TEST(comparison.failed() == std::vector<std::size_t>{1}, per_element());
  BOOST_TEST(best(comparison) == 2U);
  BOOST_TEST(comparison.records().size() == 2U);
}

BOOST_AUTO_TEST_CASE(it_ends_when_all_but_one_failed) {
  on_execute = [](Tried tried) {
    if (tried.k != 3) throw ExecutionFailure("an illegal address");
  };
  const std::vector<std::size_t> places = {1, 2, 3};
  InterleavedComparison comparison(stage, places, by_time, until_clear());
  BOOST_TEST(!comparison.run());
  BOOST_TEST(point_indices(comparison) == std::vector<std::size_t>{3}, per_element());
  BOOST_TEST(rounds(comparison, 3) == 1U);
}

BOOST_AUTO_TEST_CASE(it_ends_when_all_failed) {
  on_execute = [](Tried) { throw ExecutionFailure("an illegal address"); };
  const std::vector<std::size_t> places = {1, 2, 3};
  InterleavedComparison comparison(stage, places, by_time, until_clear());
  BOOST_TEST(!comparison.run());
  BOOST_TEST(comparison.candidates().empty());
  BOOST_TEST(comparison.failed().size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_ends_it_after_the_round) {
  int launches = 0;
  on_execute = [&](Tried) { stop = ++launches >= 3; };
  const std::vector<std::size_t> places = {1, 2};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_TEST(!comparison.run());
  BOOST_TEST(launches == 4);
}

BOOST_AUTO_TEST_CASE(a_device_that_is_lost_ends_the_run) {
  on_execute = [](Tried) { throw DeviceError("GPU 0 does not recover"); };
  const std::vector<std::size_t> places = {1, 2};
  InterleavedComparison comparison(stage, places, by_time);
  BOOST_CHECK_THROW(comparison.run(), DeviceError);
}

BOOST_AUTO_TEST_CASE(counts_are_added_to_the_points_that_lack_them) {
  for (const std::size_t place : {1U, 2U}) scripted.add_point(place);
  const std::int64_t counted = scripted.store.point(stage.summary.run, 2).value().id;
  scripted.store.add_metrics(counted, {{"instructions", Origin::emulated, 77}}, {});
  const MakeBackend make_backend = [](const std::atomic<bool>&) {
    auto counter = std::make_unique<FakeBackend>();
    counter->can_time_ = false;
    FakeBackend& counting = *counter;
    counter->on_prepare = [&counting](const Workload& workload) {
      const auto k = static_cast<double>(tried_of(workload).k);
      counting.observation_ = {{{"instructions", Origin::emulated, k}}, {"a note"}};
    };
    return counter;
  };
  scripted.request.emulate = {make_backend, 2};
  CountsBeside counts(stage.request);
  stage.counts = &counts;
  const std::vector<std::size_t> places = {1, 2, 3};  // of which the last has no point
  InterleavedComparison comparison(stage, places, by_time, {.counts = true});
  BOOST_TEST(comparison.run());
  for (int time = 0; time < 2; ++time) {  // the second time there is nothing to add
    counts.wait(stage);
    const PointRecord first = scripted.store.point(stage.summary.run, 1).value().point;
    BOOST_TEST((first.metrics.back() == Metric{"instructions", Origin::emulated, 1}));
    BOOST_TEST(first.notes.back() == "a note");
    const PointRecord second = scripted.store.point(stage.summary.run, 2).value().point;
    BOOST_TEST((second.metrics.back() == Metric{"instructions", Origin::emulated, 77}));
    BOOST_TEST(!scripted.store.point(stage.summary.run, 3));
  }
}

BOOST_AUTO_TEST_CASE(pairs_are_compared_for_the_summary) {
  seconds_of = valley(2);
  for (const std::size_t place : {0, 1, 2}) scripted.add_point(place);
  scripted.request.pairs = {{0, 2}, {2, 1}, {1, 3}};
  compare_pairs(stage);
  const auto& pairs = stage.summary.pairs;
  BOOST_REQUIRE(pairs.size() == 3U);
  BOOST_REQUIRE((pairs[0] && pairs[1]));
  BOOST_TEST(pairs[0]->ratio == 1 / 1.1, tolerance(1e-9));
  BOOST_TEST(pairs[0]->rounds == 20U);
  BOOST_TEST(pairs[1]->ratio == 1.05, tolerance(1e-9));
  BOOST_TEST(!pairs[2].has_value());  // the run has no point of the second one
}

BOOST_AUTO_TEST_SUITE_END()
