#include "engine/run/tuning.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/run/tuning.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/tuned_sweeps.h"

using namespace sweep;
using boost::test_tools::per_element;
using boost::test_tools::tolerance;

namespace tuning {
namespace {

std::vector<Tried> sorted(std::vector<Tried> all) {
  std::ranges::sort(all, {}, [](const Tried& tried) { return std::pair(tried.g, tried.k); });
  return all;
}

}  // namespace
}  // namespace tuning

BOOST_FIXTURE_TEST_SUITE(tuning, ScriptedRun, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(the_best_of_all_wins_and_the_default_is_tried_first_and_compared) {
  Noise noise;
  seconds_of = [&](Tried tried) { return valley(7)(tried) * (1 + 1e-3 * noise()); };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST(summary.failed == 0U);
  BOOST_TEST(!summary.interrupted);
  BOOST_TEST(planned == 12U);
  BOOST_TEST(order == range_of_k(1, 12), per_element());  // of which the first is the default
  BOOST_TEST(stages == std::vector<std::string>{"comparing the best configuration and the default"},
             per_element());

  const RunRecord stored = record(summary.run);
  BOOST_TEST((stored.state == RunState::finished));
  const TuningRecord& tuning = stored.tuning.value();
  BOOST_TEST(tuning.metric == "time");
  BOOST_TEST((tuning.better == Better::lower));
  BOOST_TEST((tuning.origin == Origin::measured));
  BOOST_TEST(tuning.strategy == "exhaustive");
  BOOST_TEST(tuning.seed == 1U);
  BOOST_TEST(tuning.for_each.empty());
  BOOST_REQUIRE(tuning.groups.size() == 1U);
  const TunedGroup& group = tuning.groups.front();
  BOOST_TEST(group.group.empty());
  BOOST_TEST(group.configurations == 12);
  BOOST_TEST(group.tried == 12);
  BOOST_TEST(group.ended == "tried every configuration");
  BOOST_TEST(group.winner.value() == 6);
  BOOST_TEST(group.default_configuration.value() == 0);
  BOOST_TEST(group.why_no_default.empty());
  BOOST_TEST(group.rounds >= 8);
  BOOST_TEST(group.figure == 100, tolerance(1e-3));
  BOOST_TEST(group.figure_low <= group.figure);
  BOOST_TEST(group.figure_high >= group.figure);
  BOOST_TEST(group.gain == 1.3, tolerance(1e-3));
  BOOST_TEST(group.gain_low <= group.gain);
  BOOST_TEST(group.gain_high >= group.gain);
  BOOST_TEST(group.gain_low > 1.29);

  BOOST_TEST(stored.comparisons.size() == 2U);
  BOOST_TEST(comparison_of(stored, 6).value().slowdown == 1);
  BOOST_TEST(comparison_of(stored, 0).value().slowdown == 1.3, tolerance(1e-3));
  BOOST_TEST(comparison_of(stored, 0).value().slowdown_low > 1);
}

BOOST_AUTO_TEST_CASE(a_search_by_counts_counts_each_point) {
  counts_of = [](Tried tried) {
    return std::vector<Metric>{
        {"instructions", Origin::emulated, 100.0 + std::abs(static_cast<double>(tried.k) - 4)}};
  };
  const RunSummary summary = run(tuned_by("minimize: instructions, strategy: exhaustive"));
  BOOST_TEST(winner(summary).value() == (Tried{4, 0}));
  BOOST_TEST(found(summary).rounds == 0);
  BOOST_TEST(found(summary).figure == 100);
  BOOST_TEST(found(summary).gain == 1.03);
  BOOST_TEST(stages.empty());
  BOOST_TEST((record(summary.run).tuning.value().origin == Origin::emulated));
}

BOOST_AUTO_TEST_CASE(a_default_outside_the_space_is_tried_first_and_counts_as_one_more) {
  seconds_of = valley(4);
  const RunSummary summary = run(tuned_by("minimize: time, strategy: exhaustive", "K: [3, 4, 5]"));
  BOOST_TEST(planned == 4U);
  BOOST_TEST(order == (std::vector<Tried>{{1, 0}, {3, 0}, {4, 0}, {5, 0}}), per_element());
  const TunedGroup group = found(summary);
  BOOST_TEST(group.configurations == 4);
  BOOST_TEST(group.tried == 4);
  BOOST_TEST(group.default_configuration.value() == 3);
  BOOST_TEST(group.gain == 1.15, tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(without_a_default_there_is_a_reason_and_no_gain) {
  seconds_of = valley(4);
  const RunSummary summary = run("pattern: tuned\naxes: {K: {from: 3, to: 6}}\nwhere: K > 1\n" +
                                 ten_samples + "tune: {minimize: time, strategy: exhaustive}\n");
  const TunedGroup group = found(summary);
  BOOST_TEST(winner(summary).value() == (Tried{4, 0}));
  BOOST_TEST(!group.default_configuration);
  BOOST_TEST(group.why_no_default == "K > 1 does not hold");
  BOOST_TEST(group.gain == 0);
  BOOST_TEST(order.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_configuration_that_fails_costs_its_failure_alone) {
  seconds_of = valley(4);
  on_execute = [](Tried tried) {
    if (tried.k == 5) throw ExecutionFailure("an illegal address");
  };
  const RunSummary summary =
      run(tuned_by("minimize: time, budget: {configurations: 50}", "K: {from: 1, to: 20}"));
  BOOST_TEST(winner(summary).value() == (Tried{4, 0}));
  BOOST_TEST(summary.failed == 2U);  // with the one that does not compile
  BOOST_TEST(sorted(order) == range_of_k(1, 20), per_element());
  BOOST_TEST(times_prepared({5, 0}) == 1U);
  BOOST_TEST(times_prepared({13, 0}) == 0U);
  const StoredPoint failed = point(summary.run, {5, 0}).value();
  BOOST_TEST((failed.point.status == PointStatus::failed));
  BOOST_TEST(failed.point.reason == "an illegal address");
  BOOST_TEST(contains(point(summary.run, {13, 0}).value().point.reason, "unlucky"));
}

BOOST_AUTO_TEST_CASE(where_all_fail_there_is_no_winner) {
  on_execute = [](Tried) { throw ExecutionFailure("out of memory"); };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(summary.failed == 12U);
  const TunedGroup group = found(summary);
  BOOST_TEST(!group.winner);
  BOOST_TEST(group.tried == 12);
  BOOST_TEST(group.ended == "tried every configuration");
  BOOST_TEST(record(summary.run).comparisons.empty());
}

BOOST_AUTO_TEST_CASE(hopeless_ones_are_cut_off_and_no_result_for_others) {
  seconds_of = [](Tried tried) { return tried.k <= 6 ? 100e-6 : 200e-6; };
  const RunSummary summary = run(tuned_by("minimize: time, strategy: exhaustive"));
  const std::string whole_measure = point(summary.run, {1, 0}).value().point.key.measure;
  for (const StoredPoint& stored : points(summary.run)) {
    const bool is_slow = tried_of(stored.point).k > 6;
    BOOST_TEST((stored.point.status == PointStatus::ok));
    BOOST_TEST(stored.point.samples.size() == (is_slow ? 3U : 10U));
    BOOST_TEST((stored.point.stopped_by == "cut-off") == is_slow);
    BOOST_TEST(is_cut_off(stored.point) == is_slow);
    BOOST_TEST((stored.point.key.measure == whole_measure) == !is_slow);
    const bool has_note = std::ranges::any_of(stored.point.notes, [](const std::string& note) {
      return contains(note, "cut off after its first samples, each of them more than 1.5 times");
    });
    BOOST_TEST(has_note == is_slow);
  }
  BOOST_TEST(contains(point(summary.run, {7, 0}).value().point.key.measure,
                      "; cut off when 1.5 times slower than the best time"));
  // The same search takes them again, a plain sweep does not.
  const RunSummary again = run(tuned_by("minimize: time, strategy: exhaustive"));
  BOOST_TEST(again.reused == 12U);
  BOOST_TEST(again.measured == 0U);
  const RunSummary plain = run("pattern: tuned\naxes: {K: {from: 1, to: 12}}\n" + ten_samples);
  BOOST_TEST(plain.reused == 6U);
  BOOST_TEST(plain.measured == 6U);
  BOOST_TEST(point(plain.run, {12, 0}).value().point.samples.size() == 10U);
}

BOOST_AUTO_TEST_CASE(the_default_is_never_cut_off) {
  seconds_of = [](Tried tried) { return tried.k == 1 && tried.g == 1 ? 900e-6 : 100e-6; };
  const RunSummary summary =
      run(tuned_by("minimize: time, for_each: G, strategy: exhaustive", "G: [0, 1], K: [1, 2]"));
  BOOST_TEST(point(summary.run, {1, 1}).value().point.samples.size() == 10U);
  BOOST_TEST(found(summary, 1).gain == 9, tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(nothing_is_cut_off_where_that_is_off_or_slow_is_good) {
  seconds_of = [](Tried tried) { return tried.k <= 6 ? 100e-6 : 200e-6; };
  for (const std::string& tune :
       {std::string("minimize: time, cut_off: off"), std::string("minimize: time, cut_off: 2.5"),
        std::string("maximize: time"), std::string("minimize: bandwidth")}) {
    const RunSummary summary = run(tuned_by(tune + ", strategy: exhaustive"), true);
    for (const StoredPoint& stored : points(summary.run)) {
      BOOST_TEST(stored.point.samples.size() == 10U, tune);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_group_has_a_winner_of_its_own) {
  seconds_of = [](Tried tried) { return valley(2 + 3 * tried.g)(tried); };
  const RunSummary summary =
      run(tuned_by("minimize: time, for_each: G, strategy: exhaustive, cut_off: off",
                   "G: [0, 1, 2], K: {from: 1, to: 9}"));
  const TuningRecord tuning = record(summary.run).tuning.value();
  BOOST_REQUIRE(tuning.groups.size() == 3U);
  BOOST_TEST(planned == 27U);
  BOOST_TEST(summary.measured == 27U);
  BOOST_TEST(tuning.for_each == std::vector<std::string>{"G"}, per_element());
  for (std::int64_t g = 0; g < 3; ++g) {
    const auto group = static_cast<std::size_t>(g);
    BOOST_TEST(to_string(tuning.groups[group].group) == "G=" + std::to_string(g));
    BOOST_TEST(winner(summary, group).value() == (Tried{2 + 3 * g, g}));
    BOOST_TEST(tuning.groups[group].tried == 9);
    const double gain = 1 + 0.05 * (1 + 3 * static_cast<double>(g));
    BOOST_TEST(tuning.groups[group].gain == gain, tolerance(1e-9));
  }
  // The default of each comes first.
  for (const std::size_t first : {0U, 9U, 18U}) BOOST_TEST(order.at(first).k == 1);
  // The comparisons of all groups are kept.
  BOOST_TEST(record(summary.run).comparisons.size() == 6U);
}

BOOST_AUTO_TEST_CASE(objectives_that_no_point_has_are_a_mistake_with_a_way_out) {
  const auto message = [this](const std::string& tune) {
    try {
      run(tuned_by(tune));
    } catch (const InputError& error) {
      return render(error.diagnostics());
    }
    return std::string();
  };
  const std::string text = message("minimize: [instructions, load_sectors]");
  BOOST_TEST(contains(text, "scripted.yaml"), text);
  BOOST_TEST(contains(text, "this sweep tunes instructions, load_sectors, which Fake GPU does not"),
             text);
  BOOST_TEST(contains(text, "help: counters of the hardware have to be asked for"), text);
  BOOST_TEST((record(1).state == RunState::interrupted));
  BOOST_TEST(points(1).size() == 1U);

  backend.can_time_ = false;
  backend.device_.backend = "emulator";
  const std::string emulated = message("maximize: bandwidth");
  BOOST_TEST(contains(emulated, "tunes bandwidth, which Fake GPU does not give"), emulated);
  BOOST_TEST(contains(emulated, "minimize: instructions"), emulated);
}

BOOST_AUTO_TEST_CASE(what_only_counts_needs_no_comparison_and_its_figures_are_exact) {
  backend.can_time_ = false;
  backend.device_.backend = "emulator";
  counts_of = [](Tried tried) {
    return std::vector<Metric>{
        {"load_sectors", Origin::emulated, tried.k >= 4 && tried.k <= 6 ? 64.0 : 128.0},
        {"instructions", Origin::emulated, tried.k == 5 ? 10.0 : 20.0}};
  };
  const RunSummary summary = run(
      tuned_by("maximize: bandwidth, minimize: [load_sectors, instructions], strategy: forest"));
  BOOST_TEST(summary.measured == 12U);
  BOOST_TEST(stages.empty());
  BOOST_TEST(winner(summary).value() == (Tried{5, 0}));
  const TunedGroup group = found(summary);
  BOOST_TEST(group.rounds == 0);
  BOOST_TEST(group.figure == 64);
  BOOST_TEST(group.figure_low == 64);
  BOOST_TEST(group.figure_high == 64);
  BOOST_TEST(group.gain == 2);
  const RunRecord stored = record(summary.run);
  BOOST_TEST(stored.tuning.value().metric == "load_sectors");
  BOOST_TEST((stored.tuning.value().origin == Origin::emulated));
  BOOST_TEST((stored.tuning.value().better == Better::lower));
  BOOST_TEST(stored.comparisons.empty());
  BOOST_TEST(stored.anchors.empty());
  for (const StoredPoint& one : points(summary.run)) BOOST_TEST(!is_cut_off(one.point));
}

BOOST_AUTO_TEST_CASE(what_failed_is_tried_again_by_the_next_run) {
  seconds_of = valley(7);
  on_execute = [](Tried tried) {
    if (tried.k == 7) throw ExecutionFailure("out of memory");
  };
  BOOST_TEST(run(all_by_time).failed == 1U);
  on_execute = nullptr;
  const RunSummary second = run(all_by_time);
  BOOST_TEST(second.measured == 1U);
  BOOST_TEST(second.reused == 11U);
  BOOST_TEST(winner(second).value() == (Tried{7, 0}));
}

BOOST_AUTO_TEST_CASE(what_a_plain_sweep_measured_serves_a_search) {
  seconds_of = valley(7);
  run("pattern: tuned\naxes: {K: {from: 1, to: 12}}\n" + ten_samples);
  const RunSummary summary = run(tuned_by("minimize: time"));
  BOOST_TEST(summary.reused == 12U);
  BOOST_TEST(winner(summary).value() == (Tried{7, 0}));
}

BOOST_AUTO_TEST_CASE(points_that_a_search_by_time_measured_serve_a_search_by_counts) {
  counts_of = [](Tried tried) {
    return std::vector<Metric>{
        {"instructions", Origin::emulated, 100.0 + std::abs(static_cast<double>(tried.k) - 4)}};
  };
  run(tuned_by("minimize: time, strategy: exhaustive"));
  const RunSummary summary = run(tuned_by("minimize: instructions, strategy: exhaustive"));
  BOOST_TEST(winner(summary).value() == (Tried{4, 0}));
  for (const StoredPoint& one : points(summary.run)) {
    BOOST_TEST(preferred_figure(one.point, "instructions").has_value(), one.ordinal);
  }
}

BOOST_AUTO_TEST_SUITE_END()
