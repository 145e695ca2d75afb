#include <boost/test/unit_test.hpp>

#include "report/findings.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(point_notes)

namespace {

StoredPoint noted(const Names& notes) {
  StoredPoint stored = ok_point("p", {}, {});
  stored.point.notes = notes;
  return stored;
}

BOOST_AUTO_TEST_CASE(each_note_stands_once_with_its_points) {
  const std::vector<StoredPoint> points = {noted({"b", "a"}), noted({}), noted({"a"})};
  BOOST_TEST(describe_notes(points) == (Names{"1 of 3 points: b", "2 of 3 points: a"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_point_counts_once_however_often_it_says_so) {
  const std::vector<StoredPoint> points = {noted({"a", "a"}), noted({})};
  BOOST_TEST(describe_notes(points) == (Names{"1 of 2 points: a"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_note_of_every_point_needs_no_share) {
  BOOST_TEST(describe_notes(std::vector<StoredPoint>(1200, noted({"a"}))) ==
                 (Names{"All 1,200 points: a"}),
             boost::test_tools::per_element());
  BOOST_TEST(describe_notes(std::vector<StoredPoint>{noted({"a"})}) == (Names{"1 point: a"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(notes_that_differ_in_their_numbers_are_one) {
  const std::vector<StoredPoint> points = {noted({"2 of 16 samples lie far from the others"}),
                                           noted({"executed 5 of 9 blocks"}),
                                           noted({"3 of 16 samples lie far from the others",
                                                  "4 of 16 samples lie far from the others"})};
  BOOST_TEST(describe_notes(points) ==
                 (Names{"2 of 3 points: 2 to 4 of 16 samples lie far from the others",
                        "1 of 3 points: executed 5 of 9 blocks"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(after_twenty_notes_the_others_are_counted) {
  std::vector<StoredPoint> points;
  for (char c = 'a'; c <= 'u'; ++c) points.push_back(noted({std::string(1, c)}));
  BOOST_TEST(describe_notes(points).size() == 21);
  points.push_back(noted({"v"}));
  const Names lines = describe_notes(points);
  BOOST_REQUIRE(lines.size() == 21);
  BOOST_TEST(lines[19] == "1 of 22 points: t");
  BOOST_TEST(lines[20] == "and 2 other notes on points");
}

BOOST_AUTO_TEST_CASE(without_notes_there_is_nothing_to_say) {
  BOOST_TEST(describe_notes({}).empty());
  BOOST_TEST(describe_notes(std::vector<StoredPoint>{noted({})}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
