// What the warps of a warpgroup do together, and what they must not do with registers and shared
// memory that products are made of.

#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(warpgroups)

namespace {

constexpr const char* fence = "wgmma.fence.sync.aligned;";
constexpr const char* commit = "wgmma.commit_group.sync.aligned;";
constexpr const char* wait = "wgmma.wait_group.sync.aligned 0;";
/// Of matrices of ones in shared memory, with accumulators of 1 to begin with.
constexpr const char* multiply =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, 1, "
    "0, 0;";

/// With the metadata in %r9.
constexpr const char* multiply_sparse =
    "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %r9, 1, "
    "%p1, 1, 1, 0, 0;";

/// Of b, by the first warp.
constexpr const char* overwrite =
    "mad.lo.u32 %r8, %me, 8, %r4; @%p2 st.shared.v2.u32 [%r8], {%me, %me};";

/// A body that fills a and b with ones, makes their descriptors %d1 and %d2, and sets %f1 to %f4.
std::string prepared(const std::string& body) {
  return std::string(R"ptx(
  .shared .align 128 .b8 a[2048]; .shared .align 128 .b8 b[256];
  mov.u32 %r1, a; mad.lo.u32 %r2, %me, 16, %r1; mov.u32 %r3, 0x3c003c00;
  setp.lt.u32 %p6, %me, 128; @%p6 st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};
  mov.u32 %r4, b; mad.lo.u32 %r5, %me, 16, %r4; setp.lt.u32 %p0, %me, 16;
  @%p0 st.shared.v4.u32 [%r5], {%r3, %r3, %r3, %r3};
  fence.proxy.async; bar.sync 0; setp.eq.u32 %p1, %r3, %r3; setp.lt.u32 %p2, %me, 32;
  shr.u32 %r6, %r1, 4; cvt.u64.u32 %d1, %r6; or.b64 %d1, %d1, 0x800400000;
  shr.u32 %r7, %r4, 4; cvt.u64.u32 %d2, %r7; or.b64 %d2, %d2, 0x800080000;
  mov.f32 %f1, 0f3F800000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
)ptx") + body +
         "\ncvt.rzi.u32.f32 %result, %f1;";
}

std::string joined(std::initializer_list<const char*> parts) {
  std::string text;
  for (const char* part : parts) text += std::string(part) + "\n";
  return text;
}

struct WarpgroupCase {
  const char* name;
  std::string body;
  const char* message = "";  ///< what the message has in it; empty: there is none
  std::uint32_t threads = 128;

  friend std::ostream& operator<<(std::ostream& out, const WarpgroupCase& one) {
    return out << one.name;
  }
};

