#include "engine/text/line_difference.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(line_difference)

namespace {

/// Two texts, and the lines of both as a patch shows them, apart by '|'.
struct Case {
  const char* before;
  const char* after;
  const char* shown;
};
std::ostream& operator<<(std::ostream& out, const Case& example) {
  return out << example.shown;
}

std::string shown(std::string_view before, std::string_view after) {
  const auto a = lines_of(before);
  const auto b = lines_of(after);
  std::string text;
  for (const ComparedLine& line : compare_lines(before, after)) {
    const char sign = !line.after ? '-' : !line.before ? '+' : ' ';
    if (!text.empty()) text += '|';
    text += sign + std::string(line.before ? a.at(*line.before) : b.at(*line.after));
  }
  return text;
}

const std::vector<Case> cases = {
    {"", "", ""},
    {"a\nb\n", "a\nb", " a| b"},
    {"a\n", "", "-a"},
    {"", "a\nb\n", "+a|+b"},
    {"a\nb\nc\n", "a\nx\nc\n", " a|-b|+x| c"},
    {"a\nb\nc\nd\n", "b\nc\nd\ne\n", "-a| b| c| d|+e"},
    {"a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", "-a|-b| c|+b| a| b|-b| a|+c"},
    {"a \t\r\nb\n", "a\nb\r\n", " a| b"},
    {"a\na\na\n", "a\na\n", " a| a|-a"},
};

}  // namespace

BOOST_DATA_TEST_CASE(as_few_lines_as_possible_are_in_one_alone, data::make(cases), example) {
  BOOST_TEST(shown(example.before, example.after) == example.shown);
}

BOOST_AUTO_TEST_CASE(texts_with_nothing_in_common_are_removed_and_added) {
  std::string before = "first\n";
  std::string after = before;
  for (int i = 0; i < 3000; ++i) {
    before += "a" + std::to_string(i) + '\n';
    after += "b" + std::to_string(i) + '\n';
  }
  const auto lines = compare_lines(before + "last\n", after + "last\n");
  BOOST_REQUIRE(lines.size() == 6002U);
  BOOST_TEST((lines.front() == ComparedLine{0, 0}));
  BOOST_TEST((lines[1] == ComparedLine{1, std::nullopt}));
  BOOST_TEST((lines[3001] == ComparedLine{std::nullopt, 1}));
  BOOST_TEST((lines.back() == ComparedLine{3001, 3001}));
}

BOOST_AUTO_TEST_SUITE_END()
