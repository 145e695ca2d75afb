// Lanes that part and meet again.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(divergence)

namespace {

struct Case {
  const char* name;
  const char* body;
  std::function<std::uint32_t(std::uint32_t)> expected;  ///< of each of 48 threads
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

std::uint32_t collatz(std::uint32_t n) {
  std::uint32_t steps = 0;
  for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

std::uint32_t lanes_of(std::uint32_t thread) {
  return thread < 32 ? full_mask : 0xffff;
}

const Case cases[] = {
    {"nested ifs", R"ptx(
  and.b32 %r0, %me, 1; setp.eq.u32 %p0, %r0, 0;
  @%p0 bra EVEN;
  and.b32 %r1, %me, 2; setp.eq.u32 %p1, %r1, 0;
  @%p1 bra ODD_LOW;
  add.u32 %result, %result, 100;
  bra ODD;
ODD_LOW: add.u32 %result, %result, 200;
ODD: add.u32 %result, %result, 10; bra JOIN;
EVEN: add.u32 %result, %result, 1;
JOIN: activemask.b32 %r2; add.u32 %result, %result, %r2;)ptx",
     [](std::uint32_t t) {
       const std::uint32_t part = t % 2 == 0 ? 1 : (t & 2) == 0 ? 210 : 110;
       return part + lanes_of(t);
     }},
    {"loops with trip counts of their own", R"ptx(
  add.u32 %r0, %me, 1;
LOOP: setp.le.u32 %p0, %r0, 1;
  @%p0 bra DONE;
  add.u32 %result, %result, 1;
  and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 0;
  @%p1 bra HALVE;
  mad.lo.u32 %r0, %r0, 3, 1; bra LOOP;
HALVE: shr.u32 %r0, %r0, 1; bra LOOP;
DONE: activemask.b32 %r2; mad.lo.u32 %result, %r2, 1000, %result;)ptx",
     [](std::uint32_t t) { return collatz(t + 1) + 1000 * lanes_of(t); }},
    {"exit inside a branch", R"ptx(
  setp.lt.u32 %p0, %me, 5;
  @%p0 bra EARLY;
  activemask.b32 %result; bra JOIN;
EARLY: mov.u32 %result, 7; st.global.u32 [%slot], %result; exit;
JOIN:)ptx",
     [](std::uint32_t t) { return t < 5    ? 7
                                  : t < 32 ? full_mask & ~31U
                                           : 0xffffU; }},
    {"a guarded ret", R"ptx(
  setp.lt.u32 %p0, %me, 5;
  mov.u32 %result, 7;
  @%p0 st.global.u32 [%slot], %result;
  @%p0 ret;
  activemask.b32 %result;)ptx",
     [](std::uint32_t t) { return t < 5    ? 7
                                  : t < 32 ? full_mask & ~31U
                                           : 0xffffU; }},
    {"a switch", R"ptx(
  rem.u32 %r0, %me, 4;
  TABLE: .branchtargets L0, L1, L2, L1;
  brx.idx %r0, TABLE;
L0: mov.u32 %result, 10; bra JOIN;
L1: mov.u32 %result, 20; bra JOIN;
L2: mov.u32 %result, 30;
JOIN: activemask.b32 %r1; add.u32 %result, %result, %r1;)ptx",
     [](std::uint32_t t) {
       return (t % 4 == 0 ? 10 : t % 4 == 2 ? 30 : 20) + lanes_of(t);
     }},
    {"early return, then a barrier for the rest", R"ptx(
  .shared .b32 sum;
  mov.u32 %r0, 0; st.shared.u32 [sum], %r0;
  bar.sync 0;
  setp.ge.u32 %p0, %me, 40;
  @%p0 ret;
  atom.shared.add.u32 %r1, [sum], 1;
  bar.sync 0;
  ld.shared.u32 %result, [sum];)ptx",
     [](std::uint32_t t) { return t >= 40 ? 0 : 40; }},
    {"a ballot by lanes at different places", R"ptx(
  and.b32 %r0, %me, 1; setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %me, 9;
  mov.u32 %r4, -1; mov.u32 %r5, 65535; setp.lt.u32 %p2, %me, 32; selp.b32 %r4, %r4, %r5, %p2;
  @%p0 bra EVEN;
  add.u32 %r1, %r0, 1;
EVEN: vote.sync.ballot.b32 %result, %p1, %r4;)ptx",
     [](std::uint32_t t) { return t < 32 ? 0x1ff : 0; }},
    {"masks of two halves, together", R"ptx(
  and.b32 %r0, %me, 16; setp.eq.u32 %p0, %r0, 0;
  selp.b32 %r1, 65535, -65536, %p0;
  setp.lt.u32 %p1, %me, 64;
  setp.lt.u32 %p2, %me, 32;
  @!%p2 mov.u32 %r1, 65535;
  vote.sync.ballot.b32 %result, %p1, %r1;
  redux.sync.add.u32 %r2, %me, %r1;
  mad.lo.u32 %result, %r2, 65537, %result;)ptx",
     [](std::uint32_t t) {
       const std::uint32_t first = t / 16 * 16;
       return (16 * first + 120) * 65537 + (first == 16 ? 0xffff0000 : 0xffffU);
     }},
    {"lanes with equal values, then a sum of each group", R"ptx(
  rem.u32 %r0, %me, 5;
  setp.lt.u32 %p2, %me, 32;
  selp.b32 %r1, -1, 65535, %p2;
  match.any.sync.b32 %r2, %r0, %r1;
  redux.sync.add.u32 %result, 1, %r2;
  popc.b32 %r3, %r2; shl.b32 %r3, %r3, 8; add.u32 %result, %result, %r3;)ptx",
     [](std::uint32_t t) {
       std::uint32_t count = 0;
       for (std::uint32_t i = t / 32 * 32; i < std::min(48U, t / 32 * 32 + 32); ++i) {
         count += i % 5 == t % 5 ? 1 : 0;
       }
       return count * 257;
     }},
    {"syncwarp from different places", R"ptx(
  .shared .b32 cells[48];
  mov.u32 %r0, cells; mad.lo.u32 %r1, %me, 4, %r0;
  setp.lt.u32 %p2, %me, 32;
  selp.b32 %r4, -1, 65535, %p2;
  and.b32 %r2, %me, 1; setp.eq.u32 %p0, %r2, 0;
  @%p0 bra EVEN;
  st.shared.u32 [%r1], %me;
  bar.warp.sync %r4;
  ld.shared.u32 %result, [%r1+-4];
  bra JOIN;
EVEN: st.shared.u32 [%r1], %me;
  bar.warp.sync %r4;
  ld.shared.u32 %result, [%r1+4];
JOIN:)ptx",
     [](std::uint32_t t) { return t ^ 1U; }},
    {"a shuffle before exit and one after", R"ptx(
  setp.ge.u32 %p0, %me, 30;
  @%p0 ret;
  mov.u32 %r1, -1;
  shfl.sync.bfly.b32 %result|%p1, %me, 1, 31, %r1;)ptx",
     [](std::uint32_t t) { return t >= 30 ? 0 : t ^ 1U; }},
};

}  // namespace

BOOST_DATA_TEST_CASE(leaves_each_thread_with, boost::unit_test::data::make(cases), c) {
  Setting setting;
  setting.block = {48, 1, 1};
  const Outcome outcome = run_body(c.body, setting);
  for (std::uint32_t t = 0; t < 48; ++t) {
    BOOST_TEST(outcome.out[t] == c.expected(t), "thread " << t << ": " << outcome.out[t]);
  }
}

/// One thread that executes them in their order changes neither what comes out nor what is counted.
BOOST_DATA_TEST_CASE(is_the_same_when_blocks_go_in_order, boost::unit_test::data::make(cases), c) {
  Setting setting;
  setting.block = {48, 1, 1};
  setting.grid = {5, 1, 1};
  const Outcome plain = run_body(c.body, setting);
  std::vector<std::uint64_t> ended;
  setting.options.on_end = [&](std::uint64_t block) { ended.push_back(block); };
  const Outcome ordered = run_body(c.body, setting);
  BOOST_TEST(ordered.out == plain.out);
  BOOST_TEST((ordered.count == plain.count));
  BOOST_TEST(ended == (std::vector<std::uint64_t>{0, 1, 2, 3, 4}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
