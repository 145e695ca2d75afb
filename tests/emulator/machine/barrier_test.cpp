// Threads that wait for each other: named barriers, locks, flags, mbarriers, whole grids.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

struct WaitingCase {
  const char* name;
  Setting setting;
  std::function<std::uint32_t(std::uint32_t)> expected;
  const char* body;
};
static std::ostream& operator<<(std::ostream& out, const WaitingCase& c) {
  return out << c.name;
}

BOOST_AUTO_TEST_SUITE(waiting)

namespace {

Setting blocks(std::uint32_t threads, std::uint32_t count = 1) {
  Setting setting;
  setting.block = {threads, 1, 1};
  setting.grid = {count, 1, 1};
  setting.instruction_limit = 50'000'000;
  setting.options.resident_blocks = 64;
  return setting;
}

const WaitingCase within_blocks[] = {
    {"a barrier of some of the warps", blocks(96), [](std::uint32_t t) { return t < 64 ? 64 : 0; },
     R"ptx(
  .shared .b32 sum;
  mov.u32 %r0, 0; st.shared.u32 [sum], %r0;
  bar.sync 0;
  setp.ge.u32 %p0, %me, 64;
  @%p0 bra DONE;
  atom.shared.add.u32 %r1, [sum], 1;
  bar.sync 1, 64;
  ld.shared.u32 %result, [sum];
DONE:)ptx"},
    {"one warp produces, another consumes", blocks(64),
     [](std::uint32_t t) { return t < 32 ? 0 : 3 * (t - 32); }, R"ptx(
  .shared .b32 cells[32];
  mov.u32 %r0, cells; and.b32 %r1, %me, 31; mad.lo.u32 %r0, %r1, 4, %r0;
  setp.ge.u32 %p0, %me, 32;
  @%p0 bra CONSUME;
  mul.lo.u32 %r2, %me, 3; st.shared.u32 [%r0], %r2;
  bar.arrive 3, 64;
  bra DONE;
CONSUME: bar.sync 3, 64; ld.shared.u32 %result, [%r0];
DONE:)ptx"},
    {"bar.red.popc", blocks(48), [](std::uint32_t) { return 10; }, R"ptx(
  setp.lt.u32 %p0, %me, 10; barrier.cta.red.popc.aligned.u32 %result, 0, %p0;)ptx"},
    {"bar.red.popc of a negated predicate", blocks(48), [](std::uint32_t) { return 38; }, R"ptx(
  setp.lt.u32 %p0, %me, 10; bar.red.popc.u32 %result, 2, !%p0;)ptx"},
    {"bar.red.and and or", blocks(64), [](std::uint32_t) { return 0b0110; }, R"ptx(
  setp.lt.u32 %p0, %me, 64; setp.eq.u32 %p1, %me, 40; setp.gt.u32 %p2, %me, 64;
  bar.red.and.pred %p3, 0, %p1; selp.b32 %r0, 1, 0, %p3;
  bar.red.or.pred %p3, 0, %p1; selp.b32 %r1, 2, 0, %p3;
  bar.red.and.pred %p3, 0, %p0; selp.b32 %r2, 4, 0, %p3;
  bar.red.or.pred %p3, 0, %p2; selp.b32 %r3, 8, 0, %p3;
  or.b32 %result, %r0, %r1; or.b32 %r2, %r2, %r3; or.b32 %result, %result, %r2;)ptx"},
    {"threads exit while others wait", blocks(64), [](std::uint32_t t) { return t < 8 ? 1 : 0; },
     R"ptx(
  setp.lt.u32 %p0, %me, 8;
  @%p0 bra WAIT;
  mov.u32 %r0, 300;
LOOP: sub.u32 %r0, %r0, 1; setp.ne.u32 %p1, %r0, 0; @%p1 bra LOOP;
  exit;
WAIT: bar.sync 0; mov.u32 %result, 1;)ptx"},
    {"a lock among the lanes of a warp", blocks(40), [](std::uint32_t) { return 40; }, R"ptx(
  .shared .b32 lock, count;
  mov.u32 %r0, 0; st.shared.u32 [lock], %r0; st.shared.u32 [count], %r0;
  bar.sync 0;
TRY: atom.shared.cas.b32 %r1, [lock], 0, 1; setp.ne.u32 %p0, %r1, 0; @%p0 bra TRY;
  ld.volatile.shared.u32 %r2, [count]; add.u32 %r2, %r2, 1; st.volatile.shared.u32 [count], %r2;
  membar.cta;
  atom.shared.exch.b32 %r1, [lock], 0;
  bar.sync 0;
  ld.shared.u32 %result, [count];)ptx"},
    {"lanes spin while others of their warp wait at a barrier", blocks(64),
     [](std::uint32_t t) { return t < 32 && t >= 16 ? 5 : 0; }, R"ptx(
  .shared .b32 flag;
  setp.eq.u32 %p0, %me, 0; mov.u32 %r0, 0;
  @%p0 st.volatile.shared.u32 [flag], %r0;
  bar.sync 0;
  setp.lt.u32 %p1, %me, 16; @%p1 bra LAST;
  setp.ge.u32 %p2, %me, 32; @%p2 bra SET;
SPIN: ld.volatile.shared.u32 %r1, [flag];
  and.b32 %r2, %me, 1; setp.eq.u32 %p3, %r2, 0;
  @%p3 bra EVEN;
  add.u32 %r3, %r3, 1;
EVEN: setp.eq.u32 %p4, %r1, 0; @%p4 bra SPIN;
  mov.u32 %result, %r1; bra LAST;
SET: mov.u32 %r4, 5; st.volatile.shared.u32 [flag], %r4;
LAST: bar.sync 0;)ptx"},
    {"an mbarrier, twice", blocks(64), [](std::uint32_t t) { return (t ^ 32U) * 3; }, R"ptx(
  .shared .align 8 .b64 bar; .shared .b32 cells[64];
  setp.eq.u32 %p0, %me, 0;
  @%p0 mbarrier.init.shared.b64 [bar], 64;
  bar.sync 0;
  mov.u32 %r0, cells; mad.lo.u32 %r1, %me, 4, %r0; xor.b32 %r2, %me, 32;
  mad.lo.u32 %r2, %r2, 4, %r0;
  st.shared.u32 [%r1], %me;
  mbarrier.arrive.shared.b64 %d0, [bar];
W0: mbarrier.try_wait.shared.b64 %p1, [bar], %d0; @!%p1 bra W0;
  ld.shared.u32 %result, [%r2];
  mbarrier.arrive.shared.b64 %d0, [bar];
W1: mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; @!%p1 bra W1;
  mul.lo.u32 %r3, %me, 2; st.shared.u32 [%r1], %r3;
  mbarrier.arrive.shared.b64 _, [bar];
W2: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W2;
  ld.shared.u32 %r4, [%r2]; add.u32 %result, %result, %r4;)ptx"},
    {"nanosleep while waiting", blocks(64), [](std::uint32_t t) { return t < 32 ? 9 : 0; }, R"ptx(
  .shared .b32 flag;
  setp.eq.u32 %p0, %me, 63; mov.u32 %r0, 9; mov.u32 %r1, 0;
  @%p0 st.volatile.shared.u32 [flag], %r1;
  bar.sync 0;
  @%p0 st.volatile.shared.u32 [flag], %r0;
  setp.ge.u32 %p1, %me, 32; @%p1 bra DONE;
WAIT: nanosleep.u32 100; ld.volatile.shared.u32 %result, [flag];
  setp.eq.u32 %p2, %result, 0; @%p2 bra WAIT;
DONE:)ptx"},
    {"elect one leader", blocks(32), [](std::uint32_t t) { return t == 4  ? 104
                                                                  : t > 4 ? 4
                                                                          : 0; },
     R"ptx(
  setp.lt.u32 %p0, %me, 4; @%p0 bra DONE;
  elect.sync %r0|%p1, 0xfffffff0;
  mov.u32 %result, %r0; @%p1 add.u32 %result, %result, 100;
DONE:)ptx"},
};

}  // namespace

