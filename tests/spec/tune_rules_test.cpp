#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/spec/sweep.h"
#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(the_rules_of_tuning)

namespace {

using namespace sweep::testing;
using sweep::Better;
using sweep::TuneRules;

TuneRules rules_of(const std::string& text) {
  const sweep::Sweep sweep = read_sweep("pattern: stride\ntune: " + text + '\n');
  BOOST_REQUIRE(sweep.tune.has_value());
  return *sweep.tune;
}

const std::vector<TextCase> mistakes = {
    {"", ""},
    {"fast",
     "2:7+4 tune must be a map of keys and values | the keys are: maximize, minimize, "
     "for_each, strategy, budget, seed, cut_off, predictions"},
    {"{maximise: time}", "2:8+8 tune has no key 'maximise' | did you mean 'maximize'?"},
    {"{seed: 1}",
     "2:7+1 'tune' does not say what to search for | maximize: bandwidth, or "
     "minimize: time"},
    {"{minimize: tim}", "2:18+3 there is no metric 'tim' | did you mean 'time'?"},
    {"{minimize: time, maximize: [bandwidth, time]}", "2:46+4 'time' is an objective twice"},
    {"{minimize: time, for_each: [T, STRID]}",
     "2:38+5 there is no parameter 'STRID' | did you mean 'STRIDE'?"},
    {"{minimize: time, strategy: genetics}",
     "2:34+8 there is no strategy 'genetics' | did you mean 'genetic'?"},
    {"{minimize: time, budget: {}}",
     "2:32+1 'budget' sets no limit | budget: {configurations: 200, seconds: 60, no_better: {by: "
     "1 %, in: 50}}"},
    {"{minimize: time, budget: {configurations: 0}}",
     "2:49+1 'configurations' must be an integer of at least 1"},
    {"{minimize: time, budget: {seconds: -1}}",
     "2:42+2 'seconds' must be a number above 0 and up to 31536000 | for example 60"},
    {"{minimize: time, budget: {seconds: soon}}",
     "2:42+4 'seconds' must be a number above 0 and up to 31536000 | for example 60"},
    {"{minimize: time, budget: {no_better: {by: 2}}}",
     "2:49+1 'by' must be a share from 0 to less than 1 | for example 1 %, which is 0.01"},
    {"{minimize: time, budget: {no_better: {in: none}}}",
     "2:49+4 'none' is not an integer, a boolean or an element type"},
    {"{minimize: time, seed: 0}", "2:30+1 'seed' must be an integer of at least 1"},
    {"{minimize: time, cut_off: 1}",
     "2:33+1 'cut_off' must be a number above 1, or off | with 1.5 what is 1.5 times slower than "
     "the best is dropped early"},
    {"{minimize: time, predictions: 0}", "2:37+1 'predictions' must be an integer of at least 1"},
};

BOOST_DATA_TEST_CASE(have_mistakes_with_a_place, data::make(mistakes)) {
  BOOST_TEST(sweep_messages("pattern: stride\ntune: " + sample.text + '\n') == sample.expected);
}

BOOST_AUTO_TEST_CASE(are_read) {
  const TuneRules rules = rules_of(
      "{minimize: [time, gld_transactions], maximize: l2_hit_rate, for_each: [T, pattern], "
      "strategy: annealing, budget: {configurations: 2 Ki, seconds: 1.5, no_better: {by: 2 %, in: "
      "30}}, seed: 7, cut_off: 2, predictions: 64}");
  BOOST_REQUIRE(rules.objectives.size() == 3);
  BOOST_TEST(rules.objectives[0].metric == "time");
  BOOST_TEST((rules.objectives[0].better == Better::lower));
  BOOST_TEST(rules.objectives[1].metric == "load_sectors");
  BOOST_TEST(rules.objectives[2].metric == "l2_hit_rate");
  BOOST_TEST((rules.objectives[2].better == Better::higher));
  BOOST_TEST(rules.for_each == (std::vector<std::string>{"T", "pattern"}));
  BOOST_TEST(rules.strategy == "annealing");
  BOOST_TEST(rules.budget.configurations.value_or(0) == 2048U);
  BOOST_TEST(rules.budget.seconds.value_or(0) == 1.5);
  BOOST_TEST(rules.budget.patience->configurations == 30U);
  BOOST_TEST(rules.budget.patience->share == 0.02);
  BOOST_TEST(rules.seed == 7U);
  BOOST_TEST(rules.cut_off == 2);
  BOOST_TEST(rules.predictions == 64U);
}

BOOST_AUTO_TEST_CASE(stop_without_a_budget_when_nothing_better_comes) {
  const TuneRules rules = rules_of("{maximize: bandwidth, cut_off: off}");
  BOOST_TEST(!rules.budget.configurations.has_value());
  BOOST_TEST(!rules.budget.seconds.has_value());
  BOOST_TEST(rules.budget.patience->configurations == 100U);
  BOOST_TEST(rules.budget.patience->share == 0.01);
  BOOST_TEST(rules.strategy == "bayesian");
  BOOST_TEST(rules.cut_off == 0);
  BOOST_TEST(rules.predictions == 0U);
  BOOST_TEST(rules_of("{maximize: bandwidth, predictions: off}").predictions == 0U);
}

BOOST_AUTO_TEST_CASE(stand_in_the_order_of_the_file) {
  const TuneRules rules = rules_of("{maximize: bandwidth, minimize: instructions}");
  BOOST_TEST(rules.objectives.front().metric == "bandwidth");
  BOOST_TEST(rules_of("{minimize: time, maximize: bandwidth}").objectives.front().metric == "time");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
