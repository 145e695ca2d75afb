#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/text/read_source.h"
#include "tests/text/message_case.h"

namespace text_check {
namespace {

namespace data = boost::unit_test::data;
using sweep::TextKind;

struct Row {
  std::string text;
  std::string as_yaml;
  std::string as_code;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << '\'' << row.text << '\'';
}

const std::string not_utf8 = " is not UTF-8 text | save the file as UTF-8 text";
const std::string carriage_return =
    "a carriage return without a line feed stands here | save the file with line ends of LF or "
    "CRLF";

const std::vector<Row> rows = {
    {"", "", ""},
    {"a: 1\r\n\tgr\xC3\xB6\xC3\x9F"
     "e \xE6\xB8\xAC \xF0\x9F\x98\x80\n",
     "", ""},
    {"\xEF\xBB\xBF"
     "a",
     "", ""},
    {"a\nb\xFC", "2:2+1 this byte (0xFC)" + not_utf8, "2:2+1 this byte (0xFC)" + not_utf8},
    {"\xED\xA0\x80", "1:1+1 this byte (0xED)" + not_utf8, "1:1+1 this byte (0xED)" + not_utf8},
    {"\xC3", "1:1+1 this byte (0xC3)" + not_utf8, "1:1+1 this byte (0xC3)" + not_utf8},
    {std::string("\n\na\0b", 5),
     "3:2+1 a control character (0x00) stands here | save the file as UTF-8 text",
     "3:2+1 a control character (0x00) stands here | save the file as UTF-8 text"},
    {"a\f\x1B", "1:2+1 a control character (0x0C) stands here | save the file as UTF-8 text", ""},
    {"a\rb", "1:2+1 " + carriage_return, "1:2+1 " + carriage_return},
    {"a\n\r", "2:1+1 " + carriage_return, "2:1+1 " + carriage_return},
};

std::string outcome(const std::string& text, TextKind kind) {
  const auto source = std::make_shared<const sweep::Source>(sweep::Source{"text", text});
  sweep::Diagnostics diagnostics;
  const bool is_good = check_text(source, 0, text.size(), kind, diagnostics);
  if (is_good != diagnostics.empty()) return "good with a message, or neither";
  return sweep::testing::messages(diagnostics);
}

}  // namespace
}  // namespace text_check

BOOST_AUTO_TEST_SUITE(text_check)

BOOST_DATA_TEST_CASE(what_is_no_text_is_refused_at_its_place, data::make(rows), row) {
  BOOST_TEST(outcome(row.text, TextKind::yaml) == row.as_yaml);
  BOOST_TEST(outcome(row.text, TextKind::code) == row.as_code);
}

BOOST_AUTO_TEST_CASE(only_the_part_asked_for_is_looked_at) {
  const auto source = std::make_shared<const sweep::Source>(sweep::Source{"text",
                                                                          "\xFF"
                                                                          "ab\xFF"});
  sweep::Diagnostics diagnostics;
  BOOST_TEST(check_text(source, 1, 3, TextKind::yaml, diagnostics));
  BOOST_TEST(!check_text(source, 1, 4, TextKind::yaml, diagnostics));
}

BOOST_AUTO_TEST_SUITE_END()
