#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <numeric>

#include "engine/spec/sweep.h"
#include "tests/rapidcheck_case.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(axis_reader)

namespace {

using namespace sweep::testing;
using sweep::Diagnostics;
using sweep::Value;

std::vector<Value> read(const std::string& yaml, Diagnostics& diagnostics) {
  const auto node = sweep::read_yaml(source_of(yaml), diagnostics);
  if (!node) return {};
  return sweep::read_axis_values(*node, "A", diagnostics);
}

/// The values "1 2 4", or the messages.
std::string outcome(const std::string& yaml) {
  Diagnostics diagnostics;
  const std::vector<Value> values = read(yaml, diagnostics);
  if (values.empty() != diagnostics.has_errors()) return "values and errors, or neither";
  std::string result;
  for (const Value& value : values) result += (result.empty() ? "" : " ") + to_string(value);
  return values.empty() ? messages(diagnostics) : result;
}

const std::vector<TextCase> forms = {
    // Ranges include both ends.
    {"{from: 1, to: 4}", "1 2 3 4"},
    {"{from: 4, to: 4}", "4"},
    {"{from: -2, to: 1}", "-2 -1 0 1"},
    {"{from: 1, to: 10, step: 3}", "1 4 7 10"},
    {"{from: 1, to: 9, step: 3}", "1 4 7"},
    {"{from: 3, to: 1, step: -1}", "3 2 1"},
    {"{from: 10, to: 2, step: -4}", "10 6 2"},
    {"{from: 1, to: 32, multiply: 2}", "1 2 4 8 16 32"},
    {"{from: 3, to: 80, multiply: 3}", "3 9 27"},
    {"{from: 1 Ki, to: 4 * 1024, multiply: 1 << 1}", "1024 2048 4096"},
    {"{from: 1, to: max(2, 3)}", "1 2 3"},
    {"from: 1\nto: 3", "1 2 3"},
    {"{from: 1, to: 3, step: }", "1 2 3"},
    // A range ends where the next value would not fit.
    {"{from: 9223372036854775806, to: 9223372036854775807}",
     "9223372036854775806 9223372036854775807"},
    {"{from: 4 Gi, to: 9223372036854775807, multiply: 1 Gi}", "4294967296 4611686018427387904"},
    // Lists keep their order.
    {"[4, 1, 2]", "4 1 2"},
    {"[1 Ki, 2 * 3, max(4, 5), sizeof(float4)]", "1024 6 5 16"},
    {"- 1\n- 2", "1 2"},
    {"[float, double, uchar4, unsigned]", "float double uchar4 uint32_t"},
    {"[true, false]", "true false"},
    {"[\"1\", '2']", "1 2"},
    {"[\"'one'\", \"'two'\"]", "one two"},
    {"[1, ]", "1"},
    // One value
    {"7", "7"},
    {"float", "float"},
    {"true", "true"},
    {"64 Mi", "67108864"},
    {"max(1, 2)", "2"},
};

const std::vector<TextCase> mistakes = {
    {"", "0:0+1 the axis 'A' has no values | write a list, or {from: 1, to: 32}"},
    {"[]", "1:1+1 the axis 'A' has no values | write a list, or {from: 1, to: 32}"},
    {"{}",
     "1:1+1 the axis 'A' needs the key 'from' | write {from: 1, to: 32}, with step: 4 or multiply: "
     "2 if need be\n"
     "1:1+1 the axis 'A' needs the key 'to' | write {from: 1, to: 32}, with step: 4 or multiply: 2 "
     "if need be"},
    {"{from: 1}",
     "1:1+1 the axis 'A' needs the key 'to' | write {from: 1, to: 32}, with step: 4 or multiply: 2 "
     "if need be"},
    {"{to: 1}",
     "1:1+1 the axis 'A' needs the key 'from' | write {from: 1, to: 32}, with step: 4 or multiply: "
     "2 if need be"},
    {"{from: , to: 2}",
     "1:2+4 'from' has no value | write {from: 1, to: 32}, with step: 4 or multiply: 2 if need be"},
    {"{form: 1, to: 4}", "1:2+4 the axis 'A' has no key 'form' | did you mean 'from'?"},
    {"{from: 1, to: 4, stride: 2}",
     "1:18+6 the axis 'A' has no key 'stride' | the keys are: from, to, step, multiply"},
    {"{from: 1, to: 4, step: 0}", "1:24+1 'step' must not be 0"},
    {"{from: 1, to: 4, multiply: 1}", "1:28+1 'multiply' must be 2 or more"},
    {"{from: 1, to: 4, multiply: -2}", "1:28+2 'multiply' must be 2 or more"},
    {"{from: 0, to: 4, multiply: 2}", "1:8+1 'from' must be 1 or more to be multiplied"},
    {"{from: 1, to: 4, step: 1, multiply: 2}", "1:37+1 'step' and 'multiply' exclude each other"},
    {"{from: 4, to: 1}",
     "1:1+1 the axis 'A' has no values: from 4 to 1 | a falling range needs a negative step"},
    {"{from: 1, to: 4, step: -1}",
     "1:1+1 the axis 'A' has no values: from 1 to 4 | a rising range needs a positive step"},
    {"{from: 4, to: 1, multiply: 2}",
     "1:1+1 the axis 'A' has no values: from 4 to 1 | a range that multiplies can only rise"},
    {"{from: 1, to: float}", "1:15+5 'to' must be an integer, but this is an element type"},
    {"{from: true, to: 4}", "1:8+4 'from' must be an integer, but this is a boolean"},
    {"{from: 1, to: N}", "1:15+1 'N' is not an integer, a boolean or an element type"},
    {"{from: 1, to: 1 / 0}",
     "1:17+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ..."},
    {"{from: [1], to: 4}", "1:8+1 'from' must be a single value"},
    {"{from: 1, to: 1000001}",
     "1:1+1 the axis 'A' has 1,000,001 values; an axis can have 1,000,000 | "
     "take larger steps, multiply, or list fewer values"},
    {"{from: 0, to: 9223372036854775807}",
     "1:1+1 the axis 'A' has 9,223,372,036,854,775,808 values; an axis can have 1,000,000 | "
     "take larger steps, multiply, or list fewer values"},
    {"{from: -9223372036854775807 - 1, to: 9223372036854775807}",
     "1:1+1 the axis 'A' has 18,446,744,073,709,551,615 values; an axis can have 1,000,000 | "
     "take larger steps, multiply, or list fewer values"},
    {"{from: 2000000, to: 0, step: -1}",
     "1:1+1 the axis 'A' has 2,000,001 values; an axis can have 1,000,000 | "
     "take larger steps, multiply, or list fewer values"},
    {"[1, 2, 1]", "1:8+1 the axis 'A' has the value 1 twice"},
    {"[1 Ki, 2, 1024, 2]",
     "1:11+4 the axis 'A' has the value 1024 twice\n"
     "1:17+1 the axis 'A' has the value 2 twice"},
    {"[float, float]", "1:9+5 the axis 'A' has the value float twice"},
    {"[int, int32_t]", "1:7+7 the axis 'A' has the value int32_t twice"},
    {"[1, [2]]", "1:5+1 a value of 'A' must be an integer, a boolean or an element type"},
    {"[1, {from: 1, to: 2}]",
     "1:5+1 a value of 'A' must be an integer, a boolean or an element type"},
    {"[flaot, duoble]",
     "1:2+5 'flaot' is not an integer, a boolean or an element type | did you mean 'float'?\n"
     "1:9+6 'duoble' is not an integer, a boolean or an element type | did you mean 'double'?"},
    {"[BLOCK * 2]", "1:2+9 'BLOCK' is not an integer, a boolean or an element type"},
    {"[tru]", "1:2+3 'tru' is not an integer, a boolean or an element type | did you mean 'true'?"},
    {"[1.5]",
     "1:2+2 numbers are integers here | write a fraction as a division, or scale the unit"},
    {"[1 +]", "1:5+1 the expression ends where a value is expected"},
    {"1, 2", "1:1+4 a list of values stands in brackets | [1, 2]"},
};

}  // namespace

