#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "engine/store/stored_json.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(figures_json)

namespace {

namespace data = boost::unit_test::data;

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<std::string> no_samples = {"",
                                             "[",
                                             "]",
                                             "[]]",
                                             "{}",
                                             "[1]",
                                             "[[1]]",
                                             "[[1,2]",
                                             "[[1,2],]",
                                             "[[1,2,3]]",
                                             "[[1,2,\"odd\"]]",
                                             "[[1,2,\"outlier]]",
                                             "[[1,2,\"outlier\",4]]",
                                             "[[,2]]",
                                             "[[1,x]]",
                                             "[[1,2]] "};
const std::vector<std::string> no_values = {"",      "[",    "[1",  "[1,]", "[,1]",
                                            "[1 2]", "[1]x", "nan", "[-]",  "[nul]"};

BOOST_AUTO_TEST_CASE(a_plain_sample_has_no_mark) {
  const std::vector<Sample> samples = {
      {0.001, 1.98e9}, {0.5e-6, 0, SampleMark::outlier}, {2, 1, SampleMark::low_clock}};
  const std::string json = R"([[0.001,1.98e+09],[5e-07,0,"outlier"],[2,1,"low clock"]])";
  BOOST_TEST(samples_to_json(samples) == json);
  BOOST_TEST((samples_from_json(json) == samples));
  BOOST_TEST(samples_to_json({}) == "[]");
  BOOST_TEST(samples_from_json("[]").empty());
}

BOOST_AUTO_TEST_CASE(what_is_not_a_number_is_kept) {
  const std::vector<Metric> metrics = {{"a", Origin::measured, std::nan("")},
                                       {"b", Origin::measured, infinity},
                                       {"c", Origin::measured, -infinity},
                                       {"d", Origin::measured, -0.0},
                                       {"e", Origin::measured, 0.1}};
  BOOST_TEST(values_to_json(metrics) == "[null,9e999,-9e999,-0,0.1]");
  const std::vector<double> values = values_from_json(values_to_json(metrics));
  BOOST_REQUIRE(values.size() == 5);
  BOOST_TEST(std::isnan(values[0]));
  BOOST_TEST(values[1] == infinity);
  BOOST_TEST(values[2] == -infinity);
  BOOST_TEST(std::signbit(values[3]));
  BOOST_TEST(values[4] == 0.1);
}

BOOST_DATA_TEST_CASE(other_texts_are_no_samples, data::make(no_samples), json) {
  BOOST_CHECK_THROW(samples_from_json(json), std::invalid_argument);
}

BOOST_DATA_TEST_CASE(other_texts_are_no_values, data::make(no_values), json) {
  BOOST_CHECK_THROW(values_from_json(json), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
