// Whether addresses and branches depend on what a kernel loads.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/emulator/lower/code_analysis.h"
#include "tests/emulator/lower/lowered.h"

namespace sweep::testing {
namespace {

struct DependenceCase {
  const char* body;
  const char* opcode;  ///< of the first instruction that depends on data; empty: none does

  friend std::ostream& operator<<(std::ostream& out, const DependenceCase& one) {
    return out << one.body;
  }
};

constexpr const char* prepared = R"ptx(
  .shared .align 16 .b8 s[64]; .local .align 16 .b8 l[16];
  ld.param.u64 %d0, [k_out]; ld.param.u32 %r0, [k_n]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;
)ptx";

const DependenceCase cases[] = {
    {"ld.global.u32 %r3, [%d0]; add.u32 %r3, %r3, 1; st.global.u32 [%d0], %r3;", ""},
    {"setp.lt.u32 %p0, %r1, %r0; @%p0 st.global.u32 [%d0], %r1;", ""},
    {"ld.global.u32 %r3, [%d0]; cvt.u64.u32 %d1, %r3; add.u64 %d1, %d1, %d0; "
     "st.global.u16 [%d1], %r1;",
     "st.global.u16"},
    {"ld.global.u32 %r3, [%d0]; setp.eq.u32 %p0, %r3, 0; @%p0 bra OUT; st.global.u32 [%d0], %r1; "
     "OUT: ret;",
     "bra"},
    {"ld.global.u32 %r3, [%d0]; setp.eq.u32 %p0, %r3, 0; @%p0 st.global.u32 [%d0], %r1;",
     "st.global.u32"},
    {"ld.global.u32 %r3, [%d0]; setp.eq.u32 %p0, %r3, 0; selp.u32 %r4, %r1, %r0, %p0; "
     "st.global.u32 [%d0], %r4;",
     ""},
    // What comes out of shared memory is what was stored there.
    {"st.shared.u32 [%r2], %r1; ld.shared.u32 %r3, [%r2]; add.u32 %r3, %r3, %r2; "
     "ld.shared.u8 %r4, [%r3]; st.global.u32 [%d0], %r4;",
     ""},
    {"ld.global.u32 %r5, [%d0]; st.shared.u32 [%r2], %r5; ld.shared.u32 %r3, [%r2]; "
     "add.u32 %r3, %r3, %r2; ld.shared.u8 %r4, [%r3]; st.global.u32 [%d0], %r4;",
     "ld.shared.u8"},
    {"cp.async.ca.shared.global [%r2], [%d0], 4; ld.shared.u32 %r3, [%r2]; "
     "add.u32 %r3, %r3, %r2; atom.shared.add.u32 %r4, [%r3], 1; st.global.u32 [%d0], %r4;",
     "atom.shared.add.u32"},
    {"ld.global.u32 %r3, [%d0]; shfl.sync.idx.b32 %r4, %r3, 0, 31, -1; add.u32 %r4, %r4, %r2; "
     "st.shared.u8 [%r4], %r1;",
     "st.shared.u8"},
    {"ld.global.u32 %r3, [%d0]; setp.eq.u32 %p0, %r3, 0; vote.sync.any.pred %p1, %p0, -1; "
     "@%p1 exit; st.global.u32 [%d0], %r1;",
     "exit"},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(data_dependence)

BOOST_DATA_TEST_CASE(is_found_where_it_begins, boost::unit_test::data::make(cases), one) {
  const Kernel kernel = lowered(std::string(prepared) + one.body);
  const std::uint32_t found = find_data_dependence(kernel);
  BOOST_TEST((found == none ? "" : kernel.instructions[found].opcode) == one.opcode);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
