#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "engine/text/expression.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(checked_arithmetic)

namespace {

using sweep::Arithmetic;
using sweep::ArithmeticFault;
__extension__ using Wide = __int128;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

/// Where 64-bit arithmetic goes wrong if it does.
constexpr std::array<std::int64_t, 28> edges = {
    lowest,      lowest + 1,  lowest + 2,  lowest / 2,  lowest / 2 - 1,
    -3037000500, -3037000499, -4294967296, -2147483648, -65,
    -64,         -7,          -3,          -2,          -1,
    0,           1,           2,           3,           7,
    63,          64,          2147483647,  4294967296,  3037000499,
    3037000500,  highest / 2, highest};

Arithmetic fit(Wide value) {
  if (value < lowest || value > highest) return ArithmeticFault::overflow;
  return static_cast<std::int64_t>(value);
}

Wide round_up(Wide a, Wide b) {
  Wide quotient = a / b;
  while (b > 0 ? quotient * b < a : quotient * b > a) ++quotient;
  return quotient;
}

Wide round_down(Wide a, Wide b) {
  Wide quotient = a / b;
  while (b > 0 ? quotient * b > a : quotient * b < a) --quotient;
  return quotient;
}

Arithmetic divided(std::int64_t a, std::int64_t b, Wide (*divide)(Wide, Wide)) {
  return b == 0 ? Arithmetic(ArithmeticFault::division_by_zero) : fit(divide(a, b));
}

Arithmetic shifted(std::int64_t a, std::int64_t count, Wide (*shift)(Wide, Wide)) {
  const bool in_range = count >= 0 && count <= 63;
  if (!in_range) return ArithmeticFault::shift_out_of_range;
  return fit(shift(a, static_cast<Wide>(1) << count));
}

template <sweep::Operation operation>
Arithmetic checked(std::int64_t a, std::int64_t b) {
  return sweep::apply(operation, a, b);
}

struct Operation {
  const char* name;
  Arithmetic (*checked)(std::int64_t, std::int64_t);
  Arithmetic (*exact)(std::int64_t, std::int64_t);

  friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
    return out << operation.name;
  }
};

Wide wide(std::int64_t value) {
  return value;
}

const std::vector<Operation> operations = {
    {"add", checked<sweep::Operation::add>, [](auto a, auto b) { return fit(wide(a) + b); }},
    {"subtract", checked<sweep::Operation::subtract>,
     [](auto a, auto b) { return fit(wide(a) - b); }},
    {"multiply", checked<sweep::Operation::multiply>,
     [](auto a, auto b) { return fit(wide(a) * b); }},
    {"divide", checked<sweep::Operation::divide>,
     [](auto a, auto b) { return divided(a, b, [](Wide x, Wide y) { return x / y; }); }},
    {"remainder", checked<sweep::Operation::remainder>,
     [](auto a, auto b) { return divided(a, b, [](Wide x, Wide y) { return x % y; }); }},
    {"ceil_div", checked<sweep::Operation::ceil_div>,
     [](auto a, auto b) { return divided(a, b, round_up); }},
    {"shift_left", checked<sweep::Operation::shift_left>,
     [](auto a, auto b) { return shifted(a, b, [](Wide x, Wide y) { return x * y; }); }},
    {"shift_right", checked<sweep::Operation::shift_right>,
     [](auto a, auto b) { return shifted(a, b, round_down); }},
};

std::string shown(const Arithmetic& result) {
  struct Writer {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(ArithmeticFault fault) const {
      switch (fault) {
        case ArithmeticFault::overflow:
          return "overflow";
        case ArithmeticFault::division_by_zero:
          return "division by zero";
        case ArithmeticFault::shift_out_of_range:
          return "shift out of range";
        case ArithmeticFault::logarithm_of_nonpositive:
          break;
      }
      return "logarithm of nonpositive";
    }
  };
  return std::visit(Writer{}, result);
}

}  // namespace

BOOST_DATA_TEST_CASE(agrees_with_128_bits_at_the_edges, data::make(operations), operation) {
  for (const std::int64_t a : edges) {
    for (const std::int64_t b : edges) {
      BOOST_TEST_CONTEXT(a << ", " << b) {
        BOOST_TEST(shown(operation.checked(a, b)) == shown(operation.exact(a, b)));
      }
    }
  }
}

BOOST_DATA_TEST_CASE(shifts_agree_with_128_bits_for_every_count,
                     data::make(std::vector<Operation>(operations.end() - 2, operations.end())) *
                         data::xrange(-1, 66),
                     operation, count) {
  for (const std::int64_t a : edges) {
    BOOST_TEST_CONTEXT(a) {
      BOOST_TEST(shown(operation.checked(a, count)) == shown(operation.exact(a, count)));
    }
  }
}

BOOST_DATA_TEST_CASE(agrees_with_128_bits_anywhere, data::make(operations), operation) {
  sweep::testing::check_property(
      [&] {
        const auto any = rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(),
                                        rc::gen::inRange<std::int64_t>(-70, 70),
                                        rc::gen::inRange(lowest, highest));
        const std::int64_t a = *any;
        const std::int64_t b = *any;
        RC_ASSERT(shown(operation.checked(a, b)) == shown(operation.exact(a, b)));
      },
      500);
}

BOOST_AUTO_TEST_CASE(names_the_fault) {
  BOOST_TEST(shown(checked<sweep::Operation::divide>(lowest, -1)) == "overflow");
  BOOST_TEST(shown(checked<sweep::Operation::divide>(1, 0)) == "division by zero");
  BOOST_TEST(shown(checked<sweep::Operation::remainder>(1, 0)) == "division by zero");
  BOOST_TEST(shown(checked<sweep::Operation::ceil_div>(0, 0)) == "division by zero");
  BOOST_TEST(shown(checked<sweep::Operation::shift_left>(0, 64)) == "shift out of range");
  BOOST_TEST(shown(checked<sweep::Operation::shift_right>(0, -1)) == "shift out of range");
  BOOST_TEST(shown(sweep::apply(sweep::Operation::log2, 0)) == "logarithm of nonpositive");
  BOOST_TEST(shown(sweep::apply(sweep::Operation::log2, lowest)) == "logarithm of nonpositive");
}

BOOST_DATA_TEST_CASE(logarithms_round_down, data::xrange(0, 63), k) {
  const std::int64_t power = std::int64_t{1} << k;
  BOOST_TEST(shown(sweep::apply(sweep::Operation::log2, power)) == std::to_string(k));
  BOOST_TEST(shown(sweep::apply(sweep::Operation::log2, power + (power - 1))) == std::to_string(k));
}

BOOST_AUTO_TEST_CASE(powers_of_two_are_one_positive_bit) {
  for (const std::int64_t value : edges) {
    bool found = false;
    for (int k = 0; k < 63; ++k) found = found || value == std::int64_t{1} << k;
    BOOST_TEST_CONTEXT(value) {
      BOOST_TEST((sweep::apply(sweep::Operation::is_pow2, value) == Arithmetic(found)));
    }
  }
  BOOST_TEST((sweep::apply(sweep::Operation::is_pow2, std::int64_t{1} << 62) == Arithmetic(true)));
}

BOOST_AUTO_TEST_SUITE_END()
