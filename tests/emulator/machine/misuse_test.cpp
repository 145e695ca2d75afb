// What hardware lets pass and a check of the kernel does not: barriers that threads meet at
// different places, mbarriers, and addresses that leave their variable.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

struct MisuseCase {
  const char* name;
  const char* body;
  const char* message;  ///< what the message has in it; empty: there is none
};
static std::ostream& operator<<(std::ostream& out, const MisuseCase& c) {
  return out << c.name;
}

BOOST_AUTO_TEST_SUITE(misuse)

namespace {

const MisuseCase barriers[] = {
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

const MisuseCase mbarriers[] = {
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
const MisuseCase variables[] = {
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
     "it reads byte 264 of shared memory, which nothing has written: byte 8 of 'second'"},
    {"what nothing wrote, by an address of which nothing is known",
     "mov.u32 %r2, 264; ld.shared.u32 %result, [%r2];",
     "which nothing has written: byte 8 of 'second', unless an index has left another array"},
};

std::string checked(const std::string& body, const Setting& given = {}) {
  Setting setting = given;
  setting.block = {64, 1, 1};
  setting.checks_kernel = true;
  return fault_of(body, setting);
}

void check_message(const std::string& message, const MisuseCase& c) {
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
