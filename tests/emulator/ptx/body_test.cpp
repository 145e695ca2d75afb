#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "tests/emulator/ptx/module_text.h"
#include "tests/emulator/ptx/operand_text.h"

namespace data = boost::unit_test::data;

namespace sweep::ptx::body_test {
namespace {

/// The instructions of a body, each in a line.
struct Row {
  std::string body;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.body; }
};

std::string instructions_of(const Module& module, const Function& function) {
  std::string result;
  for (const Instruction& instruction : function.code) {
    if (!result.empty()) result += "\n";
    result += testing::text_of(instruction, function, module);
  }
  return result;
}

const std::vector<Row> operands = {
    {"mov.u32 %r1, %tid.x;", "mov.u32 %r1, <%tid.x>"},
    {"mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;", "mov.v4.u32 {%r1, %r2, %r3, _}, <%ctaid>"},
    {"mov.u64 %rd1, %clock64;", "mov.u64 %rd1, <%clock64>"},
    {"mov.u32 %r1, %envreg31;", "mov.u32 %r1, <%envreg31>"},
    {"mov.u32 %r1, -5;", "mov.u32 %r1, -5"},
    {"mov.u32 %r1, 0xFFFFFFFFFFFFFFFF;", "mov.u32 %r1, -1"},
    {"mov.u32 %r1, 0X1fU;", "mov.u32 %r1, 31"},
    {"mov.u32 %r1, 017;", "mov.u32 %r1, 15"},
    {"mov.u32 %r1, 0b1010U;", "mov.u32 %r1, 10"},
    {"mov.u32 %r1, 18446744073709551615U;", "mov.u32 %r1, -1"},
    {"mov.u32 %r1, (4 + 2) * -8 / 5 - ~0;", "mov.u32 %r1, -8"},
    {"mov.u32 %r1, WARP_SZ - 1;", "mov.u32 %r1, 31"},
    {"mov.u64 %rd1, -9223372036854775808 / -1;", "mov.u64 %rd1, -9223372036854775808"},
    {"mov.f32 %f1, 0f3F800000;", "mov.f32 %f1, 0f3f800000"},
    {"mov.f32 %f1, -0F3F800000;", "mov.f32 %f1, 0fbf800000"},
    {"mov.f32 %f1, 0dBFF0000000000000;", "mov.f32 %f1, 0dbff0000000000000"},
    {"mov.f32 %f1, 1.5e0;", "mov.f32 %f1, 0d3ff8000000000000"},
    {"mov.f32 %f1, -2.;", "mov.f32 %f1, 0dc000000000000000"},
    {"ld.global.u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1]"},
    {"ld.global.u32 %r1, [%rd1+16];", "ld.global.u32 %r1, [%rd1+16]"},
    {"ld.global.u32 %r1, [%rd1+-8];", "ld.global.u32 %r1, [%rd1-8]"},
    {"ld.global.u32 %r1, [%rd1 - 8 + 2*3];", "ld.global.u32 %r1, [%rd1-2]"},
    {"ld.global.u32 %r1, [numbers+4];", "ld.global.u32 %r1, [.numbers+4]"},
    {"ld.param.u32 %r1, [n];", "ld.param.u32 %r1, [n]"},
    {"ld.shared.u32 %r1, [64];", "ld.shared.u32 %r1, [64]"},
    {"tex.2d [%rd1, {%f1, %f2}];", "tex.2d [%rd1, {%f1, %f2}]"},
    {"ld.global.v2.f32 {%f1, %f2}, [%rd1];", "ld.global.v2.f32 {%f1, %f2}, [%rd1]"},
    {"setp.eq.u32 p|q, %r1, 0;", "setp.eq.u32 {p, q}, %r1, 0"},
    {"setp.eq.and.u32 p|_, %r1, 0, !q;", "setp.eq.and.u32 {p, _}, %r1, 0, !q"},
    {"mov.u64 %rd1, numbers;", "mov.u64 %rd1, &.numbers"},
    {"mov.u64 %rd1, numbers+16;", "mov.u64 %rd1, &.numbers+16"},
    {"mov.u64 %rd1, callee;", "mov.u64 %rd1, @callee"},
    {"mov.u64 %rd1, k;", "mov.u64 %rd1, @k"},
    {"vadd.s32.s32.s32 %r1, %r2.b0, -%r3;", "vadd.s32.s32.s32 %r1, ?%r2.b0, ?-%r3"},
    {"@p mov.u32 %r1, 1;", "@p mov.u32 %r1, 1"},
    {"@ ! p mov.u32 %r1, 1;", "@!p mov.u32 %r1, 1"},
    {"ret;", "ret"},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3];",
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1], %r2, [%r3]"},
    {"ld .global /* a comment */ .nc // and one more\n.L2::128B.u32 %r1 , [ %rd1 ] ;",
     "ld.global.nc.L2::128B.u32 %r1, [%rd1]"},
};

BOOST_DATA_TEST_CASE(operands_are_read, data::make(operands)) {
  const Module module(testing::module_with_body(sample.body));
  BOOST_TEST(instructions_of(module, *module.find_function("k")) == sample.expected);
}

