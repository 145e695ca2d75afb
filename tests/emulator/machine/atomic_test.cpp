// Atomics of every operation and type.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

/// What a cell and the last thread's result are after one atomic of each of 32 threads.
struct AtomicCase {
  const char* operation;  ///< "add.u32"
  const char* values;     ///< the operands; %r1 is the thread's number, %d1 too, %f1, %g1
  std::uint64_t before;
  std::uint64_t after;
  std::uint64_t last;  ///< what the last thread got, before its own
};

static std::ostream& operator<<(std::ostream& out, const AtomicCase& c) {
  return out << c.operation;
}

BOOST_AUTO_TEST_SUITE(atomics_of_threads)

namespace {

const AtomicCase atomics[] = {
    {"add.u32", "%r1", 5, 5 + 496, 5 + 465},
    {"add.s32", "%r1", 0xffffffff, 495, 464},
    {"add.u64", "%d1", 0xffffffffffULL, 0xffffffffffULL + 496, 0xffffffffffULL + 465},
    {"min.u32", "%r1", 40, 0, 0},
    {"min.s32", "%r1", 0xfffffff0, 0xfffffff0, 0xfffffff0},
    {"max.u32", "%r1", 3, 31, 30},
    {"max.s32", "%r1", 0xfffffff0, 31, 30},
    {"min.s64", "%d1", ~0ULL, ~0ULL, ~0ULL},
    {"max.u64", "%d1", 7, 31, 30},
    {"and.b32", "%r1", 0xff, 0, 0},
    {"or.b32", "%r1", 0x100, 0x11f, 0x11f},
    {"xor.b32", "%r1", 0xff, 0xff, 0xff ^ 31},
    {"or.b64", "%d1", 1ULL << 40, (1ULL << 40) + 31, (1ULL << 40) + 31},
    {"exch.b32", "%r1", 77, 31, 30},
    {"exch.b64", "%d1", 77, 31, 30},
    {"inc.u32", "9", 4, 6, 5},
    {"dec.u32", "9", 4, 2, 3},
    {"cas.b32", "%r1, 500", 3, 500, 500},
    {"cas.b64", "%d1, 500", 3, 500, 500},
    {"cas.b16", "%h1, %h2", 3, 500, 500},
    {"add.f32", "%f1", 0x3f000000, 0x43f84000, 0x43e8c000},
    {"add.f64", "%g1", 0x3fe0000000000000, 0x407f080000000000, 0x407d180000000000},
    {"add.noftz.f16", "%h3", 0x3800, 0x5fc2, 0x5f46},
    {"add.noftz.f16x2", "%r2", 0x38003800, 0x5fc25fc2, 0x5f465f46},
};

}  // namespace

BOOST_DATA_TEST_CASE(atomics_happen_one_after_the_other,
                     boost::unit_test::data::make(atomics) *
                         boost::unit_test::data::make({"global", "shared"}),
                     c, space) {
  const std::string operation = c.operation;
  const std::string type = operation.substr(operation.find_last_of('.') + 1);
  const std::string bits = type == "f16x2" ? "32" : type.substr(1);
  const std::string got = bits == "64" ? "%d5" : bits == "32" ? "%r5" : "%h5";
  const std::string result = operation == "add.f32" ? "%f5" : operation == "add.f64" ? "%g5" : got;
  std::string body = R"ptx(
  .shared .align 8 .b64 cell; mov.u64 %d2, cell; mov.u32 %r1, %me; cvt.u64.u32 %d1, %me;
  cvt.rn.f32.u32 %f1, %me; cvt.rn.f64.u32 %g1, %me; cvt.u16.u32 %h1, %me; mov.u16 %h2, 500;
  { .reg .f16 %x; cvt.rn.f16.u32 %x, %me; mov.b16 %h3, %x; } mov.b32 %r2, {%h3, %h3};
)ptx";
  if (std::string(space) == "global") body += "add.u64 %d2, %out, 128;\n";
  const std::string where = std::string(space) + ".b64";
  body += "mov.u64 %d3, " + std::to_string(c.before) + "; setp.eq.u32 %p0, %me, 0;\n";
  body += "@%p0 st." + where + " [%d2], %d3; bar.sync 0;\n";
  body += "atom." + std::string(space) + "." + operation + " " + result + ", [%d2], " + c.values +
          ";\n";
  body += "bar.sync 0; setp.ne.u32 %p1, %me, 31; @%p1 bra DONE;\n";
  body += "ld." + where + " %d4, [%d2]; st.global.b64 [%out+136], %d4;\n";
  body += "st.global.b" + bits + " [%out+144], " + result + "; DONE:\n";
  Setting setting;
  setting.words = 40;
  setting.checks_kernel = true;
  const Outcome outcome = run_body(body, setting);
  const auto word = [&](std::size_t at) {
    return outcome.out[at] | std::uint64_t{outcome.out[at + 1]} << 32;
  };
  const std::uint64_t kept = bits == "16" ? 0xffffULL : bits == "32" ? 0xffffffffULL : ~0ULL;
  BOOST_TEST((word(34) & kept) == c.after);
  BOOST_TEST((word(36) & kept) == c.last);
}

