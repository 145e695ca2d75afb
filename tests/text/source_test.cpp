#include <boost/test/unit_test.hpp>

#include "engine/text/diagnostic.h"

BOOST_AUTO_TEST_SUITE(source)

BOOST_AUTO_TEST_CASE(lines_count_from_one_and_lose_their_break) {
  constexpr std::string_view text = "one\n\nthree\r\nfour";
  BOOST_TEST(sweep::line_of(text, 0) == "");
  BOOST_TEST(sweep::line_of(text, 1) == "one");
  BOOST_TEST(sweep::line_of(text, 2) == "");
  BOOST_TEST(sweep::line_of(text, 3) == "three");
  BOOST_TEST(sweep::line_of(text, 4) == "four");
  BOOST_TEST(sweep::line_of(text, 5) == "");
  BOOST_TEST(sweep::line_of("", 1) == "");
}

BOOST_AUTO_TEST_CASE(offsets_end_at_the_end_of_the_text) {
  constexpr std::string_view text = "one\n\nthree\n";
  BOOST_TEST(sweep::offset_of_line(text, 1) == 0U);
  BOOST_TEST(sweep::offset_of_line(text, 2) == 4U);
  BOOST_TEST(sweep::offset_of_line(text, 3) == 5U);
  BOOST_TEST(sweep::offset_of_line(text, 4) == text.size());
  BOOST_TEST(sweep::offset_of_line(text, 9) == text.size());
}

BOOST_AUTO_TEST_CASE(a_shifted_place_stays_on_its_line) {
  const sweep::Location place{nullptr, 7, 3, 20};
  const sweep::Location shifted = place.shifted(5, 2);
  BOOST_TEST(shifted.line == 7U);
  BOOST_TEST(shifted.column == 8U);
  BOOST_TEST(shifted.length == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
