#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

#include "engine/text/yaml.h"
#include "tests/repeated.h"
#include "tests/text/yaml_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(yaml_errors)

namespace {

using namespace sweep::testing;
using sweep::Diagnostics;
using sweep::read_yaml;
using sweep::repeated;

constexpr const char* quote_help =
    " | put text that contains ':', '#', quotes, braces or a leading '*', '&' or '%' in quotes";
constexpr const char* tab_help = " | YAML is indented with spaces, not tabs";
constexpr const char* utf8_help = " | save the file as UTF-8 text";
constexpr const char* indent_help = " | indent what belongs together by the same number of spaces";
constexpr const char* one_document = " | keep one document in a file";
constexpr const char* invalid = " this is not valid YAML: ";

std::string with(const std::string& place, const char* help, const std::string& message) {
  return place + invalid + message + help;
}

const std::vector<YamlCase> syntax = {
    {"a: b: c\n", with("1:5+1", quote_help, "illegal map value")},
    {"a: 1\n b: 2\n", with("2:3+1", quote_help, "illegal map value")},
    {"a: [1, 2\nb: 3\n", with("2:2+1", quote_help, "end of sequence flow not found")},
    {"a: [1, 2]]\n", with("1:10+1", quote_help, "illegal flow end")},
    {"a: {x\n", with("2:1+1", "", "end of map flow not found")},
    {"[f(1, [2, 3], 4)]", with("1:7+1", quote_help, "end of sequence flow not found")},
    {"{a: (1, b: 2)}", with("1:10+1", quote_help, "end of map flow not found")},
    {"a: \"x\" y\n", with("1:8+1", quote_help, "end of map not found")},
    {"a: \"\\q\"\n", with("1:7+1", quote_help, "unknown escape character: q")},
    {"a: @x\n", with("1:4+1", quote_help, "unknown token")},
    {"a: *y\n", with("1:4+1", quote_help, "the referenced anchor is not defined")},
    {" * a: 1\n",
     with("1:3+1", " | write the header's lines without a leading '*'", "alias not found after *")},
    {"a: 1\n* \n",
     with("2:2+1", " | write the header's lines without a leading '*'", "alias not found after *")},
    {"a: 1\r\nb: c: d\r\n", with("2:5+1", quote_help, "illegal map value")},
    // Tabs
    {"\ta: 1\n", with("1:3+1", tab_help, "illegal map value")},
    {"a:\n\tb: 1\n", with("2:3+1", tab_help, "illegal map value")},
    {"a:\n  b: 1\n\tc: 2\n", with("3:1+1", tab_help, "illegal tab when looking for indentation")},
    // Quotes
    {"a: \"x\nb: 3\n", "1:4+1 this quote is never closed"},
    {"a: 'x''\nb: 3\n", "1:4+1 this quote is never closed"},
    {"a: \"x\\\"\nb: 3\n", "1:4+1 this quote is never closed"},
    {"a: [1, 'x]\n", "1:8+1 this quote is never closed"},
    // More than one document
    {"a: 1\n---\nb: 2\n", std::string("2:1+1 a second YAML document starts here") + one_document},
    {"a: 1\n---\n", std::string("2:1+1 a second YAML document starts here") + one_document},
    {"a: 1\n---\nb: [\n", std::string("2:1+1 a second YAML document starts here") + one_document},
    {"a: 1\n...\nb: 2\n", with("3:1+1", indent_help, "the document ends before this")},
    {"- a\n- b\nc: 1\n", with("3:1+1", indent_help, "the document ends before this")},
    // Tags
    {"a: !thing 1\n", "1:4+1 the tag '!thing' has no meaning here"},
    {"a: !!str 1\n", "1:4+1 the tag 'tag:yaml.org,2002:str' has no meaning here"},
    {"a: !thing [1]\n", "1:4+1 the tag '!thing' has no meaning here"},
    {"a: !<x> {b: 1}\n", "1:4+1 the tag 'x' has no meaning here"},
    {"!thing\na: 1\n", "1:1+1 the tag '!thing' has no meaning here"},
    // Keys
    {"? [a, b]\n: 1\n", "1:3+1 a key must be a plain word"},
    {"{a: 1}: 2\n", "1:1+1 a key must be a plain word"},
    {": 1\n", "1:1+1 a key must be a plain word"},
    {"b: 1\n~: 1\n", "2:1+1 a key must be a plain word"},
    // Aliases
    {"a: &x [*x]\n", "1:8+1 this alias stands inside what it repeats"},
    {"a: &x {b: *x}\n", "1:11+1 this alias stands inside what it repeats"},
    // Bytes that are no text
    {std::string("a\0b: 1\n", 7),
     std::string("1:2+1 a control character (0x00) stands here") + utf8_help},
    {"a: 1\nb: \x04\nc: 2\n",
     std::string("2:4+1 a control character (0x04) stands here") + utf8_help},
    {"a: \x1B[31m\n", std::string("1:4+1 a control character (0x1B) stands here") + utf8_help},
    {"# \x7F\n", std::string("1:3+1 a control character (0x7F) stands here") + utf8_help},
    {"a: t\xE9t\n", std::string("1:5+1 this byte (0xE9) is not UTF-8 text") + utf8_help},
    {"a: \xFF\n", std::string("1:4+1 this byte (0xFF) is not UTF-8 text") + utf8_help},
    {"a: \x80\n", std::string("1:4+1 this byte (0x80) is not UTF-8 text") + utf8_help},
    {"a: \xC3", std::string("1:4+1 this byte (0xC3) is not UTF-8 text") + utf8_help},
    {"a: \xC0\xAF\n", std::string("1:4+1 this byte (0xC0) is not UTF-8 text") + utf8_help},
    {"a: \xE0\x9F\xBF\n", std::string("1:4+1 this byte (0xE0) is not UTF-8 text") + utf8_help},
    {"a: \xED\xA0\x80\n", std::string("1:4+1 this byte (0xED) is not UTF-8 text") + utf8_help},
    {"a: \xF0\x8F\xBF\xBF\n", std::string("1:4+1 this byte (0xF0) is not UTF-8 text") + utf8_help},
    {"a: \xF4\x90\x80\x80\n", std::string("1:4+1 this byte (0xF4) is not UTF-8 text") + utf8_help},
    {std::string("\xFF\xFE"
                 "a\0:\0",
                 6),
     std::string("1:1+1 this byte (0xFF) is not UTF-8 text") + utf8_help},
};

const std::vector<YamlCase> duplicates = {
    {"a: 1\nb: 2\na: 3\n", "3:1+1 the key 'a' is given twice | it stands first in line 1"},
    {"a: 1\na: 2\na: 3\n",
     "2:1+1 the key 'a' is given twice | it stands first in line 1\n"
     "3:1+1 the key 'a' is given twice | it stands first in line 1"},
    {"long: 1\nshort: 1\nlong: 2\nshort: 2\n",
     "3:1+4 the key 'long' is given twice | it stands first in line 1\n"
     "4:1+5 the key 'short' is given twice | it stands first in line 2"},
    {"{a: 1, b: 2, a: 3}", "1:14+1 the key 'a' is given twice | it stands first in line 1"},
    {"a: 1\n'a': 2\n", "2:2+1 the key 'a' is given twice | it stands first in line 1"},
    {"- a: 1\n  b: {c: 1, c: 2}\n- a: 1\n",
     "2:13+1 the key 'c' is given twice | it stands first in line 2"},
    {"x: {a: 1}\ny: {a: 1}\na: {a: 1}\n", "{x: {a: 1}, y: {a: 1}, a: {a: 1}}"},
    {"a: 1\nA: 2\n", "{a: 1, A: 2}"},
};

/// A text of this size or a little more.
std::string filled_with(const std::string& part, std::size_t size) {
  return repeated(part, static_cast<int>((size + part.size() - 1) / part.size()));
}

/// Each alias repeats the line above several times.
std::string alias_bomb() {
  std::string text = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    text += fmt::format("l{0}: &l{0} [", i);
    for (int k = 0; k < 9; ++k) text += fmt::format("*l{}, ", i - 1);
    text += "]\n";
  }
  return text;
}

