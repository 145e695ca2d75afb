#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <sstream>

#include "engine/cli/terminal/terminal.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace terminal_guard {

struct Case {
  std::string written;
  std::string shown;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.shown; }
};

const std::vector<Case> cases = {
    {"plain ä 漢 𝄞\ttext\r\n", "plain ä 漢 𝄞\ttext\r\n"},
    {"\x1b[1mbold\x1b[0m \x1b[1;31mred\x1b[0m\x1b[K\x1b[J",
     "\x1b[1mbold\x1b[0m \x1b[1;31mred\x1b[0m\x1b[K\x1b[J"},
    {"\x1b[2Jx", "?[2Jx"},
    {"\x1b[8mhidden", "?[8mhidden"},
    {"\x1b]0;title\x07", "?]0;title?"},
    {"\x1b[1;1Hx\x1b"
     "cx\x1bP",
     "?[1;1Hx?cx?P"},
    {"\x1b[" + std::string(40, '1') + "m", "?[" + std::string(40, '1') + "m"},
    {"fake\rtext\n", "fake?text\n"},
    {"\xc2\x9b"
     "31m \x9b \xff \x07 \x7f",
     "?31m ? ? ? ?"},
    {"a\u202eb\u2066", "a?b?"},
    {std::string("a\0b", 3), "a?b"},
};

bool always() {
  return true;
}

std::string shown_by(const std::string& text, std::size_t piece,
                     const TerminalGuard::HasEscapes& has_escapes = always) {
  std::ostringstream sink;
  std::ostream stream(sink.rdbuf());
  const TerminalGuard guard(stream, has_escapes);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    stream << text.substr(at, piece) << std::flush;
  }
  BOOST_TEST(static_cast<bool>(stream));
  return sink.str();
}

}  // namespace terminal_guard
}  // namespace

BOOST_AUTO_TEST_SUITE(terminal_guard_suite)

BOOST_DATA_TEST_CASE(only_this_programs_own_sequences_reach_a_terminal,
                     data::make(terminal_guard::cases), row) {
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1}, std::size_t{3}}) {
    BOOST_TEST(terminal_guard::shown_by(row.written, piece) == row.shown);
  }
}

BOOST_AUTO_TEST_CASE(without_colours_no_sequence_passes) {
  const std::string written = "\x1b[1mbold\x1b[0m\x1b[K \x1b]0;title\x07 plain \xC3\xA4\t\r\n";
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1}}) {
    BOOST_TEST(terminal_guard::shown_by(written, piece, [] { return false; }) ==
               "?[1mbold?[0m?[K ?]0;title? plain \xC3\xA4\t\r\n");
  }
}

BOOST_AUTO_TEST_CASE(single_characters_pass_too) {
  std::ostringstream sink;
  std::ostream stream(sink.rdbuf());
  const TerminalGuard guard(stream, terminal_guard::always);
  stream.put('a').put('\x1b').put('c').put('\n');
  BOOST_TEST(sink.str() == "a?c\n");
}

BOOST_AUTO_TEST_CASE(a_sink_that_fails_is_noticed) {
  struct Full : std::streambuf {};
  Full full;
  std::ostream stream(&full);
  const TerminalGuard guard(stream, terminal_guard::always);
  stream << "text";
  BOOST_TEST(!stream);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
