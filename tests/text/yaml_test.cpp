#include "engine/text/yaml.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/text/yaml_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(yaml)

namespace {

using namespace sweep::testing;
using sweep::Diagnostics;
using sweep::read_yaml;

const std::vector<YamlCase> structures = {
    {"a: 1\nb: two words\n", "{a: 1, b: two words}"},
    {"a: 1", "{a: 1}"},
    {"- x\n- y\n", "[x, y]"},
    {"just words\n", "just words"},
    {"a:\n  b:\n    - 1\n    - c: 2\n      d: 3\n", "{a: {b: [1, {c: 2, d: 3}]}}"},
    {"a:\n- 1\n- 2\nb: 3\n", "{a: [1, 2], b: 3}"},
    {"a: {b: 1, c: [x, y], d: {}}\ne: []\n", "{a: {b: 1, c: [x, y], d: {}}, e: []}"},
    {"- {a: 1, b: 2}\n- [3, 4]\n", "[{a: 1, b: 2}, [3, 4]]"},
    {"z: 1\na: 2\nm: 3\n", "{z: 1, a: 2, m: 3}"},
    {"a:\nb: ~\nc: null\nd: {e}\n", "{a: null, b: null, c: null, d: {e: null}}"},
    {"[a, b, ]", "[a, b]"},
    {"'a b': 1\n\"c: d\": 2\n", "{\"a b\": 1, \"c: d\": 2}"},
    {"a: 'it''s'\nb: \"tab\\there\"\n", "{a: \"it's\", b: \"tab\there\"}"},
    {"a: \"\"\nb: ''\n", "{a: \"\", b: \"\"}"},
    {"a: |\n  one\n  two\nb: 1\n", "{a: \"one\ntwo\n\", b: 1}"},
    {"a: |-\n  one\nb: 1\n", "{a: \"one\", b: 1}"},
    {"a: >\n  one\n  two\n", "{a: \"one two\n\"}"},
    {"a: one\n  two\n", "{a: one two}"},
    {"a: \"one\n  two\"\n", "{a: \"one two\"}"},
    {"# before\na: 1  # behind\n\n# between\nb: x#y\n", "{a: 1, b: x#y}"},
    {"---\na: 1\n", "{a: 1}"},
    {"a: 1\n...\n", "{a: 1}"},
    {"a: 1\n...\n# the end\n", "{a: 1}"},
    {"%YAML 1.2\n---\na: 1\n", "{a: 1}"},
    {"a: -1\nb: +1\nc: 1.5\nd: true\ne: 0x1F\n", "{a: -1, b: +1, c: 1.5, d: true, e: 0x1F}"},
    {"url: http://x.org/a?b=c\n", "{url: http://x.org/a?b=c}"},
    {"a: N % 2 == 0\nb: 'x' \n", "{a: N % 2 == 0, b: \"x\"}"},
    {"größe: wörter\n", "{größe: wörter}"},
    // Line breaks, the byte order mark, nothing at all
    {"a: 1\r\nb: x y\r\nc:\r\n  - 1\r\n  - 2\r\n", "{a: 1, b: x y, c: [1, 2]}"},
    {"c: |\r\n  one\r\n  two\r\nd: 1\r\n", "{c: \"one\ntwo\n\", d: 1}"},
    {"\xEF\xBB\xBF"
     "a: 1\nb: 2\n",
     "{a: 1, b: 2}"},
    {"", "null"},
    {"\n\n  \n", "null"},
    {"# only\n# comments\n", "null"},
    {"---\n", "null"},
    {"\xEF\xBB\xBF", "null"},
    // Anchors and aliases
    {"a: &x 1\nb: *x\n", "{a: 1, b: 1}"},
    {"a: &x {p: 1, q: [2]}\nb: *x\nc: [*x]\n",
     "{a: {p: 1, q: [2]}, b: {p: 1, q: [2]}, c: [{p: 1, q: [2]}]}"},
    {"a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: 2, c: 2}"},
    {"a: &x\nb: *x\n", "{a: null, b: null}"},
    {"&k a: 1\nb: *k\n", "{a: 1, b: a}"},
};

/// Commas within parentheses do not separate in `{...}` and `[...]`.
const std::vector<YamlCase> rejoined = {
    {"{length: N * max(STRIDE, 1)}", "{length: N * max(STRIDE, 1)}"},
    {"{a: min(1, max(2, 3)), b: 4}", "{a: min(1, max(2, 3)), b: 4}"},
    {"{a: min(1, 2, 3, 4), b: 4}", "{a: min(1, 2, 3, 4), b: 4}"},
    {"{a: min(1,2,max(3,4),5)}", "{a: min(1,2,max(3,4),5)}"},
    {"{a: 1, b: (2 , 3) * min( 4 ,5 )}", "{a: 1, b: (2 , 3) * min( 4 ,5 )}"},
    {"[min(1, 2), max(3, 4)]", "[min(1, 2), max(3, 4)]"},
    {"[min(1, max(2, min(3, 4)), 5), 6]", "[min(1, max(2, min(3, 4)), 5), 6]"},
    {"[1, (2, 3), 4]", "[1, (2, 3), 4]"},
    {"{grid: [ceil_div(N, 32), 1], block: max(A, B)}",
     "{grid: [ceil_div(N, 32), 1], block: max(A, B)}"},
    {"[{a: f(1, 2), b: 3}, g(4, 5)]", "[{a: f(1, 2), b: 3}, g(4, 5)]"},
    {"a: {b: f(1, 2), c: {d: g(3, 4)}}\ne: [h(5, 6)]\n",
     "{a: {b: f(1, 2), c: {d: g(3, 4)}}, e: [h(5, 6)]}"},
    {"a: f(1, 2)\nb:\n  - g(3, 4)\n", "{a: f(1, 2), b: [g(3, 4)]}"},
    {"{a: f(1,\n    2), b: 3}", "{a: f(1, 2), b: 3}"},
    {"[f(1, 2\n    + 3), 4]", "[f(1, 2 + 3), 4]"},
    {"[f(1, # one\n  2), 3]", "[f(1, 2), 3]"},
    {"{\n  a: f(1, 2)\n}", "{a: f(1, 2)}"},
    {"{a: f(1, 2\n    + 3)\n , b: 4}", "{a: f(1, 2 + 3), b: 4}"},
    {"{f(a, b): 1}", "{f(a, b): 1}"},
    {"[min(1, '2')]", "[min(1, '2')]"},
    {"[f(2, *x , 3), 4]", "[f(2, *x , 3), 4]"},
    // What stays apart
    {"[a, b, c]", "[a, b, c]"},
    {"[\"(\", b, ')']", "[\"(\", b, \")\"]"},
    {"[&x '(', b]", "[\"(\", b]"},
    {"[a, # (\n b]", "[a, b]"},
    {"[a(b), c(d), e]", "[a(b), c(d), e]"},
    {"[a), b, c(]", "[a), b, c(]"},
    {"['min(1', '2)']", "[\"min(1\", \"2)\"]"},
    {"{a: 1, b, c: 2}", "{a: 1, b: null, c: 2}"},
    {"{a: 'f(1', b, c: 2}", "{a: \"f(1\", b: null, c: 2}"},
};

}  // namespace

