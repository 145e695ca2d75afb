// What a warp waits for in the basic blocks of a kernel.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/lower/lowered.h"

namespace sweep::testing {
namespace {

struct WaitCase {
  const char* body;
  std::uint32_t global = 0;  ///< of all blocks together
  std::uint32_t shared = 0;
  std::uint32_t barriers = 0;

  friend std::ostream& operator<<(std::ostream& out, const WaitCase& one) {
    return out << one.body;
  }
};

constexpr const char* beginning = R"ptx(
  .shared .align 16 .b8 s[64]; .reg .u32 %v<8>;
  ld.param.u64 %d0, [k_out]; ld.param.u32 %r0, [k_n]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;
)ptx";

const WaitCase wait_cases[] = {
    {"st.global.u32 [%d0], %r1;"},
    {"ld.global.u32 %r3, [%d0];"},  // nothing needs it
    {"ld.global.u32 %r3, [%d0]; st.global.u32 [%d0+4], %r3;", 1},
    // Loads that do not need each other are waited for together, wherever they stand.
    {"ld.global.u32 %r3, [%d0]; add.u32 %r4, %r3, 1; ld.global.u32 %r5, [%d0+4]; "
     "add.u32 %r4, %r4, %r5; st.global.u32 [%d0], %r4;",
     1},
    // One whose address is loaded comes after the other.
    {"ld.global.u64 %d1, [%d0]; ld.global.u32 %r3, [%d1]; st.global.u32 [%d0], %r3;", 2},
    // A store may have written what is loaded behind it, but not what is read-only.
    {"ld.global.u32 %r3, [%d0]; st.global.u32 [%d0+4], %r3; ld.global.u32 %r4, [%d0+8]; "
     "st.global.u32 [%d0+12], %r4;",
     2},
    {"ld.global.u32 %r3, [%d0]; st.global.u32 [%d0+4], %r3; ld.global.nc.u32 %r4, [%d0+8]; "
     "st.global.u32 [%d0+12], %r4;",
     1},
    {"ld.shared.u32 %r3, [%r2]; st.global.u32 [%d0], %r3;", 0, 1},
    {"ld.global.u32 %r3, [%d0]; st.shared.u32 [%r2], %r3; bar.sync 0; ld.shared.u32 %r4, [%r2]; "
     "st.global.u32 [%d0], %r4;",
     1, 1, 1},
    {"atom.global.add.u32 %r3, [%d0], 1; st.global.u32 [%d0+4], %r3;", 1},
    {"red.global.add.u32 [%d0], 1;"},
    {"cp.async.ca.shared.global [%r2], [%d0], 4; cp.async.wait_all; ld.shared.u32 %r3, [%r2]; "
     "st.global.u32 [%d0], %r3;",
     1, 1},
    // What is loaded before a branch and used behind it is waited for there.
    {"ld.global.u32 %r3, [%d0]; setp.lt.u32 %p0, %r1, %r0; @%p0 bra L; st.global.u32 [%d0], %r1; "
     "L: st.global.u32 [%d0+4], %r3;",
     1},
    // Of a loop that loads ahead each turn waits once, and what was loaded before it is waited for
    // before it.
    {"ld.global.u32 %r3, [%d0]; L: ld.global.u32 %r4, [%d0+4]; st.shared.u32 [%r2], %r3; "
     "mov.u32 %r3, %r4; sub.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra L;",
     2},
    {"ld.global.u32 %r3, [%d0]; L: st.global.u32 [%d0+4], %r3; sub.u32 %r0, %r0, 1; "
     "setp.ne.u32 %p0, %r0, 0; @%p0 bra L;",
     1},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(waits)

BOOST_DATA_TEST_CASE(chains_of_accesses_that_need_each_other_are_found, wait_cases, one) {
  const Kernel kernel = lowered(std::string(beginning) + one.body);
  Waits sum;
  for (const BasicBlock& block : kernel.blocks) {
    sum.global += block.waits.global;
    sum.shared += block.waits.shared;
    sum.barriers += block.waits.barriers;
  }
  BOOST_TEST(sum.global == one.global);
  BOOST_TEST(sum.shared == one.shared);
  BOOST_TEST(sum.barriers == one.barriers);
}

BOOST_AUTO_TEST_CASE(steps_are_those_of_the_longest_chain) {
  const Kernel kernel = lowered(
      "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; add.u32 %r3, %r1, 2; add.u32 %r2, %r2, 3; "
      "add.u32 %r2, %r2, %r3; ld.param.u64 %d0, [k_out]; st.global.u32 [%d0], %r2;");
  BOOST_TEST(kernel.blocks.front().waits.steps == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
