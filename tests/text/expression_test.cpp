#include "engine/text/expression.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "tests/text/expression_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(expression)

namespace {

using namespace sweep::testing;
using sweep::Bindings;
using sweep::Diagnostics;
using sweep::ElementType;
using sweep::Expression;
using sweep::Value;

Bindings example() {
  Bindings bindings;
  bindings.set("N", std::int64_t{0});
  bindings.set("STRIDE", std::int64_t{4});
  bindings.set("LOWEST", std::numeric_limits<std::int64_t>::min());
  bindings.set("T", *ElementType::find("double"));
  bindings.set("PADDED", true);
  bindings.set("pattern", std::string("stride"));
  bindings.set("sizeof(Particle)", std::int64_t{28});
  return bindings;
}

const std::vector<ExpressionCase> precedence = {
    // Each neighbouring pair of levels, tight on either side.
    {"2 * -3", "-6"},
    {"-2 * 3", "-6"},
    {"~1 + 1", "-1"},
    {"!true || true", "true"},
    {"1 + 2 * 3", "7"},
    {"2 * 3 + 1", "7"},
    {"1 - 6 / 3", "-1"},
    {"10 - 7 % 4", "7"},
    {"1 << 2 + 1", "8"},
    {"1 + 2 << 1", "6"},
    {"64 >> 2 - 1", "32"},
    {"1 << 2 < 5", "true"},
    {"5 > 1 << 2", "true"},
    {"1 < 2 == 3 < 4", "true"},
    {"true == 2 <= 1", "false"},
    {"6 & 3 ^ 1", "3"},
    {"4 ^ 6 & 3", "6"},
    {"1 | 6 ^ 5", "3"},
    {"3 ^ 1 | 1", "3"},
    {"4 | 6 & 3", "6"},
    {"6 & 1 + 1", "2"},
    {"1 == 1 && 2 == 3", "false"},
    {"true || false && false", "true"},
    {"false && false || true", "true"},
    {"true || true ? 1 : 2", "1"},
    {"false ? 1 : 2 + 3", "5"},
    // Parentheses win.
    {"(1 + 2) * 3", "9"},
    {"-(2 + 3)", "-5"},
    {"(true || false) && false", "false"},
    {"(6 & 3) == 2", "true"},
    {"6 & (3 ^ 1)", "2"},
    {"1 << (2 < 5 ? 1 : 0)", "2"},
    {"(((7)))", "7"},
};

const std::vector<ExpressionCase> associativity = {
    {"10 - 4 - 3", "3"},
    {"100 / 10 / 5", "2"},
    {"100 / 10 * 5", "50"},
    {"100 * 7 / 10", "70"},
    {"100 % 8 % 3", "1"},
    {"1 << 2 << 3", "32"},
    {"256 >> 2 >> 1", "32"},
    {"- - 3", "3"},
    {"--3", "3"},
    {"!!true", "true"},
    {"~~5", "5"},
    {"-+-3", "3"},
    {"1 == 2 == false", "true"},
    {"false ? 1 : true ? 2 : 3", "2"},
    {"true ? false ? 1 : 2 : 3", "2"},
    {"true ? 1 : false ? 2 : 3", "1"},
};

const std::vector<ExpressionCase> operators = {
    {"+7", "7"},
    {"-7", "-7"},
    {"~0", "-1"},
    {"~7", "-8"},
    {"!true", "false"},
    {"!false", "true"},
    {"7 * -6", "-42"},
    {"7 / 2", "3"},
    {"-7 / 2", "-3"},
    {"7 / -2", "-3"},
    {"-7 / -2", "3"},
    {"7 % 3", "1"},
    {"-7 % 3", "-1"},
    {"7 % -3", "1"},
    {"-7 % -3", "-1"},
    {"7 + -8", "-1"},
    {"7 - -8", "15"},
    {"3 << 4", "48"},
    {"-3 << 4", "-48"},
    {"1 << 62", "4611686018427387904"},
    {"-1 << 63", "-9223372036854775808"},
    {"0 << 63", "0"},
    {"1 << 0", "1"},
    {"48 >> 4", "3"},
    {"-1 >> 63", "-1"},
    {"-5 >> 1", "-3"},
    {"5 >> 63", "0"},
    {"1 < 2", "true"},
    {"2 < 2", "false"},
    {"2 <= 2", "true"},
    {"3 <= 2", "false"},
    {"2 > 1", "true"},
    {"2 > 2", "false"},
    {"2 >= 2", "true"},
    {"1 >= 2", "false"},
    {"-1 < 1", "true"},
    {"2 == 2", "true"},
    {"2 == 3", "false"},
    {"2 != 3", "true"},
    {"2 != 2", "false"},
    {"true == true", "true"},
    {"true != false", "true"},
    {"float == float", "true"},
    {"float == double", "false"},
    {"half != float", "true"},
    {"int == int32_t", "true"},
    {"'a' == 'a'", "true"},
    {"'a' == 'A'", "false"},
    {"'a' != 'b'", "true"},
    {"12 & 10", "8"},
    {"-1 & 10", "10"},
    {"12 ^ 10", "6"},
    {"0x2 ^ 5", "7"},
    {"(2) ^ 5", "7"},
    {"2 Ki ^ 5", "2053"},
    {"12 | 10", "14"},
    {"-8 | 1", "-7"},
    {"true && true", "true"},
    {"true && false", "false"},
    {"false && true", "false"},
    {"false || true", "true"},
    {"true || false", "true"},
    {"false || false", "false"},
    {"true ? 1 : 2", "1"},
    {"false ? 1 : 2", "2"},
    {"false ? float : half", "half"},
    {"true ? 'a' : 'b'", "a"},
};

const std::vector<ExpressionCase> functions = {
    {"min(3, 2)", "2"},
    {"min(2, 3)", "2"},
    {"min(3, 1, 2)", "1"},
    {"min(-1, 0, -5, 2)", "-5"},
    {"max(3, 2)", "3"},
    {"max(1, 3, 2)", "3"},
    {"max(-1, -2)", "-1"},
    {"ceil_div(7, 2)", "4"},
    {"ceil_div(8, 2)", "4"},
    {"ceil_div(-7, 2)", "-3"},
    {"ceil_div(7, -2)", "-3"},
    {"ceil_div(-7, -2)", "4"},
    {"ceil_div(0, 5)", "0"},
    {"is_pow2(64)", "true"},
    {"is_pow2(1)", "true"},
    {"is_pow2(0)", "false"},
    {"is_pow2(48)", "false"},
    {"is_pow2(-8)", "false"},
    {"log2(1)", "0"},
    {"log2(1023)", "9"},
    {"log2(1024)", "10"},
    {"log2(9223372036854775807)", "62"},
    {"min(1, max(2, 3)) + log2(8)", "4"},
    {"max ( 1 , 2 )", "2"},
    {"max(1 < 2 ? 5 : 6, 3)", "5"},
};

const std::vector<ExpressionCase> literals = {
    {"0", "0"},
    {"00012", "12"},
    {"9223372036854775807", "9223372036854775807"},
    {"0x0", "0"},
    {"0xff", "255"},
    {"0XFF", "255"},
    {"0xDeadBeef", "3735928559"},
    {"0x7fffffffffffffff", "9223372036854775807"},
    {"1Ki", "1024"},
    {"1 Ki", "1024"},
    {"64 Mi", "67108864"},
    {"64   Mi", "67108864"},
    {"16Gi", "17179869184"},
    {"0 Gi", "0"},
    {"0x10 Ki", "16384"},
    {"8589934591 Gi", "9223372035781033984"},
    {"2 Ki * 2", "4096"},
    {"-1 Ki", "-1024"},
    {"true", "true"},
    {"false", "false"},
    {"'stride'", "stride"},
    {"\"two words\"", "two words"},
    {"''", ""},
    {"'it says \"x\"'", "it says \"x\""},
    {"float4", "float4"},
    {"__half", "half"},
    {"  7\t", "7"},
    {"1\n+\r\n2", "3"},
    {"1+2*3", "7"},
};

const std::vector<ExpressionCase> names = {
    {"STRIDE", "4"},
    {"STRIDE * 2 Ki", "8192"},
    {"T", "double"},
    {"T == double", "true"},
    {"T != float", "true"},
    {"PADDED", "true"},
    {"PADDED ? STRIDE + 1 : STRIDE", "5"},
    {"pattern", "stride"},
    {"pattern == 'stride'", "true"},
    {"pattern != \"copy\"", "true"},
    {"LOWEST", "-9223372036854775808"},
    {"sizeof(T)", "8"},
    {"sizeof( T )", "8"},
    {"sizeof(float)", "4"},
    {"sizeof(float3)", "12"},
    {"sizeof(half)", "2"},
    {"sizeof(char)", "1"},
    {"sizeof(Particle)", "28"},
    {"N % 2 == 0 && sizeof(T) * STRIDE <= 32", "true"},
};

/// The faulty part is not reached.
const std::vector<ExpressionCase> laziness = {
    {"N > 0 && 10 / N > 2", "false"},
    {"N == 0 || 10 / N > 2", "true"},
    {"N > 0 ? 10 / N : -1", "-1"},
    {"N == 0 ? -1 : 10 / N", "-1"},
    {"false && 1 / 0 == 1 || true", "true"},
    {"true || log2(0) == 0 && 1 << 64 == 0", "true"},
    {"true ? 1 : -LOWEST", "1"},
    {"false ? 9223372036854775807 + 1 : true ? 2 : 1 % 0", "2"},
};

/// What happens at the borders without overflowing.
const std::vector<ExpressionCase> extremes = {
    {"LOWEST + 9223372036854775807", "-1"},
    {"-9223372036854775807 - 1", "-9223372036854775808"},
    {"LOWEST / 1", "-9223372036854775808"},
    {"LOWEST % -1", "0"},
    {"LOWEST >> 63", "-1"},
    {"LOWEST << 0", "-9223372036854775808"},
    {"~LOWEST", "9223372036854775807"},
    {"+LOWEST", "-9223372036854775808"},
    {"LOWEST & -1", "-9223372036854775808"},
    {"LOWEST ^ -1", "9223372036854775807"},
    {"min(LOWEST, 9223372036854775807)", "-9223372036854775808"},
    {"ceil_div(9223372036854775807, 2)", "4611686018427387904"},
    {"ceil_div(LOWEST, 2)", "-4611686018427387904"},
    {"3037000499 * 3037000499", "9223372030926249001"},
    {"LOWEST < 0", "true"},
};

/// Parses what must parse.
Expression parsed(const std::string& text) {
  Diagnostics diagnostics;
  auto expression = Expression::parse(text, whole_text(text), diagnostics);
  BOOST_REQUIRE_MESSAGE(expression.has_value(), render(diagnostics));
  return *std::move(expression);
}

}  // namespace

