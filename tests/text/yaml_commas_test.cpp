#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <vector>

#include "engine/text/yaml.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(yaml_commas)

namespace {

/// The text with each hidden comma as a ';'.
std::string hidden(std::string_view text) {
  std::string result = sweep::hide_commas(text);
  std::ranges::replace(result, sweep::hidden_comma, ';');
  return result;
}

struct Row {
  std::string text;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << "\n" << row.text;
  }
};

const std::vector<Row> hiding = {
    {"{a: f(1, 2), b: 3}", "{a: f(1; 2), b: 3}"},
    {"[f(1, g(2, 3)), (4, 5)]", "[f(1; g(2; 3)), (4; 5)]"},
    {"x: {a: [f(1, 2), 3], b: (4, 5)}", "x: {a: [f(1; 2), 3], b: (4; 5)}"},
    {"- [f(1, 2)]\n- - {a: f(1, 2)}\n", "- [f(1; 2)]\n- - {a: f(1; 2)}\n"},
    {"a: 1\nb:\n  c:\n    {d: f(1, 2)}\n", "a: 1\nb:\n  c:\n    {d: f(1; 2)}\n"},
    {"---\n  a: [f(1, 2)]\n", "---\n  a: [f(1; 2)]\n"},
    {"--- [f(1, 2)]\n", "--- [f(1; 2)]\n"},
    {"\xEF\xBB\xBF[f(1, 2)]", "\xEF\xBB\xBF[f(1; 2)]"},
    {"a: &x [f(1, 2)]", "a: &x [f(1; 2)]"},
    {"'k': [f(1, 2)]", "'k': [f(1; 2)]"},
    {"? [f(1, 2)]\n: {a: (1, 2)}\n", "? [f(1; 2)]\n: {a: (1; 2)}\n"},
    {"{\n  a: f(1,\n    2),\n  b: 3\n}\n", "{\n  a: f(1;\n    2),\n  b: 3\n}\n"},
    {"[f(1, # (\n 2), 3]", "[f(1;    \n 2), 3]"},
    {"[f(1, a#b, 2)]", "[f(1; a#b; 2)]"},
    {"[f(a:b, 2), 3]", "[f(a:b; 2), 3]"},
    {"[f('a', \"b\"), 3]", "[f('a'; \"b\"), 3]"},
    // What was unbalanced ends with its collection.
    {"[f(1, 2]\n", "[f(1; 2]\n"},
    {"a: [f(1, 2]\nb: [3, 4]\n", "a: [f(1; 2]\nb: [3, 4]\n"},
    {"{a: f(1, b: 2, c: 3}", "{a: f(1; b: 2, c: 3}"},
    {"[1), 2, (3, 4)]", "[1), 2, (3; 4)]"},
};

/// Commas that separate, and text outside of flow collections.
const std::vector<std::string> untouched = {
    "[a, b, {c: d, e: f}]",
    "[(a), (b), f(g(c)), d]",
    "['(', b, \"(\", c, ')']",
    "['it''s (', b]",
    "[\"\\\"(\", b]",
    "[&a '(', b, *a , c]",
    "[a, # (\n b, c]",
    "{a: '(', b: 2}",
    "{'a(': 1, b: 2}",
    "a: f(1, 2)\n",
    "- f(1, 2)\n- (3, 4)\n",
    "a: see [f(1, 2)]\n",
    "a: words\n  [f(1, 2)]\n",
    "a: words\n\n  [f(1, 2)]\n",
    "a: |\n  [f(1, 2)]\n\n  (it's\nb: [x, y]\n",
    "a: |  # why\n  [f(1, 2)]\n",
    "- >-\n  {(\n- [x, y]\n",
    "a:\n  b: |\n    it's (\n  c: [x, y]\n",
    "a: 'it''s ('\nb: [x, y]\n",
    "a: \"[f(1, 2)]\"\n",
    "a: 'one\n  [f(1, 2)]'\n",
    "a: it's (\nb: [x, y]\n",
    "# it's [f(1, 2)]\na: [x, y]\n",
    "a: b # [f(1, 2)]\n",
};

}  // namespace

BOOST_DATA_TEST_CASE(commas_within_parentheses_are_hidden, data::make(hiding), row) {
  BOOST_TEST(hidden(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(everything_else_stays, data::make(untouched), text) {
  BOOST_TEST(hidden(text) == text);
}

BOOST_AUTO_TEST_CASE(a_hidden_comma_is_a_character_yaml_forbids) {
  BOOST_TEST(sweep::hide_commas("[f(1,2)]") ==
             "[f(1\x1F"
             "2)]");
}

BOOST_AUTO_TEST_CASE(places_never_change) {
  sweep::testing::check_property(
      [] {
        const auto text = *rc::gen::container<std::string>(
            rc::gen::elementOf(std::string(" \n:-?[]{},#&|'\"\\ab()")));
        const std::string result = sweep::hide_commas(text);
        RC_ASSERT(result.size() == text.size());
        RC_ASSERT(std::ranges::count(result, '\n') == std::ranges::count(text, '\n'));
      },
      1000);
}

BOOST_AUTO_TEST_SUITE_END()
