#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/text/expression.h"
#include "tests/rapidcheck_case.h"
#include "tests/text/expression_case.h"
#include "tests/text/expression_tree.h"

BOOST_AUTO_TEST_SUITE(compiled_expressions)

namespace {

using namespace sweep::testing;
using sweep::Bindings;
using sweep::CompiledExpression;
using sweep::Diagnostics;
using sweep::Expression;
using sweep::InputError;
using sweep::SlotValue;

/// What both forms come to, "nothing" where there is no value.
struct Both {
  std::string plain;
  std::string compiled;
};

std::string plainly(const Expression& expression, const Bindings& bindings) {
  try {
    return to_string(expression.evaluate(bindings));
  } catch (const InputError&) {
    return "nothing";
  }
}

Both evaluate(const std::string& text, const Bindings& bindings) {
  Diagnostics diagnostics;
  const auto expression = Expression::parse(text, whole_text(text), diagnostics);
  if (!expression) return {"not parsed: " + messages(diagnostics), ""};
  std::vector<std::string> names;
  std::vector<SlotValue> slots;
  for (const auto& [name, value] : bindings.entries()) {
    names.push_back(name);
    slots.push_back(sweep::slot_value(value));
  }
  const SlotValue value = CompiledExpression(*expression, names).evaluate(slots);
  const bool fails = std::holds_alternative<std::monostate>(value);
  return {plainly(*expression, bindings), fails ? "nothing" : to_string(sweep::to_value(value))};
}

const std::vector<ExpressionCase> cases = {
    {"sizeof(T) * sizeof(S) + sizeof(double)", "56"},
    {"T == float", "true"},
    {"T != float4", "true"},
    {"pattern == 'stride' ? 1 : 2", "1"},
    {"pattern != 'tile'", "true"},
    {"min(N, 3, 2) + max(1, N, 9)", "11"},
    {"N > 0 || 1 / 0 > 1", "true"},
    {"N < 0 && 1 / 0 > 1", "false"},
    {"N < 0 ? 1 / 0 : 7", "7"},
    {"~N", "-6"},
    {"log2(N) + ceil_div(N, 2) + (N << 2)", "25"},
    // without a value
    {"1 / (N - 5)", "nothing"},
    {"max(1, 1 / 0)", "nothing"},
    {"min(1 / 0, 1)", "nothing"},
    {"X + 1", "nothing"},
    {"sizeof(N)", "nothing"},
    {"sizeof(X)", "nothing"},
    {"N == T", "nothing"},
    {"X == Y", "nothing"},
    {"!N", "nothing"},
    {"N && true", "nothing"},
    {"true && N", "nothing"},
    {"T + 1", "nothing"},
    {"N ? 1 : 2", "nothing"},
    {"is_pow2(T)", "nothing"},
    {"1 < T", "nothing"},
};

}  // namespace

BOOST_DATA_TEST_CASE(names_are_read_by_number, boost::unit_test::data::make(cases), row) {
  Bindings bindings;
  bindings.set("N", std::int64_t{5});
  bindings.set("T", *sweep::ElementType::find("float"));
  bindings.set("sizeof(S)", std::int64_t{12});
  bindings.set("pattern", std::string("stride"));
  const Both both = evaluate(row.text, bindings);
  BOOST_TEST(both.plain == row.expected);
  BOOST_TEST(both.compiled == row.expected);
}

BOOST_AUTO_TEST_CASE(a_slot_without_a_value_fails_only_what_reads_it) {
  Diagnostics diagnostics;
  const std::vector<std::string> names = {"N"};
  const std::vector<SlotValue> slots(1);
  const auto value = [&](const std::string& text) {
    const auto expression = Expression::parse(text, whole_text(text), diagnostics);
    return CompiledExpression(*expression, names).evaluate(slots);
  };
  BOOST_TEST((value("N + 1") == SlotValue()));
  BOOST_TEST((value("N == N") == SlotValue()));
  BOOST_TEST((value("true || N > 1") == SlotValue(true)));
}

BOOST_AUTO_TEST_CASE(random_expressions_come_to_the_same_as_evaluated_plainly) {
  int values = 0;
  int failures = 0;
  check_property(
      [&] {
        const auto decisions = [](double scale) {
          return *rc::gen::scale(scale, rc::gen::container<std::vector<std::uint32_t>>(
                                            rc::gen::inRange<std::uint32_t>(0, 1U << 16U)));
        };
        Choices growing(decisions(2));
        const Tree tree = random_tree(growing, growing.next(3) == 1);
        Choices binding(decisions(0.3));
        const Bindings bindings = random_bindings(binding);
        Choices printing(decisions(1));
        const Both both = evaluate(print(tree, printing).text, bindings);
        ++(both.plain == "nothing" ? failures : values);
        RC_ASSERT(both.compiled == both.plain);
      },
      2000);
  BOOST_TEST(values > 400);
  BOOST_TEST(failures > 400);
}

BOOST_AUTO_TEST_SUITE_END()
