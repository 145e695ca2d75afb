#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "tests/emulator/alu/warp.h"

/// What has no operation: nothing that could change a result is passed over.
namespace data = boost::unit_test::data;

namespace sweep::testing::form_test {
namespace {

const std::string unknown[] = {
    "add",
    "add.rn",
    "frobnicate.u32",
    "add.u8",
    "add.b32",
    "add.u32.u32",
    "add.u32x2",
    "add.sat.u32",
    "add.sat.s64",
    "add.rn.s32",
    "add.wide.u32",
    "add.ftz.s32",
    "add.ftz.f64",
    "add.sat.f64",
    "add.rn.rn.f32",
    "add.rn.rz.f32",
    "add.ftz.ftz.f32",
    "add.rni.f32",
    "add.approx.f32",
    "add.relu.f16",
    "add.ftz.bf16",
    "add.rz.f16",
    "add.frob.f32",
    "add.eq.u32",
    "add.lo.u32",
    "addc.u16",
    "mul.u32",
    "mul.lo.hi.u32",
    "mul.wide.u64",
    "mul.lo.f32",
    "mad.lo.sat.s32",
    "mad.f32",
    "fma.f32",
    "fma.rn.f16.sat.relu",
    "div.f32",
    "div.rn.sat.f32",
    "div.sat.s32",
    "sqrt.f32",
    "rsqrt.rn.f32",
    "sin.f32",
    "sin.approx.f64",
    "tanh.approx.ftz.f32",
    "min.NaN.f64",
    "min.NaN.s32",
    "min.abs.f32",
    "min.relu.u32",
    "and.u32",
    "not.f32",
    "shl.u32",
    "shr.pred",
    "shf.b32",
    "shf.l.b32",
    "shf.l.r.wrap.b32",
    "shf.wrap.b32",
    "bmsk.l.clamp.b32",
    "bfe.b32",
    "bfind.b32",
    "prmt.f4e.b4e.b32",
    "popc.u32",
    "mov.f16x2",
    "mov.b128",
    "setp.s32",
    "setp.lt.b32",
    "setp.lo.s32",
    "setp.lo.f32",
    "setp.ltu.s32",
    "setp.lt.lt.s32",
    "setp.lt.and.s32",
    "setp.lt.ftz.s32",
    "setp.lt.ftz.bf16",
    "setp.lt.rn.f32",
    "setp.lt.s32.s32",
    "selp.pred",
    "slct.u32",
    "slct.ftz.u32.s32",
    "testp.f32",
    "testp.normal.ftz.f32",
    "cvt.u32",
    "cvt.f32.s32",
    "cvt.rn.u32.s32",
    "cvt.s32.f32",
    "cvt.rn.s32.f32",
    "cvt.f32.f64",
    "cvt.rn.f64.f32",
    "cvt.rzi.f32.f64",
    "cvt.ftz.f16.f64",
    "cvt.rn.f32.f64.d64",
    "cvt.u32.u16.d16",
    "cvt.u32.u16.d32.d64",
    "cvt.rna.f32.f64",
    "cvt.rm.tf32.f32",
    "cvt.rn.f16x2.f16",
    "cvt.pred.u32",
    "dp4a.u32",
    "dp2a.u32.u32",
    "dp4a.lo.u32.u32",
};

BOOST_DATA_TEST_CASE(there_is_no_operation_for, data::make(unknown), instruction) {
  for (const Simd level : levels())
    BOOST_TEST((find(level, instruction).function == nullptr), to_string(level));
}

struct Widths {
  const char* instruction;
  int d, d2, a, b, c, e;

  friend std::ostream& operator<<(std::ostream& out, const Widths& widths) {
    return out << widths.instruction;
  }
};

const Widths widths[] = {
    {"add.u32", 32, 0, 32, 32, 0, 0},        {"add.s16", 16, 0, 16, 16, 0, 0},
    {"add.f64", 64, 0, 64, 64, 0, 0},        {"add.f16x2", 32, 0, 32, 32, 0, 0},
    {"mul.wide.s32", 64, 0, 32, 32, 0, 0},   {"mad.wide.u16", 32, 0, 16, 16, 32, 0},
    {"add.cc.u64", 64, 32, 64, 64, 0, 0},    {"addc.u32", 32, 0, 32, 32, 0, 32},
    {"addc.cc.u32", 32, 32, 32, 32, 0, 32},  {"madc.lo.cc.s64", 64, 32, 64, 64, 64, 32},
    {"shl.b64", 64, 0, 64, 32, 0, 0},        {"selp.b16", 16, 0, 16, 16, 1, 0},
    {"setp.lt.s64", 1, 0, 64, 64, 0, 0},     {"setp.lt.f16", 1, 0, 16, 16, 0, 0},
    {"testp.normal.f64", 1, 0, 64, 0, 0, 0}, {"slct.b64.f32", 64, 0, 64, 64, 32, 0},
    {"popc.b64", 32, 0, 64, 0, 0, 0},        {"bfe.s64", 64, 0, 64, 32, 32, 0},
    {"bfi.b64", 64, 0, 64, 64, 32, 32},      {"lop3.b32", 32, 0, 32, 32, 32, 32},
    {"not.pred", 1, 0, 1, 0, 0, 0},          {"pack.b64", 64, 0, 32, 32, 0, 0},
    {"unpack.b32", 16, 16, 32, 0, 0, 0},     {"cvt.u8.u32.d16", 16, 0, 32, 0, 0, 0},
    {"cvt.s16.s8.d64", 64, 0, 8, 0, 0, 0},   {"cvt.rn.f16x2.f32", 32, 0, 32, 32, 0, 0},
};

BOOST_DATA_TEST_CASE(an_operation_says_how_wide_its_registers_are, data::make(widths), row) {
  const AluOperation found = find(best_simd(), row.instruction);
  BOOST_TEST_REQUIRE((found.function != nullptr));
  BOOST_TEST(found.d_bits == row.d);
  BOOST_TEST(found.d2_bits == row.d2);
  BOOST_TEST(found.a_bits == row.a);
  BOOST_TEST(found.b_bits == row.b);
  BOOST_TEST(found.c_bits == row.c);
  BOOST_TEST(found.e_bits == row.e);
}

}  // namespace
}  // namespace sweep::testing::form_test
