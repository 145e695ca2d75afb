#include "engine/text/utf8.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

namespace utf8 {
namespace {

namespace data = boost::unit_test::data;

struct Row {
  std::string text;
  std::size_t length;   ///< of the first character
  std::size_t columns;  ///< of the whole
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << '\'' << row.text << '\'';
}

const std::vector<Row> rows = {
    {"", 0, 0},
    {"ab", 1, 2},
    {"\xC3\xB6x", 2, 2},                 // an o with two dots
    {"o\xCC\x88x", 1, 2},                // the same, composed
    {"\xE6\xB8\xAC\xE8\xA9\xA6", 3, 4},  // two of China's characters
    {"\xED\x95\x9C", 3, 2},              // of Korea's
    {"\xEF\xBC\xA1", 3, 2},              // a full-width A
    {"\xF0\x9F\x98\x80.", 4, 3},         // a face
    {"\xE2\x80\x8B.", 3, 1},             // a space of no width
    {"\xEF\xBB\xBF.", 3, 1},             // the byte order mark
    {"\xE2\x86\x92", 3, 1},              // an arrow
    {"\xFF\xFE", 0, 2},                  // no UTF-8
    {"\xC0\x80", 0, 2},                  // overlong
    {"\xF4\x90\x80\x80", 0, 4},          // behind the last character
};

}  // namespace
}  // namespace utf8

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_DATA_TEST_CASE(characters_have_a_length_and_columns, data::make(rows), row) {
  BOOST_TEST(sweep::character_length(row.text) == row.length);
  BOOST_TEST(sweep::columns_of(row.text) == row.columns);
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_between_characters) {
  BOOST_TEST(sweep::cut_to_bytes("abc", 3) == "abc");
  BOOST_TEST(sweep::cut_to_bytes("abcd", 3) == "abc...");
  BOOST_TEST(sweep::cut_to_bytes("a\xE6\xB8\xAC"
                              "b",
                              3) == "a...");
  BOOST_TEST(sweep::cut_to_bytes("\x80\x80", 1) == "...");
}

BOOST_AUTO_TEST_SUITE_END()