BOOST_DATA_TEST_CASE(an_axis_has_many_forms, data::make(forms)) {
  BOOST_TEST(outcome(sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(mistakes_have_their_place, data::make(mistakes)) {
  BOOST_TEST(outcome(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(a_million_values_are_the_most) {
  Diagnostics diagnostics;
  const std::vector<Value> values = read("{from: 1, to: 1000000}", diagnostics);
  BOOST_TEST(values.size() == 1'000'000u);
  BOOST_TEST(diagnostics.empty());
}

BOOST_AUTO_TEST_CASE(a_long_list_takes_no_longer_than_its_length) {
  std::string yaml = "[0";
  for (int i = 1; i < 200'000; ++i) yaml += ',' + std::to_string(i);
  Diagnostics diagnostics;
  BOOST_TEST(read(yaml + ']', diagnostics).size() == 200'000u);
  BOOST_TEST(diagnostics.empty());
}

BOOST_AUTO_TEST_CASE(a_range_is_what_a_loop_counts) {
  check_property([] {
    const auto from = *rc::gen::inRange<std::int64_t>(-1000, 1000);
    const auto to = *rc::gen::inRange<std::int64_t>(-1000, 1000);
    const auto step =
        *rc::gen::distinctFrom(rc::gen::inRange<std::int64_t>(-50, 50), std::int64_t{0});
    std::vector<Value> expected;
    for (std::int64_t i = from; step > 0 ? i <= to : i >= to; i += step) expected.emplace_back(i);
    Diagnostics diagnostics;
    const auto values = read("{from: " + std::to_string(from) + ", to: " + std::to_string(to) +
                                 ", step: " + std::to_string(step) + "}",
                             diagnostics);
    RC_ASSERT(values == expected);
    RC_ASSERT(diagnostics.has_errors() == expected.empty());
  });
}

BOOST_AUTO_TEST_SUITE_END()
