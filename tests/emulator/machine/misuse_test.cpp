// What hardware lets pass and a check of the kernel does not: barriers that threads meet at
// different places, mbarriers, addresses that leave their variable, and values that nothing has
// defined.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(misuse)

namespace {

const CheckedKernel barriers[] = {
    {"warps at one barrier", "bar.sync 0;", ""},
    {"warps at different barriers",
     "setp.lt.u32 %p0, %me, 32; @%p0 bra A; bar.sync 0; bra B; A: bar.sync 0; B:",
     "thread (32, 0, 0): threads of one block wait at different barriers, others of them at line "},
    {"lanes at different barriers",
     "setp.lt.u32 %p0, %me, 8; @%p0 bra A; bar.sync 0; bra B; A: bar.sync 0; B:",
     "lanes of one warp wait at different barriers, others of them at line "},
    {"lanes at different barriers that are not aligned",
     "setp.lt.u32 %p0, %me, 8; @%p0 bra A; barrier.sync 0; bra B; A: barrier.sync 0; B:", ""},
    {"warps at different barriers that are not aligned",
     "setp.lt.u32 %p0, %me, 32; @%p0 bra A; barrier.sync 0; bra B; A: barrier.sync 0; B:", ""},
    {"producers and consumers at a named barrier",
     "setp.lt.u32 %p0, %me, 32; @%p0 bra A; bar.sync 1, 64; bra B; A: bar.arrive 1, 64; B:", ""},
    {"two warps at a named barrier, each at its own place",
     "setp.lt.u32 %p0, %me, 32; @%p0 bra A; bar.sync 1, 64; bra B; A: bar.sync 1, 64; B:", ""},
    {"threads that have exited", "setp.lt.u32 %p0, %me, 40; @%p0 exit; bar.sync 0;", ""},
    {"lanes that have exited", "setp.lt.u32 %p0, %me, 7; @%p0 exit; bar.sync 0; bar.sync 0;", ""},
    {"different rounds of a loop",
     "mov.u32 %r1, 0; LOOP: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 3;"
     "@%p0 bra LOOP;",
     ""},
    {"a barrier of half a warp", "setp.lt.u32 %p0, %me, 16; @%p0 bar.sync 1, 16;",
     "a barrier of 16 threads: it takes whole warps of 32"},
};

const CheckedKernel mbarriers[] = {
    {"once", "@%p0 mbarrier.init.shared.b64 [bar], 1;", ""},
    {"twice", "@%p0 mbarrier.init.shared.b64 [bar], 1; @%p0 mbarrier.init.shared.b64 [bar], 2;",
     "thread (0, 0, 0): it initialises the mbarrier at byte 0 of 'bar', which is initialised "
     "already: mbarrier.inval comes first"},
    {"by every thread", "mbarrier.init.shared.b64 [bar], 1;",
     "thread (1, 0, 0): it initialises the mbarrier at byte 0 of 'bar'"},
    {"again after it was invalidated",
     "@%p0 mbarrier.init.shared.b64 [bar], 1; @%p0 mbarrier.inval.shared.b64 [bar];"
     "@%p0 mbarrier.init.shared.b64 [bar], 2;",
     ""},
    {"again over other data",
     "@%p0 mbarrier.init.shared.b64 [bar], 1; mov.u64 %d1, 0; @%p0 st.shared.u64 [bar], %d1;"
     "@%p0 mbarrier.init.shared.b64 [bar], 2;",
     ""},
    {"never", "@%p0 mbarrier.arrive.shared.b64 _, [bar];",
     "it uses an mbarrier that is not initialised"},
    {"invalidated",
     "@%p0 mbarrier.init.shared.b64 [bar], 1; @%p0 mbarrier.inval.shared.b64 [bar];"
     "@%p0 mbarrier.arrive.shared.b64 _, [bar];",
     "it uses an mbarrier that is not initialised"},
    {"by the block before alone",
     "setp.eq.and.u32 %p0, %id, 0, %p0; @%p0 mbarrier.init.shared.b64 [bar], 4;"
     "setp.eq.u32 %p1, %me, 0; @%p1 mbarrier.arrive.shared.b64 _, [bar];",
     "block (1, 0, 0), thread (0, 0, 0): it uses an mbarrier that is not initialised"},
    {"never, by a bulk copy",
     "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [cells], [%out], 16, "
     "[bar];",
     "it uses an mbarrier that is not initialised"},
};

/// Two arrays beside each other, and %r1 = 4 * the thread's number.
const CheckedKernel variables[] = {
    {"within", "mov.u32 %r2, first; add.u32 %r3, %r2, %r1; st.shared.u32 [%r3], %me;", ""},
    {"one past the end, directly", "st.shared.u32 [first+256], %me;",
     "out of bounds of 'first': writes 4 bytes at byte 256 of 256, which is byte 0 of 'second'"},
    {"one past the end, by an index",
     "mov.u32 %r2, first; add.u32 %r3, %r1, 4; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %me;",
     "thread (63, 0, 0): out of bounds of 'first': writes 4 bytes at byte 256 of 256, which is "
     "byte "
     "0 of 'second'"},
    {"before the begin", "mov.u32 %r2, second; sub.u32 %r3, %r2, 4; ld.shared.u32 %result, [%r3];",
     "out of bounds of 'second': reads 4 bytes at byte -4 of 256, which is byte 252 of 'first'"},
    {"before the begin of all", "mov.u32 %r2, first; ld.shared.u32 %result, [%r2+-4];",
     "out of bounds of 'first': reads 4 bytes at byte -4 of 256, which is outside of the block's "
     "shared memory"},
    {"into dynamic shared memory", "mov.u32 %r2, second; st.shared.u32 [%r2+260], %me;",
     "out of bounds of 'second': writes 4 bytes at byte 260 of 256, which is byte 4 of dynamic "
     "shared memory"},
    {"by a vector", "mov.u32 %r2, second; st.shared.v4.u32 [%r2+256], {%me, %me, %me, %me};",
     "out of bounds of 'second': writes 16 bytes at byte 256"},
    {"through mad", "mov.u32 %r2, first; mad.lo.u32 %r3, %me, 8, %r2; st.shared.u32 [%r3], %me;",
     "thread (32, 0, 0): out of bounds of 'first'"},
    {"by a generic address",
     "mov.u64 %d1, first; cvta.shared.u64 %d2, %d1; cvt.u64.u32 %d3, %r1; add.u64 %d4, %d2, %d3;"
     "st.u32 [%d4+4], %me;",
     "thread (63, 0, 0): out of bounds of 'first'"},
    {"by an atomic", "red.shared.add.u32 [first+256], 1;", "out of bounds of 'first'"},
    {"by an asynchronous copy",
     "cp.async.ca.shared.global [first+256], [%slot], 4; cp.async.wait_all;",
     "out of bounds of 'first': writes 4 bytes at byte 256"},
    {"by a pointer that a loop moves",
     "mov.u32 %r2, first; add.u32 %r2, %r2, %r1; mov.u32 %r4, 0;"
     "LOOP: st.shared.u32 [%r2], %me; add.u32 %r2, %r2, 256; add.u32 %r4, %r4, 1;"
     "setp.lt.u32 %p0, %r4, 2; @%p0 bra LOOP;",
     "thread (0, 0, 0): out of bounds of 'first'"},
    {"by one of two pointers",
     "mov.u32 %r2, first; mov.u32 %r3, second; setp.lt.u32 %p0, %me, 99;"
     "selp.u32 %r4, %r3, %r2, %p0; add.u32 %r4, %r4, -4; st.shared.u32 [%r4], %r1;",
     "a race"},
    {"by a swizzled address",
     "mov.u32 %r2, first; add.u32 %r3, %r2, %r1; xor.b32 %r4, %r3, 256; st.shared.u32 [%r4], %me;",
     ""},
    {"by an address that came out of memory",
     "mov.u32 %r2, first; st.shared.u32 [second], %r2; bar.sync 0; ld.shared.u32 %r3, [second];"
     "add.u32 %r4, %r3, 260; add.u32 %r5, %r4, %r1; setp.lt.u32 %p0, %me, 8;"
     "@%p0 st.shared.u32 [%r5], %me;",
     ""},
    {"what nothing wrote", "ld.shared.u32 %result, [second+8];",
     "it reads byte 264 of shared memory, which nothing wrote: byte 8 of 'second'"},
    {"what nothing wrote, by an address of which nothing is known",
     "mov.u32 %r2, 264; ld.shared.u32 %result, [%r2];",
     "which nothing wrote: byte 8 of 'second', unless an index has left another array"},
};

/// %r9 is the address of a word of the thread's own in shared memory.
const CheckedKernel undefined_values[] = {
    {"what nothing wrote, in the result", "ld.local.u32 %result, [own+8];",
     "(ld.local.u32): block (0, 0, 0), thread (0, 0, 0): it reads byte 8 of its local memory, "
     "which "
     "it has not written, and writes it to global memory at line"},
    {"what was written", "st.local.u32 [own+8], %me; ld.local.u32 %result, [own+8];", ""},
    {"what some lanes have written",
     "setp.lt.u32 %p0, %me, 5; @%p0 st.local.u32 [own], %me; ld.local.u32 %result, [own];",
     "thread (5, 0, 0): it reads byte 0 of its local memory"},
    {"a sum with it", "ld.local.u32 %r2, [own+8]; add.u32 %result, %r2, 1;",
     "and writes it to global memory"},
    {"a sum that is kept there first",
     "ld.local.u32 %r2, [own+8]; add.u32 %r3, %r2, 1; st.local.u32 [own+8], %r3;\n"
     "ld.local.u32 %result, [own+8];",
     "line 28 of the PTX (ld.local.u32): "},
    {"an index",
     "ld.local.u32 %r2, [own]; and.b32 %r3, %r2, %r2; cvt.u64.u32 %d1, %r3;"
     "add.u64 %d2, %out, %d1; ld.global.u32 %result, [%d2];",
     "and takes it for an address at line"},
    {"a branch", "ld.local.u32 %r2, [own]; setp.eq.u32 %p0, %r2, 0; @%p0 bra A; mov.u32 %r3, 0; A:",
     "and what it does next depends on it at line"},
    {"nothing, since it is not used", "ld.volatile.local.u32 %r2, [own];", ""},
    {"nothing, since another value is chosen",
     "ld.local.u32 %r2, [own]; setp.lt.u32 %p0, %me, 99; selp.u32 %result, 7, %r2, %p0;", ""},
    {"what is chosen",
     "ld.local.u32 %r2, [own]; setp.lt.u32 %p0, %me, 9;"
     "selp.u32 %result, 7, %r2, %p0;",
     "thread (9, 0, 0): it reads byte 0"},
    {"padding", "st.local.u8 [own], %r1; ld.local.u32 %r2, [own]; st.global.u32 [%slot], %r2;", ""},
    {"a field of a word",
     "ld.local.u32 %r2, [own]; and.b32 %r3, %r2, -256; or.b32 %r4, %r3, 5;"
     "st.local.u32 [own], %r4; ld.local.u32 %r5, [own]; and.b32 %result, %r5, 255;",
     ""},
    {"a vector of which one element is not written",
     "st.local.u64 [own], %out; st.local.u32 [own+8], %me;"
     "ld.local.v4.u32 {%r2, %r3, %r4, %r5}, [own]; setp.eq.u32 %p9, %me, 0;"
     "@%p9 st.global.v4.u32 [%out+128], {%r2, %r3, %r4, %r5}; mov.u32 %result, %r4;",
     ""},
    {"the element that is not written",
     "st.local.u64 [own], %out; st.local.u32 [own+8], %me;"
     "ld.local.v4.u32 {%r2, %r3, %r4, %r5}, [own]; mov.u32 %result, %r5;",
     "it reads byte 12 of its local memory"},
    {"through shared memory",
     "ld.local.u32 %r2, [own+4]; st.shared.u32 [%r9], %r2; ld.shared.u32 %result, [%r9];",
     "it reads byte 4 of its local memory"},
    {"written over in shared memory",
     "ld.local.u32 %r2, [own+4]; st.shared.u32 [%r9], %r2; st.shared.u32 [%r9], %me;"
     "ld.shared.u32 %result, [%r9];",
     ""},
    {"copied over in shared memory",
     "ld.local.u32 %r2, [own+4]; st.shared.u32 [%r9], %r2;"
     "cp.async.ca.shared.global [%r9], [%slot], 4; cp.async.wait_all;"
     "ld.shared.u32 %result, [%r9];",
     ""},
    {"through a generic address",
     "mov.u64 %d1, own; cvta.local.u64 %d2, %d1; ld.u32 %result, [%d2+4];",
     "it reads byte 4 of its local memory"},
    {"by a shuffle", "ld.local.u32 %r2, [own]; shfl.sync.bfly.b32 %result, %r2, 1, 0x1f, -1;",
     "it reads byte 0 of its local memory"},
    {"a register that is written again",
     "ld.local.u32 %r2, [own]; mov.u32 %r2, %me;"
     "mov.u32 %result, %r2;",
     ""},
    {"a shuffle of all", "shfl.sync.down.b32 %result, %me, 16, 0x1f, -1;", ""},
    {"a shuffle from lanes that have exited",
     "and.b32 %r2, %me, 31; setp.ge.u32 %p0, %r2, 20; @%p0 exit;"
     "shfl.sync.down.b32 %result, %me, 16, 0x1f, -1;",
     "thread (4, 0, 0): with the mask 0xffffffff it takes a value from lane 20, which has exited, "
     "and writes it to global memory at line"},
    {"a shuffle from lanes that have exited, of which nothing is used",
     "and.b32 %r2, %me, 31; setp.ge.u32 %p0, %r2, 20; @%p0 exit;"
     "shfl.sync.down.b32 %r3, %me, 16, 0x1f, -1; setp.lt.u32 %p1, %r2, 4;"
     "selp.u32 %result, %r3, 0, %p1;",
     ""},
    {"a shuffle from a lane that the mask does not name",
     "and.b32 %r2, %me, 31; setp.ge.u32 %p0, %r2, 16; @%p0 bra A;"
     "shfl.sync.idx.b32 %result, %me, 17, 0x1f, 0xffff; A:",
     "with the mask 0x0000ffff it takes a value from lane 17, which the mask does not name"},
    {"a shuffle by lanes that the mask does not name",
     "shfl.sync.idx.b32 %result, %me, 0, 0x1f, 0xffff;",
     "thread (16, 0, 0): its mask 0x0000ffff does not name the lane itself, 16"},
    {"a vote by lanes that the mask does not name",
     "vote.sync.ballot.b32 %result, %p0, 0xfffffffe;",
     "thread (0, 0, 0): its mask 0xfffffffe does not name the lane itself, 0"},
    {"a match by lanes that the mask does not name", "match.any.sync.b32 %result, %me, 0x7fffffff;",
     "does not name the lane itself, 31"},
    {"redux by lanes that the mask does not name", "redux.sync.add.u32 %result, %me, 1;",
     "does not name the lane itself, 1"},
    {"elect by lanes that the mask does not name", "elect.sync %result|%p0, 1;",
     "does not name the lane itself, 1"},
    {"syncwarp by lanes that the mask does not name", "bar.warp.sync 0xff;",
     "thread (8, 0, 0): its mask 0x000000ff does not name the lane itself, 8"},
    {"lanes with several masks",
     "and.b32 %r2, %me, 31; setp.lt.u32 %p0, %r2, 16; selp.b32 %r3, 0xffff, -1, %p0;"
     "shfl.sync.idx.b32 %result, %me, 0, 0x1f, %r3;",
     "thread (16, 0, 0): its mask 0xffffffff names lane 0, which executes it with the mask "
     "0x0000ffff"},
    {"groups of lanes with masks of their own",
     "and.b32 %r2, %me, 31; setp.lt.u32 %p0, %r2, 16; selp.b32 %r3, 0xffff, 0xffff0000, %p0;"
     "shfl.sync.bfly.b32 %result, %me, 8, 0x1f, %r3; redux.sync.add.u32 %r4, %me, %r3;"
     "bar.warp.sync %r3;",
     ""},
    {"a ballot after some have exited",
     "setp.lt.u32 %p0, %me, 7; @%p0 exit; vote.sync.ballot.b32 %result, %p0, -1;"
     "redux.sync.add.u32 %r2, %me, -1; bar.warp.sync -1;",
     ""},
};

std::string checked(const std::string& body, const Setting& given = {}) {
  Setting setting = given;
  setting.block = {64, 1, 1};
  setting.checks_kernel = true;
  return fault_of(body, setting);
}

void check_message(const std::string& message, const CheckedKernel& c) {
  if (*c.message == '\0') {
    BOOST_TEST(message == "");
  } else {
    BOOST_TEST((message.find(c.message) != std::string::npos), message);
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(of_barriers, boost::unit_test::data::make(barriers), c) {
  check_message(checked(c.body), c);
}

BOOST_DATA_TEST_CASE(of_mbarriers, boost::unit_test::data::make(mbarriers), c) {
  Setting setting;
  setting.grid = {2, 1, 1};
  const std::string body =
      ".shared .align 8 .b64 bar; .shared .align 16 .b8 cells[16]; setp.eq.u32 %p0, %me, 0;";
  check_message(checked(body + c.body, setting), c);
}

BOOST_DATA_TEST_CASE(of_values_that_nothing_has_defined,
                     boost::unit_test::data::make(undefined_values), c) {
  const std::string body =
      ".local .align 16 .b8 own[32]; .shared .align 4 .b8 cells[256];"
      "shl.b32 %r1, %me, 2; mov.u32 %r8, cells; add.u32 %r9, %r8, %r1;\n";
  check_message(checked(body + c.body), c);
}

BOOST_DATA_TEST_CASE(of_shared_variables, boost::unit_test::data::make(variables), c) {
  Setting setting;
  setting.dynamic_shared = 64;
  const std::string body =
      ".shared .align 16 .b8 first[256]; .shared .align 16 .b8 second[256];"
      "shl.b32 %r1, %me, 2; mov.u32 %r9, first; mov.u32 %r9, second;";
  check_message(checked(body + c.body, setting), c);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
