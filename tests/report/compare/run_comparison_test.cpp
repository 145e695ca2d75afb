#include "report/compare/run_comparison.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "report/compare/run_comparison.h"
#include "tests/contains.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/compare/compared_runs.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(run_comparison)

namespace {

namespace data = boost::unit_test::data;

/// Times of a configuration before and after, half their intervals as shares of them.
struct VerdictCase {
  const char* words;
  double before, after, share;
  Change change;
};
std::ostream& operator<<(std::ostream& out, const VerdictCase& each) {
  return out << each.words;
}

const VerdictCase verdict_cases[] = {
    {"same", 100, 100, 0.001, Change::same},
    {"same", 100, 103, 0.001, Change::same},
    {"11 % less", 100, 112, 0.001, Change::worse},
    {"5.7 % less", 100, 106, 0.001, Change::worse},
    {"60 % less", 100, 250, 0.001, Change::worse},
    {"6.0 % more", 106, 100, 0.001, Change::better},
    {"3.00 times as much", 300, 100, 0.001, Change::better},
    {"not told apart", 100, 103, 0.03, Change::unclear},
    {"perhaps 5.7 % less", 100, 106, 0.02, Change::unclear},
    {"perhaps 6.0 % more", 106, 100, 0.02, Change::unclear},
};

RunComparison compare_one(const StoredPoint& before, const StoredPoint& after,
                          const ComparisonRequest& request = {}) {
  return compare_runs(run_of("a.db:1", {before}), run_of("b.db:1", {after}), request);
}

StoredPoint failed(const char* reason) {
  return failed_point("p", {{"BLOCK", integer(1)}}, reason);
}

StoredPoint one(double time, double share = 0.001) {
  return timed_point({{"BLOCK", integer(1)}}, time, share);
}

std::vector<std::string> texts(const std::vector<RunDifference>& differences) {
  std::vector<std::string> texts;
  for (const RunDifference& each : differences) {
    texts.push_back((each.is_serious ? "!" : "") + each.text);
  }
  return texts;
}

bool any_contains(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return contains(line, part); });
}

BOOST_DATA_TEST_CASE(verdicts, data::make(verdict_cases), each) {
  const RunComparison comparison =
      compare_one(one(each.before, each.share), one(each.after, each.share));
  const MetricChange& change = comparison.configurations.at(0).changes.at(0);
  BOOST_TEST(to_string(change.change) == to_string(each.change));
  BOOST_TEST(describe_change(change, comparison.metrics[0]) == each.words);
  BOOST_TEST(has_regression(comparison) == (each.change == Change::worse));
}

BOOST_AUTO_TEST_CASE(a_time_of_few_samples_is_told_from_nothing) {
  StoredPoint few = one(100);
  few.point.metrics.erase(few.point.metrics.begin() + 1, few.point.metrics.begin() + 3);
  const RunComparison comparison = compare_one(few, one(300));
  const MetricChange& change = comparison.configurations.at(0).changes.at(0);
  BOOST_TEST(describe_change(change, comparison.metrics[0]) == "too few samples");
  BOOST_TEST(!has_regression(comparison));
}

BOOST_AUTO_TEST_CASE(what_fails_now_is_a_regression_and_what_is_fixed_none) {
  const RunComparison broken = compare_one(one(100), failed("out of memory"));
  BOOST_TEST(broken.count(PairStatus::failed_after) == 1U);
  BOOST_TEST(broken.configurations[0].reason == "out of memory");
  BOOST_TEST(has_regression(broken));
  BOOST_TEST(describe_verdict(broken) ==
             "regression: of 1 configuration in both runs 1 newly failing");
  const RunComparison fixed = compare_one(failed("out of memory"), one(100));
  BOOST_TEST(fixed.count(PairStatus::fixed) == 1U);
  BOOST_TEST(!has_regression(fixed));
  const std::vector<StoredPoint> after = {failed("y"), timed_point({{"BLOCK", integer(2)}}, 100)};
  const RunComparison both =
      compare_runs(run_of("a.db:1", {failed("x"), after[1]}), run_of("b.db:1", after));
  BOOST_TEST(both.count(PairStatus::failed_both) == 1U);
  BOOST_TEST(both.configurations[0].reason == "y");
  BOOST_TEST(!has_regression(both));
}

