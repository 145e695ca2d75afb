#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"
#include "tests/rapidcheck_case.h"

/// Operations that count, extract and permute bits, against the loops of the PTX ISA.
namespace data = boost::unit_test::data;

namespace sweep::testing::bits_test {
namespace {

struct Row {
  const char* instruction;
  std::uint64_t a, b, c, e, expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a << " " << row.b << " " << row.c << " "
               << row.e;
  }
};

constexpr std::uint64_t none = 0xffffffff;

const Row rows[] = {
    {"bfe.u64", 0xff, 0x100, 8, 0, 0},
    {"bfe.s64", 0x8000000000000000, 0x100, 8, 0, 0xffffffffffffffff},
    {"bfi.b64", 0xff, 1, 0x100, 8, 1},
    {"popc.b32", 0xf0f0f0f0, 0, 0, 0, 16},
    {"popc.b64", 0xffffffffffffffff, 0, 0, 0, 64},
    {"clz.b32", 0, 0, 0, 0, 32},
    {"clz.b32", 1, 0, 0, 0, 31},
    {"clz.b64", 1, 0, 0, 0, 63},
    {"clz.b64", 0, 0, 0, 0, 64},
    {"brev.b32", 0x80000001, 0, 0, 0, 0x80000001},
    {"brev.b32", 0x00000003, 0, 0, 0, 0xc0000000},
    {"brev.b64", 0x00000000000000f1, 0, 0, 0, 0x8f00000000000000},
    {"bfind.u32", 0, 0, 0, 0, none},
    {"bfind.u32", 0x80000000, 0, 0, 0, 31},
    {"bfind.s32", 0x80000000, 0, 0, 0, 30},
    {"bfind.s32", 0xffffffff, 0, 0, 0, none},
    {"bfind.s32", 0xfffffffe, 0, 0, 0, 0},
    {"bfind.shiftamt.u32", 1, 0, 0, 0, 31},
    {"bfind.shiftamt.u32", 0, 0, 0, 0, none},
    {"bfind.u64", 0x100000000, 0, 0, 0, 32},
    {"bfind.shiftamt.s64", 0, 0, 0, 0, none},
    {"fns.b32", 0xaaaaaaaa, 3, 1, 0, 3},
    {"fns.b32", 0xaaaaaaaa, 3, 0xffffffff, 0, 3},
    {"fns.b32", 0xaaaaaaaa, 3, 2, 0, 5},
    {"fns.b32", 0xaaaaaaaa, 3, 0xfffffffe, 0, 1},
    {"fns.b32", 0xaaaaaaaa, 3, 0xfffffffd, 0, none},
    {"fns.b32", 0xaaaaaaaa, 3, 0, 0, 3},
    {"fns.b32", 0xaaaaaaaa, 2, 0, 0, none},
    {"bmsk.clamp.b32", 4, 8, 0, 0, 0x00000ff0},
    {"bmsk.clamp.b32", 30, 8, 0, 0, 0xc0000000},
    {"bmsk.clamp.b32", 32, 8, 0, 0, 0},
    {"bmsk.clamp.b32", 4, 40, 0, 0, 0xfffffff0},
    {"bmsk.wrap.b32", 36, 40, 0, 0, 0x00000ff0},
    {"szext.clamp.s32", 0xff, 8, 0, 0, 0xffffffff},
    {"szext.clamp.s32", 0x7f, 8, 0, 0, 0x7f},
    {"szext.clamp.u32", 0xffff, 8, 0, 0, 0xff},
    {"szext.clamp.u32", 0x80000001, 32, 0, 0, 0x80000001},
    {"szext.clamp.s32", 0x80000001, 99, 0, 0, 0x80000001},
    {"szext.wrap.s32", 0x1f, 36, 0, 0, 0xffffffff},
    {"szext.wrap.s32", 0x1f, 32, 0, 0, 0},
    {"shf.l.wrap.b32", 0x80000000, 1, 1, 0, 3},
    {"shf.l.wrap.b32", 0x80000000, 1, 33, 0, 3},
    {"shf.l.clamp.b32", 0x80000000, 1, 33, 0, 0x80000000},
    {"shf.r.wrap.b32", 0x80000000, 1, 1, 0, 0xc0000000},
    {"shf.r.clamp.b32", 0x80000000, 1, 99, 0, 1},
    {"shf.r.wrap.b32", 0x12345678, 0x9abcdef0, 32, 0, 0x12345678},
    {"prmt.b32", 0x33221100, 0x77665544, 0x7531, 0, 0x77553311},
    {"prmt.b32", 0x33228000, 0x77665544, 0x9990, 0, 0xffffff00},
    {"prmt.b32.f4e", 0x33221100, 0x77665544, 1, 0, 0x44332211},
    {"prmt.b32.b4e", 0x33221100, 0x77665544, 0, 0, 0x55667700},
    {"prmt.b32.rc8", 0x33221100, 0, 2, 0, 0x22222222},
    {"prmt.b32.ecl", 0x33221100, 0, 1, 0, 0x33221111},
    {"prmt.b32.ecr", 0x33221100, 0, 2, 0, 0x22221100},
    {"prmt.b32.rc16", 0x33221100, 0, 5, 0, 0x33223322},
    {"dp4a.u32.u32", 0xff020304, 0x01010101, 10, 0, 274},
    {"dp4a.s32.s32", 0xff020304, 0x01010101, 10, 0, 18},
    {"dp4a.s32.u32", 0xff000000, 0xff000000, 0, 0, 0xffffff01},
    {"dp4a.u32.s32", 0xff000000, 0xff000000, 0, 0, 0xffffff01},
    {"dp2a.lo.u32.u32", 0x00020003, 0x09080504, 1, 0, 23},
    {"dp2a.hi.u32.u32", 0x00020003, 0x09080504, 1, 0, 43},
    {"dp2a.lo.s32.s32", 0xffff0000, 0x0000ff00, 0, 0, 1},
};

BOOST_DATA_TEST_CASE(a_bit_result_is, data::make(rows), row) {
  BOOST_TEST(result_of(row.instruction, row.a, row.b, row.c, row.e) == row.expected);
}

template <class Word>
Word extracted(Word a, unsigned position, unsigned length, bool is_signed) {
  constexpr unsigned last = 8 * sizeof(Word) - 1;
  const unsigned top = std::min(position + length - 1, last);
  const bool sign = is_signed && length != 0 && (a >> top & 1) != 0;
  Word result = 0;
  for (unsigned bit = 0; bit <= last; ++bit) {
    const bool inside = bit < length && position + bit <= last;
    const bool set = inside ? (a >> (position + bit) & 1) != 0 : sign;
    result |= Word{set} << bit;
  }
  return result;
}

template <class Word>
Word inserted(Word a, Word b, unsigned position, unsigned length) {
  for (unsigned bit = 0; bit < length && position + bit < 8 * sizeof(Word); ++bit) {
    const Word place = Word{1} << (position + bit);
    b = (a >> bit & 1) != 0 ? b | place : b & ~place;
  }
  return b;
}

/// Positions and lengths beyond the register, up to a byte, are common enough to be found.
template <class Word>
void check_fields(const std::string& width) {
  check_property([&](Word a, Word b) {
    const unsigned position = *rc::gen::inRange(0U, 80U);
    const unsigned length = *rc::gen::inRange(0U, 80U);
    // 32-bit fields take the low bytes of their operands alone.
    const unsigned ignored = sizeof(Word) == 4 ? 0x300 : 0;
    RC_ASSERT(result_of("bfe.u" + width, a, position, length | ignored) ==
              extracted(a, position, length, false));
    RC_ASSERT(result_of("bfe.s" + width, a, position | ignored, length) ==
              extracted(a, position, length, true));
    RC_ASSERT(result_of("bfi.b" + width, a, b, position, length) ==
              inserted(a, b, position, length));
  });
}

BOOST_AUTO_TEST_CASE(fields_are_those_of_the_loops) {
  check_fields<std::uint32_t>("32");
  check_fields<std::uint64_t>("64");
}

}  // namespace
}  // namespace sweep::testing::bits_test
