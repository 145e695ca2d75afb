#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/text/characters.h"
#include "engine/text/diagnostic.h"
#include "tests/contains.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {

using Case = std::pair<std::string, std::string>;

/// What a text becomes where tabs are kept.
const std::vector<Case> cases = {
    {"plain, ä €, 𝄞, 漢字", "plain, ä €, 𝄞, 漢字"},
    {"a\tb\nc\rd", "a\tb?c?d"},
    {"\x1b[31mred\x07", "?[31mred?"},
    {"\x7f", "?"},
    {"\xc2\x9b"
     "31m",
     "?31m"},
    {"\x9b"
     "31m",
     "?31m"},
    {"\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0"},
    {"a\u202eb\u202c\u2066\u2069\u200e\u061c", "a?b?????"},
    {"\xff\xfe", "??"},
    {"\xc3", "?"},
    {"\xc3(", "?("},
    {"\xe2\x82", "??"},
    {"\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80", "????????????"},
    {std::string("\0", 1), "?"},
};

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

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_DATA_TEST_CASE(characters_have_a_length_and_columns, data::make(rows), row) {
  BOOST_TEST(sweep::character_length(row.text) == row.length);
  BOOST_TEST(sweep::columns_of(row.text) == row.columns);
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_between_characters) {
  BOOST_TEST(sweep::cut_to_bytes("abc", 3) == "abc");
  BOOST_TEST(sweep::cut_to_bytes("abcd", 3) == "abc... (1 more bytes)");
  BOOST_TEST(sweep::cut_to_bytes("a\xE6\xB8\xAC"
                                 "b",
                                 3) == "a... (4 more bytes)");
  BOOST_TEST(sweep::cut_to_bytes("\x80\x80", 1) == "... (2 more bytes)");
}

BOOST_AUTO_TEST_CASE(what_could_deceive_is_marked) {
  for (const auto& [text, shown] : cases) BOOST_TEST(printable_text(text, "\t", "?") == shown);
}

BOOST_AUTO_TEST_CASE(what_is_shown_is_utf8_without_controls) {
  check_property([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    const std::string shown = printable_text(text, "", "?");
    for (std::string_view rest = shown; !rest.empty();) {
      const std::size_t length = character_length(rest);
      RC_ASSERT(length > 0U);
      RC_ASSERT(!is_control(rest.substr(0, length)));
      RC_ASSERT(!turns_direction(rest.substr(0, length)));
      rest.remove_prefix(length);
    }
    RC_ASSERT(printable_text(shown, "", "?") == shown);
  });
}

BOOST_AUTO_TEST_CASE(diagnostics_steer_no_terminal) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"na\x1bme",
                                                      "line \x1b]0;title\x07 \xc2\x9b"
                                                      "2J \xe2\x80\xae end \xff\n"});
  diagnostics.error({source, 1, 3, 2}, "mess\x1b[2Jage\u202e", "he\x9blp");
  const std::string text = render(diagnostics);
  for (const char* hostile : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\x9b"}) {
    BOOST_TEST(!contains(text, hostile), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
