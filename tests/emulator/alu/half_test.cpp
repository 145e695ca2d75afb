#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"

/// f16 and bf16 against exact results in long double.
namespace data = boost::unit_test::data;

namespace sweep::testing::half_test {
namespace {

using Exact = long double;

struct Format {
  const char* name;
  int mantissa_bits;
  int least_unit;  ///< the exponent of the smallest subnormal

  friend std::ostream& operator<<(std::ostream& out, const Format& format) {
    return out << format.name;
  }
};

const Format formats[] = {{"f16", 10, -24}, {"bf16", 7, -133}};

Exact value_of(const Format& format, std::uint64_t bits) {
  const int magnitude = static_cast<int>(bits & 0x7fff);
  const int exponent = magnitude >> format.mantissa_bits;
  const int fraction = magnitude & ((1 << format.mantissa_bits) - 1);
  const Exact sign = (bits & 0x8000) != 0 ? -1.0L : 1.0L;
  if (exponent == (0x7fff >> format.mantissa_bits)) return fraction != 0 ? NAN : sign * INFINITY;
  const int whole = exponent == 0 ? fraction : fraction + (1 << format.mantissa_bits);
  return sign * std::ldexp(static_cast<Exact>(whole),
                           format.least_unit + (exponent == 0 ? 0 : exponent - 1));
}

/// The nearest value's bits, found by counting units: ties to even.
std::uint64_t nearest(const Format& format, Exact exact) {
  if (std::isnan(exact)) return 0x7fff;
  const std::uint64_t sign = std::signbit(exact) ? 0x8000 : 0;
  const std::uint64_t infinity = 0x7fff & ~((1ULL << format.mantissa_bits) - 1);
  const Exact magnitude = std::abs(exact);
  if (std::isinf(magnitude)) return sign | infinity;
  const int leading = magnitude == 0 ? format.least_unit : std::ilogb(magnitude);
  const int unit = std::max(leading - format.mantissa_bits, format.least_unit);
  const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(unit - format.least_unit) << format.mantissa_bits) + units;
  return sign | std::min(bits, infinity);
}

/// Toward zero, with the last bit set when something is lost: rounding that again to 11 bits or
/// fewer is as if it had been rounded once.
Exact sum(Exact a, Exact b) {
  const volatile Exact left = a;
  std::feclearexcept(FE_INEXACT);
  std::fesetround(FE_TOWARDZERO);
  const volatile Exact cut = left + b;
  const bool lost = std::fetestexcept(FE_INEXACT) != 0;
  std::fesetround(FE_TONEAREST);
  int exponent = 0;
  const Exact whole = std::ldexp(std::frexp(std::abs(cut), &exponent), 64);
  if (!lost || std::fmod(whole, 2.0L) != 0) return cut;
  return std::copysign(std::ldexp(whole + 1, exponent - 64), cut);
}

struct Operation {
  const char* name;
  Exact (*exact)(Exact a, Exact b, Exact c);

  friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
    return out << operation.name;
  }
};

const Operation operations[] = {
    {"add", [](Exact a, Exact b, Exact) { return sum(a, b); }},
    {"add.rn", [](Exact a, Exact b, Exact) { return sum(a, b); }},
    {"sub", [](Exact a, Exact b, Exact) { return sum(a, -b); }},
    {"mul", [](Exact a, Exact b, Exact) { return a * b; }},
    {"fma.rn", [](Exact a, Exact b, Exact c) { return sum(a * b, c); }},
};

BOOST_DATA_TEST_CASE(half_arithmetic_is_rounded_once, data::make(operations) * data::make(formats),
                     operation, format) {
  std::mt19937_64 random(7);
  const std::string scalar = std::string(operation.name) + "." + format.name;
  const AluOperation single = find(best_simd(), scalar);
  const AluOperation pair = find(best_simd(), scalar + "x2");
  BOOST_TEST_REQUIRE((single.function != nullptr && pair.function != nullptr), scalar);
  for (int round = 0; round < 200; ++round) {
    const Registers before = interesting_registers(random);
    const Registers after = run(single, before);
    const Registers both = run(pair, before);
    const auto exact = [&](unsigned lane, int shift) {
      return nearest(format, operation.exact(value_of(format, before.a[lane] >> shift),
                                             value_of(format, before.b[lane] >> shift),
                                             value_of(format, before.c[lane] >> shift)));
    };
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      BOOST_TEST_REQUIRE(after.d[lane] == exact(lane, 0),
                         scalar << std::hex << " of " << before.a[lane] << ", " << before.b[lane]
                                << ", " << before.c[lane] << ": " << after.d[lane]);
      BOOST_TEST_REQUIRE(both.d[lane] == (exact(lane, 16) << 16 | exact(lane, 0)), scalar << "x2");
    }
  }
}

