#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/run/tuning.h"
#include "engine/search/strategy.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/tuned_sweeps.h"

using namespace sweep;
namespace data = boost::unit_test::data;
using boost::test_tools::per_element;
using boost::test_tools::tolerance;

namespace tuning_course {
namespace {

/// Budgets of a search of a flat space, and how it ends.
struct Limited {
  std::string budget;
  std::size_t tried;
  std::string ended;
};
std::ostream& operator<<(std::ostream& out, const Limited& limited) {
  return out << limited.budget;
}

const Limited limits[] = {
    {"{configurations: 1}", 1, "stopped after 1 configuration"},
    {"{configurations: 5}", 5, "stopped after 5 configurations"},
    {"{configurations: 12}", 12, "stopped after 12 configurations"},
    {"{configurations: 100}", 12, "tried every configuration"},
    {"{no_better: {by: 1 %, in: 4}}", 5,
     "stopped without a gain of 1 % in the last 4 configurations"},
    // Preparing takes a second on the scripted clock.
    {"{seconds: 2.5}", 3, "stopped after 3"},
    {"{seconds: 1000}", 12, "tried every configuration"},
    {"{seconds: 2.5, configurations: 2}", 2, "stopped after 2 configurations"},
};

/// Times of which a strategy learns something, and that no other configuration has.
double rugged(Tried tried) {
  const auto k = static_cast<double>(tried.k);
  const auto g = static_cast<double>(tried.g);
  return 1e-6 * (100 + 4 * std::abs(k - 33) + 7 * std::abs(g - 3) + 5 * std::sin(k * 1.7 + g));
}

const std::string large_axes = "K: {from: 26, to: 39}, G: {from: 0, to: 4}";

std::string searched_by(const std::string& strategy, const std::string& more = {}) {
  return tuned_by("minimize: time, strategy: " + strategy + ", budget: {configurations: 28}" + more,
                  large_axes);
}

}  // namespace
}  // namespace tuning_course

