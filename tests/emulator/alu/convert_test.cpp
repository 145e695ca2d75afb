#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"

/// cvt: integers by bits, the rest by the values of the PTX ISA.
namespace data = boost::unit_test::data;

namespace sweep::testing::convert_test {
namespace {

using Wide = __int128;

const std::string integers[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};

int width_of(const std::string& type) {
  return std::stoi(type.substr(1));
}

Wide value_of(const std::string& type, std::uint64_t bits) {
  const int width = width_of(type);
  const Wide kept = static_cast<Wide>(bits) & ((Wide{1} << width) - 1);
  const bool negative = type[0] == 's' && (kept >> (width - 1)) != 0;
  return kept - (negative ? Wide{1} << width : Wide{0});
}

std::uint64_t bits_of(Wide value, int width) {
  return static_cast<std::uint64_t>(value & ((Wide{1} << width) - 1));
}

Wide clamped(const std::string& type, Wide value) {
  const int width = width_of(type);
  const Wide low = type[0] == 's' ? -(Wide{1} << (width - 1)) : Wide{0};
  const Wide high = type[0] == 's' ? -low - 1 : (Wide{1} << width) - 1;
  return value < low ? low : value > high ? high : value;
}

/// Truncated or clamped to the type, then extended to the register as the type's sign says.
BOOST_DATA_TEST_CASE(integers_convert_by_value, data::make(integers) * data::make(integers), to,
                     from) {
  std::mt19937_64 random(9);
  for (const int width : {16, 32, 64}) {
    if (width < width_of(to)) continue;
    const std::string types = to + "." + from + ".d" + std::to_string(width);
    for (int round = 0; round < 200; ++round) {
      const std::uint64_t a = interesting(random);
      const Wide value = value_of(from, a);
      const Wide truncated = value_of(to, static_cast<std::uint64_t>(value));
      BOOST_TEST_REQUIRE(result_of("cvt." + types, a) == bits_of(truncated, width), types);
      BOOST_TEST_REQUIRE(result_of("cvt.sat." + types, a) == bits_of(clamped(to, value), width),
                         types);
    }
  }
}

struct Mode {
  const char* name;
  int rounding;

  friend std::ostream& operator<<(std::ostream& out, const Mode& mode) { return out << mode.name; }
};

const Mode modes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

template <class To, class From>
To converted(From from, int rounding) {
  const volatile From source = from;
  std::fesetround(rounding);
  const volatile To result = static_cast<To>(source);
  std::fesetround(FE_TONEAREST);
  return result;
}

BOOST_DATA_TEST_CASE(roundings_are_those_of_the_processor, data::make(modes), mode) {
  std::mt19937_64 random(10);
  const std::string name = std::string("cvt.") + mode.name;
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t a = interesting(random);
    const auto signed_a = static_cast<std::int64_t>(a);
    BOOST_TEST_REQUIRE(result_of(name + ".f32.u64", a) ==
                       std::bit_cast<std::uint32_t>(converted<float>(a, mode.rounding)));
    BOOST_TEST_REQUIRE(result_of(name + ".f32.s64", a) ==
                       std::bit_cast<std::uint32_t>(converted<float>(signed_a, mode.rounding)));
    BOOST_TEST_REQUIRE(result_of(name + ".f64.u64", a) ==
                       std::bit_cast<std::uint64_t>(converted<double>(a, mode.rounding)));
    const auto word = static_cast<std::int32_t>(a);
    BOOST_TEST_REQUIRE(result_of(name + ".f32.s32", a) ==
                       std::bit_cast<std::uint32_t>(converted<float>(word, mode.rounding)));
    const auto wide = std::bit_cast<double>(a);
    const float narrow = converted<float>(wide, mode.rounding);
    BOOST_TEST_REQUIRE(result_of(name + ".f32.f64", a) == std::bit_cast<std::uint32_t>(narrow));
  }
}

struct Row {
  const char* instruction;
  std::uint64_t a, b, expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a << " " << row.b;
  }
};

constexpr std::uint64_t top64 = 0x8000000000000000;

