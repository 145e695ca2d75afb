#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "engine/text/expression.h"
#include "tests/text/message_case.h"

namespace data = boost::unit_test::data;
using namespace sweep;

BOOST_AUTO_TEST_SUITE(real_arithmetic)

namespace {

struct RealCase {
  const char* text;
  std::optional<double> value;
  friend std::ostream& operator<<(std::ostream& out, const RealCase& row) {
    return out << row.text;
  }
};

const std::vector<RealCase> values = {
    {"1e9", 1e9},
    {"2.5e-3 + 1", 1.0025},
    {"7 / 2", 3.5},
    {"2 * M * M * M / time / 1e9", 2e3 * 2e3 * 2e3 * 2 / 1e-3 / 1e9},
    {"9223372036854775807 * 4", 4 * 9223372036854775807.0},
    {"ceil_div(7, 2)", 4},
    {"log2(8) + log2(3 / 3)", 3},
    {"min(2.5, M, 3) - max(1, 0.5)", 1.5},
    {"-M + +1 Ki", -976},
    {"0x10 / 32", 0.5},
    {"wide ? 1 : 2", 1},
    {"!wide || M < 10 ? 1 : 2", 2},
    {"T == double && sizeof(T) == 8 ? sizeof(T) : 0", 8},
    {"pattern == 'copy' ? 1 : 2", 1},
    {"l1tex__t_sectors.sum / 4", 2.5},
    {"none > 1 || wide ? 1 : 2", std::nullopt},
    {"M / 0", std::nullopt},
    {"0 / 0", std::nullopt},
    {"none * 0", std::nullopt},
    {"wide", std::nullopt},
    {"T + 1", std::nullopt},
};

RealValue look_up(std::string_view name) {
  if (name == "M") return 2000.0;
  if (name == "time") return 1e-3;
  if (name == "wide") return true;
  if (name == "T") return *ElementType::find("double");
  if (name == "pattern") return std::string_view("copy");
  if (name == "l1tex__t_sectors.sum") return 10.0;
  return {};
}

Expression real(const std::string& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"text", text});
  auto expression =
      Expression::parse(text, Location{source, 1, 1, text.size()}, diagnostics, Numbers::reals);
  BOOST_TEST_REQUIRE(expression.has_value(), testing::messages(diagnostics));
  return *expression;
}

struct RealMistake {
  std::string text;
  std::string expected;
  friend std::ostream& operator<<(std::ostream& out, const RealMistake& row) {
    return out << row.text;
  }
};

const std::vector<RealMistake> mistakes = {
    {"1e9x", "1:4+1 'x' is not a unit | Ki, Mi and Gi stand behind integers"},
    {"1.5 Ki", "1:5+2 'Ki' is not expected here"},
    {"1e999", "1:1+5 this number does not fit a floating-point number"},
    {"time.", "1:5+1 '.' has no meaning in an expression"},
    {"M % 2",
     "1:3+1 '%' is for integers, and this is computed in floating point | use + - * / min max "
     "ceil_div log2 and comparisons"},
    {"(M >> 1) / time",
     "1:4+2 '>>' is for integers, and this is computed in floating point | use + - * / min max "
     "ceil_div log2 and comparisons"},
};

}  // namespace

BOOST_DATA_TEST_CASE(real_expressions_are_computed_in_floating_point, data::make(values)) {
  const auto value = evaluate_real(real(sample.text), look_up);
  BOOST_TEST(value.has_value() == sample.value.has_value());
  if (value && sample.value) {
    BOOST_TEST(*value == *sample.value, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_DATA_TEST_CASE(what_real_numbers_do_not_have_is_refused, data::make(mistakes)) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(Source{"text", sample.text});
  const auto expression = Expression::parse(sample.text, Location{source, 1, 1, sample.text.size()},
                                            diagnostics, Numbers::reals);
  if (expression) check_real(*expression, diagnostics);
  BOOST_TEST(testing::messages(diagnostics) == sample.expected);
}

BOOST_AUTO_TEST_CASE(numbers_are_integers_elsewhere) {
  for (const std::string text : {"1.5", "1e9", "a.b"}) {
    Diagnostics diagnostics;
    const auto source = std::make_shared<const Source>(Source{"text", text});
    BOOST_TEST(!Expression::parse(text, Location{source, 1, 1, text.size()}, diagnostics));
  }
}

BOOST_AUTO_TEST_SUITE_END()
