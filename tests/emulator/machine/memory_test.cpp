// Spaces, widths, copies and functions: what a thread finds in memory.

#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

struct MemoryCase {
  const char* name;
  std::function<std::uint32_t(std::uint32_t)> expected;  ///< of each of 32 threads
  const char* body;
  const char* module_scope = "";
  std::uint64_t dynamic_shared = 0;
};
static std::ostream& operator<<(std::ostream& out, const MemoryCase& c) {
  return out << c.name;
}

BOOST_AUTO_TEST_SUITE(memory)

namespace {

using Thread = std::uint32_t;

const MemoryCase spaces[] = {
    {"vectors of two, four and eight", [](Thread t) { return 36 * (t + 1); }, R"ptx(
  .shared .align 32 .b8 s[1024]; .local .align 32 .b8 l[64];
  mov.u64 %d0, s; mad.wide.u32 %d0, %me, 32, %d0; mov.u64 %d1, l;
  add.u32 %r0, %me, 1;
  mul.lo.u32 %r1, %r0, 2; mul.lo.u32 %r2, %r0, 3; mul.lo.u32 %r3, %r0, 4;
  mul.lo.u32 %r4, %r0, 5; mul.lo.u32 %r5, %r0, 6; mul.lo.u32 %r6, %r0, 7; mul.lo.u32 %r7, %r0, 8;
  st.local.v8.b32 [%d1], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};
  ld.local.v2.u64 {%d2, %d3}, [%d1]; st.shared.v2.b64 [%d0], {%d2, %d3};
  ld.local.v4.u32 {%r10, %r11, %r12, %r13}, [%d1+16];
  st.shared.v4.u32 [%d0+16], {%r10, %r11, %r12, %r13};
  ld.shared.v8.b32 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%d0];
  add.u32 %r20, %r20, %r21; add.u32 %r22, %r22, %r23; add.u32 %r24, %r24, %r25;
  add.u32 %r26, %r26, %r27; add.u32 %r20, %r20, %r22; add.u32 %r24, %r24, %r26;
  add.u32 %result, %r20, %r24;)ptx"},
    {"bytes and halves, with and without sign",
     [](Thread t) { return (t + 0x80U) * 257 + ((t + 0xffffff80U) << 16U); }, R"ptx(
  .local .b8 l[16]; mov.u64 %d0, l; add.u32 %r0, %me, 128;
  st.local.u8 [%d0+3], %r0; ld.local.u8 %r1, [%d0+3]; ld.local.s8 %r2, [%d0+3];
  cvt.u16.u32 %h0, %r2; st.local.b16 [%d0+6], %h0; ld.local.s16 %r3, [%d0+6];
  ld.local.u8 %h1, [%d0+3]; cvt.u32.u16 %r4, %h1;
  mad.lo.u32 %result, %r4, 256, %r1; shl.b32 %r3, %r3, 16; add.u32 %result, %result, %r3;)ptx"},
    {"an array in local memory, by an index of its own", [](Thread t) { return 5 * (t % 8); },
     R"ptx(
  .local .b32 l[8]; mov.u64 %d0, l; mov.u32 %r0, 0;
L: mad.wide.u32 %d1, %r0, 4, %d0; mul.lo.u32 %r1, %r0, 5; st.local.u32 [%d1], %r1;
  add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 8; @%p0 bra L;
  and.b32 %r2, %me, 7; mad.wide.u32 %d1, %r2, 4, %d0; ld.local.u32 %result, [%d1];)ptx"},
    {"generic addresses of every space at once", [](Thread t) { return t * 10 + t % 3; }, R"ptx(
  .local .b32 l[4]; .shared .b32 s[32];
  mov.u64 %d0, l; cvta.local.u64 %d0, %d0;
  mov.u64 %d1, s; cvta.shared.u64 %d1, %d1; mad.wide.u32 %d1, %me, 4, %d1;
  cvta.global.u64 %d2, %slot;
  rem.u32 %r0, %me, 3; setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 1;
  selp.b64 %d3, %d1, %d2, %p1; selp.b64 %d3, %d0, %d3, %p0;
  mul.lo.u32 %r1, %me, 10; st.u32 [%d3], %r1; ld.u32 %result, [%d3];
  isspacep.shared %p2, %d3; @%p2 add.u32 %result, %result, 1;
  isspacep.global %p3, %d3; @%p3 add.u32 %result, %result, 2;
  isspacep.local %p4, %d3; xor.pred %p5, %p4, %p0; @%p5 mov.u32 %result, 12345;)ptx"},
    {"a narrow address below the memory and an offset back into it", [](Thread t) { return t; },
     R"ptx(
  .shared .b32 s[32]; mov.u32 %r0, s; mad.lo.u32 %r0, %me, 4, %r0; add.s32 %r0, %r0, -64;
  st.shared.u32 [%r0+64], %me; ld.shared.u32 %result, [%r0+64];)ptx"},
    {"dynamic shared memory behind the static, aligned as it asks",
     [](Thread t) { return 31 - t + 128 + 1000 * 256; }, R"ptx(
  .shared .b8 fixed[20]; mov.u32 %r9, fixed; mov.u32 %r0, dynamic;
  mad.lo.u32 %r1, %me, 4, %r0; st.shared.u32 [%r1], %me; bar.sync 0;
  sub.u32 %r2, 31, %me; mad.lo.u32 %r2, %r2, 4, %r0; ld.shared.u32 %result, [%r2];
  add.u32 %result, %result, %r0; add.u32 %result, %result, %r9;
  mov.u32 %r3, %dynamic_smem_size; mad.lo.u32 %result, %r3, 1000, %result;)ptx",
     ".extern .shared .align 128 .b8 dynamic[];", 256},
    {"variables with values, and pointers from one to another",
     [](Thread t) { return t % 4 + 140; },
     R"ptx(
  mov.u64 %d0, link; ld.global.u64 %d1, [%d0]; and.b32 %r0, %me, 3;
  mad.wide.u32 %d1, %r0, 4, %d1; ld.u32 %result, [%d1];
  mov.u64 %d2, numbers; ld.const.u32 %r1, [%d2+8]; add.u32 %result, %result, %r1;)ptx",
     ".global .align 4 .b32 table[5] = {0, 100, 101, 102, 103};"
     ".global .align 8 .b64 link = generic(table) + 4;"
     ".const .align 4 .b32 numbers[4] = {1, 2, 40, 3};"},
    {"128 bits", [](Thread t) { return 3 * t + 7; }, R"ptx(
  .local .align 16 .b8 l[32]; mov.u64 %d9, l;
  mul.wide.u32 %d0, %me, 3; mov.u64 %d1, 7; mov.b128 %q0, {%d0, %d1}; mov.b128 %q1, %q0;
  st.local.b128 [%d9+16], %q1; ld.local.b128 %q2, [%d9+16]; mov.b128 {%d2, %d3}, %q2;
  add.u64 %d2, %d2, %d3; cvt.u32.u64 %result, %d2;)ptx"},
    {"a variable of 128 bits with a value", [](Thread t) { return t + 7; }, R"ptx(
  mov.u64 %d0, wide; ld.global.b128 %q0, [%d0]; mov.b128 {%d1, %d2}, %q0; add.u64 %d1, %d1, %d2;
  cvt.u32.u64 %r0, %d1; add.u32 %result, %r0, %me;)ptx",
     ".global .align 16 .b128 wide = 7;"},
    {"a carry through 128 bits", [](Thread t) { return t + 1 + (t == 0 ? 0U : 1U); }, R"ptx(
  mov.u32 %r0, -1; mov.u32 %r1, -1; mov.u32 %r2, -1; mov.u32 %r3, %me;
  add.cc.u32 %r4, %r0, %me; addc.cc.u32 %r5, %r1, 0; addc.cc.u32 %r6, %r2, 0;
  addc.u32 %r7, %r3, 1; mov.u32 %result, %r7;)ptx"},
    {"alloca, and the stack set back", [](Thread t) { return 2 * t + 1; }, R"ptx(
  stacksave.u64 %d0; mov.u64 %d1, 24; alloca.u64 %d2, %d1; alloca.u64 %d3, %d1;
  st.local.u32 [%d2], %me; add.u32 %r0, %me, 1; st.local.u32 [%d3], %r0;
  ld.local.u32 %r1, [%d2]; ld.local.u32 %r2, [%d3]; add.u32 %result, %r1, %r2;
  stackrestore.u64 %d0; alloca.u64 %d4, %d1; setp.ne.u64 %p0, %d4, %d2;
  @%p0 mov.u32 %result, 0;)ptx"},
    {"the clock does not go back", [](Thread) { return 3; }, R"ptx(
  mov.u64 %d0, %clock64; mov.u32 %r0, %clock; mov.u32 %r9, 10;
L: sub.u32 %r9, %r9, 1; setp.ne.u32 %p0, %r9, 0; @%p0 bra L;
  mov.u64 %d1, %clock64; mov.u32 %r1, %clock;
  setp.gt.u64 %p1, %d1, %d0; selp.b32 %result, 1, 0, %p1;
  setp.gt.u32 %p2, %r1, %r0; @%p2 add.u32 %result, %result, 2;)ptx"},
    {"a function with a struct, called by some", [](Thread t) { return t < 10 ? 3 * t + 5 : 1; },
     R"ptx(
  mov.u32 %result, 1; setp.ge.u32 %p0, %me, 10; @%p0 bra SKIP;
  { .param .align 4 .b8 in[12]; .param .b32 out;
    mul.lo.u32 %r0, %me, 2;
    st.param.b32 [in], %me; st.param.b32 [in+4], %r0; st.param.b32 [in+8], 5;
    call.uni (out), sum, (in); ld.param.b32 %result, [out]; }
SKIP:)ptx",
     R"ptx(.func (.param .b32 out) sum(.param .align 4 .b8 in[12]) {
  .reg .b32 %r<4>; .reg .pred %p;
  ld.param.b32 %r0, [in]; ld.param.b32 %r1, [in+4]; ld.param.b32 %r2, [in+8];
  add.u32 %r0, %r0, %r1; setp.ne.u32 %p, %r2, 5; @%p ret; add.u32 %r0, %r0, %r2;
  st.param.b32 [out], %r0; ret; })ptx"},
    {"cp.async with zeros behind what it reads", [](Thread t) { return t < 4 ? 0x00050005U : 0; },
     R"ptx(
  .shared .align 16 .b8 s[512]; mov.u32 %r0, s; mad.lo.u32 %r1, %me, 16, %r0;
  mov.u32 %r2, 0x00050005; st.global.u32 [%slot], %r2; mov.u32 %r3, -1;
  st.shared.v4.u32 [%r1], {%r3, %r3, %r3, %r3}; bar.sync 0;
  mad.wide.u32 %d0, %me, 16, %out; setp.lt.u32 %p0, %me, 4; selp.b32 %r4, 6, 0, %p0;
  setp.gt.u32 %p1, %me, 7; selp.b64 %d0, %out, %d0, %p1;
  cp.async.cg.shared.global [%r1], [%d0], 16, %r4;
  cp.async.commit_group; cp.async.wait_group 0;
  ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r1]; or.b32 %r7, %r7, %r8;
  xor.b32 %r6, %r6, 5; setp.lt.u32 %p0, %me, 4; @!%p0 xor.b32 %r6, %r6, 5;
  or.b32 %r7, %r7, %r6; add.u32 %result, %r5, %r7;)ptx"},
    {"cp.async with its source ignored", [](Thread t) { return t % 2 == 0 ? 9 : 0; }, R"ptx(
  .shared .align 16 .b8 s[128]; mov.u32 %r0, s; mad.lo.u32 %r1, %me, 4, %r0;
  mov.u32 %r2, 9; st.global.u32 [%slot], %r2; and.b32 %r3, %me, 1; setp.ne.u32 %p0, %r3, 0;
  cp.async.ca.shared.global [%r1], [%slot], 4, %p0; cp.async.wait_all;
  ld.shared.u32 %result, [%r1];)ptx"},
    {"bulk copies in and out", [](Thread t) { return 7 * (t ^ 4U); }, R"ptx(
  .shared .align 16 .b8 s[128]; .shared .align 8 .b64 bar;
  mul.lo.u32 %r2, %me, 7; st.global.u32 [%slot], %r2;
  setp.ne.u32 %p0, %me, 0; @%p0 bra WAIT;
  mbarrier.init.shared::cta.b64 [bar], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], 128, [bar];
