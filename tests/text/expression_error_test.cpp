#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "engine/text/expression.h"
#include "tests/repeated.h"
#include "tests/text/expression_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(expression_errors)

namespace {

using namespace sweep::testing;
using sweep::Bindings;
using sweep::Diagnostics;
using sweep::ElementType;
using sweep::Expression;
using sweep::InputError;
using sweep::repeated;

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

const std::vector<ExpressionCase> syntax = {
    {"", "1:1+1 an expression is missing here"},
    {" \t", "1:1+1 an expression is missing here"},
    {"1 +", "1:4+1 the expression ends where a value is expected"},
    {"1 + ", "1:5+1 the expression ends where a value is expected"},
    {"* 2", "1:1+1 '*' stands where a value is expected"},
    {"1 + / 2", "1:5+1 '/' stands where a value is expected"},
    {"1 <<< 2", "1:5+1 '<' stands where a value is expected"},
    {")", "1:1+1 ')' stands where a value is expected"},
    {"()", "1:2+1 ')' stands where a value is expected"},
    {"(1 + 2", "1:7+1 a ')' is missing for the '(' in column 1"},
    {"2 * (1 + (3)", "1:13+1 a ')' is missing for the '(' in column 5"},
    {"1 + 2)", "1:6+1 ')' is not expected here"},
    {"1 2", "1:3+1 '2' is not expected here"},
    {"STRIDE STRIDE", "1:8+6 'STRIDE' is not expected here"},
    {"1, 2", "1:2+1 ',' is not expected here"},
    {"1 : 2", "1:3+1 ':' is not expected here"},
    {"true ? 1", "1:9+1 a ':' is missing after the first branch of '?'"},
    {"true ? 1 :", "1:11+1 the expression ends where a value is expected"},
    {"true ? : 1", "1:8+1 ':' stands where a value is expected"},
    {"PADDED and true", "1:8+3 'and' is not expected here | write && instead"},
    {"N > 1 and N < 4", "1:7+3 'and' is not expected here | write && instead"},
    {"N > 1 or N < 4", "1:7+2 'or' is not expected here | write || instead"},
    {"N mod 2", "1:3+3 'mod' is not expected here | write % instead"},
    // Powers
    {"2^5",
     "1:1+3 '^' is XOR, as in C: this is 7, not a power | write 1 << 5 or 32 for the power, "
     "0x2 ^ 5 for XOR"},
    {"N == 3 * 2 ^ 5 - 1",
     "1:10+5 '^' is XOR, as in C: this is 7, not a power | write 1 << 5 or 32 for the power, "
     "0x2 ^ 5 for XOR"},
    {"10^9",
     "1:1+4 '^' is XOR, as in C: this is 3, not a power | write 1000000000 for the power, "
     "0xa ^ 9 for XOR"},
    {"2^62",
     "1:1+4 '^' is XOR, as in C: this is 60, not a power | write 1 << 62 or 4611686018427387904 "
     "for "
     "the power, 0x2 ^ 62 for XOR"},
    {"2^64", "1:1+4 '^' is XOR, as in C: this is 66, not a power | write 0x2 ^ 64 for XOR"},
    {"10^1 Ki", "1:1+7 '^' is XOR, as in C: this is 1034, not a power | write 0xa ^ 1 Ki for XOR"},
    // Characters
    {"N = 1", "1:3+1 '=' has no meaning in an expression | write == to compare"},
    {"N === 1", "1:5+1 '=' has no meaning in an expression | write == to compare"},
    {"N += 1", "1:4+1 '=' has no meaning in an expression | write == to compare"},
    {"N $ 1", "1:3+1 '$' has no meaning in an expression"},
    {"N # 1", "1:3+1 '#' has no meaning in an expression"},
    {"data[0]", "1:5+1 '[' has no meaning in an expression"},
    {"2 × 3", "1:3+2 '×' has no meaning in an expression"},
    {"größe", "1:3+2 'ö' has no meaning in an expression"},
    {"'word", "1:1+1 this quote is never closed"},
    {"1 == \"word'", "1:6+1 this quote is never closed"},
    // Numbers
    {"1..8", "1:1+2 numbers are integers here | a range of values is written {from: 1, to: 8}"},
    {"1.5", "1:1+2 numbers are integers here | write a fraction as a division, or scale the unit"},
    {"2 + 0.5 Gi",
     "1:5+2 numbers are integers here | write a fraction as a division, or scale the unit"},
    {"0x", "1:1+2 a hexadecimal number needs digits"},
    {"0xg", "1:1+2 a hexadecimal number needs digits"},
    {"64 MB", "1:4+2 'MB' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"64MB", "1:3+2 'MB' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"1 k", "1:3+1 'k' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"1 KiB",
     "1:3+3 'KiB' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"1 ki", "1:3+2 'ki' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"1e6", "1:2+2 'e6' is not a unit | the units are Ki, Mi and Gi (1 << 10, 1 << 20, 1 << 30)"},
    {"1 Ki Mi", "1:6+2 'Mi' is not expected here"},
    {"9223372036854775808",
     "1:1+19 this number does not fit a 64-bit integer | the largest is 9223372036854775807"},
    {"1 + 0x8000000000000000",
     "1:5+18 this number does not fit a 64-bit integer | the largest is 9223372036854775807"},
    {"0x10000000000000000",
     "1:1+19 this number does not fit a 64-bit integer | the largest is 9223372036854775807"},
    {"8589934592 Gi",
     "1:1+13 this number does not fit a 64-bit integer | the largest is 9223372036854775807"},
    // Functions
    {"mim(1, 2)", "1:1+3 there is no function 'mim' | did you mean 'min'?"},
    {"1 + ceildiv(1, 2)", "1:5+7 there is no function 'ceildiv' | did you mean 'ceil_div'?"},
    {"sqrt(4)",
     "1:1+4 there is no function 'sqrt' | the functions are: sizeof, min, max, ceil_div, is_pow2, "
     "log2"},
    {"min()", "1:1+3 'min' takes 2 or more arguments, not 0"},
    {"min(1)", "1:1+3 'min' takes 2 or more arguments, not 1"},
    {"2 * max(1)", "1:5+3 'max' takes 2 or more arguments, not 1"},
    {"ceil_div(1)", "1:1+8 'ceil_div' takes 2 arguments, not 1"},
    {"ceil_div(1, 2, 3)", "1:1+8 'ceil_div' takes 2 arguments, not 3"},
    {"log2()", "1:1+4 'log2' takes 1 argument, not 0"},
    {"is_pow2(1, 2)", "1:1+7 'is_pow2' takes 1 argument, not 2"},
    {"min(1, 2", "1:9+1 a ')' is missing after the arguments of 'min'"},
    {"min(1 2)", "1:7+1 a ')' is missing after the arguments of 'min'"},
    {"min(1, )", "1:8+1 ')' stands where a value is expected"},
    {"sizeof(4)", "1:8+1 sizeof takes the name of a type"},
    {"sizeof()", "1:8+1 sizeof takes the name of a type"},
    {"sizeof(T", "1:9+1 a ')' is missing after the type in sizeof"},
    {"sizeof(long 2)", "1:13+1 a ')' is missing after the type in sizeof"},
    // Bitwise operators beside comparisons
    {"STRIDE & 1 == 0",
     "1:8+1 '&' beside a comparison reads differently in C than it looks | put parentheses around "
     "the comparison, or around the operands of the bitwise operator"},
    {"0 != STRIDE | 1",
     "1:13+1 '|' beside a comparison reads differently in C than it looks | put parentheses "
     "around the comparison, or around the operands of the bitwise operator"},
    {"1 ^ STRIDE < 2",
     "1:3+1 '^' beside a comparison reads differently in C than it looks | put parentheses around "
     "the comparison, or around the operands of the bitwise operator"},
};

const std::vector<ExpressionCase> unknown = {
    {"STRIED * 2", "1:1+6 there is no parameter 'STRIED' | did you mean 'STRIDE'?"},
    {"2 * stride", "1:5+6 there is no parameter 'stride' | did you mean 'STRIDE'?"},
    {"T == flaot", "1:6+5 there is no parameter 'flaot' | did you mean 'float'?"},
    {"True", "1:1+4 there is no parameter 'True' | did you mean 'true'?"},
    {"elephant + 1",
     "1:1+8 there is no parameter 'elephant' | the names known here are: N, STRIDE, LOWEST, T, "
     "PADDED, pattern, sizeof(Particle)"},
    {"X",
     "1:1+1 there is no parameter 'X' | the names known here are: N, STRIDE, LOWEST, T, PADDED, "
     "pattern, sizeof(Particle)"},
    {"A1 + B1",
     "1:1+2 there is no parameter 'A1' | the names known here are: N, STRIDE, LOWEST, T, PADDED, "
     "pattern, sizeof(Particle)\n"
     "1:6+2 there is no parameter 'B1' | the names known here are: N, STRIDE, LOWEST, T, PADDED, "
     "pattern, sizeof(Particle)"},
    // Also where evaluation would not come.
    {"true ? 1 : STRIED", "1:12+6 there is no parameter 'STRIED' | did you mean 'STRIDE'?"},
    {"sizeof(flot)", "1:1+12 there is no type 'flot' | did you mean 'float'?"},
    {"sizeof( flot )", "1:1+14 there is no type 'flot' | did you mean 'float'?"},
    {"1 + sizeof(Partcle)", "1:5+15 there is no type 'Partcle' | did you mean 'Particle'?"},
    {"sizeof(t)", "1:1+9 there is no type 't' | did you mean 'T'?"},
    {"sizeof(elephants)",
     "1:1+17 there is no type 'elephants' | a pattern says the size of a type of its files by "
     "structs: {NAME: BYTES}"},
    {"sizeof(STRIDE)", "1:1+14 'STRIDE' is an integer, not a type"},
    {"sizeof(PADDED)", "1:1+14 'PADDED' is a boolean, not a type"},
};

const std::vector<ExpressionCase> kinds = {
    {"!STRIDE",
     "1:2+6 '!' takes booleans, but this is an integer | compare it, for example with != 0"},
    {"PADDED && STRIDE",
     "1:11+6 '&&' takes booleans, but this is an integer | compare it, for example with != 0"},
    {"N || STRIDE",
     "1:1+1 '||' takes booleans, but this is an integer | compare it, for example with != 0\n"
     "1:6+6 '||' takes booleans, but this is an integer | compare it, for example with != 0"},
    {"PADDED + 1",
     "1:1+6 '+' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"1 * (N > 1)",
     "1:8+1 '*' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"-true", "1:2+4 '-' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"T * 2",
     "1:1+1 '*' takes integers, but this is an element type | sizeof(...) gives a type's size in "
     "bytes"},
    {"pattern + 1", "1:1+7 '+' takes integers, but this is a word"},
    {"min(1, T, 'a')",
     "1:8+1 'min' takes integers, but this is an element type | sizeof(...) gives a type's size "
     "in bytes\n"
     "1:11+1 'min' takes integers, but this is a word"},
    {"log2(1 < 2)",
     "1:8+1 'log2' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"is_pow2(true)",
     "1:9+4 'is_pow2' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"float < double",
     "1:1+5 '<' takes integers, but this is an element type | sizeof(...) gives a type's size in "
     "bytes\n"
     "1:9+6 '<' takes integers, but this is an element type | sizeof(...) gives a type's size in "
     "bytes"},
    {"1 < STRIDE < 8",
     "1:3+1 '<' takes integers, but this is a boolean | to chain comparisons, join them with &&"},
    {"1 <= STRIDE == true < 8",
     "1:16+4 '<' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"1 & (2 < 3)",
     "1:8+1 '&' takes integers, but this is a boolean | write X ? 1 : 0 for a boolean X"},
    {"1 == STRIDE == 8",
     "1:13+2 '==' compares a boolean with an integer | to chain comparisons, join them with &&"},
    {"T == 8", "1:3+2 '==' compares an element type with an integer"},
    {"'stride' != STRIDE", "1:10+2 '!=' compares a word with an integer"},
    {"PADDED == 1", "1:8+2 '==' compares a boolean with an integer"},
    {"STRIDE ? 1 : 2",
     "1:1+6 the condition of '?' is an integer | compare it, for example with "
     "!= 0"},
    {"PADDED ? 1 : false", "1:8+1 the branches of '?' differ: an integer and a boolean"},
    {"(PADDED ? T : pattern) == T", "1:9+1 the branches of '?' differ: an element type and a word"},
    // One message for each mistake, none for what follows from it.
    {"(A1 + 1 < 2) && !N",
     "1:2+2 there is no parameter 'A1' | the names known here are: N, STRIDE, LOWEST, T, PADDED, "
     "pattern, sizeof(Particle)\n"
     "1:18+1 '!' takes booleans, but this is an integer | compare it, for example with != 0"},
};

constexpr const char* guard = " | guard it, for example with max(X, 1) or X > 0 && ...";

std::string overflow(const std::string& place, const std::string& name) {
  return place + " the result of '" + name + "' does not fit a 64-bit integer";
}

const std::vector<ExpressionCase> arithmetic = {
    {"10 / N", std::string("1:4+1 '/' divides by zero") + guard},
    {"1 + 10 % N", std::string("1:8+1 '%' divides by zero") + guard},
    {"2 * ceil_div(10, N)", std::string("1:5+8 'ceil_div' divides by zero") + guard},
    {"0 / 0", std::string("1:3+1 '/' divides by zero") + guard},
    {"9223372036854775807 + 1", overflow("1:21+1", "+")},
    {"LOWEST + -1", overflow("1:8+1", "+")},
    {"LOWEST - 1", overflow("1:8+1", "-")},
    {"0 - LOWEST", overflow("1:3+1", "-")},
    {"-LOWEST", overflow("1:1+1", "-")},
    {"1 - -LOWEST", overflow("1:5+1", "-")},
    {"4 Gi * 2 Gi", overflow("1:6+1", "*")},
    {"LOWEST * -1", overflow("1:8+1", "*")},
    {"3037000500 * 3037000500", overflow("1:12+1", "*")},
    {"LOWEST / -1", overflow("1:8+1", "/")},
    {"ceil_div(LOWEST, -1)", overflow("1:1+8", "ceil_div")},
    {"1 << 63", overflow("1:3+2", "<<")},
    {"3 << 62", overflow("1:3+2", "<<")},
    {"LOWEST << 1", overflow("1:8+2", "<<")},
    {"1 << 64", "1:3+2 '<<' shifts by a count outside 0 to 63"},
    {"0 << -1", "1:3+2 '<<' shifts by a count outside 0 to 63"},
    {"1 >> 64", "1:3+2 '>>' shifts by a count outside 0 to 63"},
    {"1 >> LOWEST", "1:3+2 '>>' shifts by a count outside 0 to 63"},
    {"log2(0)", "1:1+4 log2 takes a value of at least 1"},
    {"1 + log2(N - 4)", "1:5+4 log2 takes a value of at least 1"},
    // Left before right, and only what is reached.
    {"1 / 0 + log2(0)", std::string("1:3+1 '/' divides by zero") + guard},
    {"min(1, log2(0), 1 / 0)", "1:8+4 log2 takes a value of at least 1"},
    {"N == 0 && 10 / N > 2", std::string("1:14+1 '/' divides by zero") + guard},
    {"N > 0 || 10 / N > 2", std::string("1:13+1 '/' divides by zero") + guard},
    {"N == 0 ? 10 / N : 1", std::string("1:13+1 '/' divides by zero") + guard},
};

constexpr const char* too_deep = "this expression is nested too deeply";
constexpr const char* too_long = "this expression is too long";

/// Texts that would overflow the stack of a parser without bounds.
const std::vector<ExpressionCase> huge = {
    {repeated("(", 10'000) + "1" + repeated(")", 10'000), too_deep},
    {repeated("(", 1'000'000), too_deep},
    {repeated("-", 10'000) + "1", too_deep},
    {repeated("!", 10'000) + "true", too_deep},
    {repeated("min(1, ", 10'000), too_deep},
    {repeated("true ? 1 : ", 10'000) + "1", too_deep},
    {repeated("true ? ", 10'000), too_deep},
    {"1" + repeated(" + 1", 10'000), too_long},
    {"1" + repeated(" * 1 + 1", 10'000), too_long},
    {repeated("(", 90) + "1" + repeated(repeated(" + 1", 900) + ")", 90), too_long},
};

}  // namespace

BOOST_DATA_TEST_CASE(syntax_is_explained_at_its_place, data::make(syntax), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_DATA_TEST_CASE(unknown_names_come_with_a_suggestion, data::make(unknown), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_DATA_TEST_CASE(kinds_do_not_mix, data::make(kinds), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_DATA_TEST_CASE(arithmetic_is_never_wrong, data::make(arithmetic), row) {
  BOOST_TEST(outcome(row.text, example()) == row.expected);
}

BOOST_AUTO_TEST_CASE(huge_expressions_end_with_an_error) {
  for (const ExpressionCase& row : huge) {
    BOOST_TEST_CONTEXT(row.text.substr(0, 40)) {
      BOOST_TEST(outcome(row.text).find(row.expected) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(long_and_deep_expressions_within_the_bounds_work) {
  BOOST_TEST(outcome("1" + repeated(" + 1", 1000)) == "1001");
  BOOST_TEST(outcome(repeated("(", 90) + "7" + repeated(")", 90)) == "7");
  BOOST_TEST(outcome(repeated("-", 190) + "7") == "7");
  BOOST_TEST(outcome("min(0" + repeated(", 1", 100'000) + ", -1)") == "-1");
}

BOOST_AUTO_TEST_CASE(places_count_from_where_the_text_stands) {
  const auto source =
      std::make_shared<const sweep::Source>(sweep::Source{"stride.cu", "\n  - N % BLOK == 0\n"});
  Diagnostics diagnostics;
  const auto expression = Expression::parse("N % BLOK == 0", {source, 2, 5, 1}, diagnostics);
  BOOST_REQUIRE(expression.has_value());
  Bindings bindings;
  bindings.set("N", std::int64_t{1});
  bindings.set("BLOCK", std::int64_t{0});
  BOOST_TEST(!expression->check(scope_of(bindings), diagnostics));
  BOOST_TEST(render(diagnostics) ==
             "stride.cu:2:9: error: there is no parameter 'BLOK'\n"
             "    - N % BLOK == 0\n"
             "          ^~~~\n"
             "  help: did you mean 'BLOCK'?\n");
}

BOOST_AUTO_TEST_CASE(evaluation_alone_is_safe_too) {
  const auto evaluated = [](const std::string& text) {
    Diagnostics diagnostics;
    const auto expression = Expression::parse(text, whole_text(text), diagnostics);
    BOOST_REQUIRE(expression.has_value());
    try {
      return to_string(expression->evaluate(example()));
    } catch (const InputError& error) {
      return messages(error.diagnostics());
    }
  };
  BOOST_TEST(evaluated("1 + NOWHERE") == "1:5+7 'NOWHERE' has no value here");
  BOOST_TEST(evaluated("sizeof(Nowhere)") == "1:1+15 'sizeof(Nowhere)' has no value here");
  BOOST_TEST(evaluated("sizeof(STRIDE)") == "1:1+14 'sizeof(STRIDE)' has no value here");
  BOOST_TEST(evaluated("1 + PADDED") == "1:5+6 this is a boolean where an integer is needed");
  BOOST_TEST(evaluated("STRIDE && true") == "1:1+6 this is an integer where a boolean is needed");
  BOOST_TEST(evaluated("T ? 1 : 2") == "1:1+1 this is an element type where a boolean is needed");
  BOOST_TEST(evaluated("T == 1") == "1:3+2 '==' compares an element type with an integer");
}

BOOST_AUTO_TEST_CASE(the_wanted_kind_is_asked_for) {
  const auto asked = [](const std::string& text, auto member) {
    Diagnostics diagnostics;
    const auto expression = Expression::parse(text, whole_text(text), diagnostics);
    BOOST_REQUIRE(expression.has_value());
    try {
      ((*expression).*member)(example());
    } catch (const InputError& error) {
      return messages(error.diagnostics());
    }
    return std::string("nothing");
  };
  BOOST_TEST(asked("1 < 2", &Expression::evaluate_integer) ==
             "1:3+1 this is a boolean where an integer is needed");
  BOOST_TEST(asked("1 + 2", &Expression::evaluate_boolean) ==
             "1:3+1 this is an integer where a boolean is needed");
  BOOST_TEST(asked("T", &Expression::evaluate_integer) ==
             "1:1+1 this is an element type where an integer is needed");
}

BOOST_AUTO_TEST_SUITE_END()
