#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/spec/pattern.h"
#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

using namespace sweep;
using namespace sweep::testing;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_family)

namespace {

PatternPtr pattern_of(const std::string& name, const std::string& family) {
  auto pattern = std::make_shared<Pattern>();
  pattern->name = name;
  pattern->family = family;
  return pattern;
}

/// "family: name name; ..."
std::string grouped(const std::vector<PatternPtr>& patterns) {
  std::string text;
  for (const PatternFamily& family : by_family(patterns)) {
    text += family.name + ":";
    for (const PatternPtr& pattern : family.patterns) text += " " + pattern->name;
    text += "; ";
  }
  return text;
}

const std::vector<TextCase> texts = {
    {"coalescing", ""},
    {"shared memory", ""},
    {"a family of my own: 42 % & more", ""},
    {std::string(40, 'x'), ""},
    {std::string(41, 'x'), "is longer than 40 characters"},
    {"üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü", ""},
    {"", "is empty"},
    {" \n", "is empty"},
    {"two\nlines", "must be one line of plain text"},
    {"\x1b[31mred", "must be one line of plain text"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_family_is_a_short_line, data::make(texts)) {
  BOOST_TEST(why_not_a_family(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(the_known_families_are_families) {
  for (const std::string_view family : known_families) {
    BOOST_TEST(why_not_a_family(family) == "");
  }
}

BOOST_AUTO_TEST_CASE(known_families_come_first_in_their_order_and_the_rest_by_name) {
  BOOST_TEST(
      grouped({pattern_of("a", ""), pattern_of("b", "zoo"), pattern_of("c", "hierarchy"),
               pattern_of("d", "other"), pattern_of("e", "coalescing"), pattern_of("f", "aviary"),
               pattern_of("g", "shared memory"), pattern_of("h", "coalescing")}) ==
      "coalescing: e h; shared memory: g; hierarchy: c; aviary: f; zoo: b; other: a d; ");
  BOOST_TEST(grouped({}) == "");
}

BOOST_AUTO_TEST_CASE(the_header_says_the_family) {
  BOOST_TEST(good_pattern(copy_pattern)->family == "");
  const std::string summary = "summary: Copy an array\n";
  for (const std::string family : {"shared memory", "my own"}) {
    const std::string text = edited(copy_pattern, summary, summary + "family: " + family + "\n");
    BOOST_TEST(good_pattern(text)->family == family);
  }
}

BOOST_AUTO_TEST_SUITE_END()