WAIT: bar.warp.sync -1;
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra W;
  mov.u32 %r0, s; xor.b32 %r1, %me, 4; mad.lo.u32 %r1, %r1, 4, %r0; ld.shared.u32 %r3, [%r1];
  bar.warp.sync -1; mad.lo.u32 %r1, %me, 4, %r0; st.shared.u32 [%r1], %r3; bar.warp.sync -1;
  @%p0 bra DONE;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 128;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE: bar.warp.sync -1; ld.global.u32 %result, [%slot];)ptx"},
    {"matrices, straight and transposed",
     [](Thread t) { return t / 4 * 8 + t % 4 * 2 + 100 * (t % 4 * 2 * 8 + t / 4); }, R"ptx(
  .shared .align 16 .b8 s[512]; mov.u32 %r0, s;
  mul.lo.u32 %r1, %me, 2; add.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 16; or.b32 %r1, %r1, %r2;
  mad.lo.u32 %r3, %me, 4, %r0; st.shared.u32 [%r3], %r1;
  st.shared.u32 [%r3+128], %r1; st.shared.u32 [%r3+256], %r1; st.shared.u32 [%r3+384], %r1;
  bar.sync 0; mad.lo.u32 %r3, %me, 16, %r0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8, %r9}, [%r3];
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];
  bar.sync 0; stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r3], {%r8}; bar.sync 0;
  mad.lo.u32 %r3, %me, 4, %r0; ld.shared.u32 %r11, [%r3];
  movmatrix.sync.aligned.m8n8.trans.b16 %r12, %r8;
  setp.eq.u32 %p0, %r4, %r5; setp.eq.and.u32 %p0, %r6, %r7, %p0; setp.eq.and.u32 %p0, %r4, %r6, %p0;
  setp.eq.and.u32 %p0, %r8, %r9, %p0; setp.eq.and.u32 %p0, %r10, %r4, %p0;
  setp.eq.and.u32 %p0, %r11, %r4, %p0; setp.eq.and.u32 %p0, %r12, %r4, %p0;
  and.b32 %r8, %r8, 65535; and.b32 %r4, %r4, 65535; mad.lo.u32 %result, %r8, 100, %r4;
  @!%p0 mov.u32 %result, -1;)ptx"},
};

}  // namespace

