#include "report/point_notes.h"

#include <boost/test/unit_test.hpp>

#include "tests/report/example_results.h"

namespace sweep::testing {
namespace {

StoredPoint noted(const Names& notes) {
  StoredPoint stored = ok_point("p", {}, {});
  stored.point.notes = notes;
  return stored;
}

BOOST_AUTO_TEST_SUITE(point_notes)

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

BOOST_AUTO_TEST_CASE(without_notes_there_is_nothing_to_say) {
  BOOST_TEST(describe_notes({}).empty());
  BOOST_TEST(describe_notes(std::vector<StoredPoint>{noted({})}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