/// Aliases that add depth but hardly any nodes.
std::string deep_aliases() {
  std::string text = "l0: &l0 x\n";
  for (int i = 1; i < 300; ++i) text += fmt::format("l{0}: &l{0} [[[[*l{1}]]]]\n", i, i - 1);
  return text;
}

}  // namespace

BOOST_DATA_TEST_CASE(syntax_is_explained_at_its_place, data::make(syntax), row) {
  std::string outcome = yaml_outcome(row.text);
  // yaml-cpp 0.8 names the anchor, 0.7 does not.
  const std::size_t anchor = outcome.find("anchor is not defined: y");
  if (anchor != std::string::npos) outcome.erase(outcome.find(": y", anchor), 3);
  BOOST_TEST(outcome == row.expected);
}

BOOST_DATA_TEST_CASE(duplicate_keys_are_all_reported, data::make(duplicates), row) {
  BOOST_TEST(yaml_outcome(row.text) == row.expected);
}

BOOST_AUTO_TEST_CASE(earlier_messages_do_not_count_as_this_documents) {
  Diagnostics diagnostics;
  diagnostics.error(sweep::Location{}, "from another file");
  BOOST_TEST(read_yaml(yaml_source("a: 1\n"), diagnostics).has_value());
  BOOST_TEST(!read_yaml(yaml_source("a: [\n"), diagnostics).has_value());
  BOOST_TEST(diagnostics.error_count() == 2U);
}

