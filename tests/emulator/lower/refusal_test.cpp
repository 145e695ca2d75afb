// What cannot be executed is refused with a reason, and only where it can be reached.

#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/lower/lowered.h"
#include "tests/repeated.h"

namespace sweep::testing {

struct Refused {
  const char* body;
  const char* why;
  const char* scope = "";
};
static std::ostream& operator<<(std::ostream& out, const Refused& r) {
  return out << r.body;
}

BOOST_AUTO_TEST_SUITE(refusals)

namespace {

const Refused refused[] = {
    {"tcgen05.fence::before_thread_sync;",
     "line 7 of the PTX: the emulator does not execute the instruction "
     "tcgen05.fence::before_thread_sync, nor does a GPU of compute capability 9.0: it is of 10.0 "
     "and "
     "newer"},
    {"st.async.mmio.release.gpu.global.u32 [%d1], %r1;", ""},
    {"red.async.mmio.release.sys.global.add.u32 [%d1], %r1;", ""},
    {"st.async.mmio.release.gpu.global.u32 [%d1], %r1, [%r2];", "st.async.mmio"},
    {"sust.b.2d.b32.trap [%d1, {%r1, %r2}], {%r3};",
     "the emulator does not execute the instruction sust.b.2d.b32.trap: a pattern passes no "
     "surface"},
    {"multimem.red.relaxed.gpu.global.add.u32 [%d1], %r1;",
     "multimem.red.relaxed.gpu.global.add.u32: it needs memory that several GPUs share"},
    {"txq.width.b32 %r1, [%d1]; st.global.u32 [%d1], %r1;", ""},
    {"txq.filter_mode.b32 %r1, [%d1]; st.global.u32 [%d1], %r1;", "txq.filter_mode.b32; a GPU"},
    {"txq.level.width.b32 %r1, [%d1], %r2; st.global.u32 [%d1], %r1;", "a texture has one level"},
    {"istypep.texref %p1, %d1;", "istypep.texref: a pattern passes no reference"},
    {"sqrt.rn.u32 %r1, %r2;",
     "sqrt.rn.u32; a GPU of compute capability 9.0 does (sweep run --device 0)"},
    {"mov.v4.u32 {%r1, %r2, %r3}, %tid;", "its vector does not fit"},
    {"mov.v4.u32 {%r1, %r2, %r3, %r4}, %laneid;", "the special register %laneid.x is not known"},
    {"mov.v2.u32 {%r1, %r2}, %r3;", "its vector does not fit"},
    {"mov.v2.u32 {%r1, %d2}, {%r3, %r4};", "the destination has another width"},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %r1, 0, "
     "%p1, 1, 1, 0, 0;",
     ""},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %r1, 2, "
     "%p1, 1, 1, 0, 0;",
     "its sparsity selector is not one of its shape"},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %r1, 0, "
     "%p1, 1, 1, 0, 0;",
     "PTX has no such shape"},
    {"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, "
     "1, 0, 0;",
     "PTX has no such shape"},
    {"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, 1, "
     "0, 0;",
     "PTX has no such shape"},
    {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1}, %d1, %d2, %p1;",
     "PTX has no such shape"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3}, %d1, %d2, %p1, 1, 1, 0, "
     "0;",
     "its registers are not those of its shape"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r1, %r2}, %d2, "
     "%p1, 1, 1, 0;",
     "its registers are not those of its shape"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 2, 1, "
     "0, 0;",
     "an operand is not one of its two constants"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, "
     "1, 0, 0;",
     "f16.bf16"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%f1, %f2}, %d1, %d2, %p1, 1, 1, 0, 0;",
     "f16.bf16"},
    {"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r1, %r2, %r3, %r4}, %d1, %d2, %p1, 1, 1;",
     "it has operands that have no meaning"},
    {"wgmma.wait_group.sync.aligned 8;", "its operand is not a constant that it can have"},
    {"setmaxnreg.inc.sync.aligned.u32 100;", "its count is a multiple of 8 from 24 to 256"},
    {"setmaxnreg.inc.sync.aligned.u32 264;", "its operand is not a constant that it can have"},
    {"vabsdiff4.u32.u32.s32 %r1, %r2, %r3, %r4;", ""},
    {"vadd.u32.u32 %r1, %r2, %r3;", "vadd.u32.u32"},
    {"vadd.u32.u32.u16 %r1, %r2, %r3;", "vadd.u32.u32.u16"},
    {"vadd.u32.u32.u32 %r1, %r2, %r3, %r4;", "its operands are not known"},
    {"vadd.u32.u32.u32.add %r1, %r2, %r3;", "its operands are not known"},
    {"vadd.u32.u32.u32 %r1, %r2.b1, %r3;", "an operand is of a kind it cannot have"},
    {"vadd4.u32.u32.u32.max %r1, %r2, %r3, %r4;", "vadd4.u32.u32.u32.max"},
    {"vavrg4.u32.u32.u32 %r1, %r2, %r3, %r4;", "vavrg4"},
    {"max.xorsign.abs.f32 %f1, %f2, %f3, %f4;", "max.xorsign.abs.f32"},
    {"max.f64 %d1, %d2, %d3, %d4;", "max.f64"},
    {"redux.sync.min.abs.s32 %r1, %r2, -1;", "redux.sync.min.abs.s32"},
    {"cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "cvt.rn.e4m3x2.f32"},
    {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1;", "it has too few operands"},
    {"add.u32 %r1, %r2;", "it has too few operands"},
    {"{ .param .b64 n; .param .b64 got; call.uni (got), malloc, (n); }",
     "there is no heap on the emulator", ".extern .func (.param .b64 got) malloc(.param .b64 n);"},
    {"add.u32 %r1, %r2, %r3, %r4;", "it has operands that have no meaning"},
    {"add.u32 %r1, %d2, %r3;", "an operand has another width"},
    {"add.u32 %r1, %p2, %r3;", "an operand has another width"},
    {"add.u32 %d1, %r2, %r3;", "the destination has another width"},
    {"add.u64 %d1, %r2, %d3;", "an operand has another width"},
    {"add.u32 5, %r2, %r3;", "the destination is not a register"},
    {"setp.eq.u32 %r1, %r2, %r3;", "the destination has another width"},
    {"selp.b32 %r1, %r2, %r3, %r4;", "an operand is not a predicate"},
    {"cvt.u32.u32 %p1, %r1;", "the destination has another width"},
    {"cvt.u32.u32 %r1, %p1;", "an operand has another width"},
    {"cvt.u32.u64 %r1, %r2;", "an operand has another width"},
    {"cvt.u64.u32 %q1, %r2;", "the destination has another width"},
    {"mov.u32 %r1, %clusterid;", "the special register %clusterid is not known"},
    {"mov.pred %p1, %tid.x;", "an operand is not a predicate"},
    {"mov.b64 {%r1, %r2, %r3}, %d1;", "its vector does not fit"},
    {"mov.b64 {%r1, %h2}, %d1;", ""},
    {"ld.volatile.global.u32 %p1, [%d1];", "a register is too narrow"},
    {"ld.volatile.global.u64 %r1, [%d1];", "a register is too narrow"},
    {"ld.volatile.global.u32 %q1, [%d1]; st.global.b128 [%d1], %q1;", "a register is too wide"},
    {"ld.volatile.global.v4.u64 {%d1, %d2, %d3, %d4}, [%d1];", ""},
    {"ld.volatile.global.v8.u64 {%d1, %d2, %d3, %d4, %d1, %d2, %d3, %d4}, [%d1];", "v8.u64"},
    {"ld.volatile.global.v2.u32 {%r1, %r2, %r3}, [%d1];", "its vector does not fit"},
    {"ld.volatile.global.u32 %r1, [%h1];", "its address has another width"},
    {"ld.volatile.global.u32 %r1, %d1;", "it has no address"},
    {"ld.param.u32 %p1, [k_n]; @%p1 st.global.u32 [%d1], 1;", "a register does not fit"},
    {"ld.param.u32 %h1, [k_n]; st.global.u16 [%d1], %h1;", "a register does not fit"},
    {"ld.param.u64 %r1, [k_out]; st.global.u32 [%d1], %r1;", "a register does not fit"},
    {"ld.param.u32 %r1, [k_n+4]; st.global.u32 [%d1], %r1;",
     "it reads past the kernel's parameters"},
    {"ld.param.u32 %r1, [k_out+-4]; st.global.u32 [%d1], %r1;",
     "it reads past the kernel's parameters"},
    {"ld.param.v2.u32 {%r1, %r2}, [k_n]; st.global.u32 [%d1], %r1;",
     "it reads past the kernel's parameters"},
    {"st.const.u32 [%d1], %r1;", "constant memory cannot be written"},
    {"atom.global.add.u8 %h1, [%d1], %h2;", "atom.global.add.u8"},
    {"atom.global.and.f32 %f1, [%d1], %f2;", "atom.global.and.f32"},
    {"atom.global.add.b128 %q1, [%d1], %q2;", "atom.global.add.b128"},
    {"atom.global.frobnicate.u32 %r1, [%d1], %r2;", "frobnicate"},
    {"cp.async.ca.shared.global [%r1], [%d1], 5;", "it copies 4, 8 or 16 bytes"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.b128 [%d1], [%r1], %r2;", "b128"},
    {"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group "
     "[%d1, {%r1, %r2, %r3}], [%r4];",
     "of tensor copies it executes tiles alone"},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
     ".cta_group::2 [%r1], [%d1, {%r2}], [%r4];",
     "it is for pairs of blocks"},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
     ".cta_group::1 [%r1], [%d1, {%r2}], [%r4];",
     ""},
    {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, "
     "{%r1, %r2, %r3, %r4}, {%r1, %r2}, {%f1, %f2, %f3, %f4};",
     ""},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
     ".multicast::cluster [%r1], [%d1, {%r2}], [%r4];",
     "it has too few operands"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d1, {%r2}], [%r4];",
     "its coordinates do not fit"},
    {"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}]; st.global.f32 [%d1], "
     "%f1;",
     "of textures it executes those of one and two dimensions"},
    {"tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%r1, %f2, %f3, %f4}]; st.global.f32 [%d1], "
     "%f1;",
     "of textures it executes those of one and two dimensions"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u8 [%d1], [%r1], %r2;", "add.u8"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.and.f32 [%d1], [%r1], %r2;", "and.f32"},
    {"mov.b8 %r1, %r2;", "mov.b8"},
    {"mov.b128 %q1, %clock64;", "an operand has another width"},
    {"mov.b128 %q1, %tid.x;", "an operand has another width"},
    {"mov.b128 %q1, k_n;", "an operand has another width"},
    {".global .b32 v; mov.u64 %d1, v;", "the variable 'v' of global or constant memory"},
    {"mov.u64 %d1, v;", "a variable of the module lies in neither", ".local .b32 v;"},
    {"redux.sync.add.f32 %f1, %f2, %r1;", "redux.sync.add.f32"},
    {"mma.sync.aligned.m64n256k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
     "mma.sync.aligned.m64n256k16"},
    {"mma.sync.aligned.m16n8k24.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};", "m16n8k24"},
    {"mma.sync.aligned.m16n8k2.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f2};", "m16n8k2"},
    {"mma.sync.aligned.m16n8k16.row.col.s32.f16.f16.s32 {%r1}, {%r1}, {%r2}, {%r2};", "s32.f16"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.s8.f32 {%f1}, {%r1}, {%r2}, {%f2};", "f16.s8"},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f32 {%d1}, {%d1}, {%d2}, {%f2};", "f64.f64"},
    {"mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%d1, %d2}, {%d1}, {%d2}, {%d1, %d2};",
     ""},
    {"mma.sync.aligned.m16n8k8.row.col.rz.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
     "{%f1, %f2, %f3, %f4};",
     "rz.f32.f16"},
    {"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, "
     "%r4}, {%r1, %r2, %r3, %r4};",
     ""},
    {"mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3, "
     "%r4}, {%f1, %f2, %f3, %f4, %f1, %f2, %f3, %f4};",
     "f16.f16.f16.f32"},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, "
     "%r2}, {%r3, %r4}, {%r1, %r2}, %r5, 3;",
     ""},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r3, %r4}, "
     "{%r1, %r2}, %r5, 4;",
     "its sparsity selector is not one of its shape"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r3, %r4}, "
     "{%r1, %r2}, %r5, %r6;",
     "its sparsity selector is not one of its shape"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3}, {%r3, "
     "%r4}, {%r1, %r2}, %r5, 0;",
     "its registers are not those of its shape"},
    {"mma.sp.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r5, 0;",
     "m16n8k32"},
    {"mma.sp.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2}, %r5, 0;",
     "m16n8k64"},
    {"mma.sp.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%d1}, {%d1}, {%d2}, {%d2}, %r5, 0;",
     "f64.f64"},
    {"mma.sync.aligned.m32n8k4294967295.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f2};",
     "m32n8k4294967295"},
    {"wmma.load.a.sync.aligned.m16n16k0.row.f16 {%r1}, [%d1];", "m16n16k0"},
    {"wmma.load.c.sync.aligned.m16n16k16.row.s8 {%r1}, [%d1];", "s8"},
    {"barrier.cluster.arrive; barrier.cluster.wait;", ""},
    {"barrier.cluster.arrive.wait;", "barrier.cluster.arrive.wait"},
    {"barrier.cluster.arrive 0;", "barrier.cluster.arrive"},
    {"mapa.u64 %d1, %d2, %r3; getctarank.u64 %r1, %d1;", ""},
    {"mapa.u32 %r1, %r2, %r3;", "a generic address has 64 bits"},
    {"mapa.shared::cluster.f32 %f1, %f2, %r3;", "mapa.shared::cluster.f32"},
    {"mapa.u64 %d1, %d2;", "it has too few operands"},
    {"mapa.u64 %d1, %d2, %d3;", "an operand has another width"},
    {"getctarank.u64 %d1, %d2;", "the destination has another width"},
    {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2;",
     "it has too few operands"},
    {"st.async.release.global.u32 [%d1], %r2, [%r3];", "st.async.release.global.u32"},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.exch.b32 [%r1], %r2, "
     "[%r3];",
     "red.async"},
    {"call %d1, (), P; P: .callprototype _ ();", "does not execute calls through pointers"},
    {"call f, ();", "calls 'f', which the program does not define", ".extern .func f();"},
    {"{ .param .b32 a; call f, (a, a); }", "a call passes 2 values to or from 'f', which has 1",
     ".func f(.param .b32 x) { ret; }"},
    {"call f, (k_n);", "only .param variables are supported", ".func f(.param .b32 x) { ret; }"},
};

}  // namespace

