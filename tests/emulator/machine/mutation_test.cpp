// PTX that nobody meant: whatever stands in it, a fault or a refusal is what comes of it.

#include <boost/test/unit_test.hpp>
#include <new>
#include <string_view>

#include "engine/emulator/lower/kernel.h"
#include "engine/emulator/machine/launch.h"
#include "tests/emulator/machine/random_program.h"
#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(mutations)

namespace {

using Random = std::mt19937_64;

/// What random programs do not have.
constexpr const char* rare = R"ptx(
.shared .align 16 .b8 s[512]; .shared .align 8 .b64 bar; .local .align 16 .b8 l[64];
mov.u64 %d0, s; mov.u64 %d1, l; cvta.local.u64 %d2, %d1; cvta.shared.u64 %d3, %d0; mov.u32 %r0, s;
mov.u64 %d4, table; ld.global.u64 %d5, [%d4]; ld.u32 %r1, [%d2]; st.u32 [%d3], %r1;
mul.wide.u32 %d6, %me, 3; mov.b128 %q0, {%d6, %d1}; st.local.b128 [%d1], %q0;
ld.local.v4.b32 {%r2, %r3, %r4, %r5}, [%d1]; atom.global.add.u32 %r6, [%slot], 1;
atom.shared.cas.b64 %d7, [%d0], %d6, %d1; red.shared.add.f32 [%r0], %f1; atom.shared.exch.b128 %q1, [s], %q0;
atom.global.add.noftz.f16x2 %r7, [%slot], %r2;
mbarrier.init.shared.b64 [bar], 32; mbarrier.arrive.shared.b64 %d8, [bar];
mbarrier.try_wait.shared.b64 %p1, [bar], %d8; mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 128; mbarrier.pending_count.b64 %r8, %d8;
cp.async.ca.shared.global [%r0], [%out], 4, %r2; cp.async.cg.shared.global [%r0], [%out], 16, %p1;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%out], 128, [bar];
cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 64;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [s], 64;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r0];
stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r0], {%r8}; movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r8;
shfl.sync.idx.b32 %r10|%p3, %me, 3, 31, -1; match.all.sync.b32 %r11|%p4, %me, -1; elect.sync %r12|%p5, -1;
match.any.sync.b64 %r11, %d6, -1; vote.sync.uni.pred %p6, %p5, -1; bar.warp.sync -1; activemask.b32 %r13;
bar.red.popc.u32 %r14, 1, %p1; bar.arrive 2, 64; barrier.cta.sync 3, 32; nanosleep.u32 20;
mov.u64 %d10, 16; alloca.u64 %d11, %d10; stacksave.u64 %d12; stackrestore.u64 %d12; mov.u32 %r15, %clock;
{ .param .align 4 .b8 in[8]; .param .b32 got; st.param.b32 [in], %me; st.param.b32 [in+4], %r1;
  call.uni (got), sum, (in); ld.param.b32 %r16, [got]; }
{ .param .b64 a; .param .b64 b; .param .b32 n; st.param.b64 [a], %d4; st.param.b64 [b], %d2;
  call.uni (n), vprintf, (a, b); ld.param.b32 %r17, [n]; }
rem.u32 %r18, %me, 3; T: .branchtargets A, B, C; brx.idx %r18, T; A: add.cc.u32 %r19, %r18, %r17;
B: addc.u32 %r20, %r19, 0; isspacep.shared %p7, %d3; C: lop3.b32 %r21, %r20, %r19, %r18, 0x96;
prmt.b32 %r22, %r21, %r20, 0x5410; dp4a.u32.u32 %r23, %r22, %r21, %r20; cvt.rn.f16.f32 %h1, %f1;
cvt.u8.u32 %r24, %r23; mov.b32 {%h2, %h3}, %r24; mov.b64 {%r25, %r26}, %d12; bfe.u32 %r27, %r26, 3, 5;
mov.u32 %r28, %cluster_nctarank; sub.u32 %r28, %r28, 1; mapa.shared::cluster.u32 %r29, %r0, %r28;
mapa.u64 %d13, %d3, 0; getctarank.u64 %r30, %d13; barrier.cluster.arrive; barrier.cluster.wait;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r0], %me, [bar];
red.shared::cluster.add.u32 [%r29], 1; ld.shared::cluster.u32 %r31, [%r29]; ld.u32 %r31, [%d13];
setp.eq.u32 %p8, %me, 0; mov.b16 %h4, 1;
@%p8 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [%out], 128, [bar], %h4;
@%p8 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s], [s+128], 16, [bar];
mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [bar], 272; isspacep.shared::cluster %p9, %d13;
barrier.cluster.arrive.relaxed; barrier.cluster.wait.acquire; add.u32 %result, %r27, %r10;
)ptx";
constexpr const char* rare_scope = R"ptx(
.extern .func (.param .b32 n) vprintf(.param .b64 format, .param .b64 list);
.global .align 8 .b64 table[3] = {generic(text), 2, 3};
.global .align 1 .b8 text[] = {37,100,32,37,115,0};
.func (.param .b32 got) sum(.param .align 4 .b8 in[8]) {
  .reg .b32 %r<4>; ld.param.b32 %r0, [in]; ld.param.b32 %r1, [in+4]; add.u32 %r0, %r0, %r1;
  st.param.b32 [got], %r0; ret; }
)ptx";

