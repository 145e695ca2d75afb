#include "engine/spec/value_words.h"

#include <boost/test/unit_test.hpp>

#include "engine/spec/pattern.h"
#include "tests/spec/spec_case.h"

using namespace sweep;

namespace value_words {
namespace {

std::string pattern_with(const std::string& parameters) {
  return "/* pattern:\nparameters: {" + parameters +
         "}\nbuffers: {a: {type: float, length: 1}}\n*/\n";
}

}  // namespace
}  // namespace value_words

BOOST_AUTO_TEST_SUITE(value_words_suite)

BOOST_AUTO_TEST_CASE(a_pattern_says_what_numbers_stand_for) {
  define_words_of_pattern(value_words::pattern_with("VW_A: {default: 0, values: {0: ld, -1: nc}}"));
  BOOST_TEST(value_word("VW_A", 0) == "ld");
  BOOST_TEST(value_word("VW_A", -1) == "nc");
  BOOST_TEST(value_word("VW_A", 7) == "");
  BOOST_TEST(value_word("VW_UNKNOWN", 0) == "");
}

BOOST_AUTO_TEST_CASE(patterns_that_disagree_say_nothing) {
  define_words_of_pattern(
      value_words::pattern_with("VW_B: {default: 0, values: {0: ld, 5: hint}}"));
  define_words_of_pattern(
      value_words::pattern_with("VW_B: {default: 0, values: {0: none, 5: hint}}"));
  BOOST_TEST(value_word("VW_B", 0) == "");
  BOOST_TEST(value_word("VW_B", 5) == "hint");
  define_words_of_pattern(value_words::pattern_with("VW_B: 3"));
  BOOST_TEST(value_word("VW_B", 5) == "");
  // Those of another run.
  forget_value_words();
  define_words_of_pattern(value_words::pattern_with("VW_B: {default: 0, values: {0: none}}"));
  BOOST_TEST(value_word("VW_B", 0) == "none");
}

BOOST_AUTO_TEST_SUITE_END()
