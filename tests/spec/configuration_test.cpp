#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/spec/pattern.h"
#include "tests/spec/example_patterns.h"

BOOST_AUTO_TEST_SUITE(configuration)

namespace {

using namespace sweep::testing;
using sweep::Bindings;
using sweep::ElementType;
using sweep::InputError;
using sweep::PatternPtr;

const PatternPtr stride = good_pattern(
    pattern_with("stride",
                 {"T: float", "STRIDE: {default: 1, min: 0, max: 64}", "BYTES: 1 Ki",
                  "N: {default: BYTES / sizeof(T) / STRIDE, min: 1}", "PADDED: N > 100"},
                 "structs: {Pair: 2 * sizeof(T), Four: 2 * sizeof(Pair)}\n"),
    "stride");

Bindings given(std::initializer_list<std::pair<const char*, sweep::Value>> values) {
  Bindings bindings;
  for (const auto& [name, value] : values) bindings.set(name, value);
  return bindings;
}

/// The configuration, or the messages.
std::string resolved(const Bindings& values) {
  try {
    return to_string(resolve(stride, values));
  } catch (const InputError& error) {
    return messages(error.diagnostics());
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_not_given_takes_its_default) {
  BOOST_TEST(resolved({}) == "stride T=float STRIDE=1 BYTES=1024 N=256 PADDED=true");
}

BOOST_AUTO_TEST_CASE(defaults_follow_what_is_given) {
  BOOST_TEST(resolved(given({{"STRIDE", std::int64_t{4}}, {"T", *ElementType::find("double")}})) ==
             "stride T=double STRIDE=4 BYTES=1024 N=32 PADDED=false");
  BOOST_TEST(resolved(given({{"N", std::int64_t{7}}})) ==
             "stride T=float STRIDE=1 BYTES=1024 N=7 PADDED=false");
  BOOST_TEST(resolved(given({{"PADDED", false}})) ==
             "stride T=float STRIDE=1 BYTES=1024 N=256 PADDED=false");
}

BOOST_AUTO_TEST_CASE(parameters_have_the_patterns_order_and_no_others) {
  BOOST_TEST(
      resolved(given({{"OTHER", true}, {"N", std::int64_t{1}}, {"BYTES", std::int64_t{8}}})) ==
      "stride T=float STRIDE=1 BYTES=8 N=1 PADDED=false");
}

BOOST_AUTO_TEST_CASE(bounds_hold_for_what_is_given) {
  BOOST_TEST(resolved(given({{"STRIDE", std::int64_t{64}}})) ==
             "stride T=float STRIDE=64 BYTES=1024 N=4 PADDED=false");
  BOOST_TEST(resolved(given({{"STRIDE", std::int64_t{-1}}})) ==
             "4:3+6 STRIDE = -1 is below the min of 0");
  BOOST_TEST(resolved(given({{"STRIDE", std::int64_t{65}}})) ==
             "4:3+6 STRIDE = 65 is above the max of 64");
}

BOOST_AUTO_TEST_CASE(bounds_hold_for_defaults) {
  BOOST_TEST(resolved(given({{"BYTES", std::int64_t{2}}})) == "6:3+1 N = 0 is below the min of 1");
}

BOOST_AUTO_TEST_CASE(a_default_that_cannot_be_evaluated_is_an_error) {
  BOOST_TEST(resolved(given({{"STRIDE", std::int64_t{0}}})) ==
             "6:34+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ...");
}

BOOST_AUTO_TEST_CASE(the_environment_knows_the_structs_sizes) {
  const Bindings environment =
      environment_of(resolve(stride, given({{"T", *ElementType::find("double")}})));
  BOOST_TEST(to_string(environment) ==
             "T=double STRIDE=1 BYTES=1024 N=128 PADDED=true sizeof(Pair)=16 sizeof(Four)=32");
}

BOOST_AUTO_TEST_CASE(a_pattern_without_parameters_is_its_name) {
  const PatternPtr one = good_pattern(R"cu(/* pattern:
buffers: {data: {type: float, length: 1}}
launch: {grid: 1, block: 1}
useful: 4
verify: "true"
*/
__global__ void one(float* data) {}
)cu",
                                      "one");
  BOOST_TEST(to_string(resolve(one, {})) == "one");
}

BOOST_AUTO_TEST_SUITE_END()
