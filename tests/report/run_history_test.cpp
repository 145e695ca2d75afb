#include "report/index/run_history.h"

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/report/compare/compared_runs.h"
#include "tests/report/tuned_results.h"

using namespace sweep;
using namespace sweep::testing;

namespace run_history {

/// Two configurations that take so many us.
ComparedRun run_at(const std::string& label, double first, double second) {
  return run_of(label, {timed_point({{"STRIDE", integer(1)}}, first),
                        timed_point({{"STRIDE", integer(2)}}, second)});
}

}  // namespace run_history

using run_history::run_at;

BOOST_AUTO_TEST_SUITE(run_histories)

BOOST_AUTO_TEST_CASE(what_creeps_in_is_found) {
  RunHistory history;
  double time = 100;
  for (int i = 0; i < 4; ++i, time *= 1.02) history.add(run_at("a.db", 50, time));
  const auto& steps = history.steps();
  BOOST_TEST((steps[0].course == Course::first));
  BOOST_TEST((steps[1].course == Course::same));
  BOOST_TEST((steps[2].course == Course::same));
  BOOST_TEST((steps[3].course == Course::worse));
  BOOST_TEST(steps[3].against.value() == 0U);
  BOOST_TEST(contains(steps[3].largest, "STRIDE = 2"));
  // The mean of one that is the same and one that takes 1.02^3 as long.
  BOOST_TEST(steps[3].level->value == std::pow(1.02, -1.5), boost::test_tools::tolerance(1e-9));
  BOOST_TEST(steps[3].level->interval->low < steps[3].level->value);
  const auto regression = history.regression();
  BOOST_REQUIRE(regression);
  BOOST_TEST(regression->since == 3U);
  BOOST_TEST(regression->good == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_made_good_in_part_is_still_worse) {
  RunHistory history;
  std::vector<std::string> changes;
  const auto note = [&](const RunComparison& comparison) {
    changes.push_back(describe_verdict(comparison));
  };
  history.add(run_at("a", 50, 100), note);
  history.add(run_at("b", 50, 150), note);
  history.add(run_at("c", 50, 120), note);
  BOOST_TEST((history.steps()[2].course == Course::better));
  BOOST_TEST(changes.size() == 2U);
  const auto regression = history.regression();
  BOOST_REQUIRE(regression);
  BOOST_TEST(regression->since == 1U);
  BOOST_TEST(contains(regression->step.largest, "B / A = 0.83"));  // of bandwidths
  history.add(run_at("d", 50, 101));
  BOOST_TEST(!history.regression());
}

BOOST_AUTO_TEST_CASE(a_run_that_cannot_be_compared_begins_anew) {
  RunHistory history;
  history.add(run_at("a", 50, 100));
  history.add(run_at("b", 50, 200));
  ComparedRun unfinished = run_at("c", 500, 500);
  unfinished.results.run.state = RunState::interrupted;
  BOOST_TEST((history.add(std::move(unfinished)).course == Course::unfinished));
  history.add(run_of("d", {timed_point({{"STRIDE", integer(64)}}, 1)}));
  BOOST_TEST((history.steps()[3].course == Course::apart));
  BOOST_TEST(contains(history.steps()[3].verdict, "no configuration in common"));
  BOOST_TEST(!history.regression());
}

BOOST_AUTO_TEST_CASE(of_searches_the_winners_are_compared) {
  RunHistory history;
  ComparedRun first = {"a", tuned_results()};
  ComparedRun second = {"b", tuned_results()};
  TuningRecord& tuning = *second.results.run.tuning;
  // Another configuration has won, with a lower figure.
  TunedGroup& group = tuning.groups.front();
  const auto won = [&](const StoredPoint& point) { return point.ordinal == *group.winner; };
  auto winner = std::ranges::find_if(second.results.points, won);
  for (auto [name, value] : std::vector(winner->point.key.parameters.entries())) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number != nullptr) winner->point.key.parameters.set(name, *number * 2);
  }
  for (double* figure : {&group.figure_low, &group.figure, &group.figure_high}) *figure *= 0.8;
  history.add(std::move(first));
  const HistoryStep& step = history.add(std::move(second));
  BOOST_TEST((step.course == Course::worse));
  BOOST_TEST(contains(step.largest, "B / A = 0.80"));
  BOOST_TEST(std::ranges::any_of(step.differences, [](const RunDifference& difference) {
    return contains(difference.text, "the winners of") && contains(difference.text, "in A and");
  }));
}

BOOST_AUTO_TEST_SUITE_END()