BOOST_FIXTURE_TEST_SUITE(tuning_course, ScriptedRun, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(the_budget_ends_a_search, data::make(limits), limited) {
  preparing = 1;
  const RunSummary summary =
      run(tuned_by("minimize: time, strategy: random, budget: " + limited.budget));
  const TunedGroup group = found(summary);
  BOOST_TEST(group.tried == static_cast<std::int64_t>(limited.tried));
  BOOST_TEST(summary.measured == limited.tried);
  BOOST_TEST(order.front() == (Tried{1, 0}));
  BOOST_TEST(group.ended.starts_with(limited.ended), group.ended);
  BOOST_TEST(planned >= limited.tried);
}

BOOST_AUTO_TEST_CASE(a_search_that_gets_better_goes_on_while_it_does) {
  seconds_of = [](Tried tried) {
    return 200e-6 - 10e-6 * static_cast<double>(std::min<std::int64_t>(tried.k, 6));
  };
  const RunSummary summary =
      run(tuned_by("minimize: time, strategy: exhaustive, budget: {no_better: {by: 2 %, in: 3}}"));
  BOOST_TEST(order == range_of_k(1, 9), per_element());
  BOOST_TEST(found(summary).ended == "stopped without a gain of 2 % in the last 3 configurations");
}

BOOST_AUTO_TEST_CASE(a_stopped_search_leaves_what_is_there_and_says_so) {
  seconds_of = valley(7);
  on_each = [this](Tried) { stop = order.size() == 4; };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(summary.interrupted);
  BOOST_TEST(summary.measured == 4U);
  BOOST_TEST(points(summary.run).size() == 4U);
  const RunRecord stored = record(summary.run);
  BOOST_TEST((stored.state == RunState::interrupted));
  BOOST_TEST(stages.empty());
  const TunedGroup group = found(summary);
  BOOST_TEST(!group.winner);
  BOOST_TEST(group.tried == 4);
  BOOST_TEST(group.ended == "was interrupted");
}

BOOST_AUTO_TEST_CASE(a_search_stopped_while_the_best_are_compared_goes_by_what_it_has) {
  seconds_of = valley(7);
  on_each_stage = [this](const std::string&) { stop = true; };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(summary.interrupted);
  BOOST_TEST(winner(summary).value() == (Tried{7, 0}));
  BOOST_TEST(found(summary).rounds == 0);
  BOOST_TEST(found(summary).ended == "tried every configuration");
  BOOST_TEST((record(summary.run).state == RunState::interrupted));
}

BOOST_AUTO_TEST_CASE(a_search_of_several_groups_keeps_those_that_were_done) {
  seconds_of = valley(2);
  on_each = [this](Tried tried) { stop = tried.g == 1; };
  const std::string text =
      tuned_by("minimize: time, for_each: G, strategy: exhaustive", "G: [0, 1, 2], K: [1, 2, 3]");
  const RunSummary summary = run(text);
  const TuningRecord tuning = record(summary.run).tuning.value();
  BOOST_REQUIRE(tuning.groups.size() == 2U);
  BOOST_TEST(winner(summary, 0).value() == (Tried{2, 0}));
  BOOST_TEST(!tuning.groups[1].winner);
  BOOST_TEST(tuning.groups[1].tried == 1);
  BOOST_TEST(!record(summary.run).comparisons.empty());
  stop = false;
  on_each = nullptr;
  const RunSummary rest = run(text);
  BOOST_TEST(rest.reused == 4U);
  BOOST_TEST(rest.measured == 5U);
  for (const std::size_t group : {0U, 1U, 2U}) {
    BOOST_TEST(winner(rest, group).value() == (Tried{2, static_cast<std::int64_t>(group)}));
  }
}

BOOST_DATA_TEST_CASE(the_same_command_again_reuses_all_and_finds_the_same,
                     data::make(strategy_names()), strategy) {
  seconds_of = rugged;
  const RunSummary first = run(searched_by(strategy));
  BOOST_TEST(first.measured == 28U);
  const std::vector<Tried> course = order;
  const RunSummary second = run(searched_by(strategy));
  BOOST_TEST(second.measured == 0U);
  BOOST_TEST(second.reused == 28U);
  BOOST_TEST(reused == 28U);
  BOOST_TEST(tried(second.run) == tried(first.run), per_element());
  BOOST_TEST(winner(second).value() == winner(first).value());
  BOOST_TEST(found(second).ended == found(first).ended);
  // Measured anew, it goes the same way.
  const RunSummary fresh = run(searched_by(strategy), true);
  BOOST_TEST(fresh.measured == 28U);
  BOOST_TEST(order == course, per_element());
}

BOOST_DATA_TEST_CASE(a_search_that_was_stopped_goes_on_as_if_it_had_not_been,
                     data::make(strategy_names()), strategy) {
  seconds_of = rugged;
  ScriptedRun unbroken;
  unbroken.seconds_of = rugged;
  const RunSummary whole = unbroken.run(searched_by(strategy));

  std::vector<Tried> course;
  RunSummary last;
  for (const std::size_t stop_after : {5U, 14U, 100U}) {
    stop = false;
    on_each = [&](Tried) { stop = order.size() == stop_after; };
    last = run(searched_by(strategy));
    BOOST_TEST(last.reused == course.size());
    course.insert(course.end(), order.begin(), order.end());
  }
  BOOST_TEST(!last.interrupted);
  BOOST_TEST(course == unbroken.order, per_element());
  BOOST_TEST(tried(last.run) == unbroken.tried(whole.run), per_element());
  BOOST_TEST(winner(last).value() == unbroken.winner(whole).value());
  BOOST_TEST(found(last).tried == unbroken.found(whole).tried);
  BOOST_TEST(found(last).ended == unbroken.found(whole).ended);
}

// What the counts predict is the fastest where K is 30 and G is 2.
struct Predicting : ScriptedRun {
  Predicting() {
    seconds_of = rugged;
    counts_of = [](Tried tried) {
      const auto far = static_cast<double>(std::abs(tried.k - 30) + std::abs(tried.g - 2));
      return std::vector<Metric>{{"instructions", Origin::emulated, 1e6},
                                 {"blocks", Origin::emulated, 1e3},
                                 {"l2_read_sectors", Origin::emulated, 1e6},
                                 {"dram_read_bytes", Origin::emulated, 1e9 * (1 + far)}};
    };
    predicted_gpu = read_timing_profile(shipped_profile("h100"));
  }
};

BOOST_FIXTURE_TEST_CASE(a_search_begins_with_the_best_predicted, Predicting) {
  for (const std::string strategy : {"bayesian", "forest", "local", "annealing", "genetic"}) {
    const RunSummary first = run(searched_by(strategy, ", predictions: 70"), true);
    BOOST_TEST(stages.front() == "predicting 70 configurations");
    BOOST_TEST(order[0] == (Tried{1, 0}));  // the default
    BOOST_TEST(order[1] == (Tried{30, 2}));
    const std::vector<Tried> course = order;
    BOOST_TEST(run(searched_by(strategy, ", predictions: 70"), true).measured == first.measured);
    BOOST_TEST(order == course, per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(a_search_predicts_as_many_as_it_is_told_to, Predicting) {
  run(searched_by("forest", ", predictions: 20"));
  BOOST_TEST(stages.front() == "predicting 20 configurations");
  stages.clear();
  run(searched_by("forest"), true);
  BOOST_TEST(std::ranges::count_if(stages, [](const std::string& stage) {
               return stage.starts_with("predicting");
             }) == 0);
  const std::vector<Tried> course = order;
  predicted_gpu.reset();
  run(searched_by("forest"), true);
  BOOST_TEST(order == course, per_element());
}

BOOST_FIXTURE_TEST_CASE(counts_that_a_search_goes_by_are_not_predicted, Predicting) {
  run(tuned_by("minimize: instructions, budget: {configurations: 3}, predictions: 70", large_axes));
  BOOST_TEST(std::ranges::count(stages, "predicting 70 configurations") == 0);
}

BOOST_FIXTURE_TEST_CASE(a_stop_ends_the_predicting, Predicting) {
  on_each_stage = [this](const std::string&) { stop = true; };
  const RunSummary summary = run(searched_by("forest", ", predictions: 70"));
  BOOST_TEST(summary.interrupted);
  BOOST_TEST(summary.measured == 0U);
  BOOST_TEST(found(summary).tried == 0);
  BOOST_TEST(found(summary).ended == "was interrupted");
}

BOOST_AUTO_TEST_CASE(another_seed_is_another_course) {
  seconds_of = rugged;
  run(searched_by("random"));
  const std::vector<Tried> course = order;
  run(searched_by("random", ", seed: 2"), true);
  BOOST_TEST(order != course);
}

BOOST_AUTO_TEST_CASE(a_lost_device_keeps_what_was_measured_and_the_next_run_goes_on) {
  seconds_of = valley(7);
  on_execute = [this](Tried) {
    if (order.size() == 5) throw DeviceError("GPU 0 does not recover");
  };
  BOOST_CHECK_THROW(run(all_by_time), DeviceError);
  BOOST_TEST((record(1).state == RunState::interrupted));
  BOOST_TEST(points(1).size() == 5U);
  on_execute = nullptr;
  const RunSummary rest = run(all_by_time);
  BOOST_TEST(rest.reused == 5U);
  BOOST_TEST(rest.measured == 7U);
  BOOST_TEST(winner(rest).value() == (Tried{7, 0}));
}

BOOST_AUTO_TEST_SUITE_END()