BOOST_AUTO_TEST_CASE(nothing_is_no_ground_for_a_verdict) {
  BOOST_CHECK_EXCEPTION(
      compare_one(failed("x"), failed("y")), ComparisonError, [](const ComparisonError& error) {
        return contains(error.what(),
                        "nothing to compare: 1 configuration of both a.db:1 and b.db:1 failed");
      });
  BOOST_TEST(describe_verdict(compare_one(one(100, 0.03), one(103, 0.03))) ==
             "no verdict: of 1 configuration in both runs none is told apart");
  const StoredPoint other = timed_point({{"BLOCK", integer(2)}}, 100);
  BOOST_TEST(describe_verdict(compare_runs(run_of("a.db:1", {one(100, 0.03), other}),
                                           run_of("b.db:1", {one(103, 0.03), other}))) ==
             "no regression among 2 configurations in both runs; 1 is not told apart");
}

BOOST_AUTO_TEST_CASE(runs_of_different_spaces_say_so) {
  std::vector<StoredPoint> before;
  std::vector<StoredPoint> after;
  for (const std::int64_t stride : {1, 2, 4, 8}) {
    for (const std::int64_t block : {128, 256}) {
      const Parameters parameters = {{"STRIDE", integer(stride)}, {"BLOCK", integer(block)}};
      if (stride <= 2) before.push_back(timed_point(parameters, 100));
      if (stride >= 2 && block == 256) after.push_back(timed_point(parameters, 100));
    }
  }
  const RunComparison comparison = compare_runs(run_of("a.db:1", before), run_of("b.db:1", after));
  BOOST_REQUIRE(comparison.notes.size() == 1);
  BOOST_TEST(comparison.notes[0] ==
             "the spaces differ: 1 configuration in both, 3 only in A, 2 only in B; STRIDE: 1 only "
             "in A and 4 and 8 only in B; BLOCK: 128 only in A");
  BOOST_TEST(describe_verdict(comparison) == "no regression among 1 configuration in both runs");
}

BOOST_AUTO_TEST_CASE(nothing_in_common_is_an_error) {
  const StoredPoint other = timed_point({{"BLOCK", integer(2)}}, 100);
  BOOST_CHECK_EXCEPTION(
      compare_one(one(100), other), ComparisonError, [](const ComparisonError& error) {
        return contains(error.what(), "have no configuration in common\n  the spaces differ: 0");
      });
}

BOOST_AUTO_TEST_CASE(a_threshold_that_is_given_counts_for_all_metrics) {
  ComparisonRequest request;
  request.threshold = 0.01;
  request.metrics = {{"time", {}, {}, {}}, {"sm_clock", {}, {}, {}}};
  StoredPoint after = one(103);
  after.point.metrics.back().value = 1900;
  const RunComparison comparison = compare_one(one(100), after, request);
  const auto& changes = comparison.configurations.at(0).changes;
  BOOST_TEST(describe_change(changes.at(0), comparison.metrics[0]) == "1.030 times slower");
  BOOST_TEST(to_string(changes.at(1).change) == "changed");
  BOOST_TEST(describe_change(changes.at(1), comparison.metrics[1]) == "4.0 % less");
  request.metrics = {{"sm_clock", {}, {}, Better::higher}};
  BOOST_TEST(has_regression(compare_one(one(100), after, request)));
  request.metrics = {{"sm_clock", {}, {}, {}}};
  BOOST_TEST(!has_regression(compare_one(one(100), after, request)));
}

BOOST_AUTO_TEST_CASE(counts_are_exact_and_each_may_regress) {
  const RunComparison comparison = counted_comparison();
  BOOST_REQUIRE(comparison.metrics.size() == 3);
  BOOST_TEST(comparison.metrics[0].summary.count(Change::worse) == 1U);
  BOOST_TEST(comparison.metrics[0].summary.count(Change::better) == 1U);
  BOOST_TEST(comparison.metrics[0].summary.count(Change::same) == 2U);
  BOOST_TEST(comparison.metrics[1].after.name == "atomic_sectors");
  BOOST_TEST(comparison.metrics[1].summary.count(Change::worse) == 1U);
  BOOST_TEST(comparison.metrics[2].summary.count(Change::same) == 4U);
  BOOST_TEST(has_regression(comparison));
  BOOST_TEST(describe_verdict(comparison) ==
             "regression: of 4 configurations in both runs 2 worse");
  BOOST_TEST(describe_change(comparison.configurations[3].changes[1], comparison.metrics[1]) ==
             "32 instead of 0");
}

