#include <rapidcheck.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "engine/spec/report_layout.h"
#include "tests/rapidcheck_case.h"
#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(expectation)

namespace {

using namespace sweep::testing;
using sweep::Comparison;
using sweep::Expectation;

std::string shown(const sweep::ExpectationSide& side) {
  if (const auto* metric = std::get_if<sweep::MetricName>(&side.value))
    return "<" + metric->name + ">";
  if (const auto* number = std::get_if<double>(&side.value)) {
    return std::to_string(*number) + (side.percent ? " %" : "");
  }
  return "{" + std::get<sweep::Expression>(side.value).text() + "}";
}

/// "<load_sectors> 1 4.000000 if N > 1": the sides, the comparison's number, and the condition.
std::string shown(const std::vector<Expectation>& expectations) {
  std::string text;
  for (const Expectation& expectation : expectations) {
    if (!text.empty()) text += "; ";
    text += shown(expectation.left) + " " +
            std::to_string(static_cast<int>(expectation.comparison)) + " " +
            shown(expectation.right);
    if (expectation.condition) text += " if " + expectation.condition->text();
  }
  return text;
}

const std::vector<TextCase> good = {
    {"load_sectors < 4", "<load_sectors> 0 4.000000"},
    {"load_sectors <= 4", "<load_sectors> 1 4.000000"},
    {"load_sectors > 4", "<load_sectors> 2 4.000000"},
    {"load_sectors >= 4", "<load_sectors> 3 4.000000"},
    {"load_sectors == 4", "<load_sectors> 4 4.000000"},
    {"load_sectors != 4", "<load_sectors> 5 4.000000"},
    {"  load_sectors<=4.5  ", "<load_sectors> 1 4.500000"},
    {"1e-3 < time", "0.001000 0 <time>"},
    {"time > -1", "<time> 2 -1.000000"},
    {"efficiency >= 12.5 %", "<efficiency> 3 12.500000 %"},
    {"7% < efficiency", "7.000000 % 0 <efficiency>"},
    {"efficiency >= 80", "<efficiency> 3 80.000000"},
    {"load_sectors == store_sectors", "<load_sectors> 4 <store_sectors>"},
    {"load_sectors == 1 Ki", "<load_sectors> 4 {1 Ki}"},
    {"load_sectors == N * sizeof(T) / 32", "<load_sectors> 4 {N * sizeof(T) / 32}"},
    {"STRIDE << 2 >= load_sectors", "{STRIDE << 2} 3 <load_sectors>"},
    {"N == load_requests", "{N} 4 <load_requests>"},
    {"shared_conflicts == (STRIDE > 1 ? 31 : 0)", "<shared_conflicts> 4 {(STRIDE > 1 ? 31 : 0)}"},
    {"shared_conflicts == (pattern == 'a<b' ? 31 : 0)",
     "<shared_conflicts> 4 {(pattern == 'a<b' ? 31 : 0)}"},
    {"gld_transactions_per_request <= 4", "<load_sectors_per_request> 1 4.000000"},
    {"gld_efficiency >= 50 %", "<load_efficiency> 3 50.000000 %"},
    {"[time < 1, time > 0]", "<time> 0 1.000000; <time> 2 0.000000"},
    {"{check: time < 1, where: STRIDE == 1}", "<time> 0 1.000000 if STRIDE == 1"},
    {"[time > 0, {check: time < 1, where: pattern == 'stride' && N > 1}]",
     "<time> 2 0.000000; <time> 0 1.000000 if pattern == 'stride' && N > 1"},
    {"{check: time < 1}", "<time> 0 1.000000"},
    {"[]", ""},
};

// Line 2 is `expect: ` and the text.
const std::vector<TextCase> mistakes = {
    {"load_sectors",
     "2:9+12 an expectation compares a metric with a number | for example "
     "load_sectors_per_request <= 4"},
    {"load_sectors = 4", "2:22+1 '=' has no meaning in an expression | write == to compare"},
    {"load_sectors <=",
     "2:24+1 one side of this comparison is missing | for example "
     "load_sectors_per_request <= 4"},
    {"load_sectrs <= 4",
     "2:9+11 there is no metric or parameter 'load_sectrs' | did you mean 'load_sectors'?"},
    {"STRIED <= load_sectors",
     "2:9+6 there is no metric or parameter 'STRIED' | did you mean 'STRIDE'?"},
    {"elephants <= 4",
     "2:9+9 there is no metric or parameter 'elephants' | 'sweep list metrics' "
     "shows the metrics there are"},
    {"load_sectors <= STRIED * 2",
     "2:25+6 there is no parameter 'STRIED' | did you mean 'STRIDE'?"},
    {"load_sectors * 2 <= 4",
     "2:9+16 the metric 'load_sectors' is part of an expression | a metric stands alone on its "
     "side, for example load_sectors_per_request <= 4"},
    {"load_sectors <= N +", "2:28+1 the expression ends where a value is expected"},
    {"load_sectors <= T",
     "2:25+1 a side of an expectation must be an integer, but this is an "
     "element type | for example load_sectors_per_request <= 4"},
    {"0 < load_sectors < 4",
     "2:26+1 an expectation is one comparison | list several: expect: "
     "[load_sectors <= 4, shared_conflicts == 0]"},
    {"load_sectors < 4 && time < 1",
     "2:26+2 an expectation is one comparison | list several: expect: [load_sectors <= 4, "
     "shared_conflicts == 0]"},
    {"N > 1",
     "2:9+5 no metric stands in this expectation | for example load_sectors_per_request "
     "<= 4"},
    {"load_sectors < 4 %", "2:24+3 'load_sectors' is not a share in %"},
    {"N + 1 < 4 %", "2:17+3 a number in % is compared with a metric in %"},
    {"gld_efficency >= 4 %",
     "2:9+13 'gld_efficency' is no metric, and a number in % is compared with one | did you mean "
     "'gld_efficiency'?"},
    {"efficiency >= 0.5",
     "2:23+3 'efficiency' is in %, so that 0.5 may be meant to be 50 % | write 0.5 % or 50 %"},
    {"{chek: time < 1}", "2:10+4 an expectation has no key 'chek' | did you mean 'check'?"},
    {"{where: N > 1}",
     "2:9+1 an expectation needs the key 'check' | for example "
     "load_sectors_per_request <= 4"},
    {"{check: time < 1, where: N}",
     "2:34+1 'where' must be a boolean, but this is an integer | write a comparison"},
    {"{check: time < 1, where: M == 1}",
     "2:34+1 there is no parameter 'M' | the names known here are: T, STRIDE, BLOCK, N, pattern"},
    {"[[time < 1]]", "2:10+1 'expect' must be a single value"},
};

struct CompareCase {
  double left;
  double right;
  int order;  ///< -1 less, 0 equal, 1 greater

