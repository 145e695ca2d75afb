#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"

/// Integer arithmetic against exact arithmetic in 128 bits.
namespace data = boost::unit_test::data;

namespace sweep::testing::integer_test {
namespace {

using Wide = __int128;

/// A value of a type "s16" to "u64" out of the bits of its register.
Wide value_of(const std::string& type, std::uint64_t bits) {
  const int width = std::stoi(type.substr(1));
  const auto kept =
      static_cast<unsigned __int128>(bits) & static_cast<unsigned __int128>((Wide{1} << width) - 1);
  const bool negative = type[0] == 's' && (kept >> (width - 1)) != 0;
  return static_cast<Wide>(kept) - (negative ? Wide{1} << width : Wide{0});
}

std::uint64_t bits_of(Wide value, int width) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(value) &
                                    ((static_cast<unsigned __int128>(1) << width) - 1));
}

using Function = Wide (*)(Wide a, Wide b, Wide c, int width);

/// `hidden` bits of the result's right are cut off; `result` is the width of the destination as a
/// multiple of the type's, `third` that of c.
struct Operation {
  const char* name;
  Function exact;
  int result = 1;
  bool wide_c = false;
  const char* types = "u16 s16 u32 s32 u64 s64";

  friend std::ostream& operator<<(std::ostream& out, const Operation& operation) {
    return out << operation.name;
  }
};

Wide least(Wide a, Wide b) {
  return a < b ? a : b;
}
Wide most(Wide a, Wide b) {
  return a < b ? b : a;
}
Wide clamped32(Wide value) {
  return most(-(Wide{1} << 31), least((Wide{1} << 31) - 1, value));
}
Wide product_high(Wide a, Wide b, int width) {
  // Of 64-bit factors only the signed product always fits; the unsigned one wraps to its bits.
  const auto product = static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
  const bool fits = !(a > 0 && b > 0);
  return fits ? static_cast<Wide>(product) >> width : static_cast<Wide>(product >> width);
}
Wide low24(Wide value, bool is_signed) {
  const Wide kept = value & 0xffffff;
  return is_signed && kept >= 0x800000 ? kept - 0x1000000 : kept;
}

constexpr const char* narrow = "u16 s16 u32 s32";
constexpr const char* is_signed = "s16 s32 s64";

const Operation operations[] = {
    {"add", [](Wide a, Wide b, Wide, int) { return a + b; }},
    {"sub", [](Wide a, Wide b, Wide, int) { return a - b; }},
    {"mul.lo",
     [](Wide a, Wide b, Wide, int) {
       return static_cast<Wide>(static_cast<unsigned __int128>(a) *
                                static_cast<unsigned __int128>(b));
     }},
    {"mul.hi", [](Wide a, Wide b, Wide, int width) { return product_high(a, b, width); }},
    {"mul.wide", [](Wide a, Wide b, Wide, int) { return a * b; }, 2, false, narrow},
    {"mad.lo",
     [](Wide a, Wide b, Wide c, int) {
       return static_cast<Wide>(static_cast<unsigned __int128>(a) *
                                    static_cast<unsigned __int128>(b) +
                                static_cast<unsigned __int128>(c));
     }},
    {"mad.hi", [](Wide a, Wide b, Wide c, int width) { return product_high(a, b, width) + c; }},
    {"mad.wide", [](Wide a, Wide b, Wide c, int) { return a * b + c; }, 2, true, narrow},
    {"mad.hi.sat",
     [](Wide a, Wide b, Wide c, int width) { return clamped32(product_high(a, b, width) + c); }, 1,
     false, "s32"},
    {"min", [](Wide a, Wide b, Wide, int) { return least(a, b); }},
    {"max", [](Wide a, Wide b, Wide, int) { return most(a, b); }},
    {"min.relu", [](Wide a, Wide b, Wide, int) { return most(0, least(a, b)); }, 1, false, "s32"},
    {"max.relu", [](Wide a, Wide b, Wide, int) { return most(0, most(a, b)); }, 1, false, "s32"},
    {"add.sat", [](Wide a, Wide b, Wide, int) { return clamped32(a + b); }, 1, false, "s32"},
    {"sub.sat", [](Wide a, Wide b, Wide, int) { return clamped32(a - b); }, 1, false, "s32"},
    {"neg", [](Wide a, Wide, Wide, int) { return -a; }, 1, false, is_signed},
    {"abs", [](Wide a, Wide, Wide, int) { return a < 0 ? -a : a; }, 1, false, is_signed},
    {"div", [](Wide a, Wide b, Wide, int) { return b == 0 ? Wide{-1} : a / b; }},
    {"rem", [](Wide a, Wide b, Wide, int) { return b == 0 ? Wide{-1} : a % b; }},
    {"sad", [](Wide a, Wide b, Wide c, int) { return (a < b ? b - a : a - b) + c; }},
    {"mul24.lo", [](Wide a, Wide b, Wide, int) { return low24(a, false) * low24(b, false); }, 1,
     false, "u32"},
    {"mul24.lo", [](Wide a, Wide b, Wide, int) { return low24(a, true) * low24(b, true); }, 1,
     false, "s32"},
    {"mul24.hi", [](Wide a, Wide b, Wide, int) { return low24(a, false) * low24(b, false) >> 16; },
     1, false, "u32"},
    {"mul24.hi", [](Wide a, Wide b, Wide, int) { return low24(a, true) * low24(b, true) >> 16; }, 1,
     false, "s32"},
    {"mad24.lo", [](Wide a, Wide b, Wide c, int) { return low24(a, true) * low24(b, true) + c; }, 1,
     false, "s32"},
    {"mad24.hi",
     [](Wide a, Wide b, Wide c, int) { return (low24(a, false) * low24(b, false) >> 16) + c; }, 1,
     false, "u32"},
    {"mad24.hi.sat",
     [](Wide a, Wide b, Wide c, int) {
       return clamped32((low24(a, true) * low24(b, true) >> 16) + c);
     },
     1, false, "s32"},
};

