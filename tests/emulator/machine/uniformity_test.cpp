// What the analysis takes for uniform is so in every lane, whatever instruction computes it.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <set>

#include "engine/emulator/lower/kernel.h"
#include "tests/emulator/machine/random_program.h"
#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

struct IndexCase {
  const char* name;
  bool is_uniform;
  const char* body;  ///< leaves an index below 64 in %r1
};
static std::ostream& operator<<(std::ostream& out, const IndexCase& c) {
  return out << c.name;
}

BOOST_AUTO_TEST_SUITE(uniformity)

namespace {

constexpr const char* locals = R"ptx(
  .local .align 16 .b8 own[32]; .shared .align 16 .b8 cells[1024]; .shared .align 8 .b64 bar;
  .reg .b32 %n, %m; ld.param.u32 %m, [k_out]; and.b32 %n, %m, 0;
  mov.u32 %r20, cells; mad.lo.u32 %r20, %me, 16, %r20; st.shared.u32 [%r20], %me; bar.sync 0;
)ptx";

const IndexCase indices[] = {
    {"a constant", true, "mov.u32 %r1, 5;"},
    {"an argument", true, "add.u32 %r1, %n, 3;"},
    {"the block's place", true, "mov.u32 %r2, %ctaid.x; mul.lo.u32 %r1, %r2, 7;"},
    {"the lane", false, "mov.u32 %r1, %laneid;"},
    {"a carry", true, "add.cc.u32 %r2, %n, -1; addc.u32 %r1, %n, 9;"},
    {"the lane's carry", false,
     "sub.u32 %r3, -16, %me; add.cc.u32 %r2, %r3, 20; addc.u32 %r1, %n, 9;"},
    {"fns", true, "fns.b32 %r1, 0xf0, %n, 1;"},
    {"one of two, by a predicate", false, "setp.lt.u32 %p0, %me, 7; selp.u32 %r1, 1, 2, %p0;"},
    {"guarded", false, "setp.lt.u32 %p0, %me, 7; mov.u32 %r1, 1; @%p0 mov.u32 %r1, 2;"},
    {"a load of global memory", true, "ld.global.u32 %r2, [%out]; and.b32 %r1, %r2, 63;"},
    {"a load of shared memory", true, "ld.shared.u32 %r1, [cells+32];"},
    {"a load of local memory", false, "st.local.u32 [own+4], %me; ld.local.u32 %r1, [own+4];"},
    {"a load of local memory at an index", false,
     "mov.u32 %r2, own; add.u32 %r3, %r2, %n; st.local.u32 [%r3], %me; ld.local.u32 %r1, [%r3];"},
    {"a generic load of local memory", false,
     "mov.u64 %d1, own; cvta.local.u64 %d1, %d1; st.u32 [%d1], %me; ld.u32 %r1, [%d1];"},
    {"a generic load, of memory that may be local", false,
     "mov.u64 %d1, cells; cvta.shared.u64 %d2, %d1; ld.u32 %r1, [%d2+16];"},
    {"ldmatrix", false, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r20];"},
    {"mma", false,
     "mov.u32 %r2, 0; mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r3}, {%r2}, {%r2}, "
     "{%me, %r2};"},
    {"wgmma", false,
     "mov.u32 %r2, 0; mov.u64 %d1, 0; setp.ne.u32 %p0, %me, %me; mov.u32 %r1, 3;"
     "@%p0 wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r1, %r3, %r4, %r5}, {%r2, %r2, %r2, "
     "%r2}, %d1, %p0;"},
    {"wgmma's fence", true,
     "setp.ne.u32 %p0, %me, %me; mov.u32 %r1, 3; @%p0 "
     "wgmma.fence.sync.aligned;"},
    {"movmatrix", false,
     "mov.u32 %r2, 0x30001; shl.b32 %r3, %me, 1; and.b32 %r3, %r3, 31; add.u32 %r2, %r2, %r3;"
     "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2; and.b32 %r1, %r1, 63;"},
    {"movmatrix of one value", false,
     "movmatrix.sync.aligned.m8n8.trans.b16 %r2, 0x30001; and.b32 %r1, %r2, 63;"},
    {"shfl", false, "shfl.sync.idx.b32 %r1, %me, %me, 0x1f, -1;"},
    {"vote", false,
     "setp.lt.u32 %p0, %me, 7; vote.sync.ballot.b32 %r2, %p0, -1; popc.b32 %r1, %r2;"},
    {"match", false, "and.b32 %r2, %me, 3; match.any.sync.b32 %r3, %r2, -1; and.b32 %r1, %r3, 15;"},
    {"redux", false, "redux.sync.max.u32 %r1, %me, -1;"},
    {"redux of floats", false,
     "cvt.rn.f32.u32 %f1, %me; redux.sync.max.f32 %f2, %f1, -1; cvt.rzi.u32.f32 %r1, %f2;"},
    {"elect", false, "elect.sync %r2|%p0, -1; selp.u32 %r1, 1, 2, %p0;"},
    {"activemask", false,
     "setp.lt.u32 %p0, %me, 7; @%p0 bra A; activemask.b32 %r2; bra B; A: activemask.b32 %r2; B:"
     "and.b32 %r1, %r2, 63;"},
    {"a clock", false, "mov.u32 %r2, %clock; and.b32 %r1, %r2, 63;"},
    {"an atomic's result", false, "atom.global.add.u32 %r2, [%out+256], 1; and.b32 %r1, %r2, 63;"},
    {"an exchange of 128 bits", false,
     "mov.b128 %q0, {%d5, %d5}; atom.shared.exch.b128 %q1, [%r20], %q0;"
     "mov.b128 {%d6, %d7}, %q1; cvt.u32.u64 %r2, %d6; and.b32 %r1, %r2, 63;"},
    {"an mbarrier's state", false,
     "setp.eq.u32 %p0, %me, 0; @%p0 mbarrier.init.shared.b64 [bar], 32; bar.sync 0;"
     "mbarrier.arrive.shared.b64 %d1, [bar]; shr.u64 %d2, %d1, 20; cvt.u32.u64 %r2, %d2;"
     "and.b32 %r1, %r2, 63;"},
    {"a barrier's count", false, "setp.lt.u32 %p0, %me, 7; bar.red.popc.u32 %r1, 0, %p0;"},
    {"the stack", false,
     "mul.wide.u32 %d1, %me, 16; alloca.u64 %d2, %d1; alloca.u64 %d3, 16; cvt.u32.u64 %r2, %d3;"
     "shr.u32 %r1, %r2, 4; and.b32 %r1, %r1, 63; stackrestore.u64 %d2;"},
    {"printf's result", false,
     "{ .param .b64 format; .param .b64 list; .param .b32 got; mov.u64 %d1, own;"
     "cvta.local.u64 %d1, %d1; st.param.b64 [format], %out; st.param.b64 [list], %d1;"
     "call.uni (got), vprintf, (format, list); ld.param.b32 %r1, [got]; }"},
    {"an asynchronous copy", true,
     "cp.async.ca.shared.global [%r20], [%slot], 4; cp.async.wait_all; bar.warp.sync -1;"
     "ld.shared.u32 %r1, [cells];"},
    {"a bulk copy", true,
     "setp.eq.u32 %p0, %me, 0; @%p0 mbarrier.init.shared.b64 [bar], 1;"
     "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [cells], [%out], 16, "
     "[bar]; bar.sync 0; ld.shared.u32 %r1, [cells];"},
    {"a fence between proxies", true, "fence.proxy.async.shared::cta; mov.u32 %r1, 3;"},
    {"a tensor's box", true,
     "setp.ne.u32 %p0, %me, %me; mov.u32 %r1, 3;"
     "@%p0 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%out, {%me}], [cells];"},
    {"a texture", false,
     "setp.ne.u32 %p0, %me, %me; mov.u32 %r1, 3;"
     "@%p0 tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%out, {%me}];"},
    {"stmatrix", true,
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r20], {%r5}; bar.sync 0;"
     "ld.shared.u32 %r2, [cells]; and.b32 %r1, %r2, 63;"},
    {"a place in another block", true,
     "mov.u32 %r2, cells; mapa.shared::cluster.u32 %r3, %r2, 0;"
     "getctarank.shared::cluster.u32 %r1, %r3;"},
    {"the cluster's barrier", true,
     "barrier.cluster.arrive; mov.u32 %r1, 3; barrier.cluster.wait;"},
    {"sleep", true, "nanosleep.u32 5; mov.u32 %r1, 3;"},
    {"a fence", true, "fence.acq_rel.gpu; mov.u32 %r1, 3;"},
    {"a fence of the cluster", true, "fence.acq_rel.cluster; mov.u32 %r1, 3;"},
    {"an assertion that holds", true,
     "setp.gt.u32 %p0, %me, 99; mov.u32 %r1, 3; @!%p0 bra GOOD;"
     "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;"
     "call.uni __assertfail, (a, b, c, d, e); } GOOD:"},
    {"a function that calls itself", false,
     "{ .param .b32 n; .param .b32 got; st.param.b32 [n], %me; call.uni (got), down, (n);"
     "ld.param.b32 %r1, [got]; }"},
};

