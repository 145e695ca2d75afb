#include <bit>
#include <boost/test/unit_test.hpp>

#include "engine/backend/backend.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(mismatch)

namespace {

ShownValue shown(std::int32_t kind, std::initializer_list<std::uint64_t> bits) {
  ShownValue value;
  value.kind = kind;
  value.components = static_cast<std::int32_t>(bits.size());
  std::copy(bits.begin(), bits.end(), value.bits.begin());
  return value;
}

/// Of an element that looks the same whichever it is.
std::string described(const VerificationPlan& plan, const CheckResult& result) {
  return describe_mismatch(plan, result, [&](std::uint64_t) { return result; });
}

std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_are_shown_as_their_kind) {
  BOOST_TEST(to_string(shown(1, {static_cast<std::uint64_t>(-5)})) == "-5");
  BOOST_TEST(to_string(shown(2, {~0ULL})) == "18446744073709551615");
  BOOST_TEST(to_string(shown(3, {bits_of(0.1)})) == "0.1");
  BOOST_TEST(to_string(shown(4, {1})) == "true");
  BOOST_TEST(to_string(shown(3, {bits_of(1), bits_of(2.5), bits_of(-3), bits_of(4)})) ==
             "(1, 2.5, -3, 4)");
  BOOST_TEST(to_string(shown(0, {1})).empty());
}

BOOST_AUTO_TEST_CASE(a_mismatch_says_how_many_and_shows_the_first) {
  const VerificationPlan plan{"check", 1'000'000, "data", "data[i] ==\n     T(i)"};
  CheckResult result;
  result.count = 1234;
  result.first = 17;
  result.actual = shown(1, {3});
  result.expected = shown(2, {17});
  BOOST_TEST(described(plan, result) ==
             "wrong result: 1,234 of 1,000,000 elements of 'data' fail the check data[i] == T(i); "
             "the first is i = 17: 3, expected 17");
  result.worst = ~std::uint64_t{17} & ((std::uint64_t{1} << 40U) - 1);
  result.difference = 14;
  result.allowed = 0.5;
  result.ulps = 14;
  BOOST_TEST(described(plan, result) ==
             "wrong result: 1,234 of 1,000,000 elements of 'data' fail the check data[i] == T(i); "
             "the first is i = 17: 3, expected 17, off by 14 (14 ulps) where 0.5 is allowed; none "
             "is off by more");
  result.worst -= 1;
  BOOST_TEST(described(plan, result)
                 .ends_with("where 0.5 is allowed; the worst is i = 18: 3, expected 17, off by 14 "
                            "(14 ulps) where 0.5 is "
                            "allowed"));
  result.worst = 0;
  result.actual.kind = 0;
  BOOST_TEST(described(plan, result) ==
             "wrong result: 1,234 of 1,000,000 elements of 'data' fail the check data[i] == T(i); "
             "the first is i = 17");
}

BOOST_AUTO_TEST_SUITE_END()