  friend std::ostream& operator<<(std::ostream& out, const CompareCase& row) {
    return out << row.left << " and " << row.right;
  }
};

const std::vector<CompareCase> orders = {
    {4, 4, 0},
    {4, 5, -1},
    {5, 4, 1},
    {0, 0, 0},
    {0, -0.0, 0},
    {12.5, 12.5, 0},
    // Within 1e-9 of each other, and not.
    {12.5, 12.5 * (1 + 1e-10), 0},
    {12.5, 12.5 * (1 + 1e-8), -1},
    {-12.5, -12.5 * (1 + 1e-10), 0},
    {1.0 / 3 * 3 + 0.1, 1.1, 0},
    // Integers are exact.
    {1e12, 1e12 + 1, -1},
    {1e12 + 1, 1e12, 1},
    {4, 4.000000001, 0},
    {INFINITY, 1, 1},
    {INFINITY, INFINITY, 0},
};

}  // namespace

BOOST_DATA_TEST_CASE(forms, data::make(good)) {
  const bool quoted = sample.text.starts_with(' ') || sample.text.find('?') != std::string::npos;
  const std::string text =
      "pattern: stride\nexpect: " + (quoted ? '"' + sample.text + '"' : sample.text);
  BOOST_TEST(shown(read_sweep(text + "\n").expect) == sample.expected);
  BOOST_TEST(shown(sweep::read_stored_sweep(text + "\n").expect) == sample.expected);
}

BOOST_DATA_TEST_CASE(mistakes_have_their_place, data::make(mistakes)) {
  BOOST_TEST(sweep_messages("pattern: stride\nexpect: " + sample.text + "\n") == sample.expected);
}

BOOST_AUTO_TEST_CASE(keeps_its_text_and_place) {
  const Expectation read = read_sweep("pattern: stride\nexpect:\n  - \"time <= 1\"\n").expect.at(0);
  BOOST_TEST(read.text == "time <= 1");
  BOOST_TEST(read.where.line == 3u);
  BOOST_TEST(read.where.column == 6u);
}

BOOST_AUTO_TEST_CASE(a_stored_text_without_expectations_has_none) {
  BOOST_TEST(sweep::read_stored_sweep("").expect.empty());
  BOOST_TEST(sweep::read_stored_sweep("pattern: gone\n").expect.empty());
  BOOST_TEST(sweep::read_stored_sweep("pattern: gone\nexpect:\n").expect.empty());
  BOOST_CHECK_THROW(sweep::read_stored_sweep("expect: 4\n").expect, sweep::InputError);
  BOOST_CHECK_THROW(sweep::read_stored_sweep("a: [\n").expect, sweep::InputError);
}

BOOST_DATA_TEST_CASE(numbers_compare, data::make(orders)) {
  const auto holds = [&](Comparison comparison) {
    return sweep::compare(sample.left, comparison, sample.right);
  };
  BOOST_TEST(holds(Comparison::less) == (sample.order < 0));
  BOOST_TEST(holds(Comparison::less_equal) == (sample.order <= 0));
  BOOST_TEST(holds(Comparison::greater) == (sample.order > 0));
  BOOST_TEST(holds(Comparison::greater_equal) == (sample.order >= 0));
  BOOST_TEST(holds(Comparison::equal) == (sample.order == 0));
  BOOST_TEST(holds(Comparison::not_equal) == (sample.order != 0));
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_is_in_no_relation) {
  for (const Comparison comparison :
       {Comparison::less, Comparison::less_equal, Comparison::greater, Comparison::greater_equal,
        Comparison::equal, Comparison::not_equal}) {
    BOOST_TEST(!sweep::compare(NAN, comparison, 1));
    BOOST_TEST(!sweep::compare(1, comparison, NAN));
  }
}

BOOST_AUTO_TEST_CASE(exactly_one_of_less_equal_and_greater_holds) {
  check_property([](double a, double b) {
    const int less = sweep::compare(a, Comparison::less, b) ? 1 : 0;
    const int equal = sweep::compare(a, Comparison::equal, b) ? 1 : 0;
    const int greater = sweep::compare(a, Comparison::greater, b) ? 1 : 0;
    RC_ASSERT(less + equal + greater == 1);
    RC_ASSERT(sweep::compare(b, Comparison::greater, a) == (less == 1));
    RC_ASSERT(sweep::compare(a, Comparison::less_equal, b) == (greater == 0));
    RC_ASSERT(sweep::compare(a, Comparison::not_equal, b) == (equal == 0));
  });
}

BOOST_AUTO_TEST_SUITE_END()
