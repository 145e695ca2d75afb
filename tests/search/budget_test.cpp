#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "engine/search/strategy.h"

BOOST_AUTO_TEST_SUITE(budget)

namespace {

using sweep::Budget;
using sweep::SearchProgress;

const double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Case {
  std::string what;
  Budget budget;
  std::vector<std::optional<double>> costs;
  double elapsed = 0;
  std::string words;  ///< empty: it goes on
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.what;
}

Budget at_most(std::size_t configurations) {
  Budget budget;
  budget.configurations = configurations;
  return budget;
}

Budget for_seconds(double seconds) {
  Budget budget;
  budget.seconds = seconds;
  return budget;
}

Budget patient(std::size_t configurations, double share) {
  Budget budget;
  budget.patience = sweep::Patience{configurations, share};
  return budget;
}

const std::vector<Case> cases = {
    {"no limit", {}, {1, 1, 1, 1}, 1e9, ""},
    {"too few", at_most(3), {1, 2}, 0, ""},
    {"as many as allowed", at_most(3), {1, {}, 2}, 0, "stopped after 3 configurations"},
    {"one allowed", at_most(1), {1}, 0, "stopped after 1 configuration"},
    {"none allowed", at_most(0), {}, 0, "stopped after 0 configurations"},
    {"time is left", for_seconds(2), {1}, 1.99, ""},
    {"time is over", for_seconds(2), {1, 2}, 2.5, "stopped after 2.5 s (2 configurations)"},
    {"not K yet", patient(3, 0.01), {1, 1, 1}, 0, ""},
    {"K without a gain",
     patient(3, 0.01),
     {1, 1, 2, 1},
     0,
     "stopped without a gain of 1 % in the last 3 configurations"},
    {"failures count",
     patient(2, 0.01),
     {1, {}, {}},
     0,
     "stopped without a gain of 1 % in the last 2 configurations"},
    {"failures before the first cost do not", patient(2, 0.01), {{}, {}, {}, {}, 1}, 0, ""},
    {"a gain", patient(2, 0.01), {1, 1, 0.98}, 0, ""},
    {"a gain that is too small",
     patient(2, 0.01),
     {1, 1, 0.995},
     0,
     "stopped without a gain of 1 % in the last 2 configurations"},
    {"small gains that add up", patient(2, 0.01), {1, 0.994, 0.988}, 0, ""},
    {"a gain of a value to maximise", patient(2, 0.01), {-100, -100, -102}, 0, ""},
    {"too small a gain of a value to maximise",
     patient(1, 0.01),
     {-100, -100.5},
     0,
     "stopped without a gain of 1 % in the last configuration"},
    {"a share of nothing",
     patient(2, 0),
     {1, 1, 1},
     0,
     "stopped without a gain of 0 % in the last 2 configurations"},
    {"no numbers", patient(1, 0.01), {not_a_number, -infinity, infinity}, 0, ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(ends_a_search, boost::unit_test::data::make(cases), one) {
  SearchProgress progress;
  for (const std::optional<double>& cost : one.costs) progress.tell(cost);
  const auto end = should_stop(one.budget, progress, one.elapsed);
  BOOST_TEST(end.value_or("") == one.words);
}

BOOST_AUTO_TEST_CASE(says_which_limit_was_met_first) {
  Budget budget = patient(1, 0.01);
  SearchProgress progress;
  progress.tell(1);
  progress.tell(1);
  BOOST_CHECK(should_stop(budget, progress, 5)->starts_with("stopped without"));
  budget.seconds = 4;
  BOOST_CHECK(should_stop(budget, progress, 5)->starts_with("stopped after 5 s"));
  budget.configurations = 2;
  BOOST_CHECK(should_stop(budget, progress, 5).value() == "stopped after 2 configurations");
}

BOOST_AUTO_TEST_SUITE_END()
