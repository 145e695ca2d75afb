#include "engine/text/utf8.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

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

}  // namespace

BOOST_AUTO_TEST_SUITE(utf8)

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