BOOST_DATA_TEST_CASE(within_a_block, boost::unit_test::data::make(within_blocks), c) {
  for (const bool is_in_order : {false, true}) {
    Setting setting = c.setting;
    setting.checks_kernel = true;
    if (is_in_order) setting.options.on_end = [](std::uint64_t /*cluster*/) {};
    const Outcome outcome = run_body(c.body, setting);
    for (std::uint32_t t = 0; t < outcome.out.size(); ++t) {
      BOOST_TEST(outcome.out[t] == c.expected(t), "thread " << t << ": " << outcome.out[t]);
    }
  }
}

/// Every block waits for the flag of the one before it.
BOOST_AUTO_TEST_CASE(blocks_look_back) {
  constexpr const char* text = R"ptx(
.visible .global .align 4 .b32 flags[64];
)ptx";
  constexpr const char* body = R"ptx(
  mov.u64 %d0, flags; mov.u32 %r0, %ctaid.x; mad.wide.u32 %d1, %r0, 4, %d0;
  setp.ne.u32 %p0, %me, 0; @%p0 bra DONE;
  mov.u32 %r1, 0; setp.eq.u32 %p1, %r0, 0; @%p1 bra OWN;
WAIT: ld.acquire.gpu.global.u32 %r1, [%d1+-4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra WAIT;
OWN: add.u32 %r1, %r1, 1; add.u32 %r1, %r1, %r0;
  st.release.gpu.global.u32 [%d1], %r1;
  mov.u32 %result, %r1;
DONE:)ptx";
  for (const std::uint64_t resident : {1U, 3U, 64U}) {
    Setting setting = blocks(64, 64);
    setting.options.resident_blocks = resident;
    const Outcome outcome = run_module(kernel_text(body, text), setting);
    for (std::uint32_t b = 0; b < 64; ++b) {
      BOOST_TEST(outcome.out[b * 64] == (b + 1) * (b + 2) / 2);
    }
  }
}

