// Whatever widths an instruction combines, it is refused or it leaves the registers beside its
// destination alone.

#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <optional>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/launch.h"
#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

/// What stands behind the destination when it is no number of sources.
constexpr int from_memory = -1;
constexpr int from_parameter = -2;
constexpr int to_memory = -3;

struct SlotCase {
  const char* mnemonic;  ///< with what stands before its types
  int types;
  int sources;
};
static std::ostream& operator<<(std::ostream& out, const SlotCase& c) {
  return out << c.mnemonic;
}

BOOST_AUTO_TEST_SUITE(slots)

namespace {

const SlotCase cases[] = {
    {"add", 1, 2},
    {"addc", 1, 2},
    {"and", 1, 2},
    {"bfe", 1, 3},
    {"bfi", 1, 4},
    {"cnot", 1, 1},
    {"cvt", 2, 1},
    {"cvt.rn", 2, 1},
    {"cvt.rzi", 2, 1},
    {"cvta.shared", 1, 1},
    {"div.rn", 1, 2},
    {"dp4a.u32", 1, 3},
    {"fma.rn", 1, 3},
    {"isspacep.shared", 0, 1},
    {"lop3", 1, 4},
    {"mad.lo", 1, 3},
    {"mad.wide", 1, 3},
    {"madc.lo.cc", 1, 3},
    {"max", 1, 2},
    {"mov", 1, 1},
    {"mul", 1, 2},
    {"mul.wide", 1, 2},
    {"neg", 1, 1},
    {"popc", 1, 1},
    {"prmt", 1, 3},
    {"rcp.rz", 1, 1},
    {"rem", 1, 2},
    {"set.eq", 2, 2},
    {"setp.eq", 1, 2},
    {"shf.l.wrap", 1, 3},
    {"shl", 1, 2},
    {"shr", 1, 2},
    {"sin.approx", 1, 1},
    {"slct.u64", 1, 3},
    {"testp.finite", 1, 1},
    {"ld.global", 1, from_memory},
    {"ld.param", 1, from_parameter},
    {"atom.global.exch", 1, to_memory},
};

constexpr std::string_view types[] = {"pred", "b8",  "b16", "b32",   "b64", "b128",  "u16",  "s8",
                                      "s32",  "u64", "f16", "f16x2", "f32", "f32x2", "u16x2"};
/// Those that are tried as an instruction's second type.
constexpr std::string_view second_types[] = {"u8", "s16", "b32", "u64", "f32"};

/// Registers of each width, and pairs of them.
constexpr std::string_view destinations[] = {"%p2", "%h2",        "%r2",        "%d2",
                                             "%q2", "{%r2, %r3}", "{%d2, %d3}", "%p2|%p3"};
constexpr std::string_view sources[] = {"%p1", "%h1",      "%r1",       "%d1",
                                        "%q1", "%clock64", "{%r4, %r5}"};

/// The destination's registers lie between those that are looked at afterwards.
std::string body_of(const std::string& opcode, std::string_view to, std::string_view from,
                    int count) {
  std::string operands(to);
  for (int i = 0; i < count; ++i) operands += fmt::format(", {}", from);
  if (count == from_memory) operands += ", [%slot]";
  if (count == from_parameter) operands += ", [k_out]";
  if (count == to_memory) operands += fmt::format(", [%slot], {}", from);
  // The constants come first, so that none gets a place between the registers.
  return fmt::format(R"ptx(
mov.u32 %r40, 50; mov.u32 %r40, 51; mov.u32 %r40, 52; mov.u32 %r40, 53; mov.u32 %r40, 54;
mov.u32 %r40, 55; mov.u32 %r40, 56; mov.u32 %r40, 57; mov.u32 %r40, 58; mov.u32 %r40, 59;
mov.b64 %d9, 2; mov.b128 %q9, 2; cvt.u16.u32 %h9, %r40;
mov.u32 %r50, 50; setp.eq.u32 %p2, %r40, %r50; mov.u32 %r51, 51; mov.b16 %h2, %h9; mov.u32 %r52, 52;
mov.b16 %h3, %h9; mov.u32 %r53, 53; mov.b32 %r2, %r40; mov.u32 %r54, 54; mov.b32 %r3, %r40;
mov.u32 %r55, 55; mov.b64 %d2, %d9; mov.u32 %r56, 56; mov.b64 %d3, %d9; mov.u32 %r57, 57;
mov.b128 %q2, %q9; mov.u32 %r58, 58; setp.eq.u32 %p3, %r40, %r50; mov.u32 %r59, 59;
{} {};
sub.u32 %r50, %r50, 50; sub.u32 %r51, %r51, 51; sub.u32 %r52, %r52, 52; sub.u32 %r53, %r53, 53;
sub.u32 %r54, %r54, 54; sub.u32 %r55, %r55, 55; sub.u32 %r56, %r56, 56; sub.u32 %r57, %r57, 57;
sub.u32 %r58, %r58, 58; sub.u32 %r59, %r59, 59;
or.b32 %r50, %r50, %r51; or.b32 %r50, %r50, %r52; or.b32 %r50, %r50, %r53; or.b32 %r50, %r50, %r54;
or.b32 %r50, %r50, %r55; or.b32 %r50, %r50, %r56; or.b32 %r50, %r50, %r57; or.b32 %r50, %r50, %r58;
or.b32 %result, %r50, %r59;)ptx",
                     opcode, operands);
}

/// What is left of the registers beside the destination; nothing where it is refused.
std::optional<std::uint32_t> damage(const std::string& body) {
  try {
    std::uint32_t all = 0;
    for (const std::uint32_t lane : run_body(body).out) all |= lane;
    return all;
  } catch (const UnsupportedError&) {
  } catch (const ptx::SyntaxError&) {
  } catch (const KernelFault&) {
  }
  return std::nullopt;
}

int check_all(const std::string& opcode, int count) {
  int executed = 0;
  for (const std::string_view to : destinations) {
    for (const std::string_view from : sources) {
      const std::string body = body_of(opcode, to, from, count);
      const auto found = damage(body);
      if (!found) continue;
      ++executed;
      if (*found != 0) BOOST_ERROR(opcode << " " << to << ", " << from);
    }
  }
  return executed;
}

}  // namespace

BOOST_DATA_TEST_CASE(are_kept_apart, boost::unit_test::data::make(cases), c) {
  int executed = 0;
  if (c.types == 0) executed += check_all(c.mnemonic, c.sources);
  for (const std::string_view type : types) {
    const std::string opcode = fmt::format("{}.{}", c.mnemonic, type);
    if (c.types == 1) executed += check_all(opcode, c.sources);
    if (c.types != 2) continue;
    for (const std::string_view other : second_types) {
      executed += check_all(fmt::format("{}.{}", opcode, other), c.sources);
    }
  }
  BOOST_TEST(executed > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
