#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/text/yaml.h"
#include "tests/text/yaml_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(yaml_places)

namespace {

using namespace sweep::testing;
using sweep::Diagnostics;
using sweep::read_yaml;
using sweep::YamlNode;

/// @LINE:COLUMN is a scalar's first character, inside any quotes; ~ marks one that the source
/// spells differently.
const std::vector<YamlCase> scalars = {
    // Block style
    {"a: 1\n", "{a@1:1: 1@1:4}"},
    {"a:   word\nbc: two words\n", "{a@1:1: word@1:6, bc@2:1: two words@2:5}"},
    {"\n\n  a: 1\n", "{a@3:3: 1@3:6}"},
    {"a:\n  b: 1\n  c:\n    - x\n    -   y\n", "{a@1:1: {b@2:3: 1@2:6, c@3:3: [x@4:7, y@5:9]}}"},
    {"a:\n  word\n", "{a@1:1: word@2:3}"},
    {"- - a\n  - b\n", "[[a@1:5, b@2:5]]"},
    {"a: one\n  two\nb: 1\n", "{a@1:1: one two@1:4~, b@3:1: 1@3:4}"},
    // Quotes
    {"a: 'x y'\nb: \"z\"\n", "{a@1:1: \"x y\"@1:5, b@2:1: \"z\"@2:5}"},
    {"'a': 1\n\"b c\": 2\n", "{\"a\"@1:2: 1@1:6, \"b c\"@2:2: 2@2:8}"},
    {"a: ''\nb: \"\"\n", "{a@1:1: \"\"@1:5, b@2:1: \"\"@2:5}"},
    {"a: 'it''s'\n", "{a@1:1: \"it's\"@1:5~}"},
    {"a: \"x\\ty\"\n", "{a@1:1: \"x\ty\"@1:5~}"},
    {"a: \"x\\\\\"\nb: y\n", "{a@1:1: \"x\\\"@1:5~, b@2:1: y@2:4}"},
    {"a: \"x\n  y\"\nb: z\n", "{a@1:1: \"x y\"@1:5~, b@3:1: z@3:4}"},
    {"a: \"q\\\"r\" # q\"r\n", "{a@1:1: \"q\"r\"@1:5~}"},
    // Block scalars
    {"a: |\n  one\n", "{a@1:1: \"one\n\"@2:3}"},
    {"a: |-\n    one\nb: 1\n", "{a@1:1: \"one\"@2:5, b@3:1: 1@3:4}"},
    {"a: |  # why\n  one\n  two\n", "{a@1:1: \"one\ntwo\n\"@2:3~}"},
    {"a: |2\n    one\n  two\n", "{a@1:1: \"  one\ntwo\n\"@2:3~}"},
    {"a: |\n\n  one\n", "{a@1:1: \"\none\n\"@2:1~}"},
    {"a: >\n   one\n   two\n", "{a@1:1: \"one two\n\"@2:4~}"},
    {"- |\n one\n- x\n", "[\"one\n\"@2:2, x@3:3]"},
    {"a: |\n  one\r\n", "{a@1:1: \"one\n\"@2:3}"},
    // Flow style
    {"{a: 1, b: [x, 'y', \"z\"], c: }",
     "{a@1:2: 1@1:5, b@1:8: [x@1:12, \"y\"@1:16, \"z\"@1:21], c@1:26: null}"},
    {"a: {b: 1,\n    c: two words ,\n    'd': e}\n",
     "{a@1:1: {b@1:5: 1@1:8, c@2:5: two words@2:8, \"d\"@3:6: e@3:10}}"},
    {"{\"a\":1}", "{\"a\"@1:3: 1@1:6}"},
    {"[a: 1]", "[{a@1:2: 1@1:5}]"},
    // Columns are bytes
    {"größe: 1\n", "{größe@1:1: 1@1:10}"},
    {"{é: ö, 'ü': x}", "{é@1:2: ö@1:6, \"ü\"@1:11: x@1:16}"},
    {"# größe\na: 漢字 x\nb: 1\n", "{a@2:1: 漢字 x@2:4, b@3:1: 1@3:4}"},
    // A byte order mark is part of the first line, not of the others
    {"\xEF\xBB\xBF"
     "a: 1\nb: 2\n",
     "{a@1:4: 1@1:7, b@2:1: 2@2:4}"},
    {"a: 1\r\n\r\nb: 'x'\r\n", "{a@1:1: 1@1:4, b@3:1: \"x\"@3:5}"},
    // An alias has the place of what it repeats; a text is found behind its anchor
    {"a: &x 1\nb: *x\n", "{a@1:1: 1@1:7, b@2:1: 1@1:7}"},
    {"a: &foo foo\nb: &f 'f'\n", "{a@1:1: foo@1:9, b@2:1: \"f\"@2:8}"},
    {"a: &x |\n  one\nb: &y # why\n  two\n", "{a@1:1: \"one\n\"@2:3, b@3:1: two@4:3}"},
    {"[&a a, &b 'b']", "[a@1:5, \"b\"@1:12]"},
    {"&k key: 1\n", "{key@1:4: 1@1:9}"},
    // Texts that a comma split
    {"{a: f(1, 2), b: c}", "{a@1:2: f(1, 2)@1:5, b@1:14: c@1:17}"},
    {"x: [1, f(2,g( 3 ,4) ) + 5]", "{x@1:1: [1@1:5, f(2,g( 3 ,4) ) + 5@1:8]}"},
    {"é: {b: f(ö, 2), c: d}", "{é@1:1: {b@1:6: f(ö, 2)@1:9, c@1:19: d@1:22}}"},
    {"{a: f(1,\n    2), b: c}", "{a@1:2: f(1, 2)@1:5~, b@2:9: c@2:12}"},
    {"[f(1, 2\n  + 3), c]", "[f(1, 2 + 3)@1:2~, c@2:9]"},
    {"{\n  a: f(1, 2)\n}\n", "{a@2:3: f(1, 2)@2:6}"},
    {"[f(1, # one\n  2), c]", "[f(1, 2)@1:2~, c@2:7]"},
};

const YamlNode& value_of(const YamlNode& map, std::string_view key) {
  const YamlNode* value = map.find(key);
  BOOST_REQUIRE(value != nullptr);
  return *value;
}

}  // namespace

