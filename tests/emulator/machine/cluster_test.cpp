// Blocks that run together: clusters and their shared memory, cooperative grids.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

struct ClusterCase {
  const char* name;
  Setting setting;
  std::function<std::uint32_t(std::uint32_t)> expected;  ///< of the thread's number in the grid
  const char* body;
};
static std::ostream& operator<<(std::ostream& out, const ClusterCase& c) {
  return out << c.name;
}

struct ClusterFault {
  const char* name;
  const char* message;
  const char* body;
  std::uint32_t blocks = 2;  ///< in the grid and its only cluster
};
static std::ostream& operator<<(std::ostream& out, const ClusterFault& c) {
  return out << c.name;
}

BOOST_AUTO_TEST_SUITE(clusters)

namespace {

/// Blocks of 32 threads, 8 of them along x.
Setting clusters_of(std::uint32_t blocks, Dim3 grid = {8, 1, 1}) {
  Setting setting;
  setting.grid = grid;
  setting.cluster = {blocks, 1, 1};
  setting.instruction_limit = 100'000;
  setting.options.resident_blocks = 64;
  return setting;
}

Setting cooperative(std::uint32_t blocks) {
  Setting setting = clusters_of(1, {blocks, 1, 1});
  setting.is_cooperative = true;
  return setting;
}

Setting with_extents(Dim3 grid, Dim3 cluster) {
  Setting setting = clusters_of(1, grid);
  setting.cluster = cluster;
  return setting;
}

/// `cells`, a word for each thread; %r0 the thread's own, %r1 and %d1 (generic) the same in the
/// next block of the cluster, of rank %r2; %r3 how many there are. All have met.
#define NEIGHBOUR                                                                \
  ".shared .align 16 .b32 cells[32]; .shared .align 8 .b64 bar;"                 \
  "mov.u32 %r10, cells; mad.lo.u32 %r0, %me, 4, %r10;"                           \
  "mov.u32 %r3, %cluster_nctarank; mov.u32 %r2, %cluster_ctarank;"               \
  "add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, %r3;"                                  \
  "mapa.shared::cluster.u32 %r1, %r0, %r2;"                                      \
  "mov.u64 %d0, cells; cvta.shared.u64 %d0, %d0; mad.wide.u32 %d0, %me, 4, %d0;" \
  "mapa.u64 %d1, %d0, %r2;"                                                      \
  "st.shared.u32 [%r0], %id;"                                                    \
  "setp.eq.u32 %p0, %me, 0; @%p0 mbarrier.init.shared.b64 [bar], 1;"             \
  "barrier.cluster.arrive; barrier.cluster.wait;"
#define LEAVE_TOGETHER "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"

std::uint32_t next_of(std::uint32_t id, std::uint32_t blocks) {
  const std::uint32_t in = blocks * 32;
  return id / in * in + (id + 32) % in;
}

const ClusterCase executed[] = {
    {"who is where", clusters_of(2),
     [](std::uint32_t id) { return id / 64 * 1000 + id / 32 % 2 * 100 + 42; }, R"ptx(
  mov.u32 %r0, %clusterid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %nclusterid.x;
  mov.u32 %r3, %cluster_nctarank; mul.lo.u32 %result, %r0, 1000;
  mad.lo.u32 %result, %r1, 100, %result; mad.lo.u32 %result, %r2, 10, %result;
  add.u32 %result, %result, %r3;)ptx"},
    {"in three dimensions", with_extents({4, 2, 4}, {2, 1, 2}),
     [](std::uint32_t id) {
       const std::uint32_t block = id / 32;
       const std::uint32_t x = block % 4;
       const std::uint32_t y = block / 4 % 2;
       const std::uint32_t z = block / 8;
       return x % 2 + 10 * (z % 2) + 100 * (x % 2 + z % 2 * 2) + 1000 * (x / 2) + 10000 * y +
              100000 * (z / 2);
     },
     R"ptx(
  mov.u32 %result, %cluster_ctaid.x; mov.u32 %r0, %cluster_ctaid.z;
  mad.lo.u32 %result, %r0, 10, %result; mov.u32 %r0, %cluster_ctarank;
  mad.lo.u32 %result, %r0, 100, %result; mov.u32 %r0, %clusterid.x;
  mad.lo.u32 %result, %r0, 1000, %result; mov.u32 %r0, %clusterid.y;
  mad.lo.u32 %result, %r0, 10000, %result; mov.u32 %r0, %clusterid.z;
  mad.lo.u32 %result, %r0, 100000, %result;)ptx"},
    {"a launch without clusters", clusters_of(1),
     [](std::uint32_t id) { return id / 32 * 1000 + 8 * 10 + 1; }, R"ptx(
  mov.u32 %r0, %clusterid.x; mul.lo.u32 %result, %r0, 1000; mov.u32 %r0, %nclusterid.x;
  mad.lo.u32 %result, %r0, 10, %result; mov.u32 %r0, %cluster_nctarank;
  add.u32 %result, %result, %r0; mov.u32 %r0, %cluster_ctarank; add.u32 %result, %result, %r0;
  mov.pred %p0, %is_explicit_cluster; @%p0 add.u32 %result, %result, 7;
  barrier.cluster.arrive; barrier.cluster.wait;)ptx"},
    {"a cluster that was asked for", clusters_of(2), [](std::uint32_t) { return 7; },
     "mov.pred %p0, %is_explicit_cluster; @%p0 add.u32 %result, %result, 7;"},
    {"reads of the next block", clusters_of(4), [](std::uint32_t id) { return next_of(id, 4); },
     NEIGHBOUR "ld.shared::cluster.u32 %result, [%r1];" LEAVE_TOGETHER},
    {"generic reads of the next block", clusters_of(2),
     [](std::uint32_t id) { return next_of(id, 2); },
     NEIGHBOUR "ld.u32 %result, [%d1];" LEAVE_TOGETHER},
    {"some lanes read their own block, others the next", clusters_of(2),
     [](std::uint32_t id) { return id % 3 == 0 ? id : next_of(id, 2); },
     NEIGHBOUR "rem.u32 %r4, %id, 3; setp.eq.u32 %p1, %r4, 0; selp.b64 %d2, %d0, %d1, %p1;"
               "ld.u32 %result, [%d2];" LEAVE_TOGETHER},
    {"whose an address is", clusters_of(4),
     [](std::uint32_t id) { return (id / 32 + 1) % 4 * 10 + id / 32 % 4; },
     NEIGHBOUR "getctarank.shared::cluster.u32 %r4, %r1; getctarank.u64 %r5, %d0;"
               "mad.lo.u32 %result, %r4, 10, %r5;" LEAVE_TOGETHER},
    {"a map of what is mapped, and to the block itself", clusters_of(2),
     [](std::uint32_t) { return 1; },
     NEIGHBOUR "mov.u32 %r4, %cluster_ctarank; mapa.u64 %d2, %d1, %r4; setp.eq.u64 %p1, %d2, %d0;"
               "selp.u32 %result, 1, 0, %p1;" LEAVE_TOGETHER},
    {"stores and atomics to the next block", clusters_of(2),
     [](std::uint32_t id) { return next_of(id, 2) + 5 + 3; },
     NEIGHBOUR "ld.shared.u32 %r4, [%r0]; add.u32 %r4, %r4, 5; " LEAVE_TOGETHER
               "st.shared::cluster.u32 [%r1], %r4;"
               "red.shared::cluster.add.u32 [%r1], 1; atom.add.u32 %r5, [%d1], 1;"
               "atom.relaxed.cluster.shared::cluster.add.u32 %r5, [%r1], 1;" LEAVE_TOGETHER
               "ld.shared.u32 %result, [%r0];"},
    {"a sum in the first block", clusters_of(8), [](std::uint32_t) { return 8 * 32; }, R"ptx(
  .shared .b32 sum; mov.u32 %r0, 0; st.shared.u32 [sum], %r0;
  barrier.cluster.arrive; barrier.cluster.wait;
  mapa.shared::cluster.u32 %r1, sum, 0; red.shared::cluster.add.u32 [%r1], 1;
  barrier.cluster.arrive; barrier.cluster.wait;
  ld.shared::cluster.u32 %result, [%r1];
  barrier.cluster.arrive.relaxed; barrier.cluster.wait;)ptx"},
    {"spaces of generic addresses", clusters_of(2), [](std::uint32_t) { return 0b100101; },
     NEIGHBOUR
     "isspacep.shared::cta %p1, %d0; selp.u32 %r4, 1, 0, %p1; or.b32 %result, %result, %r4;"
     "isspacep.shared %p1, %d1; selp.u32 %r4, 2, 0, %p1; or.b32 %result, %result, %r4;"
     "isspacep.shared::cluster %p1, %d1; selp.u32 %r4, 4, 0, %p1; or.b32 %result, %result, %r4;"
     "isspacep.shared::cluster %p1, %out; selp.u32 %r4, 8, 0, %p1; or.b32 %result, %result, %r4;"
     "isspacep.global %p1, %d1; selp.u32 %r4, 16, 0, %p1; or.b32 %result, %result, %r4;"
     "isspacep.global %p1, %out; selp.u32 %r4, 32, 0, %p1; or.b32 %result, %result, "
     "%r4;" LEAVE_TOGETHER},
    {"a block's own address, used by the next", clusters_of(2),
     [](std::uint32_t id) { return next_of(id, 2); },
     ".shared .b32 place; " NEIGHBOUR "mov.u32 %r4, place; mapa.shared::cluster.u32 %r4, %r4, %r2;"
     "@%p0 st.shared::cluster.u32 [%r4], %r10;" LEAVE_TOGETHER
     "ld.shared.u32 %r5, [place]; mad.lo.u32 %r5, %me, 4, %r5;"
     "ld.shared::cluster.u32 %result, [%r5];" LEAVE_TOGETHER},
    {"arrivals at another block's mbarrier", clusters_of(2),
     [](std::uint32_t id) { return next_of(id, 2) * 2; },
     NEIGHBOUR "shl.b32 %r4, %id, 1; " LEAVE_TOGETHER "st.shared::cluster.u32 [%r1], %r4;"
               "bar.warp.sync -1; mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2;"
               "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];"
               "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0;"
               "@!%p1 bra W; ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
    {"st.async and red.async", clusters_of(2),
     [](std::uint32_t id) { return next_of(id, 2) * 2 + 9; },
     NEIGHBOUR "shl.b32 %r4, %id, 1; mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2;"
               "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;" LEAVE_TOGETHER
               "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r4, [%r5];"
               "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
               "[%r1], 9, [%r5];"
               "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"
               "ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
    {"a bulk copy to the next block", clusters_of(2),
     [](std::uint32_t id) { return next_of(id, 2); },
     ".shared .align 16 .b32 got[32]; " NEIGHBOUR
     "mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2;"
     "mov.u32 %r6, got; mapa.shared::cluster.u32 %r7, %r6, %r2;"
     "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"
     "fence.proxy.async.shared::cta;" LEAVE_TOGETHER
     "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
     "[%r7], [%r10], 128, [%r5];"
     "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"
     "mad.lo.u32 %r6, %me, 4, %r6; ld.shared.u32 %result, [%r6];" LEAVE_TOGETHER},
    {"a bulk copy to several blocks", clusters_of(4),
     [](std::uint32_t id) { return id / 32 % 4 == 2 ? id : id % 32; },
     NEIGHBOUR "mov.u32 %r4, %cluster_ctarank; setp.ne.u32 %p2, %r4, 2; setp.eq.u32 %p3, %r4, 1;"
               "st.global.u32 [%slot], %me; and.pred %p4, %p0, %p2;"
               "@%p4 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;" LEAVE_TOGETHER
               "and.pred %p4, %p0, %p3; mov.b16 %h0, 11;"
               "@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%r10], [%slot], 128, [bar], %h0;"
               "@!%p2 bra GOT;"
               "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W; GOT:"
               "ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
    {"threads that exit have come to the barrier", clusters_of(4),
     [](std::uint32_t id) { return id % 32 < 5 ? 6 : 0; }, R"ptx(
  setp.ge.u32 %p0, %me, 5; @%p0 exit;
  barrier.cluster.arrive.aligned; mov.u32 %result, 6; barrier.cluster.wait.aligned;)ptx"},
    {"a barrier, again and again", clusters_of(4), [](std::uint32_t) { return 4 * 32 * 20; },
     R"ptx(
  .shared .b32 sum; mov.u32 %r0, 0; st.shared.u32 [sum], %r0; mov.u32 %r2, 0;
  barrier.cluster.arrive; barrier.cluster.wait;
LOOP: mov.u32 %r3, %cluster_nctarank; rem.u32 %r3, %r2, %r3;
  mapa.shared::cluster.u32 %r1, sum, %r3; red.shared::cluster.add.u32 [%r1], 1;
  barrier.cluster.arrive; add.u32 %r2, %r2, 1; barrier.cluster.wait;
  setp.lt.u32 %p0, %r2, 80; @%p0 bra LOOP;
  ld.shared.u32 %result, [sum];)ptx"},
    {"a flag in another block's memory", clusters_of(2), [](std::uint32_t) { return 33; },
     NEIGHBOUR "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 0; @%p1 bra WAIT;"
               "mov.u32 %r5, 33; mov.u32 %result, 33;"
               "st.release.cluster.shared::cluster.u32 [%r1], %r5; bra DONE;"
               "WAIT: ld.acquire.cluster.shared::cta.u32 %result, [%r0];"
               "setp.ne.u32 %p2, %result, 33; @%p2 bra WAIT; DONE:" LEAVE_TOGETHER},
};

/// What grid.sync() compiles to.
#define GRID_SYNC(label)                                                                    \
  "bar.sync 0; setp.ne.u32 %p9, %me, 0; @%p9 bra " label                                    \
  "E;"                                                                                      \
  "mov.u32 %r20, %envreg1; mov.u32 %r21, %envreg2; mov.b64 %d20, {%r21, %r20};"             \
  "mov.u32 %r22, %ctaid.x; mov.u32 %r23, %nctaid.x; sub.u32 %r23, 0x80000001, %r23;"        \
  "setp.eq.u32 %p8, %r22, 0; selp.b32 %r24, %r23, 1, %p8;"                                  \
  "atom.add.release.gpu.u32 %r25, [%d20+4], %r24; " label                                   \
  "W:"                                                                                      \
  "ld.acquire.gpu.u32 %r26, [%d20+4]; xor.b32 %r26, %r26, %r25; setp.gt.s32 %p8, %r26, -1;" \
  "@%p8 bra " label "W; " label "E: bar.sync 0;"

const ClusterCase cooperating[] = {
    {"two waits for the grid", cooperative(40),
     [](std::uint32_t id) { return 2 * (40 * 32 - 1 - id); },
     "st.global.u32 [%slot], %id;" GRID_SYNC("A") "sub.u32 %r0, 1279, %id; mad.wide.u32 %d0, %r0, "
                                                  "4, %out; ld.global.u32 %r1, [%d0];" GRID_SYNC(
                                                      "B") "shl.b32 %result, %r1, 1;"},
    {"a launch of which nobody asks for it", clusters_of(1), [](std::uint32_t) { return 0; },
     "mov.u32 %r0, %envreg1; mov.u32 %r1, %envreg2; or.b32 %result, %r0, %r1;"},
};

const ClusterFault faults[] = {
    {"a rank that there is not",
     "it asks for the shared memory of the block of rank 2 in a cluster of 2",
     NEIGHBOUR "mov.u32 %r4, 2; mapa.shared::cluster.u32 %r4, %r0, %r4;"},
    {"a negative rank",
     "it asks for the shared memory of the block of rank 4294967295 in a cluster of 2",
     NEIGHBOUR "mov.u32 %r4, -1; mapa.u64 %d2, %d0, %r4;"},
    {"a map of what is no shared memory", "it takes 0x700000000000 for an address of shared memory",
     NEIGHBOUR "mapa.u64 %d2, %out, %r2;"},
    {"the rank of what is no shared memory", "it takes 0x5000000 for an address of shared memory",
     NEIGHBOUR "mov.u32 %r4, 0x5000000; getctarank.shared::cluster.u32 %r4, %r4;"},
    {"outside of the next block's memory",
     "block (1, 0, 0), thread (0, 0, 0): out of bounds: reads 4 bytes at byte 4096 of the shared "
     "memory of block (0, 0, 0), which has 144",
     NEIGHBOUR "ld.shared::cluster.u32 %result, [%r1+4096];"},
    {"below the next block's memory", "out of bounds: writes 4 bytes at byte ",
     NEIGHBOUR "st.shared::cluster.u32 [%r1+-256], %r0;"},
    {"a rank that there is not, in an address",
     "out of bounds: reads 4 bytes at byte 67108864 of shared memory, of which the block has 144",
     NEIGHBOUR "mov.u32 %r4, 0x5000000; ld.shared::cluster.u32 %result, [%r4];"},
    {"the same, generic", "out of bounds: reads 8 bytes at byte 234881024 of shared memory",
     NEIGHBOUR "mov.u64 %d2, 0x10f000000; ld.u64 %d2, [%d2];"},
    {"the next block's memory for its own",
     "it takes an address in the shared memory of block (0, 0, 0) for one in its own",
     NEIGHBOUR "ld.shared.u32 %result, [%r1];"},
    {"misaligned in the next block", "misaligned address: an access of 4 bytes at 0x2",
     NEIGHBOUR "ld.shared::cluster.u32 %result, [%r1+2];"},
    {"a copy outside of the next block's memory",
     "out of bounds: 128 bytes at byte 64 of the shared memory of block (0, 0, 0), of which the "
     "block has 144",
     NEIGHBOUR "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
               "[%r1+64], [%r10], 128, [bar];"},
    {"a copy with an mbarrier elsewhere",
     "its mbarrier lies in another block's shared memory than what it copies to",
     NEIGHBOUR "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
               "[%r1], [%r10], 128, [bar];"},
    {"a copy to a block that there is not", "it copies to the block of rank 2 in a cluster of 2",
     NEIGHBOUR "mov.b16 %h0, 4;"
               "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
               ".multicast::cluster [%r10], [%slot], 128, [bar], %h0;"},
    {"st.async with an mbarrier elsewhere",
     "its mbarrier lies in another block's shared memory than what it writes",
     NEIGHBOUR "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r4, [bar];"},
    {"waiting for another block's mbarrier",
     "of another block's mbarrier there are arrivals and bytes alone",
     NEIGHBOUR "mov.u64 %d2, bar; cvta.shared.u64 %d2, %d2; mapa.u64 %d2, %d2, %r2;"
               "mbarrier.try_wait.parity.b64 %p1, [%d2], 0;"},
    {"arriving twice",
     "block (0, 0, 0), thread (0, 0, 0): it arrives at the cluster's barrier again, which it has "
     "not waited for since",
     "barrier.cluster.arrive; barrier.cluster.arrive;"},
    {"waiting without having arrived",
     "block (0, 0, 0), thread (7, 0, 0): it waits at the cluster's barrier, where it has not "
     "arrived",
     "setp.lt.u32 %p0, %me, 7; @%p0 barrier.cluster.arrive; barrier.cluster.wait;"},
    {"a block that never comes",
     "deadlock: of the 2 blocks of a cluster all wait for each other: block (0, 0, 0) at line",
     ".shared .align 8 .b64 b; setp.eq.u32 %p1, %me, 0; @%p1 mbarrier.init.shared.b64 [b], 1;"
     "mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p0, %r0, 0; @%p0 bra WAIT;"
     "barrier.cluster.arrive; barrier.cluster.wait; bra DONE;"
     "WAIT: bar.warp.sync -1; W: mbarrier.try_wait.parity.shared.b64 %p2, [b], 0; @!%p2 bra W;"
     "DONE:"},
    {"a flag that nobody sets",
     "deadlock: of the 2 blocks of a cluster 1 wait for each other, "
     "the others have ended: block (0, 0, 0) at line",
     NEIGHBOUR "mov.u32 %r0, %cluster_ctarank; setp.ne.u32 %p0, %r0, 0; @%p0 bra DONE;"
               "W: ld.volatile.shared.u32 %r4, [bar]; setp.ne.u32 %p1, %r4, 12345; @%p1 bra W;"
               "DONE:"},
    {"a block that has ended",
     "block (0, 0, 0), thread (0, 0, 0): it reaches for the shared memory of block (1, 0, 0), "
     "which has ended",
     NEIGHBOUR "ld.shared::cluster.u32 %result, [%r1];"},
};

/// The first block copies `values` to the `cells` of all; each of them expects it.
#define MULTICAST                                                                             \
  NEIGHBOUR "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;" LEAVE_TOGETHER         \
            "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p2, %r4, 0; and.pred %p2, %p2, %p0;" \
            "mov.u64 %d3, values; mov.b16 %h0, 3;"                                            \
            "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"          \
            ".multicast::cluster [%r10], [%d3], 128, [bar], %h0;"
#define WAIT_FOR_BYTES "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;"
/// The second block copies its `cells` to `got` in the first, which expects it.
#define COPY_TO_FIRST                                                                             \
  ".shared .align 16 .b32 got[32];" NEIGHBOUR                                                     \
  "mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2;"                                     \
  "mov.u32 %r6, got; mapa.shared::cluster.u32 %r7, %r6, %r2; mov.u32 %r4, %cluster_ctarank;"      \
  "setp.eq.u32 %p2, %r4, 0; and.pred %p3, %p2, %p0;"                                              \
  "@%p3 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;"                                      \
  "fence.proxy.async.shared::cta;" LEAVE_TOGETHER                                                 \
  "setp.eq.u32 %p3, %r4, 1;"                                                                      \
  "and.pred %p3, %p3, %p0; @%p3 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx:" \
  ":bytes [%r7], [%r10], 128, [%r5];"
/// Each block's mbarrier, of which the next block hears by `arrive` alone.
#define TELL_OF_MBARRIER(fence, arrive)                                               \
  ".shared .align 8 .b64 bar; mov.u32 %r3, %cluster_nctarank;"                        \
  "mov.u32 %r2, %cluster_ctarank; add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, %r3;"        \
  "setp.eq.u32 %p0, %me, 0; @%p0 mbarrier.init.shared.b64 [bar], 1;" fence arrive     \
  "barrier.cluster.wait; mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2;"   \
  "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];" WAIT_FOR_BYTES \
      LEAVE_TOGETHER

const ClusterFault mistakes[] = {
    {"a copy to several blocks, for which each of them waits", "",
     MULTICAST WAIT_FOR_BYTES "ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
    {"a copy to several blocks, for which one of them does not wait",
     "block (1, 0, 0), thread (0, 0, 0): it reads byte 0 of 'cells' before the copy at line ",
     MULTICAST
     "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p2, %r4, 1; @%p2 bra READ;" WAIT_FOR_BYTES
     "READ: ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
    {"a copy to several blocks, read from the next before it has come",
     "it reads byte 0 of 'cells' in the shared memory of block (0, 0, 0), which the copy at line ",
     MULTICAST
     "setp.eq.u32 %p2, %r4, 0; @!%p2 ld.shared::cluster.u32 %result, [%r1];" WAIT_FOR_BYTES
         LEAVE_TOGETHER},
    {"a copy to several blocks, of which one ends",
     "block (0, 0, 0), thread (0, 0, 0): the block ends while the copy writes its shared memory",
     MULTICAST
     "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p2, %r4, 0; @!%p2 bra DONE;" WAIT_FOR_BYTES
     "DONE:"},
    {"a copy to the next block", "",
     COPY_TO_FIRST "@!%p2 bra DONE;" WAIT_FOR_BYTES "mad.lo.u32 %r6, %me, 4, %r6;"
                   "ld.shared.u32 %result, [%r6]; DONE:" LEAVE_TOGETHER},
    {"a copy to the next block, whose source is written",
     "block (1, 0, 0), thread (0, 0, 0): it writes byte 0 of 'cells', which the copy at line ",
     COPY_TO_FIRST "@!%p2 st.shared.u32 [%r0], %me; @!%p2 bra DONE;" WAIT_FOR_BYTES
                   "DONE:" LEAVE_TOGETHER},
    {"a copy to the next block, whose source is written when it has come", "",
     COPY_TO_FIRST "@!%p2 bra DONE;" WAIT_FOR_BYTES "DONE:" LEAVE_TOGETHER
                   "st.shared.u32 [%r0], %me;"},
    {"a copy to the next block, without which its source ends",
     "block (1, 0, 0), thread (0, 0, 0): the block ends while the copy reads its shared memory: a "
     "wait for its mbarrier and then cluster.sync() come first",
     COPY_TO_FIRST "@!%p2 bra DONE; nanosleep.u32 9; nanosleep.u32 9;" WAIT_FOR_BYTES "DONE:"},
    {"an mbarrier, told of by a barrier", "", TELL_OF_MBARRIER("", "barrier.cluster.arrive;")},
    {"an mbarrier, told of by a fence", "",
     TELL_OF_MBARRIER("fence.mbarrier_init.release.cluster;", "barrier.cluster.arrive.relaxed;")},
    {"an mbarrier, told of by a fence of everything", "",
     TELL_OF_MBARRIER("fence.acq_rel.cluster;", "barrier.cluster.arrive.relaxed;")},
    {"an mbarrier that nothing tells of",
     "a race: it reads byte 0 of the shared memory of block (0, 0, 0), which block (0, 0, 0), "
     "thread (0, 0, 0) writes at ",
     TELL_OF_MBARRIER("", "barrier.cluster.arrive.relaxed;")},
    {"an mbarrier of which the fence comes too early",
     "a race: it reads byte 0 of the shared memory of block (0, 0, 0), which block (0, 0, 0), ",
     "fence.mbarrier_init.release.cluster;" TELL_OF_MBARRIER("",
                                                             "barrier.cluster.arrive.relaxed;")},
    {"st.async that is read without a wait",
     "a race: it writes byte 0 of the shared memory of block (1, 0, 0), which block (1, 0, 0), "
     "thread (0, 0, 0) reads at ",
     NEIGHBOUR "mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2; "
               "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p2, %r4, 0;"
               "@%p2 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r4, "
               "[%r5]; @!%p2 ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
    {"nothing", "", NEIGHBOUR "ld.shared::cluster.u32 %result, [%r1];" LEAVE_TOGETHER},
    {"a relaxed last wait is enough", "",
     NEIGHBOUR "ld.shared::cluster.u32 %result, [%r1];"
               "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"},
    {"a block that may not have begun",
     "it reaches for the shared memory of block (1, 0, 0), which may not have begun",
     ".shared .b32 c; mapa.shared::cluster.u32 %r1, c, 1; mov.u32 %r0, %cluster_ctarank;"
     "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared::cluster.u32 [%r1], %r0;" LEAVE_TOGETHER},
    {"a block that may have ended, read by the one that goes on first",
     "block (1, 0, 0), thread (31, 0, 0): it reaches for the shared memory of block (0, 0, 0), "
     "which may have ended: nothing makes that block wait",
     NEIGHBOUR "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 1;"
               "@%p1 ld.shared::cluster.u32 %result, [%r1];"},
    {"a race with another block's thread",
     "a race: it reads byte 0 of shared memory, which block (1, 0, 0), thread (0, 0, 0) writes at ",
     NEIGHBOUR "ld.shared.u32 %result, [%r0]; mov.u32 %r4, %cluster_ctarank;"
               "setp.eq.u32 %p1, %r4, 1; @%p1 st.shared::cluster.u32 [%r1], %r4;" LEAVE_TOGETHER},
    {"an arrival that orders nothing",
     "a race: it reads byte 0 of the shared memory of block (1, 0, 0), which block (1, 0, 0), "
     "thread (0, 0, 0) writes at ",
     NEIGHBOUR "st.shared.u32 [%r0], %r2; barrier.cluster.arrive.relaxed; barrier.cluster.wait;"
               "ld.shared::cluster.u32 %result, [%r1];" LEAVE_TOGETHER},
    {"an mbarrier orders what another block has written", "",
     NEIGHBOUR "st.shared::cluster.u32 [%r1], %id;"
               "bar.warp.sync -1; mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, %r2;"
               "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];"
               "W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;"
               "@!%p1 bra W; ld.shared.u32 %result, [%r0];" LEAVE_TOGETHER},
};

void check(const ClusterCase& c, bool is_in_order, bool checks_kernel) {
  Setting setting = c.setting;
  if (is_in_order) setting.options.on_end = [](std::uint64_t /*cluster*/) {};
  setting.checks_kernel = checks_kernel;
  const Outcome outcome = run_body(c.body, setting);
  for (std::uint32_t id = 0; id < outcome.out.size(); ++id) {
    if (outcome.out[id] == c.expected(id)) continue;
    BOOST_TEST(outcome.out[id] == c.expected(id), c.name << ", thread " << id);
    return;
  }
}

std::string found(const ClusterFault& c, bool checks_kernel) {
  Setting setting = clusters_of(c.blocks, {c.blocks, 1, 1});
  setting.checks_kernel = checks_kernel;
  std::string text;
  try {
    run_module(kernel_text(c.body, ".global .align 16 .b8 values[128];"), setting);
  } catch (const KernelFault& fault) {
    text = fault.what();
  }
  return *c.message != '\0' && text.find(c.message) != std::string::npos ? c.message : text;
}

}  // namespace

BOOST_DATA_TEST_CASE(are_executed, boost::unit_test::data::make(executed), c) {
  for (const bool is_in_order : {false, true}) check(c, is_in_order, false);
  check(c, false, true);
}

BOOST_DATA_TEST_CASE(cooperate, boost::unit_test::data::make(cooperating), c) {
  for (const bool is_in_order : {false, true}) check(c, is_in_order, false);
}

BOOST_DATA_TEST_CASE(say_what_is_wrong, boost::unit_test::data::make(faults), c) {
  BOOST_TEST(found(c, false) == c.message);
}

BOOST_DATA_TEST_CASE(checks_find_mistakes, boost::unit_test::data::make(mistakes), c) {
  BOOST_TEST(found(c, true) == c.message);
}

BOOST_AUTO_TEST_CASE(a_block_of_the_grid_that_never_comes) {
  const std::string body = "mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 1; @%p0 exit;";
  const std::string text = fault_of(body + GRID_SYNC("A"), cooperative(3));
  BOOST_TEST(text.starts_with("deadlock: of the 3 blocks of the grid 2 wait for each other, the "
                              "others have ended: block (0, 0, 0) at line "),
             text);
}

BOOST_AUTO_TEST_CASE(other_blocks_memory_is_counted_apart) {
  const Outcome outcome =
      run_body(NEIGHBOUR
               "ld.shared::cluster.u32 %r5, [%r1]; ld.shared::cluster.u32 %result, [%r0];"
               "ld.u32 %r6, [%d1]; add.u32 %result, %result, %r5; add.u32 %result, %result, "
               "%r6;" LEAVE_TOGETHER,
               clusters_of(2));
  RemoteCount remote;
  for (const SiteCount& site : outcome.count.sites) remote += site.remote;
  BOOST_TEST(remote.requests == 16U);
  BOOST_TEST(remote.bytes == 8U * 32 * (4 + 4));
}

BOOST_AUTO_TEST_CASE(reads_of_a_flag_while_waiting_are_in_no_count) {
  const Outcome outcome = run_body("st.global.u32 [%slot], %id;" GRID_SYNC("A"), cooperative(40));
  std::uint64_t loads = 0;
  const Kernel kernel = lower(
      ptx::Module(kernel_text("st.global.u32 [%slot], %id;" GRID_SYNC("A"))), "k", Simd::baseline);
  for (const Op& op : kernel.ops) {
    if (op.kind == OpKind::load) loads += outcome.count.sites[op.detail].global.requests;
  }
  BOOST_TEST(loads == 40U);
}

BOOST_AUTO_TEST_CASE(clusters_that_see_each_others_work) {
  // The first cluster waits for what the last one does.
  Setting setting = clusters_of(2);
  setting.words = 8 * 32 + 1;
  setting.instruction_limit = 50'000'000;
  const Outcome outcome = run_body(R"ptx(
  mov.u32 %r0, %clusterid.x; setp.eq.u32 %p0, %r0, 3; @%p0 bra SET; setp.ne.u32 %p1, %r0, 0;
  @%p1 bra DONE;
W: ld.volatile.global.u32 %result, [%out+1024]; setp.eq.u32 %p2, %result, 0; @%p2 bra W; bra DONE;
SET: mov.u32 %r1, 8; st.volatile.global.u32 [%out+1024], %r1;
DONE: barrier.cluster.arrive; barrier.cluster.wait;)ptx",
                                   setting);
  BOOST_TEST(outcome.out[0] == 8U);
  BOOST_TEST(outcome.out[63] == 8U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
