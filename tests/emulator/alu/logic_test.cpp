#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"
#include "tests/rapidcheck_case.h"

/// Operations that move and combine bits without looking at them as numbers.
namespace data = boost::unit_test::data;

namespace sweep::testing::logic_test {
namespace {

struct Row {
  const char* instruction;
  std::uint64_t a, b, c, e, expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a << " " << row.b << " " << row.c << " "
               << row.e;
  }
};

const Row rows[] = {
    {"and.b32", 0xff00ff00, 0x0ff00ff0, 0, 0, 0x0f000f00},
    {"or.b64", 0xff00000000000000, 1, 0, 0, 0xff00000000000001},
    {"xor.b16", 0xffff, 0x00ff, 0, 0, 0xff00},
    {"not.b16", 0x00ff, 0, 0, 0, 0xff00},
    {"not.b32", 0, 0, 0, 0, 0xffffffff},
    {"cnot.b32", 0, 0, 0, 0, 1},
    {"cnot.b64", 0x100000000, 0, 0, 0, 0},
    {"and.pred", 1, 0, 0, 0, 0},
    {"or.pred", 1, 0, 0, 0, 1},
    {"xor.pred", 1, 1, 0, 0, 0},
    {"not.pred", 0, 0, 0, 0, 1},
    {"mov.pred", 1, 0, 0, 0, 1},
    {"mov.b64", 0x123456789abcdef0, 0, 0, 0, 0x123456789abcdef0},
    {"mov.f32", 0x7fc00001, 0, 0, 0, 0x7fc00001},
    {"mov.u16", 0xffff, 0, 0, 0, 0xffff},
    {"shl.b32", 1, 31, 0, 0, 0x80000000},
    {"shl.b32", 1, 32, 0, 0, 0},
    {"shl.b32", 1, 0xffffffff, 0, 0, 0},
    {"shl.b16", 0xffff, 4, 0, 0, 0xfff0},
    {"shl.b16", 1, 16, 0, 0, 0},
    {"shl.b64", 1, 63, 0, 0, 0x8000000000000000},
    {"shl.b64", 1, 64, 0, 0, 0},
    {"shr.u32", 0x80000000, 31, 0, 0, 1},
    {"shr.u32", 0x80000000, 32, 0, 0, 0},
    {"shr.b32", 0x80000000, 4, 0, 0, 0x08000000},
    {"shr.s32", 0x80000000, 4, 0, 0, 0xf8000000},
    {"shr.s32", 0x80000000, 77, 0, 0, 0xffffffff},
    {"shr.s16", 0x8000, 4, 0, 0, 0xf800},
    {"shr.s16", 0x8000, 99, 0, 0, 0xffff},
    {"shr.u16", 0x8000, 15, 0, 0, 1},
    {"shr.u16", 0x8000, 20, 0, 0, 0},
    {"shr.s64", 0x8000000000000000, 100, 0, 0, 0xffffffffffffffff},
    {"shr.u64", 0x8000000000000000, 63, 0, 0, 1},
    {"shr.u64", 0x8000000000000000, 64, 0, 0, 0},
    {"selp.b32", 1, 2, 1, 0, 1},
    {"selp.f64", 1, 2, 0, 0, 2},
    {"selp.u16", 1, 2, 0, 0, 2},
    {"slct.u32.s32", 1, 2, 0xffffffff, 0, 2},
    {"slct.u32.s32", 1, 2, 0, 0, 1},
    {"slct.b64.f32", 1, 2, 0x80000000, 0, 1},
    {"slct.b64.f32", 1, 2, 0x80000001, 0, 2},
    {"slct.ftz.b64.f32", 1, 2, 0x80000001, 0, 1},
    {"slct.f32.f32", 1, 2, 0x7fffffff, 0, 2},
    {"pack.b64", 0x11223344, 0x55667788, 0, 0, 0x5566778811223344},
    {"pack.b32", 0x1122, 0x3344, 0, 0, 0x33441122},
    {"lop3.b32", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x80, 0x80808080},
};

BOOST_DATA_TEST_CASE(a_logic_result_is, data::make(rows), row) {
  BOOST_TEST(result_of(row.instruction, row.a, row.b, row.c, row.e) == row.expected);
}

BOOST_AUTO_TEST_CASE(unpack_takes_the_low_part_first) {
  BOOST_TEST((results_of("unpack.b64", 0x5566778811223344) == TwoResults{0x11223344, 0x55667788}));
  BOOST_TEST((results_of("unpack.b32", 0x33441122) == TwoResults{0x1122, 0x3344}));
}

BOOST_AUTO_TEST_CASE(lop3_takes_each_bit_from_its_table) {
  check_property([](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t table) {
    std::uint32_t expected = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      const unsigned row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
      expected |= (std::uint32_t{table} >> row & 1) << bit;
    }
    RC_ASSERT(result_of("lop3.b32", a, b, c, table) == expected);
  });
}

/// F0, CC and AA are the tables of a, b and c themselves.
BOOST_AUTO_TEST_CASE(lop3_with_a_table_made_of_an_expression_is_that_expression) {
  check_property([](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    RC_ASSERT(result_of("lop3.b32", a, b, c, (0xF0 & 0xCC) ^ 0xAA) == ((a & b) ^ c));
    RC_ASSERT(result_of("lop3.b32", a, b, c, (0xF0 | 0xCC) & (~0xAA & 0xff)) == ((a | b) & ~c));
  });
}

BOOST_AUTO_TEST_CASE(a_predicate_of_each_lane_chooses) {
  const AluOperation operation = find(best_simd(), "selp.s32");
  Registers before;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    before.a[lane] = lane;
    before.b[lane] = 100 + lane;
    before.c[lane] = lane % 3 == 0 ? 1 : 0;
  }
  const Registers after = run(operation, before);
  for (unsigned lane = 0; lane < warp_size; ++lane)
    BOOST_TEST(after.d[lane] == (lane % 3 == 0 ? lane : 100 + lane));
}

}  // namespace
}  // namespace sweep::testing::logic_test