BOOST_DATA_TEST_CASE(holds_what_was_put_there, boost::unit_test::data::make(spaces), c) {
  Setting setting;
  setting.dynamic_shared = c.dynamic_shared;
  const Outcome outcome = run_module(kernel_text(c.body, c.module_scope), setting);
  for (Thread t = 0; t < 32; ++t) {
    BOOST_TEST(outcome.out[t] == c.expected(t), "thread " << t << ": " << outcome.out[t]);
  }
}

BOOST_AUTO_TEST_CASE(variables_that_point_from_one_to_the_next) {
  constexpr int length = 20'000;
  std::string scope = ".global .align 8 .b64 v0 = 5;\n";
  for (int i = 1; i < length; ++i) {
    scope += fmt::format(".global .align 8 .b64 v{} = v{};\n", i, i - 1);
  }
  const std::string body = fmt::format(R"ptx(
  mov.u64 %d0, v{}; mov.u32 %r0, {};
L: ld.u64 %d0, [%d0]; sub.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;
  cvt.u32.u64 %result, %d0;)ptx",
                                       length - 1, length);
  Setting setting;
  setting.block = {1, 1, 1};
  BOOST_TEST(run_module(kernel_text(body, scope), setting).out.front() == 5U);
}

BOOST_AUTO_TEST_CASE(blocks_and_grids_have_three_dimensions) {
  Setting setting;
  setting.grid = {2, 3, 4};
  setting.block = {5, 3, 3};
  const Outcome outcome = run_body(R"ptx(
  mov.u32 %r0, %tid.x; mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;
  mad.lo.u32 %result, %r1, 10, %r0; mad.lo.u32 %result, %r2, 100, %result;
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z;
  mad.lo.u32 %result, %r0, 1000, %result; mad.lo.u32 %result, %r1, 10000, %result;
  mad.lo.u32 %result, %r2, 100000, %result;)ptx",
                                   setting);
  BOOST_TEST(outcome.out.size() == 24U * 45U);
  for (std::uint32_t i = 0; i < outcome.out.size(); ++i) {
    const std::uint32_t t = i % 45;
    const std::uint32_t b = i / 45;
    BOOST_TEST(outcome.out[i] == t % 5 + t / 5 % 3 * 10 + t / 15 * 100 + b % 2 * 1000 +
                                     b / 2 % 3 * 10000 + b / 6 * 100000);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
