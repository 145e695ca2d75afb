// What the engine executes in place of a function: printf and assert; functions that call
// themselves.

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

namespace {

/// Calls `name` with the thread's number, of 16.
std::string calling(const std::string& name) {
  return "and.b32 %r19, %me, 15; { .param .b32 n; .param .b32 got; st.param.b32 [n], %r19; "
         "call.uni (got), " +
         name + ", (n); ld.param.b32 %result, [got]; }";
}

std::vector<std::uint32_t> results_of(const std::string& name, const std::string& scope) {
  Setting setting;
  setting.checks_kernel = true;
  return run_module(kernel_text(calling(name), scope), setting).out;
}

constexpr const char* fibonacci = R"ptx(
.func (.param .b32 got) fibonacci(.param .b32 n) {
  .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.b32 %r1, [n]; setp.lt.u32 %p1, %r1, 2;
  mov.u32 %r5, %r1; @%p1 bra DONE; add.s32 %r2, %r1, -1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fibonacci, (a);
    ld.param.b32 %r3, [b]; }
  add.s32 %r4, %r1, -2;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call.uni (b), fibonacci, (a);
    ld.param.b32 %r6, [b]; }
  add.u32 %r5, %r3, %r6;
DONE: st.param.b32 [got], %r5; ret; }
)ptx";

/// Whether a number is even, by asking whether the one before is odd. A predicate outlives the
/// call.
constexpr const char* even_and_odd = R"ptx(
.func (.param .b32 got) odd(.param .b32 n);
.func (.param .b32 got) even(.param .b32 n) {
  .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.b32 %r1, [n]; mov.u32 %r2, 1;
  setp.ne.u32 %p1, %r1, 0; add.u32 %r3, %r1, -1; @!%p1 bra DONE;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), odd, (a);
    ld.param.b32 %r4, [b]; }
  @%p1 mov.u32 %r2, %r4;
DONE: st.param.b32 [got], %r2; ret; }
.func (.param .b32 got) odd(.param .b32 n) {
  .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.b32 %r1, [n]; mov.u32 %r2, 0;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE; add.u32 %r3, %r1, -1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), even, (a);
    ld.param.b32 %r2, [b]; }
DONE: st.param.b32 [got], %r2; ret; }
)ptx";

/// Adds n, n - 1, ... to a variable of the outermost call, which the others have the address of.
constexpr const char* through_pointers = R"ptx(
.func add_down(.param .b32 n, .param .b64 to) {
  .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<2>; .local .align 4 .b8 own[8];
  ld.param.b32 %r1, [n]; ld.param.b64 %d1, [to]; st.local.u32 [own+4], %r1;
  setp.eq.u32 %p1, %r1, 0; @%p1 ret; add.u32 %r2, %r1, -1;
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r2; st.param.b64 [b], %d1;
    call.uni add_down, (a, b); }
  mov.u64 %d2, own; ld.local.u32 %r3, [%d2+4]; ld.u32 %r4, [%d1]; add.u32 %r4, %r4, %r3;
  st.u32 [%d1], %r4; ret; }
.func (.param .b32 got) sum(.param .b32 n) {
  .reg .b32 %r<9>; .reg .b64 %d<9>; .local .align 4 .b32 total; ld.param.b32 %r1, [n];
  mov.u32 %r2, 100; st.local.u32 [total], %r2; mov.u64 %d1, total; cvta.local.u64 %d1, %d1;
  { .param .b32 a; .param .b64 b; st.param.b32 [a], %r1; st.param.b64 [b], %d1;
    call.uni add_down, (a, b); }
  ld.local.u32 %r3, [total]; st.param.b32 [got], %r3; ret; }
)ptx";

}  // namespace

BOOST_AUTO_TEST_CASE(functions_call_themselves) {
  const std::vector<std::uint32_t> numbers = results_of("fibonacci", fibonacci);
  for (std::size_t i = 2; i < 16; ++i) BOOST_TEST(numbers[i] == numbers[i - 1] + numbers[i - 2]);
  BOOST_TEST(numbers[31] == 610);
  const std::vector<std::uint32_t> evens = results_of("even", even_and_odd);
  const std::vector<std::uint32_t> odds = results_of("odd", even_and_odd);
  const std::vector<std::uint32_t> sums = results_of("sum", through_pointers);
  for (std::uint32_t i = 0; i < 16; ++i) {
    BOOST_TEST(evens[i] == (i + 1) % 2);
    BOOST_TEST(odds[i] == i % 2);
    BOOST_TEST(sums[i] == 100 + i * (i + 1) / 2);
  }
}

/// Each of two calls in a kernel has the stack for itself.
BOOST_AUTO_TEST_CASE(functions_that_call_themselves_are_called_twice) {
  const std::string twice = calling("fibonacci") + "mov.u32 %r20, %result;" + calling("sum") +
                            "add.u32 %result, %result, %r20;";
  const std::string scope = std::string(fibonacci) + through_pointers;
  BOOST_TEST(run_module(kernel_text(twice, scope)).out[10] == 55 + 155);
}

BOOST_AUTO_TEST_CASE(a_stack_that_overflows_is_a_fault) {
  const std::string scope = R"ptx(
.func down(.param .b32 n) {
  .reg .b32 %r<9>; ld.param.b32 %r1, [n]; add.u32 %r1, %r1, 1;
  { .param .b32 a; st.param.b32 [a], %r1; call.uni down, (a); }
  ret; }
)ptx";
  const std::string body =
      "{ .param .b32 n; st.param.b32 [n], %me; call.uni down, (n); } mov.u32 %result, 1;";
  BOOST_CHECK_EXCEPTION(
      run_module(kernel_text(body, scope)), std::runtime_error, [](const auto& error) {
        return std::string(error.what()).find("the thread's stack overflows") != std::string::npos;
      });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
