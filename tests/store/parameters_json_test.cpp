#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "engine/store/store.h"
#include "engine/store/stored_json.h"
#include "tests/rapidcheck_case.h"
#include "tests/store/arbitrary_records.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(parameters_json)

namespace {

BOOST_AUTO_TEST_CASE(kinds_and_order_can_be_read_in_the_text) {
  Bindings parameters;
  parameters.set("STRIDE", std::int64_t{4});
  parameters.set("FLAG", true);
  parameters.set("T", ElementType::find("float").value());
  parameters.set("KIND", std::string("a \"word\""));
  parameters.set("BLOCK", std::int64_t{256});
  BOOST_TEST(parameters_to_json(parameters) ==
             R"({"STRIDE":4,"FLAG":true,"T":{"element":"float"},"KIND":"a \"word\"","BLOCK":256})");
}

BOOST_AUTO_TEST_CASE(any_parameters_come_back) {
  check_property([] {
    const Bindings parameters = arbitrary_parameters();
    RC_ASSERT((parameters_from_json(parameters_to_json(parameters)) == parameters));
  });
}

BOOST_DATA_TEST_CASE(anything_else_is_refused,
                     data::make({"", "{", "[1]", "3", R"({"A":1.5})", R"({"A":null})",
                                 R"({"A":[1]})", R"({"T":{"element":"flaot"}})",
                                 R"({"T":{"element":4}})", R"({"T":{}})"}),
                     text) {
  BOOST_CHECK_THROW(parameters_from_json(text), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(a_value_nested_deeper_than_the_stack_is_refused) {
  constexpr std::size_t depth = 200'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  BOOST_CHECK_THROW(parameters_from_json("{\"A\":" + deep + ",\"B\":1,\"C\":2}"),
                    std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_refused) {
  Bindings parameters;
  parameters.set("KIND", std::string("\xff"));
  BOOST_CHECK_THROW(parameters_to_json(parameters), StoreError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
