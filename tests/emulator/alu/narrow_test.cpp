// Pairs of numbers of 8, 6 and 4 bits: every one of them, and what is made of every half and of
// many floats, as CUDA's own headers have it on a host.
#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <ostream>
#include <random>
#include <vector>

#include "tests/emulator/alu/warp.h"

#if __has_include(<cuda_fp4.h>)
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#define SWEEP_HAS_NARROW_HEADERS
#endif

namespace data = boost::unit_test::data;

namespace sweep::testing::narrow_test {
namespace {
namespace narrow {

using Modifiers = std::vector<std::string_view>;

/// Lane 0's result of a conversion whose registers have these values.
std::uint32_t result(const Modifiers& modifiers, std::uint32_t a, std::uint32_t b = 0) {
  const AluOperation operation = find_narrow_conversion(modifiers);
  BOOST_TEST_REQUIRE((operation.function != nullptr));
  struct alignas(64) Block {
    std::uint32_t lanes[3][warp_size];
  };
  Block registers = {};
  registers.lanes[1][0] = a;
  registers.lanes[2][0] = b;
  constexpr std::uint32_t slot = warp_size * 4;
  run_alu(operation.function, {.d = 0, .a = slot, .b = 2 * slot, .e = operation.variant},
          reinterpret_cast<std::byte*>(&registers), 1);
  return registers.lanes[0][0];
}

#ifdef SWEEP_HAS_NARROW_HEADERS

__half_raw raw_half(std::uint32_t bits) {
  __half_raw half;
  half.x = static_cast<unsigned short>(bits);
  return half;
}

struct Format {
  const char* name;
  unsigned bits;  ///< of one number
  unsigned step;
  std::uint32_t (*of_float)(float value);
  std::uint32_t (*of_half)(std::uint32_t bits);
  std::uint32_t (*to_half)(std::uint32_t code);
  bool is_from_halves = false;  ///< PTX makes it of halves too
  friend std::ostream& operator<<(std::ostream& out, const Format& row) { return out << row.name; }
};

#define SWEEP_NARROW_FORMAT(name, bits, step, kind, size, more, has_halves)                \
  {                                                                                        \
    name, bits, step,                                                                      \
        [](float value) -> std::uint32_t {                                                 \
          return __nv_cvt_float_to_fp##size(value, more(kind));                            \
        },                                                                                 \
        [](std::uint32_t half) -> std::uint32_t {                                          \
          return __nv_cvt_halfraw_to_fp##size(raw_half(half), more(kind));                 \
        },                                                                                 \
        [](std::uint32_t code) -> std::uint32_t {                                          \
          return __nv_cvt_fp##size##_to_halfraw(static_cast<unsigned char>(code), kind).x; \
        },                                                                                 \
        has_halves                                                                         \
  }
#define SWEEP_FINITE(kind) __NV_SATFINITE, kind
#define SWEEP_NEAREST(kind) kind, cudaRoundNearest

const Format formats[] = {
    SWEEP_NARROW_FORMAT("e4m3x2", 8, 8, __NV_E4M3, 8, SWEEP_FINITE, true),
    SWEEP_NARROW_FORMAT("e5m2x2", 8, 8, __NV_E5M2, 8, SWEEP_FINITE, true),
    SWEEP_NARROW_FORMAT("e2m3x2", 6, 8, __NV_E2M3, 6, SWEEP_NEAREST, false),
    SWEEP_NARROW_FORMAT("e3m2x2", 6, 8, __NV_E3M2, 6, SWEEP_NEAREST, false),
    SWEEP_NARROW_FORMAT("e2m1x2", 4, 4, __NV_E2M1, 4, SWEEP_NEAREST, false),
};

/// Floats around every number of up to 8 bits, special ones, and random ones.
std::vector<float> many_floats() {
  std::vector<float> values = {0.0F, -0.0F, 1e-45F, 3e38F, -3e38F};
  for (std::uint32_t top = 0; top < 0x1000; ++top) {
    for (const std::uint32_t below : {0U, 1U, 0x7ffffU, 0x80000U, 0x80001U, 0xfffffU}) {
      values.push_back(std::bit_cast<float>(top << 20 | below));
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  return values;
}

#endif

}  // namespace narrow
}  // namespace

using namespace narrow;

BOOST_AUTO_TEST_SUITE(narrow_floats)

#ifdef SWEEP_HAS_NARROW_HEADERS

BOOST_DATA_TEST_CASE(floats_are_rounded_as_by_the_headers, data::make(formats), row) {
  const Modifiers plain = {"rn", "satfinite", row.name, "f32"};
  const Modifiers relu = {"rn", "satfinite", "relu", row.name, "f32"};
  unsigned wrong = 0;
  for (const float value : many_floats()) {
    const std::uint32_t expected = row.of_float(value);
    const std::uint32_t found = result(plain, std::bit_cast<std::uint32_t>(value), 0x3f800000);
    wrong += found == (expected << row.step | row.of_float(1)) ? 0 : 1;
    const std::uint32_t clamped = std::signbit(value) && value == value ? 0 : expected;
    wrong += result(relu, 0, std::bit_cast<std::uint32_t>(value)) == clamped ? 0 : 1;
  }
  BOOST_TEST(wrong == 0U);
}

BOOST_DATA_TEST_CASE(halves_are_rounded_as_by_the_headers, data::make(formats), row) {
  const Modifiers plain = {"rn", "satfinite", row.name, "f16x2"};
  if (!row.is_from_halves) return;
  unsigned wrong = 0;
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const std::uint32_t found = result(plain, half << 16 | 0x3c00);
    wrong += found == (row.of_half(half) << row.step | row.of_half(0x3c00)) ? 0 : 1;
  }
  BOOST_TEST(wrong == 0U);
}

BOOST_DATA_TEST_CASE(every_number_is_the_half_that_it_is_by_the_headers, data::make(formats), row) {
  for (std::uint32_t code = 0; code < 1U << row.bits; ++code) {
    const std::uint32_t found = result({"rn", "f16x2", row.name}, code);
    BOOST_TEST(found == row.to_half(code), row.name << " " << code);
    const std::uint32_t upper = result({"rn", "f16x2", row.name}, code << row.step) >> 16;
    BOOST_TEST(upper == row.to_half(code), row.name << " " << code << " above");
  }
}

BOOST_AUTO_TEST_CASE(scales_are_those_of_the_headers) {
  for (const bool is_upward : {false, true}) {
    const auto rounding = is_upward ? cudaRoundPosInf : cudaRoundZero;
    for (const bool is_finite : {false, true}) {
      Modifiers modifiers = {is_upward ? "rp" : "rz", "satfinite", "ue8m0x2", "f32"};
      if (!is_finite) modifiers.erase(modifiers.begin() + 1);
      const auto saturation = is_finite ? __NV_SATFINITE : __NV_NOSAT;
      unsigned wrong = 0;
      for (const float value : many_floats()) {
        const std::uint32_t expected = __nv_cvt_float_to_e8m0(value, saturation, rounding);
        wrong += result(modifiers, 0, std::bit_cast<std::uint32_t>(value)) == expected ? 0 : 1;
      }
      BOOST_TEST(wrong == 0U, modifiers.front() << ' ' << is_finite);
    }
  }
  for (std::uint32_t code = 0; code < 256; ++code) {
    const std::uint32_t expected = __nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(code)).x;
    BOOST_TEST(result({"rn", "bf16x2", "ue8m0x2"}, code << 8) >> 16 == expected);
  }
}

#endif

BOOST_AUTO_TEST_CASE(others_are_no_conversions) {
  const Modifiers others[] = {{"rn", "e4m3x2", "f32"},
                              {"rz", "satfinite", "e4m3x2", "f32"},
                              {"rn", "satfinite", "e4m3x2", "bf16x2"},
                              {"rn", "satfinite", "e4m3x2", "e5m2x2"},
                              {"rn", "f32", "e4m3x2"},
                              {"rn", "ftz", "f16x2", "e4m3x2"},
                              {"rz", "relu", "ue8m0x2", "f32"},
                              {"rn", "f16x2", "ue8m0x2"},
                              {"e4m3x2", "f32"}};
  for (const Modifiers& modifiers : others) {
    BOOST_TEST((find_narrow_conversion(modifiers).function == nullptr), modifiers.back());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing::narrow_test
