#include "engine/text/diagnostic.h"

#include <boost/test/unit_test.hpp>
#include <memory>

BOOST_AUTO_TEST_SUITE(diagnostic)

namespace {

using sweep::Diagnostic;
using sweep::Diagnostics;
using sweep::Location;
using sweep::Severity;

Location place(std::string text, std::size_t line, std::size_t column, std::size_t length = 1) {
  auto source =
      std::make_shared<const sweep::Source>(sweep::Source{"sweeps/stride.yaml", std::move(text)});
  return {std::move(source), line, column, length};
}

std::string rendered(const Location& where, bool color = false) {
  return render(Diagnostic{Severity::error, where, "this is wrong", ""}, color);
}

/// The two lines under the message: the excerpt and its caret.
std::string excerpt(const Location& where) {
  const std::string text = rendered(where);
  return text.substr(text.find('\n') + 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(reads_like_a_compilers_message) {
  const Diagnostic diagnostic{Severity::error, place("a: 1\nSTRIED: {from: 1}\nb: 2\n", 2, 1, 6),
                              "there is no parameter 'STRIED'", "did you mean 'STRIDE'?"};
  BOOST_TEST(render(diagnostic) ==
             "sweeps/stride.yaml:2:1: error: there is no parameter 'STRIED'\n"
             "  STRIED: {from: 1}\n"
             "  ^~~~~~\n"
             "  help: did you mean 'STRIDE'?\n");
}

BOOST_AUTO_TEST_CASE(severities_have_their_word_and_color) {
  const Location where = place("abc\n", 1, 2, 2);
  const auto colored = [&](Severity severity) {
    return render(Diagnostic{severity, where, "look", "here"}, true);
  };
  BOOST_TEST(colored(Severity::error) ==
             "\033[1msweeps/stride.yaml:1:2: \033[0m\033[1;31merror:\033[0m look\n"
             "  abc\n"
             "   \033[1;31m^~\033[0m\n"
             "  help: here\n");
  BOOST_TEST(colored(Severity::warning) ==
             "\033[1msweeps/stride.yaml:1:2: \033[0m\033[1;35mwarning:\033[0m look\n"
             "  abc\n"
             "   \033[1;35m^~\033[0m\n"
             "  help: here\n");
  BOOST_TEST(colored(Severity::note) ==
             "\033[1msweeps/stride.yaml:1:2: \033[0m\033[1;36mnote:\033[0m look\n"
             "  abc\n"
             "   \033[1;36m^~\033[0m\n"
             "  help: here\n");
  BOOST_TEST(render(Diagnostic{Severity::note, where, "look", ""}) ==
             "sweeps/stride.yaml:1:2: note: look\n  abc\n   ^~\n");
}

BOOST_AUTO_TEST_CASE(a_place_may_be_a_line_a_file_or_nothing) {
  BOOST_TEST(rendered(place("a: 1\n", 1, 0)) == "sweeps/stride.yaml:1: error: this is wrong\n");
  BOOST_TEST(rendered(place("a: 1\n", 0, 0)) == "sweeps/stride.yaml: error: this is wrong\n");
  BOOST_TEST(rendered(Location{}) == "error: this is wrong\n");
}

BOOST_AUTO_TEST_CASE(an_empty_line_is_not_shown) {
  BOOST_TEST(excerpt(place("a\n\nb\n", 2, 1)) == "");
  BOOST_TEST(excerpt(place("a\n", 7, 1)) == "");
}

BOOST_AUTO_TEST_CASE(tabs_keep_the_caret_under_its_character) {
  BOOST_TEST(excerpt(place("\tN:\t= 1\n", 1, 5)) == "  \tN:\t= 1\n  \t  \t^\n");
}

BOOST_AUTO_TEST_CASE(characters_beyond_ascii_take_one_column) {
  // Columns and lengths are bytes: "größe" has 7 of them.
  BOOST_TEST(excerpt(place("größe: wörter\n", 1, 10, 7)) == "  größe: wörter\n         ^~~~~~\n");
  BOOST_TEST(excerpt(place("größe: 1\n", 1, 1, 7)) == "  größe: 1\n  ^~~~~\n");
}

BOOST_AUTO_TEST_CASE(the_underline_stays_within_the_line) {
  BOOST_TEST(excerpt(place("abc\nnext\n", 1, 2, 100)) == "  abc\n   ^~\n");
  BOOST_TEST(excerpt(place("abc\r\nnext\r\n", 1, 3, 4)) == "  abc\n    ^\n");
  BOOST_TEST(excerpt(place("abc", 1, 3, 0)) == "  abc\n    ^\n");
}

BOOST_AUTO_TEST_CASE(the_caret_may_stand_behind_the_last_character) {
  BOOST_TEST(excerpt(place("1 +\n", 1, 4)) == "  1 +\n     ^\n");
  BOOST_TEST(excerpt(place("1 +\n", 1, 5000)) == "  1 +\n     ^\n");
}

BOOST_AUTO_TEST_CASE(control_characters_never_reach_the_terminal) {
  BOOST_TEST(excerpt(place("a\033[31mb\x7F\n", 1, 1)) == "  a?[31mb?\n  ^\n");
  const auto source = std::make_shared<const sweep::Source>(sweep::Source{"a\033c.yaml", "ab\n"});
  const Location where{source, 1, 1, 1};
  const Diagnostic diagnostic{Severity::error, where, "no key 'a\033c'", "did you mean 'a\rb'?"};
  BOOST_TEST(render(diagnostic) ==
             "a?c.yaml:1:1: error: no key 'a?c'\n  ab\n  ^\n  help: did you mean 'a?b'?\n");
}

BOOST_AUTO_TEST_CASE(a_message_may_have_several_lines) {
  BOOST_TEST(render(Diagnostic{Severity::error, Location{}, "first\n\tsecond", ""}) ==
             "error: first\n\tsecond\n");
}

BOOST_AUTO_TEST_CASE(long_lines_show_the_part_around_the_place) {
  const std::string before(1000, 'a');
  const std::string after(1000, 'b');
  BOOST_TEST(excerpt(place(before + "XY" + after + "\n", 1, 1001, 2)) ==
             "  " + std::string(100, 'a') + "XY" + std::string(98, 'b') + "\n  " +
                 std::string(100, ' ') + "^~\n");
  BOOST_TEST(excerpt(place(before + after, 1, 1)) == "  " + std::string(200, 'a') + "\n  ^\n");
  BOOST_TEST(excerpt(place(before, 1, 1001)) ==
             "  " + std::string(100, 'a') + "\n  " + std::string(100, ' ') + "^\n");
}

BOOST_AUTO_TEST_CASE(long_lines_are_cut_between_characters) {
  std::string line;
  for (int i = 0; i < 300; ++i) line += "ö";
  // Byte 100 before the place and byte 200 of what is shown are in the middle of a character.
  BOOST_TEST(excerpt(place("x" + line, 1, 302)) ==
             "  " + line.substr(0, 200) + "\n  " + std::string(50, ' ') + "^\n");
  BOOST_TEST(excerpt(place("x" + line, 1, 1)) == "  x" + line.substr(0, 198) + "\n  ^\n");
  BOOST_TEST(excerpt(place(line + "yz", 1, 602)) ==
             "  " + line.substr(0, 98) + "yz\n  " + std::string(50, ' ') + "^\n");
}

BOOST_AUTO_TEST_CASE(all_messages_are_shown_in_the_order_found) {
  const Location where = place("a: 1\nb: 2\n", 2, 1);
  Diagnostics diagnostics;
  BOOST_TEST(diagnostics.empty());
  BOOST_TEST(render(diagnostics) == "");
  diagnostics.warning(where, "this is odd");
  BOOST_TEST(!diagnostics.has_errors());
  diagnostics.error(Location{}, "this is wrong", "do that");
  diagnostics.error(where.shifted(3, 1), "so is this");
  BOOST_TEST(diagnostics.has_errors());
  BOOST_TEST(diagnostics.error_count() == 2U);
  BOOST_TEST(!diagnostics.empty());
  BOOST_TEST(render(diagnostics) ==
             "sweeps/stride.yaml:2:1: warning: this is odd\n  b: 2\n  ^\n"
             "error: this is wrong\n  help: do that\n"
             "sweeps/stride.yaml:2:4: error: so is this\n  b: 2\n     ^\n");
}

BOOST_AUTO_TEST_CASE(messages_of_several_files_come_together) {
  Diagnostics first;
  first.error(Location{}, "one");
  Diagnostics second;
  second.warning(Location{}, "two");
  second.error(Location{}, "three");
  first.add_all(second);
  BOOST_TEST(render(first) == "error: one\nwarning: two\nerror: three\n");
  BOOST_TEST(second.list().size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_input_error_carries_every_message) {
  Diagnostics two;
  two.error(Location{}, "one");
  two.error(Location{}, "two");
  const sweep::InputError error(two);
  BOOST_TEST(error.what() == std::string("error: one\nerror: two\n"));
  BOOST_TEST(error.diagnostics().list().size() == 2U);

  const sweep::InputError single(Diagnostic{Severity::error, Location{}, "only", ""});
  BOOST_TEST(single.what() == std::string("error: only\n"));
  BOOST_TEST(single.diagnostics().list().size() == 1U);

  const sweep::InputError placed(place("ab\n", 1, 2), "this is wrong", "do that");
  BOOST_TEST(placed.what() == std::string("sweeps/stride.yaml:1:2: error: this is wrong\n"
                                          "  ab\n   ^\n  help: do that\n"));
}

BOOST_AUTO_TEST_CASE(the_caret_stands_under_its_character_whatever_stands_before) {
  // Two columns each for the wide ones, none for the dots above the o.
  BOOST_TEST(excerpt(place("\xE6\xB8\xAC\xF0\x9F\x98\x80 o\xCC\x88 X", 1, 13)) ==
             "  \xE6\xB8\xAC\xF0\x9F\x98\x80 o\xCC\x88 X\n         ^\n");
  BOOST_TEST(excerpt(place("\xE6\xB8\xAC = 1", 1, 1, 3)) == "  \xE6\xB8\xAC = 1\n  ^~\n");
}

BOOST_AUTO_TEST_CASE(the_byte_order_mark_is_not_shown) {
  BOOST_TEST(excerpt(place("\xEF\xBB\xBF"
                           "ab: 1\n",
                           1, 5)) == "  ab: 1\n   ^\n");
  BOOST_TEST(excerpt(place("\xEF\xBB\xBF"
                           "ab: 1\n",
                           1, 1)) == "  ab: 1\n  ^\n");
}

BOOST_AUTO_TEST_CASE(a_hundred_messages_of_a_kind_are_kept_and_the_others_counted) {
  Diagnostics diagnostics;
  for (int i = 0; i < 250; ++i) diagnostics.error({}, "wrong");
  diagnostics.warning({}, "odd");
  BOOST_TEST(diagnostics.error_count() == 250u);
  BOOST_TEST(diagnostics.list().size() == 101u);
  BOOST_TEST(diagnostics.left_out(Severity::error) == 150u);
  BOOST_TEST(diagnostics.left_out(Severity::warning) == 0u);
  const std::string text = render(diagnostics);
  BOOST_TEST(text.ends_with("error: wrong\nwarning: odd\n150 more errors are not shown\n"));

  Diagnostics all;
  all.error({}, "first");
  all.add_all(diagnostics);
  BOOST_TEST(all.error_count() == 251u);
  BOOST_TEST(all.left_out(Severity::error) == 151u);
}

BOOST_AUTO_TEST_CASE(a_long_sentence_is_cut) {
  const std::string text = render(
      Diagnostic{Severity::error, {}, std::string(10'000, 'x'), std::string(10'000, 'y')}, false);
  const std::string missing = "... (5904 more bytes)\n";
  BOOST_TEST(text == "error: " + std::string(4096, 'x') + missing +
                         "  help: " + std::string(4096, 'y') + missing);
}

BOOST_AUTO_TEST_SUITE_END()