constexpr const char* grid_barrier = R"ptx(
  mov.u64 %d0, counter; mov.u32 %r9, %nctaid.x;
  setp.ne.u32 %p0, %me, 0; @%p0 bra MEET;
  fence.acq_rel.gpu;
  atom.global.add.u32 %r0, [%d0], 1;
WAIT: ld.acquire.gpu.global.u32 %r1, [%d0]; setp.lt.u32 %p1, %r1, %r9; @%p1 bra WAIT;
MEET: bar.sync 0;
  ld.volatile.global.u32 %result, [%d0];)ptx";

BOOST_AUTO_TEST_CASE(a_grid_meets) {
  for (const bool is_in_order : {false, true}) {
    Setting setting = blocks(33, 8);
    setting.options.resident_blocks = 8;
    if (is_in_order) setting.options.on_end = [](std::uint64_t /*cluster*/) {};
    const Outcome outcome =
        run_module(kernel_text(grid_barrier, ".global .align 4 .b32 counter;"), setting);
    for (const std::uint32_t value : outcome.out) BOOST_TEST(value == 8);
  }
}

/// More blocks than the device holds cannot meet, on a GPU neither.
BOOST_AUTO_TEST_CASE(a_grid_that_does_not_fit_never_meets) {
  Setting setting = blocks(32, 8);
  setting.options.resident_blocks = 4;
  setting.instruction_limit = 1'000'000;
  const std::string text = kernel_text(grid_barrier, ".global .align 4 .b32 counter;");
  BOOST_CHECK_EXCEPTION(run_module(text, setting), std::runtime_error, [](const auto& error) {
    return std::string(error.what()).find("the kernel does not end") != std::string::npos;
  });
}

/// The blocks together have a limit long before each has come to its own.
BOOST_AUTO_TEST_CASE(blocks_that_wait_for_nobody_run_away_together) {
  Setting setting = blocks(32, 8);
  setting.options.resident_blocks = 4;
  setting.options.stall_limit = 100'000;
  const std::string text = kernel_text(grid_barrier, ".global .align 4 .b32 counter;");
  for (const bool is_in_order : {false, true}) {
    if (is_in_order) setting.options.on_end = [](std::uint64_t /*cluster*/) {};
    BOOST_CHECK_EXCEPTION(run_module(text, setting), std::runtime_error, [](const auto& error) {
      return std::string(error.what()).find("the kernel does not end") != std::string::npos;
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