constexpr std::string_view words[] = {
    "%r1",      "%d1",        "%h1",        "%p1",        "%q1",        "%f1",   "%g1",   "%out",
    "%me",      "s",          "l",          "bar",        "[s]",        "[%r0]", "[%d1]", "k_out",
    "[k_out]",  "0",          "-1",         "4294967295", "16",         "_",     "!%p1",  "%tid.x",
    "%clock64", "{%r1, %r2}", "{%d1, %d2}", "WARP_SZ",    "0f3f800000", "u8",    "s16",   "b16",
    "u32",      "b64",        "b128",       "f16",        "f16x2",      "f32",   "f64",   "pred",
    "v2",       "v4",         "v8",         "shared",     "global",     "local", "param", "const",
    "volatile", "sync",       "ld",         "st",         "atom",       "red",   "mov",   "cvt",
    "add",      "setp",       "bra",        "ret",        "exit",       "call",  "cas",   "exch",
    "min",      "and",        "wide",       "trap",       "table"};

std::size_t below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

bool is_word(char c) {
  return c == '%' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

/// The word around a random place behind the header: its begin and length.
std::pair<std::size_t, std::size_t> pick_word(const std::string& text, Random& random) {
  const std::size_t header = std::min(text.size(), text.find(".reg"));
  std::size_t at = header + below(random, text.size() - header);
  while (at < text.size() && !is_word(text[at])) ++at;
  std::size_t begin = at;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  while (at < text.size() && is_word(text[at])) ++at;
  return {begin, at - begin};
}

void mutate(std::string& text, Random& random) {
  const auto [begin, length] = pick_word(text, random);
  switch (below(random, 8)) {
    case 0:
      text[below(random, text.size())] = static_cast<char>(' ' + below(random, 95));
      return;
    case 1: {
      const auto [from, count] = pick_word(text, random);
      text.replace(begin, length, text.substr(from, count));
      return;
    }
    case 2: {
      const std::size_t end = text.find(';', begin);
      if (end != std::string::npos) text.erase(begin, end - begin);
      return;
    }
    case 3: {
      const std::size_t from = begin + 1 < text.size() ? text.find(';', begin) : std::string::npos;
      const std::size_t end = from == std::string::npos ? from : text.find(';', from + 1);
      if (end == std::string::npos) return;
      const std::string statement = text.substr(from, end - from);
      text.insert(text.find(';', text.find(".reg") + below(random, text.size() / 2)), statement);
      return;
    }
    default:
      text.replace(begin, length, words[below(random, std::size(words))]);
  }
}

enum class Ending { fine, refused, faulted };

Ending lower_and_run(const std::string& text, const RandomProgram& program, std::uint32_t cluster) {
  try {
    TestDevice device(text);
    Allocation& out = device.memory().allocate("out", program.out_bytes, 4);
    Setting setting;
    setting.grid = program.grid;
    setting.block = program.block;
    setting.cluster = {cluster, 1, 1};
    setting.instruction_limit = 20'000;
    Launch launch = device.launch("k", setting, {out.base});
    launch.checks_kernel = launch.shared_bytes() < 0x10000;
    run_grid(launch, {});
    return Ending::fine;
  } catch (const ptx::SyntaxError&) {
    return Ending::refused;
  } catch (const UnsupportedError&) {
    return Ending::refused;
  } catch (const KernelFault&) {
    return Ending::faulted;
  } catch (const std::bad_alloc&) {
    return Ending::faulted;
  }
}

}  // namespace

/// SWEEP_MUTATIONS asks for another number, SWEEP_RANDOM_SEED for others.
BOOST_AUTO_TEST_CASE(end_well_or_are_refused_or_fault) {
  const std::uint64_t count = from_environment("SWEEP_MUTATIONS", 3000);
  Random random(from_environment("SWEEP_RANDOM_SEED", 1));
  const Flavour flavour = {"", true, true, true, 8};
  std::array<std::uint64_t, 3> endings{};
  for (std::uint64_t i = 0; i < count; ++i) {
    RandomProgram program = random_program(random, flavour);
    if (i % 2 == 0) program.ptx = kernel_text(rare, rare_scope);
    const std::uint32_t cluster = i % 4 == 0 ? 2 : 1;
    program.grid.x = cluster;
    program.block.x = 32;
    for (std::size_t n = 1 + below(random, 2); n > 0; --n) mutate(program.ptx, random);
    BOOST_TEST_CONTEXT("mutation " << i << ":\n" << program.ptx) {
      BOOST_CHECK_NO_THROW(
          ++endings.at(static_cast<std::size_t>(lower_and_run(program.ptx, program, cluster))));
    }
  }
  // A test that refuses everything looks at nothing.
  BOOST_TEST(endings[0] > count / 50);
  BOOST_TEST(endings[1] > count / 50);
  BOOST_TEST(endings[2] > count / 50);
}

BOOST_AUTO_TEST_CASE(the_texts_they_come_from_run) {
  TestDevice device(kernel_text(rare, rare_scope));
  Allocation& out = device.words("out", std::vector<std::uint32_t>(64));
  const Launch launch = device.launch("k", {}, {out.base});
  BOOST_TEST(run_grid(launch, {}).blocks == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