BOOST_DATA_TEST_CASE(say_why, boost::unit_test::data::make(refused), r) {
  std::string scope = r.scope;
  const std::string forward = ".func g();";
  if (scope.ends_with(forward)) {
    scope =
        forward + scope.substr(0, scope.size() - forward.size()) + ".func g() { call f, (); ret; }";
  }
  const std::string message = refusal(r.body, scope);
  if (*r.why == '\0') {
    BOOST_TEST(message == "");
  } else {
    BOOST_TEST((message.find(r.why) != std::string::npos), message);
  }
}

namespace {

/// `depth` functions, of which each calls the next so many times; the last one does `work`.
std::string calling_functions(int depth, int calls, const std::string& work) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += fmt::format(".func f{}();\n", i);
  for (int i = 0; i + 1 < depth; ++i) {
    text += fmt::format(".func f{}() {{ {} ret; }}\n", i,
                        repeated(fmt::format("call f{}, (); ", i + 1), calls));
  }
  return text + fmt::format(".func f{}() {{ {} ret; }}\n", depth - 1, work);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_grows_beyond_measure) {
  BOOST_TEST(refusal("call f0, ();", calling_functions(200, 1, "")) == "");
  BOOST_TEST(refusal("call f0, ();", calling_functions(50'000, 1, "")) ==
             "'k' calls functions that call others, more than 256 deep");
  BOOST_TEST(refusal("call f0, ();", calling_functions(9, 10, "")) ==
             "'k' is too long with the functions it calls");
  const std::string many_registers = ".reg .b32 %x<30000>; " + [] {
    std::string text;
    for (int i = 0; i < 30'000; ++i) text += fmt::format("mov.u32 %x{}, 1; ", i);
    return text;
  }();
  BOOST_TEST(refusal("call f0, ();", calling_functions(2, 30, many_registers)) == "");
  const std::string clocks =
      "st.volatile.global.v8.b32 [%y], {%clock, %clock, %clock, %clock, "
      "%clock, %clock, %clock, %clock}; ";
  BOOST_TEST(refusal("call f0, ();",
                     calling_functions(3, 10, ".reg .b64 %y; " + repeated(clocks, 1000))) ==
             "'k' needs too many registers");
}

BOOST_AUTO_TEST_CASE(arguments_are_of_a_size_that_a_kernel_can_have) {
  const auto why = [](const std::string& parameters) {
    const ptx::Module module(".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(" +
                             parameters + ") { ret; }");
    try {
      lower(module, "k", Simd::baseline);
    } catch (const UnsupportedError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BOOST_TEST(why(".param .b8 p[32764]") == "");
  BOOST_TEST(why(".param .b8 p[32765]") == "'k' takes more than 32764 bytes of arguments");
  BOOST_TEST(why(".param .b8 p[281474976710656], .param .b8 q[281474976710656]") ==
             "'k' takes more than 32764 bytes of arguments");
}

BOOST_AUTO_TEST_CASE(only_what_is_reached_is_looked_at) {
  BOOST_TEST(refusal("bra END; tcgen05.fence::before_thread_sync; END:") == "");
  BOOST_TEST(refusal("ret; tcgen05.fence::before_thread_sync;") == "");
  BOOST_TEST(refusal("", ".func f() { tcgen05.fence::before_thread_sync; ret; }") == "");
  BOOST_TEST(refusal("@%p1 bra END; tcgen05.fence::before_thread_sync; END:") != "");
}

BOOST_AUTO_TEST_CASE(names_the_source_line) {
  const std::string body = ".loc 1 17 3\nmultimem.st.global.u32 [%d1], %r3;";
  const ptx::Module module(module_with(body) + ".file 1 \"/a/b/pattern.cu\"\n");
  BOOST_CHECK_EXCEPTION(lower(module, "k", Simd::baseline), UnsupportedError, [](const auto& e) {
    return std::string(e.what()).starts_with("pattern.cu:17: ") && e.file() == "/a/b/pattern.cu" &&
           e.line() == 17 && e.where() == "pattern.cu:17" &&
           e.message().starts_with("the emulator does not execute the instruction multimem");
  });
}

BOOST_AUTO_TEST_CASE(a_kernel_that_there_is_none_of) {
  const ptx::Module module(module_with(""));
  BOOST_CHECK_EXCEPTION(
      lower(module, "other", Simd::baseline), UnsupportedError,
      [](const auto& e) { return std::string(e.what()) == "the program has no kernel 'other'"; });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
