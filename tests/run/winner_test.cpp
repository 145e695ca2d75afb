#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/run/tuning.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/tuned_sweeps.h"

using namespace sweep;
using boost::test_tools::per_element;
using boost::test_tools::tolerance;

BOOST_FIXTURE_TEST_SUITE(winner_choice, ScriptedRun, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(more_is_better_where_it_is_maximised) {
  seconds_of = valley(3);
  const RunSummary summary = run(tuned_by("maximize: bandwidth, strategy: exhaustive"));
  BOOST_TEST(winner(summary).value() == (Tried{3, 0}));
  BOOST_TEST(found(summary).figure == 10, tolerance(1e-9));  // 1 MB in 100 us, in GB/s
  BOOST_TEST(found(summary).gain == 1.1, tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(the_default_may_win) {
  seconds_of = valley(1);
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(winner(summary).value() == (Tried{1, 0}));
  BOOST_TEST(found(summary).gain == 1);
  BOOST_TEST(found(summary).figure == 100, tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(equal_ones_are_called_equal_and_the_further_objective_decides) {
  Noise noise;
  seconds_of = [&](Tried tried) {
    const double seconds = tried.k >= 5 && tried.k <= 8 ? 100e-6 : 140e-6;
    return seconds * (1 + 2e-3 * noise());
  };
  counts_of = [](Tried tried) {
    return std::vector<Metric>{{"instructions", Origin::emulated,
                                tried.k == 7 ? 50 : 100.0 + static_cast<double>(tried.k)}};
  };
  const RunSummary summary =
      run(tuned_by("minimize: [time, instructions], strategy: exhaustive, cut_off: off"));
  BOOST_TEST(winner(summary).value() == (Tried{7, 0}));
  const RunRecord stored = record(summary.run);
  BOOST_TEST(stored.comparisons.size() == 5U);
  for (const std::int64_t ordinal : {4, 5, 6, 7}) {
    const auto comparison = comparison_of(stored, ordinal);
    BOOST_REQUIRE(comparison.has_value());
    BOOST_TEST(comparison->slowdown_low <= 1);
    BOOST_TEST(comparison->slowdown == 1, tolerance(2e-3));
  }
  BOOST_TEST(comparison_of(stored, 0).value().slowdown_low > 1.3);
  // The leading ones and the default are counted, the others are not waited for.
  for (const StoredPoint& one : points(summary.run)) {
    const bool is_counted = preferred_figure(one.point, "instructions").has_value();
    BOOST_TEST(is_counted == (comparison_of(stored, one.ordinal).has_value()), one.ordinal);
  }
}

BOOST_AUTO_TEST_CASE(of_equal_ones_the_one_of_the_fewest_registers_wins) {
  Noise noise;
  seconds_of = [&](Tried tried) {
    return (tried.k >= 5 && tried.k <= 8 ? 100e-6 : 140e-6) * (1 + 2e-3 * noise());
  };
  counts_of = [](Tried tried) {
    const double registers = tried.k == 7 ? 32 : 40;
    return std::vector<Metric>{{"registers", Origin::emulated, tried.k == 1 ? 16 : registers}};
  };
  BOOST_TEST(winner(run(all_by_time)).value() == (Tried{7, 0}));
}

BOOST_AUTO_TEST_CASE(of_equal_ones_the_one_nearest_the_default_wins) {
  Noise noise;
  seconds_of = [&](Tried tried) {
    const bool is_fast = tried == Tried{5, 1} || tried == Tried{6, 0} || tried == Tried{7, 1};
    return (is_fast ? 100e-6 : 140e-6) * (1 + 2e-3 * noise());
  };
  const RunSummary summary = run(tuned_by("minimize: time, strategy: exhaustive, cut_off: off",
                                          "K: {from: 1, to: 12}, G: [1, 0]"));
  BOOST_TEST(winner(summary).value() == (Tried{6, 0}));
}

BOOST_AUTO_TEST_CASE(a_repeated_search_among_many_equal_ones_chooses_the_same) {
  Noise noise;
  seconds_of = [&](Tried tried) { return (tried.k >= 3 ? 100e-6 : 140e-6) * (1 + 2e-3 * noise()); };
  for (int repeat = 0; repeat < 5; ++repeat) {
    BOOST_TEST(winner(run(all_by_time, true)).value() == (Tried{3, 0}), repeat);
  }
}

BOOST_AUTO_TEST_CASE(a_clock_that_drifts_between_the_rounds_fools_nobody) {
  // While the search goes on the device grows slower, so that the true best, the last one, seems
  // slower than those before it; later it drifts up and down by more than they differ.
  seconds_of = [this](Tried tried) {
    const double truth = tried.k == 12 ? 100e-6 : tried.k >= 9 ? 101e-6 : 130e-6;
    const double drift =
        stages.empty() ? 0.005 * static_cast<double>(order.size()) : 0.05 * std::sin(now * 2);
    return truth * (1 + drift);
  };
  const RunSummary summary = run(all_by_time);
  const auto searched = [&](std::int64_t k) {
    return preferred_figure(point(summary.run, {k, 0}).value().point, "time").value().value;
  };
  BOOST_TEST(searched(9) < searched(12));
  BOOST_TEST(winner(summary).value() == (Tried{12, 0}));
  const RunRecord stored = record(summary.run);
  for (const std::int64_t ordinal : {8, 9, 10}) {
    const auto comparison = comparison_of(stored, ordinal);
    BOOST_REQUIRE(comparison.has_value());
    BOOST_TEST(comparison->slowdown == 1.01, tolerance(5e-3));
  }
}

BOOST_AUTO_TEST_CASE(a_default_that_fails_is_not_executed_again_and_there_is_no_gain) {
  seconds_of = valley(4);
  on_execute = [](Tried tried) {
    if (tried.k == 1) throw ExecutionFailure("it did not end in 10 s");
  };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(winner(summary).value() == (Tried{4, 0}));
  BOOST_TEST(times_prepared({1, 0}) == 1U);
  BOOST_TEST(found(summary).default_configuration.value() == 0);
  BOOST_TEST(found(summary).gain == 0);
}

BOOST_AUTO_TEST_CASE(one_that_breaks_down_when_compared_does_not_win) {
  seconds_of = valley(7);
  on_execute = [this](Tried tried) {
    if (tried.k == 7 && !stages.empty()) throw ExecutionFailure("an illegal address");
  };
  const RunSummary summary =
      run(tuned_by("minimize: time, strategy: exhaustive, cut_off: off", "K: [1, 7, 9, 10]"));
  const auto best = winner(summary);
  BOOST_REQUIRE(best.has_value());
  BOOST_TEST(*best != (Tried{7, 0}));
}

BOOST_AUTO_TEST_CASE(where_all_break_down_when_compared_the_search_decides) {
  seconds_of = valley(7);
  on_execute = [this](Tried) {
    if (!stages.empty()) throw ExecutionFailure("the device is busy");
  };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(winner(summary).value() == (Tried{7, 0}));
  BOOST_TEST(found(summary).rounds == 0);
  BOOST_TEST(found(summary).figure == 100, tolerance(1e-9));
  BOOST_TEST(found(summary).gain == 1.3, tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(one_that_was_compared_while_another_process_computed_is_no_winner) {
  seconds_of = valley(7);
  backend.on_others = [this] {
    return stages.empty() ? std::vector<std::string>()
                          : std::vector<std::string>{"other (process 7)"};
  };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(!winner(summary).has_value());
  BOOST_TEST(found(summary).why_no_winner == "other (process 7) computed on this GPU meanwhile");
  BOOST_TEST(found(summary).gain == 0);
  BOOST_TEST(record(summary.run).comparisons.empty());
  // Nothing is wrong with the points.
  backend.on_others = nullptr;
  BOOST_TEST(winner(run(all_by_time)).value() == (Tried{7, 0}));
  BOOST_TEST(order.empty());
}

BOOST_AUTO_TEST_CASE(one_that_was_measured_while_another_process_computed_is_no_winner) {
  seconds_of = valley(7);
  Tried under_way;
  on_execute = [&](Tried tried) { under_way = tried; };
  backend.on_others = [&] {
    return under_way == Tried{7, 0} && stages.empty() ? std::vector<std::string>{"another process"}
                                                      : std::vector<std::string>();
  };
  BOOST_TEST(found(run(all_by_time)).why_no_winner ==
             "another process computed on this GPU meanwhile");
  // Only that is measured again.
  backend.on_others = nullptr;
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(winner(summary).value() == (Tried{7, 0}));
  BOOST_TEST(order == (std::vector<Tried>{{7, 0}}), per_element());
  BOOST_TEST(found(summary).why_no_winner == "");
}

BOOST_AUTO_TEST_CASE(that_another_process_computed_while_others_were_measured_changes_no_winner) {
  seconds_of = valley(7);
  Tried under_way;
  on_execute = [&](Tried tried) { under_way = tried; };
  backend.on_others = [&] {
    return under_way == Tried{3, 0} && stages.empty() ? std::vector<std::string>{"another process"}
                                                      : std::vector<std::string>();
  };
  const RunSummary summary = run(all_by_time);
  BOOST_TEST(winner(summary).value() == (Tried{7, 0}));
  const auto notes = point(summary.run, {3, 0}).value().point.notes;
  BOOST_TEST(std::ranges::count(notes, "another process computed on this GPU meanwhile") == 1);
}

BOOST_AUTO_TEST_SUITE_END()