BOOST_DATA_TEST_CASE(documents_become_trees, data::make(structures), row) {
  BOOST_TEST(yaml_outcome(row.text) == row.expected);
}

BOOST_DATA_TEST_CASE(commas_within_parentheses_do_not_separate, data::make(rejoined), row) {
  BOOST_TEST(yaml_outcome(row.text) == row.expected);
}

BOOST_AUTO_TEST_CASE(a_rejoined_list_has_the_items_it_shows) {
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source("[min(1, max(2, 3)), a, (b, c)]"), diagnostics);
  BOOST_REQUIRE(root.has_value());
  BOOST_REQUIRE(root->items.size() == 3U);
  BOOST_TEST(root->items[0].text == "min(1, max(2, 3))");
  BOOST_TEST(root->items[1].text == "a");
  BOOST_TEST(root->items[2].text == "(b, c)");
}

BOOST_AUTO_TEST_CASE(long_rejoined_texts_are_read_quickly) {
  std::string text = "[f(0";
  for (int i = 1; i < 30'000; ++i) text += ",1";
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source(text + "), x]"), diagnostics);
  BOOST_REQUIRE(root.has_value());
  BOOST_REQUIRE(root->items.size() == 2U);
  BOOST_TEST(root->items[0].text.size() == text.size());
}

BOOST_AUTO_TEST_CASE(a_map_finds_its_values) {
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source("a: 1\nb: [x]\n'c d': {e: f}\ng:\n"), diagnostics);
  BOOST_REQUIRE(root.has_value());
  BOOST_TEST(root->is_map());
  BOOST_REQUIRE(root->find("a") != nullptr);
  BOOST_TEST(root->find("a")->is_scalar());
  BOOST_TEST(root->find("a")->text == "1");
  BOOST_REQUIRE(root->find("b") != nullptr);
  BOOST_TEST(root->find("b")->is_sequence());
  BOOST_REQUIRE(root->find("c d") != nullptr);
  BOOST_TEST(root->find("c d")->find("e")->text == "f");
  BOOST_REQUIRE(root->find("g") != nullptr);
  BOOST_TEST(root->find("g")->is_null());
  BOOST_TEST(root->find("A") == nullptr);
  BOOST_TEST(root->find("") == nullptr);
  BOOST_TEST(root->find("b")->find("x") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
