// Asynchronous copies between their beginning and their landing: what threads may do meanwhile, and
// what they find.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(copies_in_flight)

namespace {

/// Two warps; %r1 is the thread's own word of `cells`, %r3 that of the other warp; `in` is what is
/// copied, of thread 0 alone %p0 holds. A second mbarrier is `other`.
constexpr const char* beginning = R"ptx(
  .shared .align 16 .b8 cells[256]; .shared .align 16 .b8 more[256];
  .shared .align 8 .b64 bar; .shared .align 8 .b64 other;
  mov.u32 %r0, cells; mad.lo.u32 %r1, %me, 4, %r0; xor.b32 %r3, %me, 32;
  mad.lo.u32 %r3, %r3, 4, %r0; setp.eq.u32 %p0, %me, 0; setp.lt.u32 %p1, %me, 32;
  mov.u64 %d0, values; mul.wide.u32 %d1, %me, 4; add.u64 %d1, %d0, %d1;
)ptx";
constexpr const char* module_scope = ".global .align 16 .b8 values[256] = {1};";

/// With an mbarrier for one arrival, that all threads know of.
constexpr const char* with_mbarrier =
    "@%p0 mbarrier.init.shared.b64 [bar], 1; @%p0 mbarrier.init.shared.b64 [other], 1; bar.sync 0;";

#define LOAD(bytes)                                                                               \
  "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [cells], [%d0], " bytes \
  ", [bar];"
#define EXPECT(bytes) "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " bytes ";"
#define WAIT "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;"
#define STORE "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d0], [cells], 256;"
#define FILL "st.shared.u32 [%r1], %me;"
#define FENCE "fence.proxy.async.shared::cta;"

