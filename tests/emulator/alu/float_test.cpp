#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"

/// f32 and f64 against exact results in long double, and the special values of the PTX ISA.
namespace data = boost::unit_test::data;

namespace sweep::testing::float_test {
namespace {

using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64, "the references need 64 bits");

/// `exact` in T in one of the roundings rn, rz, rm and rp.
template <class T>
T rounded(Exact exact, const std::string& rounding) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const T nearest = static_cast<T>(exact);
  const bool down = rounding == "rm" || (rounding == "rz" && exact > 0);
  const bool up = rounding == "rp" || (rounding == "rz" && exact < 0);
  if (down && static_cast<Exact>(nearest) > exact) return std::nextafter(nearest, -infinity);
  if (up && static_cast<Exact>(nearest) < exact) return std::nextafter(nearest, infinity);
  return nearest;
}

struct Operation {
  const char* name;
  Exact (*exact)(Exact a, Exact b, Exact c);

  friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
    return out << operation.name;
  }
};

/// `bits` random bits in front of the point, and some in the exponent, so that sums and products
/// are exact in 64 bits.
template <class T>
T number(std::mt19937_64& random, int bits) {
  const auto whole = static_cast<T>(1 + random() % ((std::uint64_t{1} << bits) - 1));
  const T value = std::ldexp(whole, static_cast<int>(random() % 5) - 2);
  return random() % 2 == 0 ? value : -value;
}

template <class T>
void check_rounding(const Operation& operation, const std::string& type, int bits,
                    bool needs_positive) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::mt19937_64 random(5);
  for (const std::string rounding : {"rn", "rz", "rm", "rp"}) {
    const std::string instruction = std::string(operation.name) + "." + rounding + "." + type;
    const AluOperation found = find(best_simd(), instruction);
    BOOST_TEST_REQUIRE((found.function != nullptr), instruction);
    for (int round = 0; round < 30; ++round) {
      Registers before;
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const T a = number<T>(random, bits);
        before.a[lane] = std::bit_cast<Bits>(needs_positive ? std::abs(a) : a);
        before.b[lane] = std::bit_cast<Bits>(number<T>(random, bits));
        before.c[lane] = std::bit_cast<Bits>(number<T>(random, bits));
      }
      const Registers after = run(found, before);
      const auto value = [](std::uint64_t from) {
        return static_cast<Exact>(std::bit_cast<T>(static_cast<Bits>(from)));
      };
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const Exact exact =
            operation.exact(value(before.a[lane]), value(before.b[lane]), value(before.c[lane]));
        if (exact == 0) continue;  // the sign of an exact zero is among the rows below
        const T expected = rounded<T>(exact, rounding);
        BOOST_TEST_REQUIRE(after.d[lane] == std::bit_cast<Bits>(expected),
                           instruction << " of " << value(before.a[lane]) << ", "
                                       << value(before.b[lane]) << ", " << value(before.c[lane]));
      }
    }
  }
}

const Operation exact_operations[] = {
    {"add", [](Exact a, Exact b, Exact) { return a + b; }},
    {"sub", [](Exact a, Exact b, Exact) { return a - b; }},
    {"mul", [](Exact a, Exact b, Exact) { return a * b; }},
    {"fma", [](Exact a, Exact b, Exact c) { return a * b + c; }},
    {"mad", [](Exact a, Exact b, Exact c) { return a * b + c; }},
};

BOOST_DATA_TEST_CASE(results_are_rounded_once, data::make(exact_operations), operation) {
  check_rounding<float>(operation, "f32", 24, false);
  const bool sums = std::string(operation.name) == "add" || std::string(operation.name) == "sub";
  check_rounding<double>(operation, "f64", sums ? 53 : 29, false);
}

/// Of 24-bit operands these are never so close to a tie that 64 bits could not tell.
const Operation quotients[] = {
    {"div", [](Exact a, Exact b, Exact) { return a / b; }},
    {"rcp", [](Exact a, Exact, Exact) { return 1 / a; }},
    {"sqrt", [](Exact a, Exact, Exact) { return std::sqrt(a); }},
};

BOOST_DATA_TEST_CASE(quotients_and_roots_are_rounded_once, data::make(quotients), operation) {
  check_rounding<float>(operation, "f32", 24, true);
}

struct Row {
  const char* instruction;
  std::uint64_t a, b, c, expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a << " " << row.b << " " << row.c;
  }
};

constexpr std::uint64_t one = 0x3f800000;
constexpr std::uint64_t zero = 0;
constexpr std::uint64_t minus_zero = 0x80000000;
constexpr std::uint64_t infinity = 0x7f800000;
constexpr std::uint64_t nan = 0x7fffffff;
constexpr std::uint64_t subnormal = 0x007fffff;
constexpr std::uint64_t minus_subnormal = 0x807fffff;
constexpr std::uint64_t least_normal = 0x00800000;