BOOST_AUTO_TEST_CASE(aliases_that_blow_up_are_refused_quickly) {
  const auto begin = std::chrono::steady_clock::now();
  BOOST_TEST(yaml_outcome(alias_bomb()).find("the aliases of this document repeat too much") !=
             std::string::npos);
  BOOST_TEST(yaml_outcome(deep_aliases()).find("this document is nested too deeply") !=
             std::string::npos);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(spent.count() < 5);
}

BOOST_AUTO_TEST_CASE(many_aliases_of_a_small_value_are_fine) {
  std::string text = "a: &a {x: 1, y: [2, 3]}\nb:\n";
  for (int i = 0; i < 1000; ++i) text += "  - *a\n";
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source(text), diagnostics);
  BOOST_REQUIRE(root.has_value());
  BOOST_TEST(root->find("b")->items.size() == 1000U);
}

BOOST_DATA_TEST_CASE(a_megabyte_of_openings_is_nested_too_deeply,
                     data::make({"[", "{", "[{", "{a: ", "- ", "? ", ": ", "[a,", "{a: &a ["}),
                     part) {
  BOOST_TEST(
      yaml_outcome(filled_with(part, 1'000'000)).find("this document is nested too deeply") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_megabyte_of_anything_ends_with_an_error) {
  const std::vector<YamlCase> rows = {
      {"]", "illegal flow end"},
      {",", "the document ends before this"},
      {"\"", "the document ends before this"},
      {"*a ", "the referenced anchor is not defined"},
      {"&a ", "cannot assign multiple anchors"},
      {"!", "tag handle with no suffix"},
      {"a: ", "illegal map value"},
      {"|\n", "the document ends before this"},
      {"---\n", "a second YAML document starts here"},
      {"a: 1\n", "this map has more than 1,000 keys"},
      {"{a: 1, ", "nested too deeply"},
      {"[(,", "end of sequence flow not found"},
      {"'", "illegal EOF in scalar"},
  };
  for (const YamlCase& row : rows) {
    BOOST_TEST_CONTEXT(row.text) {
      const std::string outcome = yaml_outcome(filled_with(row.text, 999'999));
      BOOST_TEST(outcome.find(row.expected) != std::string::npos, outcome.substr(0, 200));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_hundred_levels_are_enough) {
  const std::string inner(99, '[');
  BOOST_TEST(yaml_outcome("a: " + inner + std::string(99, ']')) ==
             "{a: " + inner + std::string(99, ']') + "}");
}

BOOST_AUTO_TEST_CASE(large_documents_are_read_quickly) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += fmt::format("- {{a{}: f(1, 2), b: 'x'}}\n", i);
  Diagnostics diagnostics;
  const auto root = read_yaml(yaml_source(text), diagnostics);
  BOOST_REQUIRE(root.has_value());
  BOOST_TEST(root->items.size() == 50'000U);
}

BOOST_AUTO_TEST_CASE(a_map_has_a_thousand_keys_at_most) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("k{}: 1\n", i);
  BOOST_TEST(yaml_outcome(text).find("k999: 1") != std::string::npos);
  BOOST_TEST(
      yaml_outcome(text + "more: 1\n").starts_with("1001:1+1 this map has more than 1,000 keys"));
}

BOOST_AUTO_TEST_CASE(a_value_has_64_kibibytes_at_most) {
  const std::string most(64U << 10U, 'x');
  BOOST_TEST(yaml_outcome("a: " + most) == "{a: " + most + "}");
  const std::string refused = "1:4+1 this text has 65,636 bytes; a value or a key can have 65,536";
  BOOST_TEST(yaml_outcome("a: " + most + std::string(100, 'x')) == refused);
  BOOST_TEST(yaml_outcome("a: '" + most + std::string(100, 'x') + "'") == refused);
}

BOOST_AUTO_TEST_CASE(aliases_of_long_texts_count_by_their_length) {
  std::string text = "- &a " + std::string(60'000, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) text += "- *a\n";
  BOOST_TEST(yaml_outcome(text).find("the aliases of this document repeat too much") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_document_has_two_million_values_at_most) {
  BOOST_TEST(yaml_outcome("[" + repeated("1,", 2'100'000) + "]")
                 .find("this document has more than 2,000,000 values and keys") !=
             std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