/// The program that adds to out[16 * index], an address of its own sector for every index.
std::string program_of(const IndexCase& c) {
  const std::string body = std::string(locals) + c.body +
                           "mad.wide.u32 %d40, %r1, 64, %out; red.global.add.u32 [%d40], 1;";
  return kernel_text(body,
                     ".extern .func (.param .b32 got) vprintf(.param .b64 f, .param .b64 l);"
                     ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, "
                     ".param .b64 d, .param .b64 e);"
                     ".func (.param .b32 got) down(.param .b32 n) { .reg .b32 %r<3>; .reg .pred %p;"
                     "ld.param.b32 %r1, [n]; st.param.b32 [got], %r1; setp.lt.u32 %p, %r1, 8;"
                     "@%p ret; sub.u32 %r1, %r1, 8; { .param .b32 a; .param .b32 b;"
                     "st.param.b32 [a], %r1; call.uni (b), down, (a); ld.param.b32 %r2, [b]; }"
                     "st.param.b32 [got], %r2; ret; }");
}

constexpr std::size_t words = 2048;

struct Run {
  LaunchCount count;
  Kernel kernel;
  std::vector<std::uint32_t> out;
};

/// Executes `k(out)`, whose atomics one lane does for all only where `aggregates` allows it.
Run run(const std::string& ptx, bool aggregates) {
  TestDevice device(ptx);
  Allocation& out = device.words("out", std::vector<std::uint32_t>(words));
  Launch launch = device.launch("k", {}, {out.base});
  launch.notes_shapes = true;
  Run result;
  result.kernel = device.kernel();
  if (!aggregates) {
    for (MemoryOp& memory : result.kernel.memory) memory.is_aggregated = false;
  }
  launch.kernel = &result.kernel;
  plan_execution(launch);
  result.count = run_grid(launch, {}).count;
  result.out = TestDevice::values(out);
  return result;
}