const Row rows[] = {
    {"add.f32", infinity, 0xff800000, 0, nan},
    {"add.f32", 0x7fc00001, one, 0, nan},
    {"add.f32", 0xff800001, one, 0, nan},
    {"add.f32", minus_zero, zero, 0, zero},
    {"add.rm.f32", one, 0xbf800000, 0, minus_zero},
    {"add.f32", minus_zero, minus_zero, 0, minus_zero},
    {"add.f32", subnormal, 1, 0, least_normal},
    {"add.ftz.f32", subnormal, 1, 0, zero},
    {"add.ftz.f32", minus_subnormal, minus_zero, 0, minus_zero},
    {"sub.ftz.f32", 0x00800001, least_normal, 0, zero},
    {"sub.f32", 0x00800001, least_normal, 0, 1},
    {"sub.ftz.f32", least_normal, 0x00800001, 0, minus_zero},
    {"add.sat.f32", one, one, 0, one},
    {"add.sat.f32", 0xbf800000, 0xbf800000, 0, zero},
    {"add.sat.f32", nan, one, 0, zero},
    {"mul.ftz.sat.f32", subnormal, one, 0, zero},
    {"mul.rz.f32", 0x7f7fffff, 0x40000000, 0, 0x7f7fffff},
    {"mul.rn.f32", 0x7f7fffff, 0x40000000, 0, infinity},
    {"mul.rm.f32", 0xff7fffff, 0x40000000, 0, 0xff800000},
    {"mul.f32", zero, infinity, 0, nan},
    {"fma.rn.f32", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000},
    {"fma.rn.ftz.f32", subnormal, one, minus_zero, zero},
    {"fma.rn.sat.f32", one, one, one, one},
    {"fma.rz.sat.f32", one, 0xc0000000, one, zero},
    {"div.rn.f32", one, zero, 0, infinity},
    {"div.rn.f32", one, minus_zero, 0, 0xff800000},
    {"div.rn.f32", zero, zero, 0, nan},
    {"div.rn.f32", one, 0x40400000, 0, 0x3eaaaaab},
    {"div.rz.ftz.f32", one, 0x40400000, 0, 0x3eaaaaaa},
    {"div.approx.f32", one, 0x40800000, 0, 0x3e800000},
    {"div.approx.f32", 0x7f000000, 0x7f000000, 0, zero},
    {"div.approx.f32", infinity, 0x7f000000, 0, nan},
    {"div.full.f32", 0x7f000000, 0x7f000000, 0, one},
    {"rcp.rn.f32", minus_zero, 0, 0, 0xff800000},
    {"rcp.approx.f32", zero, 0, 0, infinity},
    {"rcp.approx.ftz.f32", minus_subnormal, 0, 0, 0xff800000},
    {"rcp.approx.f32", 0x40000000, 0, 0, 0x3f000000},
    {"sqrt.rn.f32", 0xbf800000, 0, 0, nan},
    {"sqrt.rn.f32", minus_zero, 0, 0, minus_zero},
    {"sqrt.rn.f64", 0x4000000000000000, 0, 0, 0x3ff6a09e667f3bcd},
    {"sqrt.rz.f64", 0x4000000000000000, 0, 0, 0x3ff6a09e667f3bcc},
    {"div.rn.f64", 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555555},
    {"div.rp.f64", 0x3ff0000000000000, 0x4008000000000000, 0, 0x3fd5555555555556},
    {"sqrt.approx.ftz.f32", 0x40800000, 0, 0, 0x40000000},
    {"rsqrt.approx.f32", 0x40800000, 0, 0, 0x3f000000},
    {"rsqrt.approx.f32", minus_zero, 0, 0, 0xff800000},
    {"rsqrt.approx.f32", 0xbf800000, 0, 0, nan},
    {"rsqrt.approx.f64", 0x4010000000000000, 0, 0, 0x3fe0000000000000},
    {"rcp.approx.ftz.f64", 0x4000000000000000, 0, 0, 0x3fe0000000000000},
    {"lg2.approx.f32", 0x41000000, 0, 0, 0x40400000},
    {"lg2.approx.f32", zero, 0, 0, 0xff800000},
    {"lg2.approx.ftz.f32", subnormal, 0, 0, 0xff800000},
    {"lg2.approx.f32", 0xbf800000, 0, 0, nan},
    {"ex2.approx.f32", 0x40400000, 0, 0, 0x41000000},
    {"ex2.approx.f32", 0xff800000, 0, 0, zero},
    {"ex2.approx.ftz.f32", 0xc3000000, 0, 0, zero},
    {"ex2.approx.f32", 0xc3000000, 0, 0, 0x00200000},
    {"sin.approx.f32", minus_zero, 0, 0, minus_zero},
    {"sin.approx.f32", infinity, 0, 0, nan},
    {"cos.approx.f32", zero, 0, 0, one},
    {"cos.approx.ftz.f32", subnormal, 0, 0, one},
    {"tanh.approx.f32", 0xff800000, 0, 0, 0xbf800000},
    {"min.f32", minus_zero, zero, 0, minus_zero},
    {"min.f32", zero, minus_zero, 0, minus_zero},
    {"max.f32", minus_zero, zero, 0, zero},
    {"max.f32", zero, minus_zero, 0, zero},
    {"min.f32", 0x7fc00000, one, 0, one},
    {"max.f32", one, 0xffc00000, 0, one},
    {"max.f32", 0xffc00000, 0xff800001, 0, nan},
    {"min.NaN.f32", 0x7fc00000, one, 0, nan},
    {"max.NaN.f32", one, 0x40000000, 0, 0x40000000},
    {"max.ftz.f32", subnormal, zero, 0, zero},
    {"min.ftz.f32", minus_subnormal, one, 0, minus_zero},
    {"max.f32", subnormal, zero, 0, subnormal},
    {"max.xorsign.abs.f32", 0xc0000000, one, 0, 0xc0000000},
    {"min.xorsign.abs.f32", 0xc0000000, 0xbf800000, 0, one},
    {"min.NaN.xorsign.abs.f32", 0xc0000000, 0xff800001, 0, nan},
    {"min.f64", 0x8000000000000000, 0, 0, 0x8000000000000000},
    {"max.f64", 0x7ff8000000000000, 0x3ff0000000000000, 0, 0x3ff0000000000000},
    {"abs.f32", 0xbf800000, 0, 0, one},
    {"abs.ftz.f32", minus_subnormal, 0, 0, zero},
    {"neg.f32", one, 0, 0, 0xbf800000},
    {"neg.ftz.f32", subnormal, 0, 0, minus_zero},
    {"abs.f64", 0xbff0000000000000, 0, 0, 0x3ff0000000000000},
    {"neg.f64", 0, 0, 0, 0x8000000000000000},
    {"copysign.f32", minus_zero, one, 0, 0xbf800000},
    {"copysign.f64", 0, 0xbff0000000000000, 0, 0x3ff0000000000000},
    {"add.f64", 0xfff0000000000001, 0x3ff0000000000000, 0, 0xfff8000000000001},
    {"add.f64", 0xfff0000000000001, 0x7ff8000000000002, 0, 0x7ff8000000000002},
    {"div.rn.f64", 0xfff0000000000001, 0x7ff8000000000002, 0, 0xfff8000000000001},
    {"fma.rn.f64", 0xfff0000000000001, 0, 0x7ff8000000000003, 0x7ff8000000000003},
    {"mul.f64", 0x3ff0000000000000, 0x7ff8000000000002, 0, 0x7ff8000000000002},
    {"fma.rn.f64", 0, 0x7ff0000000000000, 0, 0xfff8000000000000},
    {"neg.f64", 0x7ff8000000000001, 0, 0, 0x7ff8000000000001},
};

