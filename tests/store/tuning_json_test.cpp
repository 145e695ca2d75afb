#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "engine/store/store.h"
#include "engine/store/stored_json.h"
#include "tests/rapidcheck_case.h"
#include "tests/store/arbitrary_records.h"
#include "tests/store/example_records.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(tuning_json)

namespace {

/// The example's text with one part of it replaced.
std::string example_with(const std::string& part, const std::string& other) {
  std::string json = tuning_to_json(example_tuning());
  const std::size_t place = json.find(part);
  BOOST_REQUIRE(place != std::string::npos);
  return json.replace(place, part.size(), other);
}

BOOST_AUTO_TEST_CASE(a_search_can_be_read_in_the_text) {
  BOOST_TEST(
      tuning_to_json(example_tuning()) ==
      R"({"metric":"bandwidth","origin":"measured","better":"higher","strategy":"forest",)"
      R"("seed":18364758544493064720,"for_each":["T"],"groups":[)"
      R"({"group":{"T":{"element":"float"}},"place":0,"configurations":5376,"tried":200,)"
      R"("ended":"stopped after 200 configurations","winner":17,"rounds":12,)"
      R"("figure":[4290.5,4301.25,4310.0],"default_configuration":0,"why_no_default":"",)"
      R"("gain":[1.1,1.12,1.14]},)"
      R"({"group":{"T":{"element":"double"}},"place":0,"configurations":0,"tried":0,"ended":"",)"
      R"("winner":null,"rounds":0,"figure":[0.0,0.0,0.0],"default_configuration":null,)"
      R"("why_no_default":"N % BLOCK == 0 does not hold","gain":[0.0,0.0,0.0]}]})");
}

BOOST_AUTO_TEST_CASE(any_search_comes_back) {
  check_property([] {
    const TuningRecord tuning = arbitrary_tuning();
    RC_ASSERT(identical(tuning_from_json(tuning_to_json(tuning)), tuning));
  });
}

BOOST_DATA_TEST_CASE(anything_else_is_refused, data::make({"", "{", "[1]", "3", "{}"}), text) {
  BOOST_CHECK_THROW(tuning_from_json(text), std::invalid_argument);
}

struct Change {
  std::string part;
  std::string other;

  friend std::ostream& operator<<(std::ostream& out, const Change& change) {
    return out << change.part << " as " << change.other;
  }
};

const std::vector<Change> changes = {{"measured", "guessed"},
                                     {"higher", "nicer"},
                                     {"200,", "200.5,"},
                                     {"200,", "\"200\","},
                                     {"17", "\"17\""},
                                     {"[4290.5,4301.25,4310.0]", "[1.0]"},
                                     {"[4290.5,4301.25,4310.0]", "4301.25"},
                                     {"4290.5", "\"low\""},
                                     {"float", "flaot"},
                                     {"[\"T\"]", "\"T\""},
                                     {"\"default_configuration\"", "\"default\""}};

BOOST_DATA_TEST_CASE(what_does_not_fit_is_refused, data::make(changes), change) {
  BOOST_CHECK_THROW(tuning_from_json(example_with(change.part, change.other)),
                    std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_value_nested_deeper_than_the_stack_is_refused) {
  constexpr std::size_t depth = 200'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  BOOST_CHECK_THROW(tuning_from_json(example_with("{\"element\":\"float\"}", deep)),
                    std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_refused) {
  TuningRecord tuning = example_tuning();
  tuning.groups[0].ended = "\xff";
  BOOST_CHECK_THROW(tuning_to_json(tuning), StoreError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
