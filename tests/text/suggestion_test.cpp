#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/text/diagnostic.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(suggestion)

BOOST_DATA_TEST_CASE(distance_counts_edits,
                     data::make({"", "abc", "abc", "acb", "stride", "STRIDE"}) ^
                         data::make({"ab", "abc", "abd", "abc", "strid", "stride"}) ^
                         data::make({2, 0, 1, 1, 1, 0}),
                     a, b, expected) {
  BOOST_TEST(sweep::edit_distance(a, b) == static_cast<std::size_t>(expected));
  BOOST_TEST(sweep::edit_distance(b, a) == static_cast<std::size_t>(expected));
}

BOOST_AUTO_TEST_CASE(suggests_the_closest_name_only_when_it_is_close) {
  const std::vector<std::string> names = {"STRIDE", "BLOCK", "N"};
  BOOST_TEST(sweep::did_you_mean("STRIED", names) == "did you mean 'STRIDE'?");
  BOOST_TEST(sweep::did_you_mean("blok", names) == "did you mean 'BLOCK'?");
  BOOST_TEST(sweep::did_you_mean("elephant", names).empty());
  BOOST_TEST(sweep::did_you_mean("Blocy_of_threads", names) == "");
  const std::vector<std::string> topics = {"timing", "tuning"};
  BOOST_TEST(sweep::did_you_mean("tune", topics) == "did you mean 'tuning'?");
  BOOST_TEST(sweep::suggest("elephant", names, "the names are") ==
             "the names are: STRIDE, BLOCK, N");
}

BOOST_AUTO_TEST_CASE(one_letter_is_close_only_to_itself) {
  const std::vector<std::string> names = {"N", "M", "AB"};
  BOOST_TEST(sweep::did_you_mean("n", names) == "did you mean 'N'?");
  BOOST_TEST(sweep::did_you_mean("X", names).empty());
  BOOST_TEST(sweep::did_you_mean("", names).empty());
  BOOST_TEST(sweep::did_you_mean("NN", names) == "did you mean 'N'?");
}

BOOST_AUTO_TEST_SUITE_END()
