// What no kernel may do: the message names the thread, the line and the access.

#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

struct FaultCase {
  const char* name;
  const char* body;
  const char* message;  ///< what its end is
  std::uint32_t threads = 32;
};
static std::ostream& operator<<(std::ostream& out, const FaultCase& c) {
  return out << c.name;
}

BOOST_AUTO_TEST_SUITE(faults_of_kernels)

namespace {

const FaultCase faults[] = {
    {"a load above", "ld.global.u32 %result, [%slot+128];",
     "(ld.global.u32): block (0, 0, 0), thread (0, 0, 0): out of bounds: reads 4 bytes at out[32]; "
     "out has 32 elements"},
    {"a store below", "st.global.u32 [%slot+-8], %r0;",
     "(st.global.u32): block (0, 0, 0), thread (0, 0, 0): out of bounds: writes 4 bytes at "
     "out[-2]; out has 32 elements"},
    {"the last of a vector", "ld.global.v2.u32 {%result, %r1}, [%out+124];",
     "thread (0, 0, 0): misaligned address: an access of 8 bytes at 0x70000000007c, which is no "
     "multiple of its size"},
    {"a wide load over the end", "ld.global.v4.u32 {%result, %r1, %r2, %r3}, [%out+128];",
     "out of bounds: reads 16 bytes at out[32]; out has 32 elements"},
    {"a null pointer", "mov.u64 %d0, 0; ld.global.u32 %result, [%d0];",
     "out of bounds: reads 4 bytes at 0x0, where nothing is"},
    {"one lane only",
     "setp.eq.u32 %p0, %me, 7; mad.wide.u32 %d0, %me, 4, %out; @%p0 ld.global.u32 %result, "
     "[%d0+400];",
     "thread (7, 0, 0): out of bounds: reads 4 bytes at out[107]; out has 32 elements"},
    {"shared memory, above", ".shared .b32 s[4]; mov.u32 %r0, s; ld.shared.u32 %result, [%r0+16];",
     "out of bounds: reads 4 bytes at byte 16 of shared memory, of which the block has 16"},
    {"shared memory, below", ".shared .b32 s[4]; mov.u32 %r0, s; st.shared.u32 [%r0+-4], %r1;",
     "out of bounds: writes 4 bytes at byte -4 of shared memory, of which the block has 16"},
    {"shared memory, below by a wide address",
     ".shared .b32 s[64]; mad.wide.u32 %d0, %me, 4, -4; st.shared.u32 [%d0], %r1;",
     "out of bounds: writes 4 bytes at byte -4 of shared memory, of which the block has 256"},
    {"local memory", ".local .b32 l[4]; mov.u64 %d0, l; st.local.u32 [%d0+16], %r1;",
     "out of bounds: writes 4 bytes at byte 16 of its local memory, of which it has 16"},
    {"local memory through a generic address",
     ".local .b32 l[4]; mov.u64 %d0, l; cvta.local.u64 %d0, %d0; ld.u32 %result, [%d0+20];",
     "out of bounds: reads 4 bytes at byte 20 of its local memory, of which it has 16"},
    {"misaligned, shared",
     ".shared .b32 s[4]; mov.u32 %r0, s; ld.shared.u64 %d0, [%r0+4]; cvt.u32.u64 %result, %d0;",
     "misaligned address: an access of 8 bytes at 0x4, which is no multiple of its size"},
    {"an atomic out of bounds", "atom.global.add.u32 %r0, [%slot+4096], 1;",
     "out of bounds: writes 4 bytes at out[1024]; out has 32 elements"},
    {"metadata of a sparse matrix that name a place twice",
     "mov.u32 %r1, 0x44444444; setp.eq.u32 %p0, %me, 4; @%p0 mov.u32 %r1, 0x44444454;"
     "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r1, %r1}, {%r1, %r1}, "
     "{%r1, %r1}, %r1, 0;",
     "thread (4, 0, 0): its metadata are 0x44444454, of which 0b0101 names no places of elements"},
    {"metadata that are not in order, of the lanes that have them",
     "mov.u32 %r1, 0x44444411; setp.eq.u32 %p0, %me, 5; @!%p0 mov.u32 %r1, 0x44444444;"
     "setp.eq.u32 %p0, %me, 0; @%p0 mov.u32 %r1, 0;"
     "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2, %r3}, "
     "{%r1, %r1}, {%r1, %r1}, {%r1, %r1}, %r1, 1;",
     "thread (5, 0, 0): its metadata are 0x44444411, of which 0b0001 names no places of elements"},
    {"a trap", "setp.eq.u32 %p0, %me, 9; @%p0 trap;",
     "(trap): block (0, 0, 0), thread (9, 0, 0): the kernel stopped itself with a trap"},
    {"a switch without a case", "T: .branchtargets A, B; brx.idx %me, T; A: B:",
     "thread (2, 0, 0): branches to entry 2 of a table of 2"},
    {"a barrier without a number", "add.u32 %r0, %me, 16; bar.sync %r0;",
     "thread (0, 0, 0): there is no barrier 16; a block has 16"},
    {"half the block at another barrier",
     "setp.lt.u32 %p0, %me, 32; @%p0 bra A; bar.sync 1, 96; bra B; A: bar.sync 0; B:",
     "deadlock: block (0, 0, 0): its 64 threads wait for each other: at ", 64},
    {"a lane that never comes",
     "setp.eq.u32 %p0, %me, 3; @%p0 bra A; shfl.sync.idx.b32 %r0, %me, 0, 31, -1; bra B; "
     "A: bar.sync 0; B:",
     "deadlock: block (0, 0, 0): its 32 threads wait for each other: at "},
    {"an endless loop", "L: add.u32 %r0, %r0, 1; bra L;",
     "the kernel does not end: block (0, 0, 0) has executed "},
    {"an endless loop with an if",
     "L: and.b32 %r1, %me, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra M; add.u32 %r0, %r0, 1; M: bra L;",
     "the kernel does not end: block (0, 0, 0) has executed "},
    {"an endless loop beside a barrier",
     "setp.eq.u32 %p0, %me, 0; @%p0 bra B; L: add.u32 %r0, %r0, 1; bra L; B: bar.sync 0;",
     "the kernel does not end: block (0, 0, 0) has executed "},
    {"a wait for an mbarrier nobody arrives at",
     ".shared .align 8 .b64 b; setp.eq.u32 %p1, %me, 0; @%p1 mbarrier.init.shared.b64 [b], 2; "
     "bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 %p0, [b], 0; @!%p0 bra W;",
     "deadlock: block (0, 0, 0): its 32 threads wait for each other: at "},
    {"an mbarrier that is not initialised",
     ".shared .align 8 .b64 b; mbarrier.arrive.shared.b64 _, [b];",
     "it uses an mbarrier that is not initialised"},
    {"too many arrivals",
     ".shared .align 8 .b64 b; setp.eq.u32 %p1, %me, 0; @%p1 mbarrier.init.shared.b64 [b], 3; "
     "bar.sync 0; mbarrier.arrive.shared.b64 _, [b], 5;",
     "5 arrive at an mbarrier that waits for 3"},
    {"an mbarrier in global memory", "mbarrier.init.b64 [%out], 3;",
     "an mbarrier lies in shared memory, not at 0x700000000000"},
    {"a bulk copy of 20 bytes",
     ".shared .align 16 .b8 s[64]; cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 20;",
     "misaligned address: a bulk copy of 20 bytes from 0x0 to 0x700000000000; all three are "
     "multiples of 16"},
    {"a matrix in global memory", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%out];",
     "out of bounds: 16 bytes at byte 123145302310912 of shared memory, of which the block has 0"},
    {"alloca of too much", "mov.u64 %d1, 1000000; alloca.u64 %d0, %d1;",
     "alloca of 1000000 bytes: the thread has 65536 left"},
};