BOOST_DATA_TEST_CASE(every_half_converts_to_f32_and_back, data::make(formats), format) {
  const std::string name = format.name;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    const Exact exact = value_of(format, bits);
    const std::uint64_t wide = result_of("cvt.f32." + name, bits);
    if (std::isnan(exact)) {
      BOOST_TEST_REQUIRE(wide == (name == "f16" ? 0x7fffffffU : bits << 16));
      continue;
    }
    const auto expected = std::bit_cast<std::uint32_t>(static_cast<float>(exact));
    BOOST_TEST_REQUIRE(wide == expected, name << " " << bits);
    BOOST_TEST_REQUIRE(result_of("cvt.rn." + name + ".f32", wide) == bits);
  }
}

BOOST_DATA_TEST_CASE(f32_rounds_to_the_nearest_half, data::make(formats), format) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20000; ++round) {
    const auto bits = static_cast<std::uint32_t>(interesting(random));
    const auto exact = static_cast<Exact>(std::bit_cast<float>(bits));
    BOOST_TEST_REQUIRE(
        result_of(std::string("cvt.rn.") + format.name + ".f32", bits) == nearest(format, exact),
        bits);
  }
}

struct Row {
  const char* instruction;
  std::uint64_t a, b, c, expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a << " " << row.b << " " << row.c;
  }
};

const Row rows[] = {
    {"add.ftz.f16", 0x0001, 0x0001, 0, 0},
    {"add.f16", 0x0001, 0x0001, 0, 2},
    {"add.sat.f16", 0x3c00, 0x3c00, 0, 0x3c00},
    {"add.sat.f16", 0x7e00, 0x3c00, 0, 0},
    {"mul.ftz.f16", 0x0400, 0x3800, 0, 0},
    {"fma.rn.relu.f16", 0x3c00, 0xbc00, 0, 0},
    {"fma.rn.relu.bf16", 0x7fc1, 0x3f80, 0, 0x7fff},
    {"fma.rn.sat.f16x2", 0x40003c00, 0x40003800, 0, 0x3c003800},
    {"fma.rn.oob.f16", 0x3c00, 0xbc00, 0, 0xbc00},
    {"fma.rn.oob.f16", 0x7ff7, 0x3c00, 0x3c00, 0},
    {"fma.rn.oob.f16", 0x3c00, 0xfff7, 0x3c00, 0},
    {"fma.rn.oob.f16", 0x3c00, 0x3c00, 0x7ff7, 0x7fff},
    {"fma.rn.oob.f16", 0x7ff6, 0x3c00, 0x3c00, 0x7fff},
    {"fma.rn.oob.relu.bf16", 0x3f80, 0xbf80, 0, 0},
    {"fma.rn.oob.bf16x2", 0x3f803f80, 0x7ff73f80, 0x3f80, 0x4000},
    {"neg.f16", 0x3c00, 0, 0, 0xbc00},
    {"neg.f16x2", 0x3c008000, 0, 0, 0xbc000000},
    {"abs.bf16x2", 0xbf80ff80, 0, 0, 0x3f807f80},
    {"abs.ftz.f16", 0x8001, 0, 0, 0},
    {"min.f16", 0x8000, 0, 0, 0x8000},
    {"max.f16", 0x8000, 0, 0, 0},
    {"max.bf16", 0x7fc0, 0x3f80, 0, 0x3f80},
    {"max.NaN.bf16", 0x7fc0, 0x3f80, 0, 0x7fff},
    {"min.f16x2", 0x3c00bc00, 0xc0004000, 0, 0xc000bc00},
    {"min.xorsign.abs.f16", 0xc000, 0x3c00, 0, 0xbc00},
    {"ex2.approx.f16", 0x4200, 0, 0, 0x4800},
    {"ex2.approx.f16x2", 0x42000000, 0, 0, 0x48003c00},
    {"ex2.approx.ftz.bf16", 0x4040, 0, 0, 0x4100},
    {"tanh.approx.f16", 0x7c00, 0, 0, 0x3c00},
    {"tanh.approx.bf16x2", 0x7f80ff80, 0, 0, 0x3f80bf80},
};

BOOST_DATA_TEST_CASE(a_half_result_is, data::make(rows), row) {
  const std::uint64_t found = result_of(row.instruction, row.a, row.b, row.c);
  BOOST_TEST(found == row.expected, std::hex << found << " is not " << row.expected);
}

}  // namespace
}  // namespace sweep::testing::half_test