/// That aggregation changes no result, and no count of lanes that have several addresses.
void check_aggregation(const std::string& ptx) {
  const Run with = run(ptx, true);
  const Run without = run(ptx, false);
  BOOST_TEST(with.out == without.out);
  for (std::size_t i = 0; i < with.kernel.memory.size(); ++i) {
    if (with.count.shapes[i].uniform != 0) continue;
    BOOST_TEST((with.count.sites[i] == without.count.sites[i]), "access " << i << "\n" << ptx);
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(is_told_from_what_differs_by_lane, boost::unit_test::data::make(indices), c) {
  const std::string ptx = program_of(c);
  check_aggregation(ptx);
  const Run with = run(ptx, true);
  const std::size_t atomic = with.kernel.memory.size() - 2;
  BOOST_TEST(with.kernel.memory[atomic].is_aggregated == c.is_uniform);
  const AddressShape& shape = with.count.shapes[atomic];
  if (c.is_uniform) BOOST_TEST(shape.uniform == shape.accesses);
}

/// A kind of operation that is missing here has not been thought of.
BOOST_AUTO_TEST_CASE(every_kind_of_operation_is_tried) {
  std::set<OpKind> tried;
  for (const IndexCase& c : indices) {
    const Kernel kernel = lower(ptx::Module(program_of(c)), "k", Simd::baseline);
    for (const Op& op : kernel.ops) tried.insert(op.kind);
    for (const BasicBlock& block : kernel.blocks) tried.insert(block.op.kind);
  }
  for (int kind = 0; kind <= static_cast<int>(OpKind::barrier); ++kind) {
    BOOST_TEST(tried.contains(static_cast<OpKind>(kind)), "kind " << kind);
  }
}

BOOST_AUTO_TEST_CASE(lanes_that_left_a_loop_in_different_rounds_are_counted_apart) {
  const IndexCase rounds = {"", true, R"ptx(
  and.b32 %r3, %me, 1;
LOOP: ld.global.u32 %r1, [%out+8]; add.u32 %r4, %r1, 1; st.global.u32 [%out+8], %r4;
  sub.s32 %r3, %r3, 1; setp.ge.s32 %p0, %r3, 0; @%p0 bra LOOP;)ptx"};
  check_aggregation(program_of(rounds));
  const Run both = run(program_of(rounds), true);
  BOOST_TEST(both.count.sites[both.kernel.memory.size() - 2].global.sectors > 1U);
}

namespace {

/// Computes registers from each other at random, each once, and adds at an address made of each.
std::string random_chain(std::mt19937_64& random) {
  const auto below = [&](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  std::string body = locals;
  body +=
      ".reg .b32 %u<40>; .reg .b64 %w<80>; st.local.v4.u32 [own], {%me, %me, %me, %me};\n"
      "add.u32 %u0, %n, 3; mov.u32 %u1, %ctaid.x; mov.u32 %u2, %me; mov.u32 %u3, 5;\n";
  constexpr std::uint32_t count = 40;
  for (std::uint32_t i = 4; i < count; ++i) {
    const auto u = [&] { return "%u" + std::to_string(below(i)); };
    const std::string to = "%u" + std::to_string(i);
    const std::string wide = "%w" + std::to_string(i);
    const std::string lines[] = {
        "add.u32 " + to + ", " + u() + ", " + u() + ";",
        "mul.lo.u32 " + to + ", " + u() + ", 3;",
        "xor.b32 " + to + ", " + u() + ", " + u() + ";",
        "add.u32 " + to + ", " + u() + ", 1;",
        "setp.lt.u32 %p1, " + u() + ", 4; selp.u32 " + to + ", 1, 2, %p1;",
        "mov.u32 " + to + ", 0; @%p2 mov.u32 " + to + ", 1;",
        "and.b32 %r9, " + u() +
            ", 12; cvt.u64.u32 %d9, %r9; mov.u64 %d8, own;"
            "add.u64 %d9, %d8, %d9; ld.local.u32 " +
            to + ", [%d9];",
        "ld.local.u32 " + to + ", [own+8];",
        "ld.shared.u32 " + to + ", [cells+16];",
        "and.b32 %r9, " + u() +
            ", 60; mov.u32 %r8, cells; add.u32 %r9, %r8, %r9;"
            "ld.shared.u32 " +
            to + ", [%r9];",
        "and.b32 " + to + ", " + u() + ", 31; mad.wide.u32 " + wide + ", " + to + ", 4, %out;",
        "shfl.sync.bfly.b32 " + to + ", " + u() + ", 1, 0x1f, -1;",
        "redux.sync.add.u32 " + to + ", " + u() + ", -1;",
    };
    body += lines[below(std::size(lines))] + "\n";
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    const std::string place = "%w" + std::to_string(i + count);
    body += ".reg .b32 %x" + n + "; and.b32 %x" + n + ", %u" + n + ", 31; mad.wide.u32 " + place +
            ", %x" + n + ", 64, %out; red.global.add.u32 [" + place + "], 1;\n";
  }
  return kernel_text(body);
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_chains_are_uniform_where_they_are_said_to_be) {
  std::size_t aggregated = 0;
  std::size_t apart = 0;
  for (std::uint64_t seed = 1; seed <= from_environment("SWEEP_RANDOM_PROGRAMS", 60); ++seed) {
    std::mt19937_64 random(seed);
    const std::string ptx = random_chain(random);
    check_aggregation(ptx);
    const Run with = run(ptx, true);
    for (std::size_t i = 0; i < with.kernel.memory.size(); ++i) {
      const AddressShape& shape = with.count.shapes[i];
      aggregated += with.kernel.memory[i].is_aggregated ? 1 : 0;
      apart += shape.uniform != shape.accesses ? 1 : 0;
      if (with.kernel.memory[i].is_aggregated) {
        BOOST_TEST(shape.uniform == shape.accesses, "seed " << seed << "\n" << ptx);
      }
    }
  }
  BOOST_TEST(aggregated > 100U);
  BOOST_TEST(apart > 100U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