std::string words_after(const std::string& text, const std::string& words) {
  return text.find(words) == std::string::npos ? text : words;
}

}  // namespace

BOOST_DATA_TEST_CASE(say_what_happened, boost::unit_test::data::make(faults), c) {
  Setting setting;
  setting.block = {c.threads, 1, 1};
  setting.instruction_limit = 100'000;
  BOOST_TEST(words_after(fault_of(c.body, setting), c.message) == c.message);
  setting.options.on_end = [](std::uint64_t /*cluster*/) {};
  BOOST_TEST(words_after(fault_of(c.body, setting), c.message) == c.message);
}

BOOST_AUTO_TEST_CASE(name_block_and_thread_by_their_coordinates) {
  Setting setting;
  setting.grid = {3, 2, 2};
  setting.block = {5, 4, 3};
  BOOST_TEST(fault_of("setp.eq.u32 %p0, %id, 533; @%p0 trap;", setting) ==
             "line 27 of the PTX (trap): block (2, 0, 1), thread (3, 2, 2): the kernel stopped "
             "itself with a trap");
}

BOOST_AUTO_TEST_CASE(name_the_source_line_where_it_is_known) {
  const std::string text =
      kernel_text(".loc 1 28 5\ntrap;") + "\n.file 1 \"/some/where/stride.cu\"\n";
  BOOST_CHECK_EXCEPTION(run_module(text), std::runtime_error, [](const auto& error) {
    return std::string(error.what()) ==
           "stride.cu:28 (trap): block (0, 0, 0), thread (0, 0, 0): the kernel stopped itself with "
           "a trap";
  });
}

