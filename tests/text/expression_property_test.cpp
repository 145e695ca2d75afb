#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <limits>

#include "engine/text/expression.h"
#include "tests/rapidcheck_case.h"
#include "tests/text/expression_case.h"
#include "tests/text/expression_tree.h"

BOOST_AUTO_TEST_SUITE(expression_properties)

namespace {

using namespace sweep::testing;
using sweep::Bindings;
using sweep::Diagnostic;
using sweep::Diagnostics;
using sweep::Expression;
using sweep::InputError;
using sweep::Value;

/// Lists of up to a few hundred decisions, shorter ones first.
rc::Gen<std::vector<std::uint32_t>> decisions(double scale) {
  return rc::gen::scale(scale, rc::gen::container<std::vector<std::uint32_t>>(
                                   rc::gen::inRange<std::uint32_t>(0, 1U << 16U)));
}

/// The outcome in words; a fault with the column where its operator stands.
std::string shown(const Outcome& outcome, const Printed& printed) {
  if (const auto* truth = std::get_if<bool>(&outcome)) return *truth ? "true" : "false";
  if (const auto* value = std::get_if<boost::multiprecision::cpp_int>(&outcome)) {
    return value->str();
  }
  const Fault& fault = std::get<Fault>(outcome);
  for (const auto& [tree, column] : printed.columns) {
    if (tree == fault.tree) return fmt::format("column {}: {}", column, fault.message);
  }
  return "a fault outside the text";
}

/// The engine's outcome in the same words.
std::string engine_outcome(const std::string& text, const Bindings& bindings,
                           const Outcome& expected) {
  Diagnostics diagnostics;
  const auto expression = Expression::parse(text, whole_text(text), diagnostics);
  if (!expression) return "not parsed: " + messages(diagnostics);
  const auto kind = expression->check(scope_of(bindings), diagnostics);
  if (!kind) return "not checked: " + messages(diagnostics);
  try {
    const Value value = expression->evaluate(bindings);
    return kind_of(value) == *kind ? to_string(value) : "not of the kind that was checked";
  } catch (const InputError& error) {
    const Diagnostic& diagnostic = error.diagnostics().list().front();
    const auto* fault = std::get_if<Fault>(&expected);
    const bool same =
        fault != nullptr && diagnostic.message.find(fault->message) != std::string::npos;
    return fmt::format("column {}: {}", diagnostic.where.column,
                       same ? fault->message : diagnostic.message);
  }
}

/// Every message stands within the text and can be shown.
void check_places(const Diagnostics& diagnostics, const std::string& text) {
  RC_ASSERT(diagnostics.has_errors());
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    RC_ASSERT(diagnostic.where.line == 1U);
    RC_ASSERT(diagnostic.where.column >= 1U);
    RC_ASSERT(diagnostic.where.column <= text.size() + 1);
    RC_ASSERT(!diagnostic.message.empty());
    RC_ASSERT(render(diagnostic).ends_with('\n'));
  }
}

/// Parses, checks and evaluates a text that is most likely wrong.
void try_all(const std::string& text) {
  Bindings bindings;
  bindings.set("N", std::int64_t{0});
  bindings.set("M", std::numeric_limits<std::int64_t>::min());
  bindings.set("T", *sweep::ElementType::find("float"));
  bindings.set("P", true);
  bindings.set("w", std::string("word"));
  bindings.set("sizeof(S)", std::int64_t{12});
  Diagnostics diagnostics;
  const auto expression = Expression::parse(text, whole_text(text), diagnostics);
  if (!expression) return check_places(diagnostics, text);
  RC_ASSERT(diagnostics.empty());
  expression->names();
  const auto kind = expression->check(scope_of(bindings), diagnostics);
  if (!kind) check_places(diagnostics, text);
  try {
    const Value value = expression->evaluate(bindings);
    if (kind) RC_ASSERT(kind_of(value) == *kind);
  } catch (const InputError& error) {
    check_places(error.diagnostics(), text);
    // What passes the check fails in arithmetic only.
    const std::string& message = error.diagnostics().list().front().message;
    const bool is_arithmetic = message.find("64-bit") != std::string::npos ||
                               message.find("by zero") != std::string::npos ||
                               message.find("shifts by") != std::string::npos ||
                               message.find("log2 takes") != std::string::npos;
    RC_ASSERT(is_arithmetic || !kind);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_and_faults_are_those_of_unbounded_integers) {
  int values = 0;
  int faults = 0;
  check_property(
      [&] {
        Choices growing(*decisions(2));
        const Tree tree = random_tree(growing, growing.next(3) == 1);
        Choices binding(*decisions(0.3));
        const Bindings bindings = random_bindings(binding);
        Choices printing(*decisions(3));
        const Printed printed = print(tree, printing);
        const Outcome expected = reference(tree, bindings);
        ++(std::holds_alternative<Fault>(expected) ? faults : values);
        RC_LOG(printed.text + "\n" + to_string(bindings));
        RC_ASSERT(engine_outcome(printed.text, bindings, expected) == shown(expected, printed));
      },
      2500);
  BOOST_TEST(values > 500);
  BOOST_TEST(faults > 500);
}

BOOST_AUTO_TEST_CASE(no_bytes_crash_the_parser) {
  check_property(
      [] {
        const auto bytes = rc::gen::container<std::string>(rc::gen::arbitrary<char>());
        try_all(*bytes);
      },
      1000);
}

BOOST_AUTO_TEST_CASE(no_tokens_crash_the_evaluator) {
  const std::vector<std::string> tokens = {"N",         "M",
                                           "T",         "P",
                                           "w",         "S",
                                           "0",         "1",
                                           "2",         "63",
                                           "64",        "0x",
                                           "Ki",        "Gi",
                                           "true",      "false",
                                           "float",     "'a'",
                                           "'",         "min(",
                                           "max(",      "log2(",
                                           "ceil_div(", "is_pow2(",
                                           "sizeof(",   "sizeof(S)",
                                           "sizeof(T)", "(",
                                           ")",         ",",
                                           "?",         ":",
                                           "||",        "&&",
                                           "|",         "^",
                                           "&",         "==",
                                           "!=",        "<",
                                           "<=",        ">",
                                           ">=",        "<<",
                                           ">>",        "+",
                                           "-",         "*",
                                           "/",         "%",
                                           "!",         "~",
                                           "=",         ".",
                                           " ",         "\t",
                                           "é",         "9223372036854775807"};
  check_property(
      [&] {
        const auto soup = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(tokens));
        std::string text;
        const bool spaced = *rc::gen::arbitrary<bool>();
        for (const std::string& token : soup) text += token + (spaced ? " " : "");
        try_all(text);
      },
      1000);
}

BOOST_AUTO_TEST_CASE(damaged_expressions_crash_nothing) {
  check_property(
      [] {
        Choices growing(*decisions(1));
        Choices printing(*decisions(1));
        std::string text = print(random_tree(growing, false), printing).text;
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        const auto count = *rc::gen::inRange<std::size_t>(0, 5);
        const auto patch = *rc::gen::container<std::string>(
            rc::gen::elementOf(std::string("()?:<>=!&|^+-*/%~,N1'\"")));
        text.replace(at, count, patch.substr(0, 3));
        try_all(text);
      },
      1000);
}

BOOST_AUTO_TEST_SUITE_END()
