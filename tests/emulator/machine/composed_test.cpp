// Instructions that are lowered to several operations: set, comparisons that are combined or have
// two results, and pairs that are computed half by half.

#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/emulator/lower/kernel.h"
#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

/// The sources are %d1 and %d2 and what their low bits are as %r, %h, %f and %g, and %p3.
struct Composed {
  const char* instruction;
  std::uint64_t a, b;
  int c;
  const char* result;  ///< how %d5 is made of what it writes
  std::uint64_t expected;
};
static std::ostream& operator<<(std::ostream& out, const Composed& row) {
  return out << row.instruction << std::hex << " of " << row.a << " and " << row.b;
}

BOOST_AUTO_TEST_SUITE(composed_instructions)

namespace {

constexpr const char* predicates =
    "selp.u32 %r7, 2, 0, %p2; selp.u32 %r6, 1, 0, %p1; or.b32 %r5, %r6, %r7; cvt.u64.u32 %d5, %r5;";
constexpr const char* first_predicate = "selp.u64 %d5, 1, 0, %p1;";
constexpr const char* read_predicate = "selp.u64 %d5, 1, 0, %p3;";
constexpr const char* word = "cvt.u64.u32 %d5, %r5;";
constexpr const char* f32_word = "mov.b32 %r5, %f5; cvt.u64.u32 %d5, %r5;";
constexpr const char* half = "cvt.u64.u16 %d5, %h5;";

const Composed rows[] = {
    {"setp.lt.s32 %p1|%p2, %r1, %r2;", 1, 2, 0, predicates, 1},
    {"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;", 1, 2, 0, predicates, 0},
    {"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;", 1, 2, 1, predicates, 1},
    {"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;", 2, 1, 1, predicates, 2},
    {"setp.lt.and.s32 %p3|%p2, %r1, %r2, %p3; mov.pred %p1, %p3;", 2, 1, 1, predicates, 2},
    {"setp.lt.and.s32 %p1|%p3, %r2, %r1, %p3;", 2, 1, 1, read_predicate, 0},
    {"setp.lt.or.s32 %p1, %r1, %r2, %p3;", 2, 1, 1, first_predicate, 1},
    {"setp.lt.or.s32 %p1, %r1, %r2, !%p3;", 2, 1, 1, first_predicate, 0},
    {"setp.lt.or.s32 %p1|%p2, %r1, %r2, %p3;", 2, 1, 0, predicates, 2},
    {"setp.lt.xor.u64 %p1|%p2, %d1, %d2, %p3;", 1, 2, 1, predicates, 2},
    {"setp.eq.and.f64 %p1|%p2, %g1, %g2, %p3;", 0, 0x8000000000000000, 1, predicates, 1},
    {"setp.eq.f16x2 %p1|%p2, %r1, %r2;", 0x3c003c00, 0x3c003c00, 0, predicates, 3},
    {"setp.lt.f16x2 %p1|%p2, %r1, %r2;", 0x3c004000, 0x40003c00, 0, predicates, 2},
    {"setp.lt.f16x2 %p1, %r1, %r2;", 0x40003c00, 0x3c004000, 0, first_predicate, 1},
    {"setp.lt.and.bf16x2 %p1|%p2, %r1, %r2, %p3;", 0x3f800000, 0x40003f80, 0, predicates, 0},
    {"setp.nan.bf16 %p1|%p2, %h1, %h2;", 0x7fc0, 0, 0, predicates, 1},
    {"set.lt.f32.s32 %f5, %r1, %r2;", 1, 2, 0, f32_word, 0x3f800000},
    {"set.lt.f16.s32 %h5, %r1, %r2;", 1, 2, 0, half, 0x3c00},
    {"set.lt.bf16.f64 %h5, %g1, %g2;", 0, 0x3ff0000000000000, 0, half, 0x3f80},
    {"lop3.or.b32 %r5|%p1, %r1, %r2, 0, 0xc0, %p3;", 6, 1, 0, first_predicate, 0},
    {"lop3.or.b32 %r5|%p1, %r1, %r2, 0, 0xc0, %p3;", 6, 1, 1, first_predicate, 1},
    {"lop3.or.b32 %r5|%p1, %r1, %r2, 0, 0xc0, %p3;", 6, 3, 0, first_predicate, 1},
    {"lop3.or.b32 %r5|%p1, %r1, %r2, 0, 0xc0, %p3;", 6, 3, 0, word, 2},
    {"lop3.and.b32 _|%p1, %r1, %r2, 0, 0xc0, !%p3;", 6, 2, 0, first_predicate, 1},
    {"lop3.and.b32 _|%p1, %r1, %r2, 0, 0xc0, !%p3;", 6, 2, 1, first_predicate, 0},
    {"cvt.pack.sat.u16.s32 %r5, %r1, %r2;", 70000, 0xffffffff, 0, word, 0xffff0000},
    {"cvt.pack.sat.s16.s32 %r5, %r1, %r2;", 0xffff0000, 5, 0, word, 0x80000005},
    {"cvt.pack.sat.u8.s32.b32 %r5, %r1, %r2, 0x12345678;", 300, 7, 0, word, 0x5678ff07},
    {"cvt.pack.sat.s4.s32.b32 %r5, %r1, %r2, 1;", 0xfffffff7, 9, 0, word, 0x187},
    {"add.f32.f16 %f5, %h1, %f2;", 0x3c00, 0x3f800000, 0, f32_word, 0x40000000},
    {"sub.rn.f32.bf16 %f5, %h1, %f2;", 0x3f80, 0x40000000, 0, f32_word, 0xbf800000},
    {"fma.rn.sat.f32.f16 %f5, %h1, %h1, %f2;", 0x4000, 0xbf800000, 0, f32_word, 0x3f800000},
    {"fma.rn.f32.bf16 %f5, %h1, %h1, %f2;", 0x4000, 0x3f800000, 0, f32_word, 0x40a00000},
    {"cvt.rn.ftz.f32.s32 %f5, %r1;", 3, 0, 0, f32_word, 0x40400000},
    {"cvt.rz.f32.bf16 %f5, %h1;", 0x3f80, 0, 0, f32_word, 0x3f800000},
    {"set.lt.and.u32.f32 %r5, %f1, %f2, %p3;", 0, 0x3f800000, 0, word, 0},
    {"set.lt.and.u32.f32 %r5, %f1, %f2, !%p3;", 0, 0x3f800000, 0, word, 0xffffffff},
    {"set.lt.ftz.u32.f32 %r5, %f1, %f2;", 0, 0x007fffff, 0, word, 0},
    {"set.lt.s32.f64 %r5, %g1, %g2;", 0, 0x3ff0000000000000, 0, word, 0xffffffff},
    {"set.eq.u32.f16x2 %r5, %r1, %r2;", 0x3c004000, 0x3c003c00, 0, word, 0xffff0000},
    {"set.lt.and.u32.bf16x2 %r5, %r1, %r2, %p3;", 0x3f80, 0x40003f80, 1, word, 0xffff0000},
    {"max.s16x2.relu %r5, %r1, %r2;", 0xfffe8000, 0xffff0003, 0, word, 3},
    {"max.f32 %f5, %f1, %f2, 0f40000000;", 0x7fc00000, 0x3f800000, 0, f32_word, 0x40000000},
    {"max.NaN.f32 %f5, %f1, %f2, 0f40000000;", 0x7fc00000, 0x3f800000, 0, f32_word, 0x7fffffff},
    {"min.abs.f32 %f5, %f1, %f2, 0f40400000;", 0xc0000000, 0xc0800000, 0, f32_word, 0x40000000},
    {"vadd.u32.u32.u32 %r5, %r1, %r2;", 0xffffffff, 2, 0, word, 1},
    {"vadd.u32.u32.u32.sat %r5, %r1, %r2;", 0xffffffff, 2, 0, word, 0xffffffff},
    {"vadd.s32.u32.s32.sat %r5, %r1, %r2;", 0xffffffff, 0xffffffff, 0, word, 0x7fffffff},
    {"vsub.u32.u32.u32.sat %r5, %r1, %r2;", 1, 2, 0, word, 0},
    {"vsub.s32.u32.u32.add %r5, %r1, %r2, %r2;", 1, 2, 0, word, 1},
    {"vabsdiff.u32.s32.s32 %r5, %r1, %r2;", 0x80000000, 1, 0, word, 0x80000001},
    {"vmin.s32.u32.s32 %r5, %r1, %r2;", 1, 0xffffffff, 0, word, 0xffffffff},
    {"vmax.u32.u32.u32.min %r5, %r1, %r2, 6;", 7, 8, 0, word, 6},
    {"vset.u32.s32.gt %r5, %r1, %r2;", 1, 0xffffffff, 0, word, 1},
    {"vset.u32.u32.gt.add %r5, %r1, %r2, 5;", 1, 0xffffffff, 0, word, 5},
    {"vadd4.u32.u32.u32.sat %r5, %r1, %r2, %r2;", 0x01ff0280, 0x02020380, 0, word, 0x03ff05ff},
    {"vsub2.s32.s32.s32.sat %r5, %r1, %r2, %r2;", 0x80000005, 0x00010007, 0, word, 0x8000fffe},
    {"vmax2.s32.s32.s32.add %r5, %r1, %r2, 10;", 0x8000ffff, 0xffff0007, 0, word, 16},
    {"vset4.u32.u32.eq %r5, %r1, %r2, %r2;", 0x01020304, 0x01000304, 0, word, 0x01000101},
    {"vabsdiff2.u32.s32.s32 %r5, %r1, %r2, %r2;", 0x00050001, 0x0007ffff, 0, word, 0x00020002},
    {"vabsdiff4.u32.u32.u32 %r5, %r1, %r2, %r2;", 0x00ff0107, 0xff00020a, 0, word, 0xffff0103},
    {"vabsdiff4.u32.s32.s32 %r5, %r1, %r2, %r2;", 0x80ff7f01, 0x7f018002, 0, word, 0xff02ff01},
    {"vabsdiff4.u32.u32.u32.add %r5, %r1, %r2, %r2;", 0x01020304, 0, 0, word, 10},
    {"mov.b32 {%b1, %b2, %b3, %b4}, %r1; mov.b32 %r5, {%b4, %b3, 7, %b1};", 0x01020304, 0, 0, word,
     0x04070201},
    {"mov.b16 {%b1, %b2}, %h1; mov.b16 %h5, {%b2, %b1};", 0x0102, 0, 0, half, 0x0201},
    {"cvt.rn.satfinite.e4m3x2.f32 %h5, %f1, %f2;", 0x3f800000, 0xc0000000, 0, half, 0x38c0},
    {"cvt.rn.f16x2.e5m2x2 %r5, %h1;", 0x3cc0, 0, 0, word, 0x3c00c000},
    {"cvt.rn.satfinite.relu.e2m1x2.f32 %b1, %f1, %f2; mov.b16 %h5, {%b1, 0};", 0x3f800000,
     0xc0000000, 0, half, 0x20},
    {"set.eq.f16.f16 %h5, %h1, %h2;", 0x3c00, 0x3c00, 0, half, 0x3c00},
    {"set.eq.bf16.bf16 %h5, %h1, %h2;", 0x3f80, 0x3f80, 0, half, 0x3f80},
    {"set.eq.u16.f16 %h5, %h1, %h2;", 0x3c00, 0x3c00, 0, half, 0xffff},
    {"set.lt.f16x2.f16x2 %r5, %r1, %r2;", 0x3c004000, 0x40003c00, 0, word, 0x3c000000},
    {"set.ge.or.bf16x2.bf16x2 %r5, %r1, %r2, %p3;", 0, 0x3f800000, 0, word, 0x00003f80},
    {"add.f32x2 %d5, %d1, %d2;", 0x3f80000040000000, 0x3f80000040000000, 0, "", 0x4000000040800000},
    {"mul.rn.ftz.f32x2 %d5, %d1, %d2;", 0x3f800000007fffff, 0x4000000040000000, 0, "",
     0x4000000000000000},
    {"mov.b64 %d5, 0; fma.rz.f32x2 %d5, %d1, %d2, %d5;", 0x3f8000013f800001, 0x3f8000013f800001, 0,
     "", 0x3f8000023f800002},
    {"add.u16x2 %r5, %r1, %r2;", 0xffff0001, 0x0001ffff, 0, word, 0},
    {"add.s16x2 %r5, %r1, %r2;", 0x7fff0001, 0x00010001, 0, word, 0x80000002},
    {"min.s16x2 %r5, %r1, %r2;", 0x8000ffff, 0x00010001, 0, word, 0x8000ffff},
    {"min.u16x2 %r5, %r1, %r2;", 0x8000ffff, 0x00010001, 0, word, 0x00010001},
    {"max.s16x2 %r5, %r1, %r2;", 0x8000ffff, 0x00010001, 0, word, 0x00010001},
    {"max.u16x2 %r5, %r1, %r2;", 0x8000ffff, 0x00010001, 0, word, 0x8000ffff},
    {"min.relu.s16x2 %r5, %r1, %r2;", 0x80000003, 0x00010005, 0, word, 0x00000003},
    {"max.relu.s16x2 %r5, %r1, %r2;", 0x8000fffe, 0xffff0001, 0, word, 0x00000001},
    {"mov.v2.u32 {%r2, %r1}, {%r1, %r2}; sub.u32 %r5, %r1, %r2;", 5, 9, 0, word, 4},
    {"mov.v4.u32 {%r1, %r5, %r6, %r7}, %ntid; shl.b32 %r6, %r6, 1; shl.b32 %r7, %r7, 2;"
     "add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7;",
     0, 0, 0, word, 3},
    {"mov.v4.b32 {%r5, _, _, %r6}, %cluster_ctaid; add.u32 %r5, %r5, %r6;", 0, 0, 0, word, 0},
    {"mov.u32 %r5, %pm3; mov.u32 %r6, %envreg31; or.b32 %r5, %r5, %r6;", 1, 1, 0, word, 0},
    {"mov.u64 %d5, %pm3_64; mov.u64 %d6, %current_graph_exec; or.b64 %d5, %d5, %d6;", 1, 1, 0, "",
     0},
    {"mov.u32 %r5, %aggr_smem_size; mov.u32 %r6, %total_smem_size; sub.u32 %r5, %r5, %r6;", 0, 0, 0,
     word, 1024},
};

const std::string refused[] = {
    "set.lt.s32 %r5, %r1, %r2;",
    "set.lt.f64.f32 %g5, %f1, %f2;",
    "set.lt.u64.s32 %d5, %r1, %r2;",
    "set.eq.f16.f16x2 %h5, %r1, %r2;",
    "set.eq.u16.u16 %h5, %h1, %h2;",
    "set.eq.f32.f16 %f5, %h1, %h2;",
    "set.lt.u32.s32 %r5, %r1, %r2, %p3;",
    "lop3.or.b32 %r5, %r1, %r2, %r3, 0xc0, %p3;",
    "cvt.pack.sat.u32.s32 %r5, %r1, %r2;",
    "cvt.pack.sat.u8.s32.b32 %r5, %r1, %r2;",
    "mul.f32.f16 %f5, %h1, %f2;",
    "set.lt.rn.u32.f32 %r5, %f1, %f2;",
    "setp.lt.and.or.s32 %p1, %r1, %r2, %p3;",
    "setp.lt.and.s32 %p1, %r1, %r2;",
    "setp.lt.s32 %p1, %r1, %r2, %p3;",
    "setp.lt.u16x2 %p1|%p2, %r1, %r2;",
    "and.s16x2 %r5, %r1, %r2;",
    "add.relu.s16x2 %r5, %r1, %r2;",
    "sub.u16x2 %r5, %r1, %r2;",
    "add.sat.f32x2 %d5, %d1, %d2;",
    "div.rn.f32x2 %d5, %d1, %d2;",
    "add.f32x2 %d5, %d1, %d2, %d3;",
    "add.f32x2 %r5, %d1, %d2;",
};

}  // namespace