BOOST_AUTO_TEST_CASE(a_launch_that_is_cancelled_ends_between_short_blocks) {
  TestDevice device(kernel_text("mov.u32 %result, 1;"));
  Setting setting;
  setting.grid = {100, 1, 1};
  Allocation& out = device.words("out", std::vector<std::uint32_t>(3200));
  std::atomic<bool> cancelled = false;
  std::size_t ended = 0;
  setting.options.on_end = [&](std::uint64_t /*cluster*/) { cancelled = ++ended == 3; };
  Launch launch = device.launch("k", setting, {out.base});
  launch.cancelled = &cancelled;
  BOOST_CHECK_THROW(run_grid(launch, setting.options), Cancelled);
  BOOST_TEST(ended == 3U);
}

BOOST_AUTO_TEST_CASE(reading_what_nothing_wrote) {
  Setting setting;
  setting.is_output_set = false;
  BOOST_TEST(words_after(fault_of("ld.global.u32 %result, [%slot];", setting),
                         "thread (0, 0, 0): it reads out[0], which nothing wrote") ==
             "thread (0, 0, 0): it reads out[0], which nothing wrote");
  BOOST_TEST(fault_of("st.global.u32 [%slot], %me; ld.global.u32 %result, [%slot];", setting) ==
             "");
  BOOST_TEST(words_after(fault_of("setp.ne.u32 %p0, %me, 5; @%p0 st.global.u32 [%slot], %me;"
                                  "ld.global.u32 %result, [%slot];",
                                  setting),
                         "it reads out[5], which nothing wrote") ==
             "it reads out[5], which nothing wrote");
}

BOOST_AUTO_TEST_CASE(writing_constant_memory) {
  const std::string text =
      kernel_text("mov.u64 %d0, table; cvta.const.u64 %d0, %d0; st.u32 [%d0], %me;",
                  ".const .align 4 .b32 table[4];");
  BOOST_CHECK_EXCEPTION(run_module(text), std::runtime_error, [](const auto& error) {
    return std::string(error.what()).find("it writes table[0], which is read-only") !=
           std::string::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