const Row rows[] = {
    {"cvt.u64.u32", 0xffffffff, 0, 0xffffffff},
    {"cvt.s64.s32", 0xffffffff, 0, 0xffffffffffffffff},
    {"cvt.u32.u16", 0xffff, 0, 0xffff},
    {"cvt.s8.s32.d16", 0x80, 0, 0xff80},
    {"cvt.s8.s32.d32", 0x80, 0, 0xffffff80},
    {"cvt.u8.s32.d32", 0xff80, 0, 0x80},
    {"cvt.rzi.s32.f32", 0xc0200000, 0, 0xfffffffe},
    {"cvt.rni.s32.f32", 0x40200000, 0, 2},
    {"cvt.rni.s32.f32", 0x40600000, 0, 4},
    {"cvt.rmi.s32.f32", 0xc0200000, 0, 0xfffffffd},
    {"cvt.rpi.s32.f32", 0x3f000000, 0, 1},
    {"cvt.rpi.s32.f32", 0x00000001, 0, 1},
    {"cvt.rpi.ftz.s32.f32", 0x00000001, 0, 0},
    {"cvt.rzi.s32.f32", 0x4f000000, 0, 0x7fffffff},
    {"cvt.rzi.s32.f32", 0xff800000, 0, 0x80000000},
    {"cvt.rzi.s32.f32", 0x7fffffff, 0, 0},
    {"cvt.rzi.u32.f32", 0x7fc00000, 0, 0},
    {"cvt.rzi.u32.f32", 0xbf800000, 0, 0},
    {"cvt.rzi.u32.f32", 0x4f800000, 0, 0xffffffff},
    {"cvt.rzi.u32.f32", 0x4f7fffff, 0, 0xffffff00},
    {"cvt.rzi.s64.f32", 0x7fc00000, 0, top64},
    {"cvt.rzi.u64.f32", 0x7fc00000, 0, top64},
    {"cvt.rzi.s32.f64", 0x7ff8000000000000, 0, 0x80000000},
    {"cvt.rzi.u32.f64", 0x7ff8000000000000, 0, 0x80000000},
    {"cvt.rzi.u64.f64", 0x43f0000000000000, 0, 0xffffffffffffffff},
    {"cvt.rzi.u64.f64", 0x43efffffffffffff, 0, 0xfffffffffffff800},
    {"cvt.rzi.s64.f64", 0xc3e0000000000000, 0, top64},
    {"cvt.rni.s64.f64", 0x3fe0000000000000, 0, 0},
    {"cvt.rzi.s8.f32.d32", 0xc3800000, 0, 0xffffff80},
    {"cvt.rzi.u8.f32.d32", 0x43c80000, 0, 0xff},
    {"cvt.rzi.s16.f32", 0xc7800000, 0, 0x8000},
    {"cvt.rzi.u16.f64", 0x7ff8000000000000, 0, 0x8000},
    {"cvt.rni.s32.f16", 0x4100, 0, 2},
    {"cvt.rn.f16.s32", 0x7fffffff, 0, 0x7c00},
    {"cvt.rz.f16.s32", 0x7fffffff, 0, 0x7bff},
    {"cvt.rn.f16.u16", 2049, 0, 0x6800},
    {"cvt.rn.bf16.s32", 257, 0, 0x4380},
    {"cvt.rn.f64.s32", 0x80000000, 0, 0xc1e0000000000000},
    {"cvt.rn.sat.f32.s32", 5, 0, 0x3f800000},
    {"cvt.f64.f32", 0x3fc00000, 0, 0x3ff8000000000000},
    {"cvt.ftz.f64.f32", 0x00000001, 0, 0},
    {"cvt.rn.ftz.f32.f64", 0x37f0000000000000, 0, 0},
    {"cvt.sat.f32.f32", 0x40000000, 0, 0x3f800000},
    {"cvt.sat.f32.f32", 0x7fc00001, 0, 0},
    {"cvt.sat.f32.f32", 0x80000000, 0, 0},
    {"cvt.sat.f32.f32", 0x00000001, 0, 0x00000001},
    {"cvt.ftz.sat.f32.f32", 0x00000001, 0, 0},
    {"cvt.ftz.f32.f32", 0x807fffff, 0, 0x80000000},
    {"cvt.rni.f32.f32", 0x40200000, 0, 0x40000000},
    {"cvt.rzi.f64.f64", 0xbfe0000000000000, 0, top64},
    {"cvt.rn.f16.f64", 0x3f50020000000001, 0, 0x1401},
    {"cvt.rn.relu.f16.f32", 0xbf800000, 0, 0},
    {"cvt.rn.relu.bf16.f32", 0x7fc00000, 0, 0x7fff},
    {"cvt.rn.satfinite.f16.f32", 0x7f800000, 0, 0x7bff},
    {"cvt.rn.f16x2.f32", 0x3f800000, 0x40000000, 0x3c004000},
    {"cvt.rn.bf16x2.f32", 0x3f800000, 0x40000000, 0x3f804000},
    {"cvt.rz.relu.bf16x2.f32", 0xbf800000, 0x3fffffff, 0x00003fff},
    {"cvt.rna.tf32.f32", 0x3f801000, 0, 0x3f802000},
    {"cvt.rn.tf32.f32", 0x3f801000, 0, 0x3f800000},
    {"cvt.rn.tf32.f32", 0x7fc00000, 0, 0x7fffe000},
    {"cvt.rna.tf32.f32", 0xffc46038, 0, 0xffc46000},
    {"cvt.rna.tf32.f32", 0xff800001, 0, 0xff800000},
    {"cvt.rna.tf32.f32", 0x7f7fffff, 0, 0x7f800000},
    {"cvt.rna.satfinite.tf32.f32", 0x3f801000, 0, 0x3f802000},
    {"cvt.rna.satfinite.tf32.f32", 0xff7fffff, 0, 0xff7fe000},
    {"cvt.rna.satfinite.tf32.f32", 0xff800000, 0, 0xff7fe000},
    {"cvt.rna.satfinite.tf32.f32", 0xfff778a2, 0, 0xfff74000},
    {"cvt.rna.satfinite.tf32.f32", 0x7f802000, 0, 0x7f800000},
    {"cvt.f16.bf16", 0x3f81, 0, 0x3c08},
    {"cvt.bf16.f16", 0x3c04, 0, 0x3f80},
    {"cvt.bf16.f16", 0x3c0c, 0, 0x3f82},
    {"cvt.f32.f32", 0x7f800001, 0, 0x7f800001},
    {"cvt.f32.bf16", 0xffc1, 0, 0xffc10000},
    {"cvt.f32.f16", 0xfe01, 0, 0x7fffffff},
    {"cvt.f64.f16", 0xfe01, 0, 0xfff8040000000000},
    {"cvt.rn.f16.f64", 0xfffff3ae17acc130, 0, 0xfffc},
    {"cvt.ftz.f64.f32", 0xffc00001, 0, 0x7fffffffe0000000},
};

BOOST_DATA_TEST_CASE(a_conversion_gives, data::make(rows), row) {
  const std::uint64_t found = result_of(row.instruction, row.a, row.b);
  BOOST_TEST(found == row.expected, std::hex << found << " is not " << row.expected);
}

}  // namespace
}  // namespace sweep::testing::convert_test