BOOST_AUTO_TEST_CASE(other_devices_are_compared_by_their_share_of_the_peak_too) {
  ComparedRun before = run_of("a.db:1", {one(100)});
  ComparedRun after = run_of("b.db:1", {one(90)});
  for (ComparedRun* run : {&before, &after}) {
    auto& metrics = run->results.points[0].point.metrics;
    metrics.push_back({"percent_of_peak", Origin::measured, run == &before ? 80.0 : 60.0});
  }
  after.results.run.provenance.device.name = "NVIDIA B200";
  after.results.run.provenance.device.memory_clock_hz *= 2;
  const RunComparison comparison = compare_runs(before, after);
  BOOST_REQUIRE(comparison.metrics.size() == 2);
  BOOST_TEST(comparison.metrics[1].after.name == "percent_of_peak");
  BOOST_TEST(comparison.metrics[1].summary.count(Change::worse) == 1U);
  BOOST_TEST(!has_regression(comparison));
  BOOST_TEST(any_contains(texts(comparison.differences),
                          "!the devices differ: NVIDIA H200 in A, NVIDIA B200 in B"));
}

BOOST_AUTO_TEST_CASE(what_else_differs_is_told_the_serious_first) {
  const auto found = texts(example_comparison().differences);
  BOOST_REQUIRE(found.size() == 3);
  BOOST_TEST(contains(found[0], "!the measuring rules differ: cache: cold"));
  BOOST_TEST(contains(found[0], "what a warm cache holds does not come from memory"));
  BOOST_TEST(found[1] == "the text of the pattern p differs");
  BOOST_TEST(contains(found[2], "took 100.0 us in A and 101.0 us in B, +1.0 %"));
  BOOST_TEST(contains(found[2], "need not be the machine"));
}

BOOST_AUTO_TEST_CASE(one_measurement_in_two_runs_is_called_so) {
  StoredPoint measured = one(100);
  measured.point.samples = {{1e-4}, {1.1e-4}};
  const auto found = texts(compare_one(measured, measured).differences);
  BOOST_TEST(any_contains(found, "!1 of the 1 configuration in both runs is one and the same"));
  // What was counted has no samples: in one database it is told by the run that counted it.
  const StoredPoint counted = counted_point({}, 4);
  const auto again = compare_runs(run_of("a.db:1", {counted}), run_of("a.db:2", {counted}));
  BOOST_TEST(
      any_contains(texts(again.differences), "!1 of the 1 configuration in both runs is one"));
  BOOST_TEST(texts(compare_one(counted, counted).differences).empty());
  const ComparedRun run = run_of("a.db:1", {measured});
  BOOST_TEST(any_contains(texts(compare_runs(run, run).differences), "!A and B are the same run"));
}

BOOST_AUTO_TEST_CASE(clocks_that_changed_and_unfinished_runs_are_told) {
  StoredPoint slow = one(100);
  slow.point.metrics.back().value = 1500;
  ComparedRun after = run_of("b.db:1", {slow});
  after.results.run.state = RunState::interrupted;
  after.results.run.provenance.compiler = "NVRTC 12.4";
  const auto found = texts(compare_runs(run_of("a.db:1", {one(100)}), after).differences);
  BOOST_TEST(any_contains(found, "!the multiprocessors ran at 1980 MHz in A and 1500 MHz in B"));
  BOOST_TEST(any_contains(found, "B was interrupted"));
  BOOST_TEST(any_contains(found, "the compilers differ: NVRTC 13.0 in A, NVRTC 12.4 in B"));
}