BOOST_DATA_TEST_CASE(give, boost::unit_test::data::make(rows), row) {
  const std::string body = fmt::format(
      ".reg .b8 %b<8>;"
      "mov.u64 %d1, {}; mov.u64 %d2, {}; cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2;"
      "cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2; mov.b32 %f1, %r1; mov.b32 %f2, %r2;"
      "mov.b64 %g1, %d1; mov.b64 %g2, %d2; mov.pred %p3, {};\n{}\n{}\n"
      "mov.b64 {{%r8, %r9}}, %d5; setp.eq.u32 %p4, %me, 0; selp.b32 %result, %r8, %r9, %p4;",
      row.a, row.b, row.c, row.instruction, row.result);
  const std::vector<std::uint32_t> out = run_body(body).out;
  BOOST_TEST((std::uint64_t{out[1]} << 32 | out[0]) == row.expected);
}

BOOST_AUTO_TEST_CASE(gathers_of_every_component_are_executed) {
  for (const char* component : {"r", "g", "b", "a"}) {
    const std::string gather = fmt::format(
        "@%p1 tld4.{}.2d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [%out, {{%f1, %f2}}];", component);
    BOOST_CHECK_NO_THROW(run_body("setp.ne.u32 %p1, %me, %me;" + gather));
  }
}

BOOST_DATA_TEST_CASE(are_refused, boost::unit_test::data::make(refused), instruction) {
  BOOST_CHECK_THROW(run_body(instruction), UnsupportedError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