const CheckedKernel lane_copies[] = {
    {"read by the thread itself after its wait",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_all; ld.shared.u32 %result, [%r1];",
     ""},
    {"read by the thread itself before its wait",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group;"
     "ld.shared.u32 %result, [%r1]; cp.async.wait_group 0;",
     "thread (0, 0, 0): it reads byte 0 of 'cells' before the copy at line "},
    {"of a group that is not waited for",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group; cp.async.wait_group 1;"
     "ld.shared.u32 %result, [%r1];",
     "begins, has written it: cp.async.wait_group comes first"},
    {"of an older group",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group; cp.async.commit_group;"
     "cp.async.wait_group 1; ld.shared.u32 %result, [%r1];",
     ""},
    {"without a commit",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_group 0;"
     "ld.shared.u32 %result, [%r1];",
     "it reads byte 0 of 'cells' before the copy"},
    {"read by another warp without a barrier",
     "@%p1 cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_all;"
     "@!%p1 ld.shared.u32 %result, [%r3];",
     "without a barrier between"},
    {"read behind a barrier that the copy has not been waited for at",
     "cp.async.ca.shared.global [%r1], [%d1], 4; bar.sync 0; ld.shared.u32 %result, [%r3];"
     "cp.async.wait_all;",
     "of 'cells' before the copy at line "},
    {"overwritten before it has come",
     "cp.async.ca.shared.global [%r1], [%d1], 4; st.shared.u32 [%r1], %me; cp.async.wait_all;",
     "thread (0, 0, 0): it writes byte 0 of 'cells' before the copy at line "},
    {"over what another warp still reads",
     FILL "bar.sync 0; ld.shared.u32 %result, [%r3]; cp.async.ca.shared.global [%r1], [%d1], 4;"
          "cp.async.wait_all;",
     "without a barrier between"},
    {"never waited for and never read",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.commit_group;", ""},
    {"that arrive at an mbarrier",
     "@%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;"
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
     "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;"
     "ld.shared.u32 %result, [%r3];",
     ""},
    {"that arrive at an mbarrier beside the threads",
     "@%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;"
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.mbarrier.arrive.shared.b64 [bar];"
     "mbarrier.arrive.shared.b64 %d2, [bar];"
     "W: mbarrier.try_wait.shared.b64 %p2, [bar], %d2; @!%p2 bra W; ld.shared.u32 %result, [%r3];",
     ""},
    {"after they have arrived at an mbarrier",
     "@%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;"
     "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; cp.async.ca.shared.global [%r1], [%d1], 4;"
     "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;"
     "ld.shared.u32 %result, [%r3];",
     "it reads byte 128 of 'cells' before the copy"},
    {"waited for in both ways",
     "@%p0 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;"
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"
     "@!%p1 bra A; W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;"
     "A: cp.async.wait_all; bar.sync 0; ld.shared.u32 %result, [%r3];",
     ""},
};

const CheckedKernel bulk_loads[] = {
    {"waited for by all threads", EXPECT("256") LOAD("256") WAIT "ld.shared.u32 %result, [%r1];",
     ""},
    {"begun before the bytes are expected",
     LOAD("256") EXPECT("256") WAIT "ld.shared.u32 %result, [%r1];", ""},
    {"waited for by one thread, and a barrier",
     EXPECT("256") LOAD("256") "@!%p0 bra A;" WAIT "A: bar.sync 0; ld.shared.u32 %result, [%r1];",
     ""},
    {"not waited for", EXPECT("256") LOAD("256") "bar.sync 0; ld.shared.u32 %result, [%r1];",
     "it reads byte 0 of 'cells' before the copy at line "},
    {"waited for by another warp alone",
     EXPECT("256") LOAD("256") "@%p1 bra A;" WAIT "bra B; A: nanosleep.u32 100; nanosleep.u32 100;"
                               "B: ld.shared.u32 %result, [%r1];",
     "thread (0, 0, 0): it reads byte 0 of 'cells'"},
    {"of which the wrong phase is waited for",
     EXPECT("256") LOAD("256") "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1; @!%p2 bra W;"
                               "ld.shared.u32 %result, [%r1];",
     "of 'cells'"},
    {"of which another mbarrier is waited for",
     "@%p0 mbarrier.arrive.shared.b64 _, [other];" EXPECT("256")
         LOAD("256") "W: mbarrier.try_wait.parity.shared.b64 %p2, [other], 0; @!%p2 bra W;"
                     "ld.shared.u32 %result, [%r1];",
     "it reads byte 0 of 'cells' before the copy"},
    {"overwritten before it has come", EXPECT("256") LOAD("256") "@%p0 " FILL WAIT,
     "thread (0, 0, 0): it writes byte 0 of 'cells' before the copy"},
    {"over what has not been ordered before it", FILL EXPECT("256") LOAD("256") WAIT,
     "it writes byte 4 of shared memory, which block (0, 0, 0), thread (1, 0, 0) writes at line "},
    {"over what a barrier orders before it", FILL "bar.sync 0;" EXPECT("256") LOAD("256") WAIT, ""},
    {"of fewer bytes than expected", EXPECT("256") LOAD("192") WAIT,
     "; the mbarrier at byte 0 of 'bar': its copies bring 64 bytes fewer than expected at line "},
    {"of more bytes than expected", EXPECT("240") LOAD("256") WAIT,
     "; the mbarrier at byte 0 of 'bar': its copies bring 16 bytes more than expected at line "},
    {"of bytes that nobody expects",
     LOAD("256") "@%p0 mbarrier.arrive.shared.b64 _, [bar];" WAIT "ld.shared.u32 %result, [%r1];",
     "it reads byte 0 of 'cells' before the copy"},
    {"expected, and nobody arrives",
     "@%p0 mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 256;" LOAD("256") WAIT,
     "; the mbarrier at byte 0 of 'bar': it waits for 1 more to arrive"},
    {"in flight when the block ends", EXPECT("256") LOAD("256"),
     "the block ends while the copy writes its shared memory: a wait for the mbarrier comes first"},
    {"of an mbarrier that others have not been told of",
     "bra A; A: @%p0 mbarrier.inval.shared.b64 [bar]; @%p0 mbarrier.init.shared.b64 [bar], 1;"
     "nanosleep.u32 10;" EXPECT("256") LOAD("256") WAIT,
     "a race: it reads byte "},
};

const CheckedKernel bulk_stores[] = {
    {"with all they need",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     ""},
    {"with the fence behind the barrier",
     FILL "bar.sync 0;" FENCE STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", ""},
    {"with the other spelling of the fence",
     FILL "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster; bar.sync 0;" STORE
          "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
     ""},
    {"without a fence",
     FILL "bar.sync 0;" STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     "the copy reads byte 0 of 'cells' by the async proxy, and block (0, 0, 0), thread (0, 0, 0) "
     "writes it at line "},
    {"with a fence for global memory",
     FILL "fence.proxy.async.global; bar.sync 0;" STORE
          "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     "without fence.proxy.async between"},
    {"with a fence before what is written",
     FENCE FILL "bar.sync 0;" STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     "without fence.proxy.async between"},
    {"of what cp.async brought, without a fence",
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_all; bar.sync 0;" STORE
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     "without fence.proxy.async between"},
    {"of what a bulk copy brought",
     EXPECT("256") LOAD("256") WAIT STORE
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     ""},
    {"without a barrier",
     FILL FENCE STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     "a race: it reads byte 4 of shared memory, which block (0, 0, 0), thread (1, 0, 0) writes"},
    {"of bytes that nothing wrote",
     "@%p0 st.shared.u32 [%r1], %me;" FENCE "bar.sync 0;" STORE
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
     ""},
    {"whose source is written again",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group;" FILL
                "cp.async.bulk.wait_group.read 0;",
     "it writes byte 0 of 'cells', which the copy at line "},
    {"whose source is written again after it was read",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
                "bar.sync 0;" FILL,
     ""},
    {"whose source another thread writes again, unordered",
     FILL FENCE "bar.sync 0;" STORE
                "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; @!%p1 " FILL,
     "which block (0, 0, 0), thread (0, 0, 0) reads at line "},
    {"read back by the thread",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
                "@%p0 ld.global.u32 %result, [%d0];",
     ""},
    {"read back before they are there",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
                "@%p0 ld.global.u32 %result, [%d0];",
     "cp.async.bulk.wait_group comes first"},
    {"overwritten before they are there",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group; st.global.u32 [%d1], %me;"
                "cp.async.bulk.wait_group 0;",
     "cp.async.bulk.wait_group comes first"},
    {"that the block does not wait for",
     FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.commit_group;",
     "the block ends while the copy reads its shared memory: cp.async.bulk.commit_group and "
     "wait_group.read come first"},
    {"that no group has", FILL FENCE "bar.sync 0;" STORE "cp.async.bulk.wait_group 0;",
     "the block ends while the copy reads its shared memory"},
    {"within shared memory, told by an mbarrier",
     FILL FENCE "bar.sync 0;" EXPECT(
         "256") "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                "[more], [cells],"
                "256, [bar];" WAIT FILL "ld.shared.u32 %result, [more+12];",
     ""},
    {"within shared memory, whose source is written",
     FILL FENCE "bar.sync 0;" EXPECT(
         "256") "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                "[more], [cells],"
                "256, [bar];" FILL WAIT,
     "still reads: a wait for its mbarrier comes first"},
    {"sums of several copies at one place",
     "mov.u32 %r9, 0; mov.u32 %r8, more; mad.lo.u32 %r8, %me, 4, %r8; st.shared.u32 [%r8], "
     "%r9;" FILL FENCE "bar.sync 0;" EXPECT("512") "@%p0 "
                                                   "cp.reduce.async.bulk.shared::cluster.shared::"
                                                   "cta.mbarrier::complete_tx::bytes.add.u32 "
                                                   "[more], [cells], 256, [bar];"
                                                   "@%p0 "
                                                   "cp.reduce.async.bulk.shared::cluster.shared::"
                                                   "cta.mbarrier::complete_tx::bytes.add.u32 "
                                                   "[more], [cells], 256, [bar];" WAIT
                                                   "ld.shared.u32 %result, [more+12];",
     ""},
};

void check(const std::string& body, const CheckedKernel& c) {
  Setting setting;
  setting.block = {64, 1, 1};
  setting.checks_kernel = true;
  std::string message;
  try {
    run_module(kernel_text(beginning + body, module_scope), setting);
  } catch (const KernelFault& fault) {
    message = fault.what();
  }
  if (*c.message == '\0') {
    BOOST_TEST(message == "");
  } else {
    BOOST_TEST((message.find(c.message) != std::string::npos), message);
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(of_lanes, boost::unit_test::data::make(lane_copies), c) {
  check(c.body, c);
}

BOOST_DATA_TEST_CASE(loads, boost::unit_test::data::make(bulk_loads), c) {
  check(with_mbarrier + std::string(c.body), c);
}

BOOST_DATA_TEST_CASE(stores, boost::unit_test::data::make(bulk_stores), c) {
  check(with_mbarrier + std::string(c.body), c);
}

namespace {

/// What threads find, without a check: %result, or what out[4 * thread] has in the end.
struct FoundCase {
  const char* name;
  std::uint32_t found;
  const char* body;

  friend std::ostream& operator<<(std::ostream& out, const FoundCase& one) {
    return out << one.name;
  }
};

const FoundCase found_cases[] = {
    {"before a wait what was there", 7,
     "cp.async.ca.shared.global [%r1], [%d1], 4; ld.shared.u32 %result, [%r1]; cp.async.wait_all;"},
    {"after it what the copy brings", 3,
     "cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_all; ld.shared.u32 %result, [%r1];"},
    {"what the copy brings, not what was written meanwhile", 3,
     "cp.async.ca.shared.global [%r1], [%d1], 4; mov.u32 %r9, 9; st.shared.u32 [%r1], %r9;"
     "cp.async.wait_all; ld.shared.u32 %result, [%r1];"},
    {"before a wait for the mbarrier what was there", 7,
     EXPECT("256") LOAD("256") "bar.sync 0; ld.shared.u32 %result, [%r1]; bar.sync 0;" WAIT},
    {"after it what the bulk copy brings", 3,
     EXPECT("256") LOAD("256") WAIT "ld.shared.u32 %result, [%r1];"},
    {"by a store what lies there when it is waited for", 9,
     STORE "cp.async.bulk.commit_group; mov.u32 %r9, 9; bar.sync 0; st.shared.u32 [%r1], %r9;"
           "bar.sync 0; cp.async.bulk.wait_group 0; bar.sync 0; ld.global.u32 %result, [%d1];"},
    {"by a store what lay there when it had been read", 7,
     STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; mov.u32 %r9, 9;"
           "bar.sync 0; st.shared.u32 [%r1], %r9; bar.sync 0; cp.async.bulk.wait_group 0;"
           "bar.sync 0; ld.global.u32 %result, [%d1];"},
    {"a sum of floats, by a store", 0x40400000,
     "mov.u32 %r9, 0x3f800000; st.shared.u32 [%r1], %r9; mov.u32 %r9, 0x40000000;"
     "st.global.u32 [%d1], %r9; bar.sync 0;"
     "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d0], [cells], 256;"
     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0;"
     "ld.global.u32 %result, [%d1];"},
    {"before a store has come what was there", 3,
     STORE "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; bar.sync 0;"
           "ld.global.u32 %result, [%d1];"},
};

}  // namespace

/// `cells` is full of 7, `values` of 3.
BOOST_DATA_TEST_CASE(threads_find, boost::unit_test::data::make(found_cases), c) {
  Setting setting;
  setting.block = {64, 1, 1};
  const std::string fill =
      "mov.u32 %r10, 7; st.shared.u32 [%r1], %r10; mov.u32 %r10, 3; st.global.u32 [%d1], %r10;";
  const Outcome outcome =
      run_module(kernel_text(beginning + fill + with_mbarrier + c.body, module_scope), setting);
  BOOST_TEST(outcome.out == std::vector<std::uint32_t>(64, c.found),
             boost::test_tools::per_element());
}

/// What a block has stored is there for the blocks after it, as soon as it was read.
BOOST_AUTO_TEST_CASE(a_store_that_was_read_goes_on_when_its_block_ends) {
  Setting setting;
  setting.block = {64, 1, 1};
  setting.words = 64;
  const Outcome outcome = run_body(std::string(R"ptx(
  .shared .align 16 .b8 cells[256]; mov.u32 %r0, cells; mad.lo.u32 %r1, %me, 4, %r0;
  st.shared.u32 [%r1], %me; fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %p0, %me, 0;
  @%p0 exit;
  cp.async.bulk.global.shared::cta.bulk_group [%out], [cells], 256;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; exit;)ptx"),
                                   setting);
  for (std::uint32_t i = 0; i < 64; ++i) BOOST_TEST(outcome.out[i] == i);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