const WarpgroupCase cases[] = {
    {"as it is meant", joined({fence, multiply, commit, wait})},
    {"metadata of a sparse matrix that name a place twice",
     joined({"mov.u32 %r9, 0xf4444444;", fence, multiply_sparse}),
     ": its metadata are 0xf4444444, of which 0b1111 names no places of elements"},
    {"a matrix as wide as a sparse one needs it, but not as its swizzle",
     joined(
         {"mov.u32 %r9, 0x44444444; or.b64 %d2, %d2, 0xc000000000000000;", fence, multiply_sparse}),
     "its matrix has 64 bytes along k, but is swizzled by 32"},
    {"two products of one shape", joined({fence, multiply, multiply, commit, wait})},
    {"copies between products",
     joined({fence, multiply, "mov.f32 %f9, %f1; mov.f32 %f1, %f9;", multiply, commit, wait})},
    {"constants moved behind the fence",
     joined({fence, "mov.f32 %f1, 0f00000000;", multiply, commit, wait})},
    {"computed behind the fence", joined({fence, "add.f32 %f1, %f1, %f1;", multiply, commit, wait}),
     "no wgmma.fence orders it behind line "},
    {"computed before the fence",
     joined({"add.f32 %f1, %f1, %f1;", fence, multiply, commit, wait})},
    {"no fence", joined({multiply, commit, wait}), "no wgmma.fence comes before it"},
    {"no wait", joined({fence, multiply, commit}), "it reads an accumulator of line "},
    {"no commit", joined({fence, multiply, wait}), "which no wgmma.commit_group has committed"},
    {"waits for older groups alone",
     joined({fence, multiply, commit, "wgmma.wait_group.sync.aligned 1;"}),
     "for which no wgmma.wait_group has waited"},
    {"overwritten", joined({fence, multiply, commit, "ld.shared.f32 %f1, [%r1];", wait}),
     "it overwrites a register of line "},
    {"accumulators of another shape",
     joined({fence, multiply,
             "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%f1, %f2}, %d1, %d2, %p1, 1, 1, "
             "0, 0;",
             commit, wait}),
     "its accumulator is a register of line "},
    {"a of what is under way",
     joined({fence, multiply,
             "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f5, %f6, %f7, %f8}, {%f1, %f2, "
             "%f3, %f4}, %d2, %p1, 1, 1, 0;",
             commit, wait}),
     "its matrix a is a register of line "},
    {"shared memory overwritten before the wait",
     joined({fence, multiply, commit, "st.shared.u32 [%r2], %r3;", wait}), "a race: it "},
    {"rows that a warp alone reads overwritten before its wait",
     joined({fence, multiply, commit,
             "shr.u32 %r9, %me, 5; and.b32 %r10, %me, 31; mad.lo.u32 %r9, %r9, 256, %r1;"
             "mad.lo.u32 %r9, %r10, 4, %r9; st.shared.u32 [%r9], %r3;",
             wait}),
     "a race: it "},
    {"shared memory overwritten behind a barrier",
     joined({fence, multiply, commit, wait, "bar.sync 0; st.shared.u32 [%r2], %me;"})},
    {"shared memory written again, and fenced",
     joined({"bar.sync 0; st.shared.u32 [%r2], %r3; fence.proxy.async; bar.sync 0;", fence,
             multiply, commit, wait})},
    {"shared memory that its reader fences",
     joined({"bar.sync 0; st.shared.u32 [%r2], %r3; bar.sync 0; fence.proxy.async.shared::cta;",
             fence, multiply, commit, wait})},
    {"shared memory written without a fence between the proxies",
     joined({"bar.sync 0; st.shared.u32 [%r2], %r3; bar.sync 0;", fence, multiply, commit, wait}),
     "without fence.proxy.async between"},
    {"shared memory fenced before it is written",
     joined({"bar.sync 0; fence.proxy.async; st.shared.u32 [%r2], %r3; bar.sync 0;", fence,
             multiply, commit, wait}),
     "without fence.proxy.async between"},
    {"shared memory overwritten by a warp that has waited for its warpgroup",
     joined({fence, multiply, commit, wait, overwrite})},
    {"the same after stores to another place",
     joined({fence, multiply, commit,
             ".shared .align 4 .b8 c[512]; mov.u32 %r9, c; mad.lo.u32 %r9, %me, 4, %r9;"
             "st.shared.u32 [%r9], %me;",
             wait, overwrite})},
    {"shared memory overwritten by a warp that has waited for an older group",
     joined({fence, multiply, commit, "wgmma.wait_group.sync.aligned 1;", overwrite, wait}),
     "a race: it "},
    {"a warp that never commits",
     joined({fence, multiply, "@%p2 bra DONE;", commit, "DONE:", wait}),
     "the warps of a warpgroup execute it together, but warp "},
    {"a descriptor that leads out", joined({"add.u64 %d2, %d2, 64;", fence, multiply}),
     "out of bounds: its descriptor leads to byte "},
    {"descriptors of lanes that differ",
     joined({"cvt.u64.u32 %d3, %me; add.u64 %d2, %d2, %d3;", fence, multiply}),
     "its descriptor 0x"},
    {"descriptors of warps that differ",
     joined({"selp.u64 %d3, 8, 0, %p2; add.u64 %d1, %d1, %d3;", fence, multiply, commit, wait}),
     "its descriptors are not those of warp "},
    {"lanes that disagree whether d counts",
     joined({"setp.lt.u32 %p1, %me, 7;", fence, multiply, commit, wait}), "its scale-d is "},
    {"a warp that does something else",
     joined(
         {fence, "@%p2 bra OTHER;", multiply, commit, wait, "bra DONE; OTHER:", commit, "DONE:"}),
     "the warps of a warpgroup execute it together, but warp "},
    {"a warp that leaves", joined({"@%p2 exit;", fence}),
     "it has ended without executing it, but warp "},
    {"a lane that leaves", joined({"setp.eq.u32 %p3, %me, 5; @%p3 exit;", fence}),
     "all lanes of a warp execute it together"},
    {"three warps", fence, "a warpgroup is four whole warps; of its own the block has 96 threads",
     96},
    {"seven warps, of which four",
     joined({"setp.ge.u32 %p4, %me, 128; @%p4 bra DONE;", fence, multiply, commit, wait, "DONE:"}),
     "", 224},
    {"registers given away", "setmaxnreg.dec.sync.aligned.u32 40;"},
    {"registers given away by some", "@%p2 setmaxnreg.dec.sync.aligned.u32 40;",
     "it has ended without executing it"},
};

}  // namespace

BOOST_DATA_TEST_CASE(keep_the_rules_of_wgmma, boost::unit_test::data::make(cases), one) {
  const Setting setting = {.block = {one.threads, 1, 1}, .checks_kernel = true};
  const std::string fault = fault_of(prepared(one.body), setting);
  const bool is_as_expected =
      *one.message == '\0' ? fault.empty() : fault.find(one.message) != std::string::npos;
  BOOST_TEST(is_as_expected, fault);
}

/// 16 products of ones, and accumulators that were 1 or do not count.
BOOST_AUTO_TEST_CASE(sums_are_delivered) {
  const Setting setting = {.block = {128, 1, 1}};
  const std::string once = joined({fence, multiply, commit, wait});
  BOOST_TEST(run_body(prepared(once), setting).out == std::vector<std::uint32_t>(128, 17),
             boost::test_tools::per_element());
  const std::string anew = "setp.ne.u32 %p1, %r3, %r3;" + once;
  BOOST_TEST(run_body(prepared(anew), setting).out == std::vector<std::uint32_t>(128, 16),
             boost::test_tools::per_element());
}

/// A group is its warpgroup's: a warp that has waited for it may have what all of them read.
BOOST_AUTO_TEST_CASE(a_group_is_complete_for_all_warps_at_once) {
  const std::string body = joined({fence, multiply, commit, wait, overwrite});
  BOOST_TEST(
      run_body(prepared(body), {.block = {128, 1, 1}}).out == std::vector<std::uint32_t>(128, 17),
      boost::test_tools::per_element());
}

/// Far more than are remembered at once.
BOOST_AUTO_TEST_CASE(very_many_products_are_executed_together) {
  const std::string body = "mov.u32 %r20, 0; LOOP:" + joined({fence, multiply, commit, wait}) +
                           "mov.f32 %f1, 0f3F800000; add.u32 %r20, %r20, 1;"
                           "setp.lt.u32 %p5, %r20, 6000; @%p5 bra LOOP;";
  BOOST_TEST(fault_of(prepared(body), {.block = {128, 1, 1}, .checks_kernel = true}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