BOOST_AUTO_TEST_CASE(what_the_changed_ones_have_in_common_is_found) {
  // Three of thirteen may well have the same type by chance.
  BOOST_TEST(describe_concentration(example_comparison()).empty());
  std::vector<StoredPoint> before;
  std::vector<StoredPoint> after;
  for (const std::int64_t stride : {1, 2, 4, 8, 16, 32}) {
    for (const char* type : {"float", "double"}) {
      const Parameters parameters = {{"T", element(type)}, {"STRIDE", integer(stride)}};
      before.push_back(timed_point(parameters, 100));
      after.push_back(timed_point(parameters, std::string(type) == "double" ? 150 : 100));
    }
  }
  const auto of_type =
      describe_concentration(compare_runs(run_of("a.db:1", before), run_of("b.db:1", after)));
  BOOST_REQUIRE(of_type.size() == 1);
  BOOST_TEST(of_type[0] == "all 6 that got slower have T = double, and all that have it do so");
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] = before[i];
    if (i >= 6) after[i].point.metrics = timed_point({}, 150).point.metrics;
  }
  const auto of_stride =
      describe_concentration(compare_runs(run_of("a.db:1", before), run_of("b.db:1", after)));
  BOOST_REQUIRE(of_stride.size() == 1);
  BOOST_TEST(of_stride[0] == "all 6 that got slower have STRIDE >= 8, and all that have it do so");
}

/// Random runs: times, failures, configurations of one side only.
ComparedRun arbitrary_run(const char* label) {
  std::vector<StoredPoint> points;
  for (std::int64_t block = 0; block < 12; ++block) {
    const int kind = *rc::gen::inRange(0, 10);
    if (kind == 0 && block > 0) continue;
    const double time = *rc::gen::inRange(80, 130);
    const double share = *rc::gen::inRange(0, 50) / 1000.0;
    StoredPoint stored = timed_point({{"BLOCK", integer(block)}}, time, share);
    if (kind == 1 && block > 0) {
      stored = failed_point("p", {{"BLOCK", integer(block)}}, "failed");
    }
    points.push_back(std::move(stored));
  }
  return run_of(label, std::move(points));
}

BOOST_AUTO_TEST_CASE(a_run_is_never_worse_than_itself) {
  check_property([] {
    ComparedRun run = arbitrary_run("a.db:1");
    ComparisonRequest request;
    // Intervals that are wider than the threshold cannot say that anything is the same.
    request.threshold = 0.2;
    const RunComparison comparison = compare_runs(run, run, request);
    RC_ASSERT(!has_regression(comparison));
    RC_ASSERT(comparison.metrics[0].summary.count(Change::same) ==
              comparison.metrics[0].summary.all());
    RC_ASSERT(comparison.count(PairStatus::only_before) == 0);
    RC_ASSERT(comparison.count(PairStatus::fixed) == 0);
  });
}

BOOST_AUTO_TEST_CASE(exchanging_the_runs_exchanges_the_verdicts) {
  check_property([] {
    const ComparedRun a = arbitrary_run("a.db:1");
    const ComparedRun b = arbitrary_run("b.db:1");
    const RunComparison there = compare_runs(a, b);
    const RunComparison back = compare_runs(b, a);
    RC_ASSERT(there.metrics[0].summary.count(Change::worse) ==
              back.metrics[0].summary.count(Change::better));
    RC_ASSERT(there.metrics[0].summary.count(Change::better) ==
              back.metrics[0].summary.count(Change::worse));
    RC_ASSERT(there.metrics[0].summary.count(Change::same) ==
              back.metrics[0].summary.count(Change::same));
    RC_ASSERT(there.metrics[0].summary.count(Change::unclear) ==
              back.metrics[0].summary.count(Change::unclear));
    RC_ASSERT(there.count(PairStatus::failed_after) == back.count(PairStatus::fixed));
    RC_ASSERT(there.count(PairStatus::only_before) == back.count(PairStatus::only_after));
    RC_ASSERT(there.metrics[0].summary.mean.has_value() ==
              back.metrics[0].summary.mean.has_value());
    const double product =
        there.metrics[0].summary.mean->value * back.metrics[0].summary.mean->value;
    RC_ASSERT(std::abs(product - 1) < 1e-9);
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