const std::vector<Row> names = {
    // Labels are known before they are declared, and within their braces.
    {"bra L; ret; L: ret;", "bra #2\nret\nret"},
    {"L: bra L;", "bra #0"},
    {"bra end; end:", "bra #1"},
    {"L: { bra L; ret; L: ret; } bra L;", "bra #2\nret\nret\nbra #0"},
    {"{ bra L; } { L: ret; } L: ret;", "bra #2\nret\nret"},
    {"{ { bra L; } L: ret; } ret;", "bra #1\nret\nret"},
    {"A: B: bra A; bra B;", "bra #0\nbra #0"},
    {"{ L: bra L; } { L: bra L; }", "bra #0\nbra #1"},
    // A declaration shadows the outer one from where it stands.
    {".reg .b64 x; { mov.b64 x, 1; .reg .b32 x; mov.b32 x, 2; } mov.b64 x, 3;",
     "mov.b64 x, 1\nmov.b32 x, 2\nmov.b64 x, 3"},
    {".reg .b32 n; mov.u32 n, 1;", "mov.u32 n, 1"},
    {"{ .reg .b32 numbers; mov.b32 numbers, 1; } mov.b64 %rd1, numbers;",
     "mov.b32 numbers, 1\nmov.b64 %rd1, &.numbers"},
    {".shared .b8 s[16]; mov.u32 %r1, s+4; ld.shared.b8 %r1, [s];",
     "mov.u32 %r1, &s+4\nld.shared.b8 %r1, [s]"},
    // Prefixes of ranges may end in digits.
    {".reg .b32 a<12>, a1<3>; mov.b32 a11, a10; mov.b32 a12, a9;",
     "mov.b32 a11, a10\nmov.b32 a12, a9"},
    // Tables.
    {"brx.idx %r1, T; T: .branchtargets A, B, A; A: ret; B: ret;",
     "brx.idx %r1, {#1, #2, #1}\nret\nret"},
    {"T: .branchtargets A; { A: brx.idx %r1, T; } A: ret;", "brx.idx %r1, {#1}\nret"},
    // Calls.
    {"call callee, (%r1);", "call {}, @callee, {%r1}"},
    {"call callee;", "call {}, @callee, {}"},
    {"call.uni\ncallee,\n(\n%r1\n)\n;", "call.uni {}, @callee, {%r1}"},
    {"call (%r2), callee, (%r1, 3, 0f00000000);", "call {%r2}, @callee, {%r1, 3, 0f00000000}"},
    {".param .b32 a; call (a), %rd1, (a), P; P : .callprototype (.param .b32 _) _ (.param .b32 _);",
     "call {&a}, %rd1, {&a}, ?P"},
    {"call %rd1, (%r1), T; T: .calltargets callee, k;", "call {}, %rd1, {%r1}, {@callee, @k}"},
    {"call %rd1, P; P: .callprototype _ ();", "call {}, %rd1, {}, ?P"},
};

BOOST_DATA_TEST_CASE(names_are_resolved, data::make(names)) {
  const bool shadows_parameter = sample.body.find(".reg .b32 n;") != std::string::npos;
  const std::string body = shadows_parameter ? "{" + sample.body + "}" : sample.body;
  const Module module(testing::module_with_body(body));
  BOOST_TEST(instructions_of(module, *module.find_function("k")) == sample.expected);
}

BOOST_AUTO_TEST_CASE(shadowed_things_are_different) {
  const Module module(testing::module_with_body(
      ".shared .b32 x; .reg .b32 y; { .local .b64 x; .reg .f32 y; ld.local.f32 y, [x]; } "
      "ld.shared.b32 y, [x];"));
  const Function& function = *module.find_function("k");
  BOOST_REQUIRE(function.code.size() == 2u);
  const auto type_of = [&](std::size_t instruction) {
    return function.registers.at(function.code[instruction].operands[0].reg).type;
  };
  const auto space_of = [&](std::size_t instruction) {
    return function.variables.at(function.code[instruction].operands[1].variable.index).space;
  };
  BOOST_TEST((type_of(0) == Type::f32));
  BOOST_TEST((type_of(1) == Type::b32));
  BOOST_TEST((space_of(0) == Space::local));
  BOOST_TEST((space_of(1) == Space::shared));
}

BOOST_AUTO_TEST_CASE(instructions_know_their_lines) {
  const Module module(testing::module_with_body("ret; ret;\n/* \n */ ret;\nL: ret;"));
  std::vector<std::uint32_t> lines;
  for (const Instruction& instruction : module.find_function("k")->code) {
    lines.push_back(instruction.ptx_line);
  }
  const std::vector<std::uint32_t> expected = {8, 8, 10, 11};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(registers_are_those_that_are_named) {
  const Module module(testing::module_with_body(
      ".reg .b32 %huge<16777216>; mov.b32 %huge16777215, %r3; @q mov.b32 %r3, %huge0;"));
  const Function& function = *module.find_function("k");
  std::vector<std::string> registers;
  for (const Register& reg : function.registers) registers.emplace_back(reg.name);
  const std::vector<std::string> expected = {"%huge16777215", "%r3", "q", "%huge0"};
  BOOST_TEST(registers == expected, boost::test_tools::per_element());
  BOOST_TEST((function.registers[2].type == Type::pred));
}

}  // namespace
}  // namespace sweep::ptx::body_test
