#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"
#include "tests/rapidcheck_case.h"

/// Arithmetic of several words through the condition code.
namespace data = boost::unit_test::data;

namespace sweep::testing::carry_test {
namespace {

using Wide = unsigned __int128;

std::uint64_t low(Wide value) {
  return static_cast<std::uint64_t>(value);
}
std::uint64_t high(Wide value) {
  return static_cast<std::uint64_t>(value >> 64);
}
Wide joined(std::uint64_t low, std::uint64_t high) {
  return Wide{high} << 64 | low;
}

BOOST_AUTO_TEST_CASE(two_words_add_and_subtract_like_one_of_128_bits) {
  check_property([](std::uint64_t a0, std::uint64_t a1, std::uint64_t b0, std::uint64_t b1) {
    const Wide sum = joined(a0, a1) + joined(b0, b1);
    const TwoResults first = results_of("add.cc.u64", a0, b0);
    RC_ASSERT(first.d == low(sum));
    RC_ASSERT(result_of("addc.s64", a1, b1, 0, first.d2) == high(sum));
    const Wide difference = joined(a0, a1) - joined(b0, b1);
    const TwoResults under = results_of("sub.cc.s64", a0, b0);
    RC_ASSERT(under.d == low(difference));
    RC_ASSERT(result_of("subc.u64", a1, b1, 0, under.d2) == high(difference));
  });
}

BOOST_AUTO_TEST_CASE(words_of_32_bits_multiply_and_add_like_one_of_64) {
  check_property([](std::uint32_t a, std::uint32_t b, std::uint64_t c) {
    const std::uint64_t expected = std::uint64_t{a} * b + c;
    const TwoResults first = results_of("mad.lo.cc.u32", a, b, c & 0xffffffff);
    const std::uint64_t second = result_of("madc.hi.u32", a, b, c >> 32, first.d2);
    RC_ASSERT((second << 32 | first.d) == expected);
  });
}

struct Row {
  const char* instruction;
  std::uint64_t a, b, c, carry;
  TwoResults expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a << " " << row.b << " " << row.c;
  }
};

const Row rows[] = {
    {"add.cc.u32", 0xffffffff, 1, 0, 0, {0, 1}},
    {"add.cc.s32", 0x7fffffff, 1, 0, 0, {0x80000000, 0}},
    {"addc.cc.u32", 0xffffffff, 0, 0, 1, {0, 1}},
    {"addc.cc.u32", 0xffffffff, 0xffffffff, 0, 1, {0xffffffff, 1}},
    {"addc.cc.u32", 1, 2, 0, 1, {4, 0}},
    {"sub.cc.u32", 0, 1, 0, 0, {0xffffffff, 1}},
    {"subc.cc.u32", 0, 0xffffffff, 0, 1, {0, 1}},
    {"subc.cc.s64", 5, 3, 0, 1, {1, 0}},
    {"mad.hi.cc.s32", 0xffffffff, 1, 1, 0, {0, 1}},
    {"mad.hi.cc.u32", 0xffffffff, 0xffffffff, 2, 0, {0, 1}},
    {"madc.lo.cc.u64", 0xffffffffffffffff, 1, 0, 1, {0, 1}},
    {"madc.hi.cc.s64", 0xffffffffffffffff, 1, 0, 1, {0, 1}},
};

BOOST_DATA_TEST_CASE(a_result_and_its_carry_are, data::make(rows), row) {
  BOOST_TEST((results_of(row.instruction, row.a, row.b, row.c, row.carry) == row.expected));
}

}  // namespace
}  // namespace sweep::testing::carry_test
