// Loads and stores whose lanes lie as they did before move and count what they do when each is
// looked at.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(layouts)

namespace {

/// What is done five times; `%r0` counts, `%d0` is the thread's own 64 bytes of `out`, `%r9` the
/// same in shared memory.
struct Loop {
  const char* name;
  const char* body;
};

constexpr Loop loops[] = {
    {"vectors",
     "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d0]; add.u32 %r2, %r2, %r0;"
     "st.global.v4.u32 [%d0+16], {%r4,%r2,%r1,%r3}; ld.global.v2.u32 {%r5,%r6}, [%d0+24];"
     "st.global.v2.u32 [%d0], {%r6,%r5}; st.shared.v4.u32 [%r9], {%r1,%r2,%r5,%r6};"
     "ld.shared.v2.u32 {%r1,%r2}, [%r9+8]; add.u32 %result, %result, %r1;"
     "ld.global.v2.u64 {%d1,%d2}, [%d0]; st.global.v2.u64 [%d0+32], {%d2,%d1};"},
    {"narrow types",
     "st.global.u8 [%d0+5], %r0; st.global.u16 [%d0+6], %me; ld.global.s8 %r1, [%d0+6];"
     "ld.global.s16 %r2, [%d0+6]; ld.global.u8 %h1, [%d0+5]; ld.global.s8 %d1, [%d0+6];"
     "cvt.u32.u16 %r3, %h1; cvt.u32.u64 %r4, %d1; add.u32 %r1, %r1, %r2; add.u32 %r3, %r3, %r4;"
     "add.u32 %result, %r1, %r3;"},
    {"rows and columns",
     "and.b32 %r1, %me, 7; shr.u32 %r2, %me, 3; mad.lo.u32 %r3, %r1, 128, %r2;"
     "mad.lo.u32 %r3, %r0, 4, %r3; and.b32 %r3, %r3, 1020; cvt.u64.u32 %d1, %r3;"
     "add.u64 %d1, %d1, %out; st.global.u32 [%d1], %me; ld.global.u32 %r4, [%d1];"
     "and.b32 %r5, %me, 15; shl.b32 %r5, %r5, 2; st.shared.u32 [%r5], %me;"
     "ld.shared.u32 %r6, [%r5]; shr.u32 %r7, %me, 4; shl.b32 %r7, %r7, 2;"
     "ld.shared.u32 %r7, [%r7]; add.u32 %result, %r4, %r6; add.u32 %result, %result, %r7;"},
    {"one address, and falling ones",
     "st.global.u32 [%out+64], %me; ld.global.u32 %r1, [%out+64]; sub.u32 %r2, 63, %me;"
     "mul.wide.u32 %d1, %r2, 8; add.u64 %d1, %d1, %out; st.global.u64 [%d1], %d0;"
     "ld.global.u32 %r3, [%d1+4]; add.u32 %result, %r1, %r3;"},
    {"fewer and fewer lanes",
     "mul.lo.u32 %r1, %r0, 7; and.b32 %r2, %me, 31; setp.ge.u32 %p1, %r2, %r1;"
     "@%p1 ld.global.u32 %r3, [%d0]; @%p1 add.u32 %r3, %r3, %r2; @%p1 st.global.u32 [%d0], %r3;"
     "@!%p1 st.shared.u32 [%r9], %r0; @!%p1 ld.shared.u32 %result, [%r9];"
     "@%p1 bra skip; ld.global.u32 %r4, [%d0+4]; st.global.u32 [%d0+4], %r2; skip:"},
    {"a register that moves on",
     "mov.b64 %d1, %d0; ld.global.u32 %r1, [%d1]; add.s64 %d1, %d1, 8; ld.global.u32 %r2, [%d1];"
     "and.b32 %r4, %me, 3; mul.wide.u32 %d2, %r4, 4; add.s64 %d1, %d1, %d2; and.b64 %d1, %d1, -4;"
     "st.global.u32 [%d1], %r1; add.u32 %r3, %r9, 4; st.shared.u32 [%r3], %r2;"
     "ld.shared.u32 %result, [%r9+4];"},
    {"generic addresses",
     "ld.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.u32 [%d0], %r1; cvt.u64.u32 %d1, %r9;"
     "cvta.shared.u64 %d1, %d1; st.u32 [%d1], %me; ld.u32 %result, [%d1];"},
};

std::ostream& operator<<(std::ostream& out, const Loop& loop) {
  return out << loop.name;
}

constexpr std::uint32_t own_words = 16;

std::string program_of(const char* body) {
  const std::string text =
      "mul.wide.u32 %d0, %id, 64; add.u64 %d0, %d0, %out; mov.u32 %r9, tile;"
      "mad.lo.u32 %r9, %me, 64, %r9; mov.u32 %r0, 0;\nagain: " +
      std::string(body) + "add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 5; @%p0 bra again;\n";
  return kernel_text(text, ".shared .align 16 .b8 tile[4096];");
}

struct Run {
  std::vector<std::uint32_t> out;
  std::vector<SiteCount> sites;
  std::string message;

