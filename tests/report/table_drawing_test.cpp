#include <boost/test/unit_test.hpp>
#include <limits>

#include "report/display_text.h"
#include "report/document.h"
#include "tests/rapidcheck_case.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(table_drawing)

namespace {

using Figures = std::vector<std::optional<double>>;

BOOST_AUTO_TEST_CASE(bars_have_eighths_or_whole_columns) {
  BOOST_TEST(draw_bar(1, 4, true) == "████");
  BOOST_TEST(draw_bar(0.5, 4, true) == "██");
  BOOST_TEST(draw_bar(0.4, 4, true) == "█▋");
  BOOST_TEST(draw_bar(0.0001, 4, true) == "▏");
  BOOST_TEST(draw_bar(0, 4, true).empty());
  BOOST_TEST(draw_bar(0.5, 4, false) == "##");
  BOOST_TEST(draw_bar(0.0001, 4, false) == "#");
  BOOST_TEST(draw_bar(std::numeric_limits<double>::quiet_NaN(), 4, false).empty());
}

BOOST_AUTO_TEST_CASE(a_course_is_drawn_from_zero_to_its_greatest) {
  BOOST_TEST(draw_course(Figures{8, 4, 1, 0}, 10) == "█▄▁▁");
  BOOST_TEST(draw_course(Figures{8, std::nullopt, 8}, 10) == "█ █");
  BOOST_TEST(draw_course(Figures{8, 8, 4, 4}, 2) == "█▄");
  BOOST_TEST(draw_course(Figures{8, std::nullopt, 4, 4}, 2) == "█▄");
  BOOST_TEST(draw_course(Figures{}, 10).empty());
  BOOST_TEST(draw_course(Figures{0, 0}, 10).empty());
  BOOST_TEST(draw_course(Figures{1, -1}, 10).empty());
  BOOST_TEST(draw_course(Figures{1, std::numeric_limits<double>::infinity()}, 10).empty());
}

BOOST_AUTO_TEST_CASE(drawings_keep_to_their_width) {
  check_property([] {
    const auto width = *rc::gen::inRange<std::size_t>(0, 50);
    const double share = *rc::gen::inRange(0, 1000) / 1000.0;
    RC_ASSERT(columns_of(draw_bar(share, width, true)) <= std::max<std::size_t>(width, 1));
    Figures figures;
    for (const int figure : *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 99))) {
      figures.emplace_back(figure);
    }
    RC_ASSERT(columns_of(draw_course(figures, width)) == std::min(width, figures.size()));
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