BOOST_DATA_TEST_CASE(integer_arithmetic_is_exact, data::make(operations), operation) {
  std::mt19937_64 random(1);
  for (const std::string type : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
    const std::string instruction = std::string(operation.name) + "." + type;
    const AluOperation found = find(best_simd(), instruction);
    const bool exists = std::string(operation.types).find(type) != std::string::npos;
    if (!exists) continue;
    BOOST_TEST_REQUIRE((found.function != nullptr), instruction);
    const int width = std::stoi(type.substr(1));
    const std::string type_of_c = type[0] + std::to_string(operation.wide_c ? 2 * width : width);
    for (int round = 0; round < 50; ++round) {
      const Registers before = interesting_registers(random);
      const Registers after = run(found, before);
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const Wide a = value_of(type, before.a[lane]);
        const Wide b = value_of(type, before.b[lane]);
        const Wide c = value_of(type_of_c, before.c[lane]);
        const std::uint64_t expected =
            bits_of(operation.exact(a, b, c, width), operation.result * width);
        BOOST_TEST_REQUIRE(after.d[lane] == expected,
                           instruction << " of " << before.a[lane] << ", " << before.b[lane] << ", "
                                       << before.c[lane] << ": " << after.d[lane] << " is not "
                                       << expected);
      }
    }
  }
}

struct Row {
  const char* instruction;
  std::uint64_t a, b, expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.instruction << " " << row.a << " " << row.b;
  }
};

const Row rows[] = {
    {"shl.same.b64", 1, 63, 0x8000000000000000},
    {"shl.same.b32", 1, 32, 0},
    {"shr.same.s32", 0x80000000, 40, 0xffffffff},
    {"div.s32", 0x80000000, 0xffffffff, 0x80000000},
    {"rem.s32", 0x80000000, 0xffffffff, 0},
    {"div.s64", 0x8000000000000000, 0xffffffffffffffff, 0x8000000000000000},
    {"rem.s64", 0x8000000000000000, 0xffffffffffffffff, 0},
    {"div.s16", 0x8000, 0xffff, 0x8000},
    {"div.u32", 7, 0, 0xffffffff},
    {"div.u64", 7, 0, 0xffffffffffffffff},
    {"div.s32", 0xfffffff9, 2, 0xfffffffd},
    {"rem.s32", 0xfffffff9, 2, 0xffffffff},
    {"rem.u32", 7, 0, 0xffffffff},
    {"abs.s32", 0x80000000, 0, 0x80000000},
    {"neg.s16", 1, 0, 0xffff},
};

BOOST_DATA_TEST_CASE(an_integer_result_is, data::make(rows), row) {
  BOOST_TEST(result_of(row.instruction, row.a, row.b) == row.expected);
}

}  // namespace
}  // namespace sweep::testing::integer_test