BOOST_DATA_TEST_CASE(a_floating_point_result_is, data::make(rows), row) {
  const std::uint64_t found = result_of(row.instruction, row.a, row.b, row.c);
  BOOST_TEST(found == row.expected, std::hex << found << " is not " << row.expected);
}

struct Approximation {
  const char* instruction;
  Exact (*exact)(Exact a);
  Exact bound;  ///< absolute for sin and cos, relative otherwise

  friend std::ostream& operator<<(std::ostream& out, const Approximation& approximation) {
    return out << approximation.instruction;
  }
};

/// The bounds of the PTX ISA, or tighter.
const Approximation approximations[] = {
    {"rcp.approx.f32", [](Exact a) { return 1 / a; }, 0x1p-23L},
    {"sqrt.approx.f32", [](Exact a) { return std::sqrt(a); }, 0x1p-23L},
    {"rsqrt.approx.ftz.f32", [](Exact a) { return 1 / std::sqrt(a); }, 0x1p-22L},
    {"lg2.approx.f32", [](Exact a) { return std::log2(a); }, 0x1p-22L},
    {"ex2.approx.f32", [](Exact a) { return std::exp2(a); }, 0x1p-22L},
    {"sin.approx.f32", [](Exact a) { return std::sin(a); }, 0x1p-20L},
    {"cos.approx.f32", [](Exact a) { return std::cos(a); }, 0x1p-20L},
    {"tanh.approx.f32", [](Exact a) { return std::tanh(a); }, 0x1p-11L},
};

BOOST_DATA_TEST_CASE(approximations_are_within_their_bounds, data::make(approximations), row) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 1000; ++round) {
    const float a = std::ldexp(static_cast<float>(1 + random() % 1000000), -18);
    const std::uint64_t bits = result_of(row.instruction, std::bit_cast<std::uint32_t>(a));
    const auto found = static_cast<Exact>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const Exact exact = row.exact(static_cast<Exact>(a));
    const Exact scale = std::abs(exact) < 0.25L ? 0.25L : std::abs(exact);
    BOOST_TEST_REQUIRE(std::abs(found - exact) <= row.bound * scale,
                       row.instruction << " of " << a);
  }
}

}  // namespace
}  // namespace sweep::testing::float_test
