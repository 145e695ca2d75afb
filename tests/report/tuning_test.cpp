#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "report/findings.h"
#include "report/point_columns.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(tuning)

namespace {

namespace data = boost::unit_test::data;

std::vector<TuningOutcome> outcomes_of(const RunResults& results) {
  return tuning_outcomes(results);
}

struct GainCase {
  std::string metric;
  Better better;
  double low;
  double gain;
  double high;
  std::string words;

  friend std::ostream& operator<<(std::ostream& out, const GainCase& c) { return out << c.words; }
};

const std::vector<GainCase> gains = {
    {"bandwidth", Better::higher, 1.12, 1.123, 1.126,
     "the winner has 12.3 % (12.0 to 12.6 %) more bandwidth than the default"},
    {"bandwidth", Better::higher, 1.001, 1.003, 1.005,
     "the winner has 0.30 % (0.10 to 0.50 %) more bandwidth than the default"},
    {"bandwidth", Better::higher, 2.29, 2.314, 2.33,
     "the winner has 2.31 times (2.29 to 2.33) the default's bandwidth"},
    {"bandwidth", Better::higher, 0.999, 1.01, 1.02, "the winner is no different from the default"},
    {"bandwidth", Better::higher, 0.88, 0.9, 0.92,
     "the winner has 10.0 % (8.0 to 12.0 %) less bandwidth than the default"},
    {"bandwidth", Better::higher, 0, 1.123, 0,
     "the winner has about 12.3 % more bandwidth than the default"},
    {"bandwidth", Better::higher, 0, 1, 0, "the winner is no different from the default"},
    {"bandwidth", Better::higher, 0, 0, 0, "the gain over the default is not known"},
    {"shared_bandwidth", Better::higher, 1.2, 1.3, 1.4,
     "the winner has 30.0 % (20.0 to 40.0 %) more shared bandwidth than the default"},
    {"time", Better::lower, 1.12, 1.123, 1.126,
     "the default is 1.12 times slower (1.12 to 1.13) than the winner"},
    {"time", Better::lower, 2.29, 2.314, 2.33,
     "the default is 2.31 times slower (2.29 to 2.33) than the winner"},
    {"time", Better::lower, 0.9, 0.95, 0.96,
     "the default is 1.053 times faster (1.042 to 1.11) than the winner"},
    {"load_sectors", Better::lower, 3, 4, 5,
     "the default has 4.00 times (3.00 to 5.00) the winner's load sectors"},
    {"l1tex__t_sectors.sum", Better::lower, 1.1, 1.2, 1.3,
     "the default has 20.0 % (10.0 to 30.0 %) more l1tex__t_sectors.sum than the winner"},
};

BOOST_DATA_TEST_CASE(the_gain_is_told_in_words, data::make(gains), c) {
  RunResults results = tuned_results();
  TuningRecord& tuning = *results.run.tuning;
  tuning.metric = c.metric;
  tuning.better = c.better;
  TuningOutcome outcome = outcomes_of(tuned_results()).at(0);
  outcome.found.gain_low = c.low;
  outcome.found.gain = c.gain;
  outcome.found.gain_high = c.high;
  BOOST_TEST(describe_gain(results, outcome) == c.words);
}

BOOST_AUTO_TEST_CASE(a_winner_is_told_by_what_sets_it_apart_from_the_default) {
  RunResults results = tuned_results();
  const std::size_t winner = outcomes_of(results).at(0).winner.value();
  const auto place_of = [&](std::int64_t block, std::int64_t unroll) {
    const auto found = std::ranges::find_if(results.points, [&](const StoredPoint& stored) {
      const Bindings environment = environment_of(stored.point);
      return *environment.find("T") == Value(*ElementType::find("float")) &&
             *environment.find("BLOCK") == Value(block) &&
             *environment.find("UNROLL") == Value(unroll);
    });
    return found - results.points.begin();
  };
  TunedGroup& group = results.run.tuning->groups[0];
  const auto default_is = [&](std::int64_t block, std::int64_t unroll) {
    group.default_configuration =
        results.points[static_cast<std::size_t>(place_of(block, unroll))].ordinal;
    return describe_in_short(results, winner);
  };
  BOOST_TEST(default_is(128, 1) == "T = float: BLOCK = 256, UNROLL = 4");
  BOOST_TEST(default_is(256, 1) == "T = float: UNROLL = 4, else the default");
  group.default_configuration.reset();
  BOOST_TEST(describe_in_short(results, winner) == "T = float: BLOCK = 256, UNROLL = 4");
}

BOOST_AUTO_TEST_CASE(without_a_default_there_is_a_reason) {
  const RunResults results = tuned_results();
  TuningOutcome outcome = outcomes_of(results).at(1);
  BOOST_TEST(describe_gain(results, outcome) ==
             "there is no default configuration: BLOCK * sizeof(T) <= 512 does not hold");
  outcome.found.why_no_default.clear();
  BOOST_TEST(describe_gain(results, outcome) == "there is no default configuration");
  outcome.found.default_configuration = outcome.found.winner;
  BOOST_TEST(describe_gain(results, outcome) == "the default is the best");
  outcome.found.default_configuration = 39;
  outcome.default_configuration = 39;
  BOOST_TEST(describe_gain(results, outcome) == "the default failed");
}

BOOST_AUTO_TEST_CASE(a_search_beside_another_process_has_no_winner_and_says_what_to_do) {
  RunResults results = tuned_results();
  TunedGroup& group = results.run.tuning->groups.at(1);
  group.winner.reset();
  group.why_no_winner = "python3 (process 812) computed on this GPU meanwhile";
  const auto lines = describe_best(RunAnalysis(results));
  const auto line = std::ranges::find_if(
      lines, [](const std::string& each) { return each.starts_with("best of T = double"); });
  BOOST_REQUIRE(line != lines.end());
  BOOST_TEST(line->starts_with("best of T = double: none: the search tried "));
  BOOST_TEST(line->ends_with(
      "; python3 (process 812) computed on this GPU meanwhile; run it again with --fresh when "
      "nothing else computes there"));
  BOOST_TEST(std::ranges::any_of(lines, [](const std::string& each) {
    return each.starts_with("best so far of T = double");
  }));
}

BOOST_AUTO_TEST_CASE(an_emulated_gain_is_exact) {
  RunResults results = tuned_emulated_results();
  TuningOutcome outcome = outcomes_of(results).at(0);
  BOOST_TEST(describe_gain(results, outcome) == "the winner has 0, the default 992.0");
  outcome.found.gain = 1.5;
  BOOST_TEST(describe_gain(results, outcome) ==
             "the default has 50.0 % more shared conflicts than the winner");
}

BOOST_AUTO_TEST_CASE(an_outcome_counts_its_groups_points) {
  const auto outcomes = outcomes_of(tuned_results());
  BOOST_REQUIRE(outcomes.size() == 2);
  BOOST_TEST(outcomes[0].label == "T = float");
  BOOST_TEST(outcomes[0].failed == 1U);
  BOOST_TEST(outcomes[0].cut_off == 3U);
  BOOST_TEST(outcomes[0].winner.value() == 10U);
  BOOST_TEST(outcomes[0].default_configuration.value() == 4U);
  BOOST_TEST((outcomes[0].same == std::vector<std::size_t>{9, 8}));
  BOOST_TEST(!outcomes[1].default_configuration.has_value());
  BOOST_TEST(outcomes_of(stride_results()).empty());
}

BOOST_AUTO_TEST_CASE(verdicts_go_by_the_groups_of_a_search) {
  const RunResults results = tuned_results();
  const Verdicts verdicts = RunAnalysis(results).verdicts;
  BOOST_REQUIRE(verdicts.groups.size() == 2);
  BOOST_TEST(verdicts.groups[0].best == 10U);
  BOOST_TEST(verdicts.groups[1].best == 30U);
  BOOST_TEST(is_won(results, verdicts.groups[1]));
  BOOST_TEST(to_string(*verdicts.of_points[9]) == "same as best");
  BOOST_TEST(to_string(*verdicts.of_points[11]) == "2.0 % less");
  BOOST_TEST(to_string(*verdicts.of_points[0]).starts_with("cut off, about "));
  BOOST_TEST(!verdicts.of_points[39].has_value());
}

BOOST_AUTO_TEST_CASE(a_cut_off_point_is_never_the_best_nor_the_same) {
  RunResults results = tuned_results();
  results.run.tuning->groups.clear();
  results.run.comparisons.clear();
  for (const std::size_t i : {std::size_t{10}, std::size_t{9}}) {
    results.points[i].point.stopped_by = "cut-off";
  }
  const Verdicts verdicts = RunAnalysis(results).verdicts;
  BOOST_TEST(verdicts.groups.at(0).best == 8U);
  BOOST_TEST(to_string(*verdicts.of_points[10]) == "cut off");
  BOOST_TEST(!is_won(results, verdicts.groups.at(0)));
  BOOST_TEST(verdicts.groups.at(0).slowest.value() == 3U);
}

BOOST_AUTO_TEST_CASE(without_a_record_of_a_group_its_best_is_told_by_the_points) {
  RunResults results = tuned_results();
  results.run.tuning->groups.pop_back();
  const Names lines = describe_best(results);
  BOOST_REQUIRE(lines.size() == 4U);
  BOOST_TEST(lines[0].starts_with("Searched for "));
  BOOST_TEST(lines[3] ==
             "best so far of T = double: BLOCK = 256, UNROLL = 4: 4400 GB/s; 2 configurations are "
             "the same");
}

BOOST_AUTO_TEST_CASE(a_groups_only_point_is_the_best_of_its_search) {
  RunResults results = tuned_results();
  results.points.erase(results.points.begin() + 1, results.points.end());
  results.run.tuning->groups.clear();
  results.run.comparisons.clear();
  BOOST_TEST(RunAnalysis(results).verdicts.groups.size() == 1U);
}

BOOST_AUTO_TEST_CASE(equal_counts_are_the_same_and_others_worse) {
  const Verdicts verdicts = RunAnalysis(tuned_emulated_results()).verdicts;
  BOOST_TEST(to_string(*verdicts.of_points[0]) == "worse");
  BOOST_TEST(to_string(*verdicts.of_points[1]) == "best");
  BOOST_TEST(to_string(*verdicts.of_points[3]) == "same as best");
}

BOOST_AUTO_TEST_CASE(the_peak_is_for_measured_bandwidths) {
  RunResults results = tuned_results();
  BOOST_TEST(percent_of_peak(results, 4814.304).value() == 100, boost::test_tools::tolerance(1e-9));
  results.run.provenance.device.memory_clock_hz = 0;
  BOOST_TEST(!percent_of_peak(results, 1).has_value());
  results = tuned_results();
  results.run.tuning->metric = "shared_bandwidth";
  BOOST_TEST(!percent_of_peak(results, 1).has_value());
  BOOST_TEST(!percent_of_peak(stride_results(), 1).has_value());
}

BOOST_AUTO_TEST_CASE(a_name_that_a_group_lacks_is_said) {
  Bindings group;
  group.set("pattern", word("copy"));
  const std::vector<std::string> for_each = {"pattern", "PAD"};
  BOOST_TEST(describe_group(group, for_each, {}) == "pattern = copy, without PAD");
}

BOOST_AUTO_TEST_CASE(a_run_that_did_not_search_has_its_best_alone) {
  for (const std::string& line : describe_best(stride_results())) {
    BOOST_TEST(line.starts_with("best"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