BOOST_DATA_TEST_CASE(precedence_is_cs, data::make(precedence), row) {
  BOOST_TEST(outcome(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(associativity_is_cs, data::make(associativity), row) {
  BOOST_TEST(outcome(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(operators_compute, data::make(operators), row) {
  BOOST_TEST(outcome(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(functions_compute, data::make(functions), row) {
  BOOST_TEST(outcome(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(literals_mean_what_they_say, data::make(literals), row) {
  BOOST_TEST(outcome(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(names_have_their_bound_values, data::make(names), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_DATA_TEST_CASE(only_what_is_needed_is_evaluated, data::make(laziness), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_DATA_TEST_CASE(extreme_values_stay_exact, data::make(extremes), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_AUTO_TEST_CASE(a_bound_name_hides_an_element_type) {
  Bindings bindings;
  bindings.set("half", std::int64_t{3});
  BOOST_TEST(outcome("half + 1", bindings) == "4");
}

BOOST_AUTO_TEST_CASE(a_bound_size_may_be_a_name_of_its_own) {
  Bindings bindings;
  bindings.set("sizeof(Node)", std::int64_t{48});
  BOOST_TEST(outcome("ceil_div(sizeof(Node), 32)", bindings) == "2");
}

BOOST_AUTO_TEST_CASE(names_are_listed_once_in_order_of_appearance) {
  using Names = std::vector<std::string>;
  const auto listed = [](const std::string& text) { return parsed(text).names(); };
  BOOST_TEST(listed("B + A * B + min(C, A)") == (Names{"B", "A", "C"}),
             boost::test_tools::per_element());
  BOOST_TEST(
      listed("sizeof(T) * N + sizeof(float) + sizeof(Particle)") == (Names{"T", "N", "Particle"}),
      boost::test_tools::per_element());
  BOOST_TEST(listed("T == T && true && 'word' == pattern") == (Names{"T", "pattern"}),
             boost::test_tools::per_element());
  BOOST_TEST(listed("1 + 2").empty());
}

BOOST_AUTO_TEST_CASE(an_expression_knows_its_text_and_place) {
  const auto source =
      std::make_shared<const sweep::Source>(sweep::Source{"a.yaml", "\n  length: N * 2\n"});
  Diagnostics diagnostics;
  const auto expression = Expression::parse("N * 2", {source, 2, 11, 1}, diagnostics);
  BOOST_REQUIRE(expression.has_value());
  BOOST_TEST(expression->text() == "N * 2");
  BOOST_TEST(expression->where().line == 2U);
  BOOST_TEST(expression->where().column == 11U);
  BOOST_TEST(expression->where().length == 5U);
  BOOST_TEST((expression->where().source == source));
}

BOOST_AUTO_TEST_CASE(kinds_follow_from_the_scope_alone) {
  const sweep::Scope scope = scope_of(example());
  const auto kind_of = [&](const std::string& text) {
    Diagnostics diagnostics;
    const auto kind = parsed(text).check(scope, diagnostics);
    BOOST_REQUIRE_MESSAGE(kind.has_value(), render(diagnostics));
    return describe(*kind);
  };
  BOOST_TEST(kind_of("10 / N") == "an integer");
  BOOST_TEST(kind_of("N > 0") == "a boolean");
  BOOST_TEST(kind_of("is_pow2(N)") == "a boolean");
  BOOST_TEST(kind_of("sizeof(Particle)") == "an integer");
  BOOST_TEST(kind_of("PADDED ? T : float") == "an element type");
  BOOST_TEST(kind_of("pattern") == "a word");
}

BOOST_AUTO_TEST_CASE(a_constant_is_its_value_everywhere) {
  const auto round = [](Value value) {
    const Expression expression = Expression::constant(value);
    BOOST_TEST(expression.text() == to_string(value));
    BOOST_TEST(expression.names().empty());
    Diagnostics diagnostics;
    BOOST_TEST((expression.check(sweep::scope_of({}), diagnostics) == kind_of(value)));
    BOOST_TEST((expression.evaluate({}) == value));
  };
  round(std::int64_t{64});
  round(std::numeric_limits<std::int64_t>::min());
  round(true);
  round(*ElementType::find("float4"));
  round(std::string("two words"));
}

BOOST_AUTO_TEST_CASE(an_expression_is_evaluated_many_times) {
  const Expression copy = parsed("A * A + 1");
  const Expression expression = copy;
  Bindings bindings;
  for (std::int64_t a = 0; a < 10; ++a) {
    bindings.set("A", a);
    BOOST_TEST(expression.evaluate_integer(bindings) == a * a + 1);
  }
  BOOST_TEST(parsed("1 < 2").evaluate_boolean({}));
  BOOST_TEST(!parsed("2 < 1").evaluate_boolean({}));
}

BOOST_AUTO_TEST_SUITE_END()