  friend bool operator==(const Run&, const Run&) = default;
};

Run run(const std::string& ptx, std::uint32_t words, bool looks_at_each,
        bool is_initialised = true) {
  TestDevice device(ptx);
  std::vector<std::uint32_t> values(words);
  for (std::uint32_t i = 0; i < words; ++i) values[i] = i * 2654435761;
  Allocation& out = device.words("out", values);
  out.is_initialised = is_initialised;
  out.written = std::make_unique<TouchedBytes>(out.bytes);
  Launch launch = device.launch("k", {.grid = {2, 1, 1}, .block = {48, 1, 1}}, {out.base});
  launch.notes_shapes = looks_at_each;
  Run result;
  try {
    result.sites = run_grid(launch, {}).count.sites;
    result.out = TestDevice::values(out);
    for (std::uint64_t i = 0; i < out.bytes; ++i) {
      if (out.written->all(i, 1)) result.out.push_back(static_cast<std::uint32_t>(i));
    }
  } catch (const KernelFault& fault) {
    result.message = fault.what();
  }
  return result;
}

}  // namespace

BOOST_DATA_TEST_CASE(change_neither_results_nor_counts, boost::unit_test::data::make(loops), loop) {
  const std::string ptx = program_of(loop.body);
  const Run each = run(ptx, 96 * own_words, true);
  BOOST_TEST(each.message == "");
  BOOST_TEST((run(ptx, 96 * own_words, false) == each));
}

/// After accesses that were right.
BOOST_AUTO_TEST_CASE(let_no_mistake_pass) {
  const char* const beyond = "mad.wide.u32 %d1, %r0, 1536, %d0; st.global.u32 [%d1], %me;";
  const char* const before =
      "mul.wide.u32 %d1, %r0, 400; sub.u64 %d1, %d0, %d1; add.u64 %d1, %d1, 600; ld.global.u32 "
      "%result, [%d1];";
  const char* const misaligned =
      "shr.u32 %r1, %r0, 2; cvt.u64.u32 %d1, %r1; add.u64 %d1, %d1, %d0; ld.global.u32 %result, "
      "[%d1];";
  const char* const in_shared = "mad.lo.u32 %r1, %r0, 512, %r9; st.shared.u32 [%r1], %me;";
  for (const char* const body : {beyond, before, misaligned, in_shared}) {
    const std::string ptx = program_of(body);
    const Run each = run(ptx, 3000, true);
    BOOST_TEST(each.message != "", body);
    BOOST_TEST(run(ptx, 3000, false).message == each.message);
  }
  const std::string unwritten = program_of(
      "setp.lt.u32 %p1, %r0, 4; @%p1 st.global.u32 [%d0], %me; ld.global.u32 %r1, [%d0];"
      "shr.u32 %r2, %r0, 2; mad.wide.u32 %d1, %r2, 4, %d0; ld.global.u32 %r1, [%d1];");
  const Run each = run(unwritten, 96 * own_words, true, false);
  BOOST_TEST(each.message.find("which nothing wrote") != std::string::npos, each.message);
  BOOST_TEST(run(unwritten, 96 * own_words, false, false).message == each.message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
