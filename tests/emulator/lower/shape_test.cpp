// What a kernel is made of once it is ready.

#include <boost/test/unit_test.hpp>

#include "tests/emulator/lower/lowered.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(shape)

BOOST_AUTO_TEST_CASE(parameters_lie_as_in_a_struct) {
  const ptx::Module module(R"ptx(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d) .maxntid 64, 2 { ret; }
)ptx");
  const Kernel kernel = lower(module, "k", Simd::baseline);
  BOOST_TEST(kernel.parameter_offsets == (std::vector<std::uint64_t>{0, 8, 16, 36}));
  BOOST_TEST(kernel.parameter_bytes == 38U);
  BOOST_TEST(kernel.max_threads == 128U);
  BOOST_TEST(kernel.name == "k");
}

BOOST_AUTO_TEST_CASE(only_shared_variables_that_are_named_take_room) {
  const char* scope = R"ptx(
.shared .align 4 .b8 first[100]; .shared .align 4 .b8 other[40000];
.func f() { .reg .b32 %r; ld.shared.u32 %r, [first+4]; st.shared.u32 [first], %r; ret; }
)ptx";
  BOOST_TEST(lowered("", scope).static_shared_bytes == 0U);
  BOOST_TEST(lowered("call f, ();", scope).static_shared_bytes == 112U);
  BOOST_TEST(lowered("mov.u32 %r1, other; st.shared.u32 [%r1], %r1; call f, (); call f, ();", scope)
                 .static_shared_bytes == 40112U);
}

BOOST_AUTO_TEST_CASE(dynamic_shared_memory_begins_where_it_wants_to) {
  const char* scope = ".extern .shared .align 1024 .b8 dynamic[];";
  BOOST_TEST(lowered(".shared .b32 a; st.shared.u32 [a], 1; mov.u32 %r1, dynamic; "
                     "st.shared.u32 [%r1], 1;",
                     scope)
                 .static_shared_bytes == 1024U);
  BOOST_TEST(lowered(".shared .b32 a; st.shared.u32 [a], 1;", scope).static_shared_bytes == 16U);
}

BOOST_AUTO_TEST_CASE(instructions_are_counted_where_they_stand) {
  const Kernel kernel = lowered("@%p1 bra END; add.u32 %r1, %r1, 1; add.u32 %r2, %r1, 1; END:");
  BOOST_TEST_REQUIRE(kernel.blocks.size() == 3U);
  BOOST_TEST(kernel.blocks[0].instructions == 1U);
  BOOST_TEST((kernel.blocks[0].end == EndKind::branch));
  BOOST_TEST(kernel.blocks[0].target == 2U);
  BOOST_TEST(kernel.blocks[0].next == 1U);
  BOOST_TEST(kernel.blocks[1].instructions == 2U);
  BOOST_TEST(kernel.blocks[2].instructions == 1U);
  BOOST_TEST((kernel.blocks[2].end == EndKind::exit));
}

BOOST_AUTO_TEST_CASE(what_waits_for_others_is_a_block_of_its_own) {
  const Kernel kernel = lowered("add.u32 %r1, %r1, 1; @%p1 bar.sync 0; add.u32 %r2, %r1, 1;");
  BOOST_TEST_REQUIRE(kernel.blocks.size() == 3U);
  BOOST_TEST((kernel.blocks[0].end == EndKind::branch));
  BOOST_TEST((kernel.blocks[1].end == EndKind::barrier));
  BOOST_TEST(kernel.blocks[0].instructions + kernel.blocks[1].instructions == 2U);
}

BOOST_AUTO_TEST_CASE(knows_whether_blocks_see_each_other) {
  BOOST_TEST(!lowered("st.global.u32 [%d1], %r1;").is_linked);
  BOOST_TEST(!lowered("st.volatile.shared.u32 [%r2], %r1;").is_linked);
  BOOST_TEST(!lowered("membar.cta;").is_linked);
  BOOST_TEST(lowered("membar.gl;").is_linked);
  BOOST_TEST(lowered("red.global.add.u32 [%d1], 1;").is_linked);
  BOOST_TEST(lowered("st.release.gpu.global.u32 [%d1], %r1;").is_linked);
}

BOOST_AUTO_TEST_CASE(slots_do_not_overlap) {
  const Kernel kernel = lowered(
      "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 5; mov.u16 %h1, 7; mov.u64 %d1, %clock64;"
      "mul.wide.u32 %d2, %r1, 9; mov.b128 %q1, {%d1, %d2}; mov.b128 {%d3, %d4}, %q1;"
      "st.global.u64 [%d3], %d4; st.global.u16 [%d3], %h1; @%p1 st.global.u32 [%d3], %r1;");
  BOOST_TEST(kernel.ops.size() >= 10U);
  BOOST_TEST(kernel.constants.size() >= 3U);
  for (const Op& op : kernel.ops) {
    for (const std::uint32_t slot : {op.operands.d, op.operands.a, op.operands.b}) {
      BOOST_TEST(slot < kernel.register_bytes);
      BOOST_TEST(slot % 4 == 0U);
    }
  }
  for (std::size_t i = 0; i < kernel.constants.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      BOOST_TEST(kernel.constants[i].slot != kernel.constants[j].slot);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
