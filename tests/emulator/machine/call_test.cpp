// What the engine executes in place of a function: printf and assert.

#include <boost/test/unit_test.hpp>

#include "tests/emulator/machine/test_device.h"

namespace sweep::testing {

BOOST_AUTO_TEST_SUITE(calls)

BOOST_AUTO_TEST_CASE(printf_prints_as_c_does) {
  const std::string scope = R"ptx(
.extern .func (.param .b32 n) vprintf(.param .b64 format, .param .b64 list);
.global .align 1 .b8 text[] = {37,100,32,37,117,32,37,108,108,100,32,37,46,50,102,32,37,115,32,37,99,32,37,120,32,37,112,32,37,37,32,37,53,100,124,37,42,100,10,0};
.global .align 1 .b8 word[] = {104,105,0};
)ptx";
  const std::string body = R"ptx(
  .local .align 8 .b8 l[80]; .local .b32 after; mov.u64 %d0, l;
  mov.u32 %r7, 4242; st.local.u32 [after], %r7;
  mov.u32 %r0, -5; st.local.u32 [%d0], %r0; st.local.u32 [%d0+4], %r0;
  mov.u64 %d1, -6000000000; st.local.u64 [%d0+8], %d1;
  mov.f64 %g0, 0d400921FB54442D18; st.local.f64 [%d0+16], %g0;
  mov.u64 %d2, word; cvta.global.u64 %d2, %d2; st.local.u64 [%d0+24], %d2;
  mov.u32 %r1, 65; st.local.u32 [%d0+32], %r1; mov.u32 %r2, 255; st.local.u32 [%d0+36], %r2;
  mov.u64 %d3, 4096; st.local.u64 [%d0+40], %d3; mov.u32 %r3, 42; st.local.u32 [%d0+48], %r3;
  mov.u32 %r4, 4; st.local.u32 [%d0+52], %r4; st.local.u32 [%d0+56], %r3;
  cvta.local.u64 %d4, %d0; mov.u64 %d5, text; cvta.global.u64 %d5, %d5;
  setp.ne.u32 %p0, %me, 3; @%p0 bra DONE;
  { .param .b64 a; .param .b64 b; .param .b32 n;
    st.param.b64 [a], %d5; st.param.b64 [b], %d4; call.uni (n), vprintf, (a, b);
    ld.param.b32 %result, [n]; }
DONE: ld.local.u32 %r7, [after]; setp.ne.u32 %p1, %r7, 4242; @%p1 mov.u32 %result, 99;)ptx";
  const Outcome outcome = run_module(kernel_text(body, scope));
  BOOST_TEST(outcome.printed == "-5 4294967291 -6000000000 3.14 hi A ff 0x1000 %    42|  42\n");
  BOOST_TEST(outcome.out[2] == 0);
  BOOST_TEST(outcome.out[3] == 11);
}

BOOST_AUTO_TEST_CASE(a_format_that_makes_no_sense_is_printed_as_it_is) {
  const std::string scope = R"ptx(
.extern .func (.param .b32 n) vprintf(.param .b64 format, .param .b64 list);
.global .align 1 .b8 text[] = {37,57,57,57,57,57,100,124,37,0};
)ptx";
  const std::string body = R"ptx(
  .local .align 8 .b8 l[8]; mov.u64 %d0, l; mov.u32 %r0, 7; st.local.u32 [%d0], %r0;
  cvta.local.u64 %d4, %d0; mov.u64 %d5, text; cvta.global.u64 %d5, %d5;
  setp.ne.u32 %p0, %me, 3; @%p0 bra DONE;
  { .param .b64 a; .param .b64 b; .param .b32 n;
    st.param.b64 [a], %d5; st.param.b64 [b], %d4; call.uni (n), vprintf, (a, b); }
DONE:)ptx";
  BOOST_TEST(run_module(kernel_text(body, scope)).printed == "%99999d|%");
}

BOOST_AUTO_TEST_CASE(assert_says_what_failed) {
  const std::string scope = R"ptx(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 text[] = {105,32,60,32,110,0};
)ptx";
  const std::string body = R"ptx(
  mov.u64 %d5, text; cvta.global.u64 %d5, %d5; setp.ne.u32 %p0, %me, 3; @%p0 bra DONE;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    st.param.b64 [a], %d5; st.param.b64 [b], %d5; st.param.b32 [c], 12; st.param.b64 [d], %d5;
    st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }
DONE:)ptx";
  BOOST_CHECK_EXCEPTION(
      run_module(kernel_text(body, scope)), std::runtime_error, [](const auto& error) {
        return std::string(error.what()).find("thread (3, 0, 0): assert(i < n) failed") !=
               std::string::npos;
      });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
