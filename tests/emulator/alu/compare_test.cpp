#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"

/// setp and testp against what the PTX ISA says of each comparison.
namespace data = boost::unit_test::data;

namespace sweep::testing::compare_test {
namespace {

/// The outcomes a comparison is true for.
struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;

  friend std::ostream& operator<<(std::ostream& out, const Comparison& comparison) {
    return out << comparison.name;
  }
};

const Comparison comparisons[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false},
    {"lo", true, false, false, false}, {"ls", true, true, false, false},
    {"hi", false, false, true, false}, {"hs", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true},
};

long double value_of(const std::string& type, std::uint64_t bits, bool ftz) {
  if (type == "f64") return static_cast<long double>(std::bit_cast<double>(bits));
  if (type == "f32") {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return ftz && std::fpclassify(value) == FP_SUBNORMAL ? 0.0L : static_cast<long double>(value);
  }
  if (type == "f16") {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const int fraction = static_cast<int>(bits & 0x3ff);
    const long double sign = (bits >> 15 & 1) != 0 ? -1.0L : 1.0L;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    if (exponent == 0)
      return ftz ? 0.0L : sign * std::ldexp(static_cast<long double>(fraction), -24);
    return sign * std::ldexp(static_cast<long double>(fraction + 1024), exponent - 25);
  }
  const int width = std::stoi(type.substr(1));
  const std::uint64_t kept = bits << (64 - width);
  return type[0] == 's' ? static_cast<long double>(static_cast<std::int64_t>(kept) >> (64 - width))
                        : static_cast<long double>(kept >> (64 - width));
}

bool holds(const Comparison& comparison, long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return comparison.unordered;
  return a < b ? comparison.less : a == b ? comparison.equal : comparison.greater;
}

/// Which comparisons a type has.
bool has(const std::string& type, const Comparison& comparison) {
  const std::string name = comparison.name;
  const bool only_unsigned = name == "lo" || name == "ls" || name == "hi" || name == "hs";
  const bool only_floating = comparison.unordered || name == "num";
  if (type[0] == 'b') return name == "eq" || name == "ne";
  if (type[0] == 'u') return !only_floating;
  if (type[0] == 's') return !only_floating && !only_unsigned;
  return !only_unsigned;
}

const std::string types[] = {"b16", "u16", "s16", "b32", "u32",     "s32",     "b64",
                             "u64", "s64", "f32", "f64", "ftz.f32", "ftz.f16", "f16"};

BOOST_DATA_TEST_CASE(setp_compares_as_ptx_says, data::make(comparisons), comparison) {
  std::mt19937_64 random(2);
  for (const std::string& flagged : types) {
    const bool ftz = flagged.starts_with("ftz.");
    const std::string type = ftz ? flagged.substr(4) : flagged;
    const std::string name = comparison.name;
    const AluOperation setp = find(best_simd(), "setp." + name + "." + flagged);
    BOOST_TEST_REQUIRE((setp.function != nullptr) == has(type, comparison), flagged);
    if (setp.function == nullptr) continue;
    for (int round = 0; round < 40; ++round) {
      Registers before = interesting_registers(random);
      if (round % 2 == 0) before.b[3] = before.a[3];
      const Registers after = run(setp, before);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const bool expected = holds(comparison, value_of(type, before.a[lane], ftz),
                                    value_of(type, before.b[lane], ftz));
        BOOST_TEST_REQUIRE(after.d[lane] == (expected ? 1 : 0), name << " " << flagged << " "
                                                                     << before.a[lane] << " "
                                                                     << before.b[lane]);
      }
    }
  }
}

struct Row {
  const char* instruction;
  std::uint64_t a;
  bool expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << std::hex << row.instruction << " " << row.a;
  }
};

const Row rows[] = {
    {"testp.finite.f32", 0x7f7fffff, true},
    {"testp.finite.f32", 0x7f800000, false},
    {"testp.infinite.f32", 0xff800000, true},
    {"testp.number.f32", 0x7f800000, true},
    {"testp.number.f64", 0x7ff8000000000000, false},
    {"testp.notanumber.f64", 0x7ff8000000000000, true},
    {"testp.normal.f32", 0, true},
    {"testp.normal.f32", 0x00800000, true},
    {"testp.normal.f32", 0x7f800000, false},
    {"testp.subnormal.f64", 0x800fffffffffffff, true},
    {"testp.subnormal.f64", 0, false},
};

BOOST_DATA_TEST_CASE(testp_gives, data::make(rows), row) {
  BOOST_TEST(result_of(row.instruction, row.a) == (row.expected ? 1U : 0U));
}

}  // namespace
}  // namespace sweep::testing::compare_test
