// Accesses to shared memory that nothing orders.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(races_in_shared_memory)

namespace {

constexpr const char* cells = R"ptx(
  .shared .b32 cells[64]; .shared .b32 flag; .shared .align 8 .b64 bar;
  mov.u32 %r0, cells; mad.lo.u32 %r1, %me, 4, %r0; xor.b32 %r2, %me, 1; mad.lo.u32 %r2, %r2, 4, %r0;
  xor.b32 %r3, %me, 32; mad.lo.u32 %r3, %r3, 4, %r0;
  setp.eq.u32 %p0, %me, 0; setp.lt.u32 %p1, %me, 32; setp.eq.u32 %p2, %me, 32;
  mov.u32 %r5, 0;
)ptx";

const CheckedKernel races[] = {
    {"two warps write", "st.shared.u32 [%r1], %me; st.shared.u32 [%r3], %me;",
     "thread (32, 0, 0): a race: it writes byte 128 of shared memory, which block (0, 0, 0), "
     "thread "
     "(0, 0, 0) writes at line "},
    {"lanes write one word", "st.shared.u32 [cells], %me;",
     "thread (1, 0, 0): a race: it writes byte 0 of shared memory, which block (0, 0, 0), thread "
     "(0, 0, 0) writes at line "},
    {"lanes write one word of the system's own",
     "mov.u32 %r6, %reserved_smem_offset_1; st.shared.u32 [%r6+900], %me;",
     "thread (1, 0, 0): a race: it writes byte "},
    {"the system's own begins with zeros",
     "mov.u32 %r6, %reserved_smem_offset_1; ld.shared.u32 %result, [%r6];", ""},
    {"all write the same value", "mov.u32 %r9, 7; st.shared.u32 [cells], %r9;", ""},
    {"a warp reads what another wrote",
     "st.shared.u32 [%r1], %me; @!%p1 ld.shared.u32 %result, [%r3];",
     "thread (32, 0, 0): a race: it reads byte 0 of shared memory, which block (0, 0, 0), thread "
     "(0, 0, 0) writes at line "},
    {"a warp writes what another read",
     "st.shared.u32 [%r1], %me; bar.sync 0; ld.shared.u32 %result, [%r3]; st.shared.u32 [%r1], "
     "%result;",
     "without a barrier between"},
    {"a barrier between", "st.shared.u32 [%r1], %me; bar.sync 0; ld.shared.u32 %result, [%r3];",
     ""},
    {"barriers around",
     "st.shared.u32 [%r1], %me; bar.sync 0; ld.shared.u32 %result, [%r3]; bar.sync 0;"
     "st.shared.u32 [%r1], %result; bar.sync 0; ld.shared.u32 %result, [%r3];",
     ""},
    {"neighbours of a warp", "st.shared.u32 [%r1], %me; ld.shared.u32 %result, [%r2];",
     "thread (0, 0, 0): a race: it reads byte 4 of shared memory, which block (0, 0, 0), thread "
     "(1, 0, 0) writes at line "},
    {"neighbours of a warp with syncwarp",
     "st.shared.u32 [%r1], %me; bar.warp.sync -1; ld.shared.u32 %result, [%r2];", ""},
    {"reads and writes of a warp without syncwarp",
     "st.shared.u32 [%r1], %me; bar.warp.sync -1; ld.shared.u32 %result, [%r2];"
     "st.shared.u32 [%r1], %result;",
     "a race: it writes byte 0 of shared memory, which block (0, 0, 0), thread (1, 0, 0) reads"},
    {"a neighbour's read, behind which a lane reads for itself",
     "st.shared.u32 [%r1], %me; bar.warp.sync -1; ld.shared.u32 %result, [%r2];"
     "ld.shared.u32 %r6, [%r1]; st.shared.u32 [%r1], %r0;",
     "a race: it writes byte 0 of shared memory, which block (0, 0, 0), thread (1, 0, 0) reads"},
    {"another warp after syncwarp",
     "st.shared.u32 [%r1], %me; bar.warp.sync -1; @!%p1 ld.shared.u32 %result, [%r3];",
     "without a barrier between"},
    {"what nothing wrote", "ld.shared.u32 %result, [%r1];",
     "thread (0, 0, 0): it reads byte 0 of shared memory, which nothing wrote"},
    {"half of what is read is written", "st.shared.u16 [%r1], %h0; ld.shared.u32 %result, [%r1];",
     "it reads byte 0 of shared memory, which nothing wrote"},
    {"atomics of many", "@%p0 st.shared.u32 [flag], %r5; bar.sync 0; red.shared.add.u32 [flag], 1;",
     ""},
    {"an atomic and a plain read",
     "@%p0 st.shared.u32 [flag], %r5; bar.sync 0; @%p1 red.shared.add.u32 [flag], 1;"
     "@%p2 ld.shared.u32 %result, [flag];",
     "without a barrier between"},
    {"a volatile flag",
     "@%p0 st.shared.u32 [flag], %r5; bar.sync 0; @!%p1 bra READ; st.shared.u32 [%r1], %me;"
     "membar.cta; bar.warp.sync -1; mov.u32 %r6, 1; @%p0 st.volatile.shared.u32 [flag], %r6; bra "
     "DONE;"
     "READ: ld.volatile.shared.u32 %r7, [flag]; setp.eq.u32 %p3, %r7, 0; @%p3 bra READ;"
     "ld.shared.u32 %result, [%r3]; DONE:",
     ""},
    {"a released flag that is acquired",
     "@%p0 st.shared.u32 [flag], %r5; bar.sync 0; @!%p1 bra READ; st.shared.u32 [%r1], %me;"
     "bar.warp.sync -1; mov.u32 %r6, 1; @%p0 st.release.cta.shared.u32 [flag], %r6; bra DONE;"
     "READ: ld.acquire.cta.shared.u32 %r7, [flag]; setp.eq.u32 %p3, %r7, 0; @%p3 bra READ;"
     "ld.shared.u32 %result, [%r3]; DONE:",
     ""},
    {"a plain flag",
     "@%p0 st.shared.u32 [flag], %r5; bar.sync 0; @%p2 st.shared.u32 [flag], %me;"
     "@%p0 ld.shared.u32 %result, [flag];",
     "without a barrier between"},
    {"handed over through an mbarrier",
     "@%p0 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; @!%p1 bra READ;"
     "st.shared.u32 [%r1], %me; mbarrier.arrive.shared.b64 _, [bar]; bra DONE;"
     "READ: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra READ;"
     "ld.shared.u32 %result, [%r3]; DONE:",
     ""},
    {"not waited for at the mbarrier",
     "st.shared.u32 [%r1], %me; @%p0 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; @!%p1 bra "
     "READ;"
     "st.shared.u32 [%r1], %me; mbarrier.arrive.shared.b64 _, [bar]; bra DONE;"
     "READ: ld.shared.u32 %result, [%r3]; DONE:",
     "without a barrier between"},
    {"copied asynchronously by one warp and read by another",
     "and.b32 %r8, %me, 31; @%p1 cp.async.ca.shared.global [%r1], [%slot], 4; cp.async.wait_all;"
     "@!%p1 ld.shared.u32 %result, [%r3];",
     "without a barrier between"},
    {"copied asynchronously with a barrier",
     "cp.async.ca.shared.global [%r1], [%slot], 4; cp.async.wait_all; bar.sync 0;"
     "ld.shared.u32 %result, [%r3];",
     ""},
    {"a named barrier of two warps",
     "st.shared.u32 [%r1], %me; bar.sync 5, 64; ld.shared.u32 %result, [%r3];", ""},
    {"arrive and sync, one way",
     "@!%p1 bra READ; st.shared.u32 [%r1], %me; bar.arrive 1, 64; bra DONE;"
     "READ: bar.sync 1, 64; ld.shared.u32 %result, [%r3]; DONE:",
     ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(are_told_from_what_is_ordered, boost::unit_test::data::make(races), c) {
  Setting setting;
  setting.block = {64, 1, 1};
  setting.checks_kernel = true;
  const std::string body = std::string(cells) + c.body;
  const std::string message = fault_of(body, setting);
  if (*c.message == '\0') {
    BOOST_TEST(message == "");
  } else {
    BOOST_TEST((message.find(c.message) != std::string::npos), message);
  }
  setting.checks_kernel = false;
  BOOST_TEST(fault_of(body, setting) == "");
}

/// What one block wrote is nothing that the next one may read.
BOOST_AUTO_TEST_CASE(each_block_begins_with_nothing_written) {
  Setting setting;
  setting.grid = {2, 1, 1};
  setting.checks_kernel = true;
  const std::string message = fault_of(R"ptx(
  .shared .b32 cell; mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 0;
  @%p0 st.shared.u32 [cell], %r0; @!%p0 ld.shared.u32 %result, [cell];)ptx",
                                       setting);
  BOOST_TEST((message.find("block (1, 0, 0), thread (0, 0, 0): it reads byte 0 of shared memory, "
                           "which nothing wrote") != std::string::npos),
             message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