/// Each element of a vector is updated by itself.
BOOST_AUTO_TEST_CASE(atomics_of_vectors) {
  const Outcome outcome = run_body(R"ptx(
  mov.f32 %f1, 0f3F800000; cvt.rn.f32.u32 %f2, %me; mov.b32 %r2, 0x40003c00;
  red.relaxed.gpu.global.add.v2.f32 [%out+256], {%f1, %f2};
  atom.global.v4.f32.add {%f3, %f4, %f5, %f6}, [%out+272], {%f1, %f2, %f1, %f2};
  red.global.add.noftz.v2.f16x2 [%out+288], {%r2, %r2}; mov.b32 {%h1, %h2}, %r2;
  red.global.max.noftz.v8.f16 [%out+304], {%h1, %h2, %h1, %h1, %h1, %h1, %h1, %h2};
  add.f32 %f7, %f4, %f5; cvt.rzi.u32.f32 %result, %f7;)ptx",
                                   {.checks_kernel = true, .words = 80});
  // What lane t got: 0 + 1 + ... of those before, and so many ones.
  for (std::uint32_t t = 0; t < 32; ++t) BOOST_TEST(outcome.out[t] == t * (t - 1) / 2 + t);
  const std::vector<std::uint32_t> words(outcome.out.begin() + 64, outcome.out.end());
  const std::uint32_t count = 0x42000000;  // 32
  const std::uint32_t sum = 0x43f80000;    // 496
  const std::vector<std::uint32_t> expected = {
      count,      sum,        0, 0, count,      sum,        count,      sum,
      0x54005000, 0x54005000, 0, 0, 0x40003c00, 0x3c003c00, 0x3c003c00, 0x40003c00};
  BOOST_TEST(words == expected, boost::test_tools::per_element());
  // One request of 16 bytes a lane.
  const auto requests = [&](std::size_t site) { return outcome.count.sites[site].global.requests; };
  for (std::size_t site = 0; site < 4; ++site) BOOST_TEST(requests(site) == 1);
}

BOOST_AUTO_TEST_CASE(atomics_of_128_bits) {
  const Outcome outcome = run_body(R"ptx(
  .shared .align 16 .b8 cell[16]; mov.u64 %d0, 0; mov.u64 %d1, 5; mov.b128 %q0, {%d0, %d1};
  setp.eq.u32 %p0, %me, 0; @%p0 st.shared.b128 [cell], %q0; bar.sync 0;
  cvt.u64.u32 %d2, %me; mov.b128 %q1, {%d2, %d1}; add.u64 %d3, %d2, 1; mov.b128 %q2, {%d3, %d1};
  atom.shared.cas.b128 %q3, [cell], %q1, %q2; mov.b128 {%d4, %d5}, %q3;
  bar.sync 0; atom.shared.exch.b128 %q4, [cell], %q1; mov.b128 {%d6, %d7}, %q4;
  add.u64 %d4, %d4, %d6; cvt.u32.u64 %result, %d4;)ptx");
  for (std::uint32_t t = 0; t < 32; ++t) BOOST_TEST(outcome.out[t] == t + (t == 0 ? 32 : t - 1));
}

BOOST_AUTO_TEST_CASE(subnormal_sums_are_flushed_in_global_memory_only) {
  const char* body = R"ptx(
  .shared .b32 cell; setp.eq.u32 %p0, %me, 0; mov.u32 %r0, 1; @%p0 st.shared.u32 [cell], %r0;
  @%p0 st.global.u32 [%out+4], %r0; bar.sync 0; @!%p0 bra DONE; mov.b32 %f0, 2;
  red.shared.add.f32 [cell], %f0; red.global.add.f32 [%out+4], %f0;
  ld.shared.u32 %r1, [cell]; ld.global.u32 %r2, [%out+4]; mad.lo.u32 %result, %r1, 100, %r2; DONE:)ptx";
  BOOST_TEST(run_body(body).out[0] == 300);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