BOOST_DATA_TEST_CASE(scalars_know_their_first_character, data::make(scalars), row) {
  BOOST_TEST(yaml_outcome(row.text, true) == row.expected);
}

BOOST_AUTO_TEST_CASE(a_place_is_as_long_as_its_text) {
  Diagnostics diagnostics;
  const auto root = read_yaml(
      yaml_source("key: {a: f(1, 2), b: 'quoted', c: größe, d: ''}\ntext: |\n  one\n  three\n"),
      diagnostics);
  BOOST_REQUIRE(root.has_value());
  const YamlNode& map = value_of(*root, "key");
  BOOST_TEST(root->entries[0].key.where.length == 3U);
  BOOST_TEST(value_of(map, "a").where.length == 7U);
  BOOST_TEST(value_of(map, "b").where.length == 6U);
  BOOST_TEST(value_of(map, "c").where.length == 7U);
  BOOST_TEST(value_of(map, "d").where.length == 1U);
  BOOST_TEST(value_of(*root, "text").where.length == 3U);
}

BOOST_AUTO_TEST_CASE(collections_know_where_they_start) {
  Diagnostics diagnostics;
  const auto root =
      read_yaml(yaml_source("a: {b: 1}\nc:  [x]\nd:\n  - y\ne:\n  f: 1\ng:\n"), diagnostics);
  BOOST_REQUIRE(root.has_value());
  const auto starts = [&](std::string_view key, std::size_t line, std::size_t column) {
    const YamlNode& node = value_of(*root, key);
    BOOST_TEST(node.where.line == line);
    BOOST_TEST(node.where.column == column);
  };
  starts("a", 1, 4);
  starts("c", 2, 5);
  starts("d", 4, 3);
  starts("e", 6, 3);
}

BOOST_AUTO_TEST_CASE(every_node_names_its_source) {
  const auto source = yaml_source("");
  Diagnostics diagnostics;
  const auto root = read_yaml(source, diagnostics);
  BOOST_REQUIRE(root.has_value());
  BOOST_TEST((root->where.source == source));
  BOOST_TEST(root->where.line == 0U);
}

BOOST_AUTO_TEST_CASE(a_part_of_a_source_keeps_the_places_of_the_whole) {
  const std::string text =
      "/* pattern: é\nsummary: words\nparameters:\n  N: {default: f(1, 2)}\n*/\nint a: [;\n";
  const auto source = yaml_source(text);
  const std::size_t begin = text.find('\n');
  const std::size_t end = text.find("*/", begin);
  Diagnostics diagnostics;
  const auto root = read_yaml(source, begin, end, diagnostics);
  BOOST_REQUIRE_MESSAGE(root.has_value(), render(diagnostics));
  BOOST_TEST(outline(*root, true) ==
             "{summary@2:1: words@2:10, parameters@3:1: {N@4:3: {default@4:7: f(1, 2)@4:16}}}");
}

BOOST_AUTO_TEST_CASE(a_part_may_start_within_a_line) {
  const std::string text = "// header: a: 1\n//\nb: 2\n";
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source(text), text.find("a:"), text.find("\n//"), diagnostics);
  BOOST_REQUIRE_MESSAGE(root.has_value(), render(diagnostics));
  BOOST_TEST(outline(*root, true) == "{a@1:12: 1@1:15}");
}

BOOST_AUTO_TEST_CASE(a_part_does_not_look_at_what_surrounds_it) {
  const std::string text = "\x01\xFF\na: 1\n\x01\xFF";
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source(text), 3, 8, diagnostics);
  BOOST_REQUIRE_MESSAGE(root.has_value(), render(diagnostics));
  BOOST_TEST(outline(*root, true) == "{a@2:1: 1@2:4}");

  BOOST_TEST(!read_yaml(yaml_source("a: 'x\nb'\n"), 0, 6, diagnostics));
  BOOST_TEST(messages(diagnostics) == "1:4+1 this quote is never closed");
}

BOOST_AUTO_TEST_CASE(a_part_beyond_the_source_is_empty) {
  Diagnostics diagnostics;
  for (const auto& [begin, end] : {std::pair{5, 5}, std::pair{9, 20}, std::pair{3, 1}}) {
    const auto root = read_yaml(yaml_source("a: 1\n"), static_cast<std::size_t>(begin),
                                static_cast<std::size_t>(end), diagnostics);
    BOOST_REQUIRE(root.has_value());
    BOOST_TEST(root->is_null());
  }
}

BOOST_AUTO_TEST_SUITE_END()
