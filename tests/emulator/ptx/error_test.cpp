#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "tests/emulator/ptx/module_text.h"
#include "tests/repeated.h"

namespace data = boost::unit_test::data;

namespace sweep::ptx::error_test {
namespace {

struct Row {
  std::string text;
  std::string message;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.text.substr(0, 60);
  }
};

std::string message_of(const std::string& text) {
  try {
    const Module module(text);
    module.find_function("k");
  } catch (const SyntaxError& error) {
    return error.what();
  }
  return "";
}

const std::vector<Row> headers = {
    {"", "line 1 of the PTX: expected '.version', found the end of the text"},
    {"\n.target sm_90", "line 2 of the PTX: expected '.version', found '.target'"},
    {".version 5.9",
     "line 1 of the PTX: PTX of version '5.9' is not supported: it has to be 6.0 or newer"},
    {".version 9",
     "line 1 of the PTX: PTX of version '9' is not supported: it has to be 6.0 or newer"},
    {".version 123456.0",
     "line 1 of the PTX: PTX of version '123456.0' is not supported: it has to be 6.0 or newer"},
    {".version 9.1", "line 1 of the PTX: there is no '.target'"},
    {".version 10.0", "line 1 of the PTX: there is no '.target'"},
    {".version 9.0\n.address_size 64", "line 2 of the PTX: there is no '.target'"},
    {".version 9.0\n.target nvptx\n.address_size 64",
     "line 2 of the PTX: 'nvptx' is not a target: it has to be sm_ and a number"},
    {".version 9.0\n.target sm_90", "line 2 of the PTX: there is no '.address_size 64'"},
    {".version 9.0\n.target sm_90\n.address_size 32",
     "line 3 of the PTX: addresses of 32 bits are not supported, of 64 are"},
    {"\x7f"
     "ELF",
     "line 1 of the PTX: unexpected '\\x7f'"},
    {"/* never ends\n", "line 1 of the PTX: a comment does not end"},
};

const std::vector<Row> declarations = {
    {".nonsense", "'.nonsense' is not a directive of a module"},
    {"nonsense", "expected a directive, found 'nonsense'"},
    {".global .b32 a", "expected ';', found the end of the text"},
    {".global a;", "expected a type, found 'a'"},
    {".global .q32 a;", "'.q32' is not a type or an attribute of a variable"},
    {".global .pred a;", "a predicate is not kept in memory"},
    {".global .align 3 .b32 a;", "an alignment is a power of two"},
    {".global .align 0 .b32 a;", "an alignment is a power of two"},
    {".global .b32 a[3][0];", "only the first length of an array may be left out"},
    {".global .b32 a[4294967296][4294967296];", "a variable is larger than 256 TiB"},
    {".global .b8 a[281474976710657];", "a length is not from 0 to 281474976710656"},
    {".global .b8 a[-1];", "a length is not from 0 to 281474976710656"},
    {".global .b8 a[][140737488355328] = {{},{},{},{}};", "a variable is larger than 256 TiB"},
    {".global .b32 a[2] = {1, 2, 3};", "the initialiser has more elements than the variable"},
    {".global .b32 a[2][2] = {{1}, {2}, {3}};",
     "the initialiser has more elements than the variable"},
    {".global .f32 a = 1;", "this number does not initialise a .f32"},
    {".global .b16 a = 0f3F800000;", "this number does not initialise a .b16"},
    {".global .b8 a = 0xF0(k);",
     "a mask in front of an address takes as many of its bytes as an element has"},
    {".global .b32 a; .global .b32 a;", "'a' is declared twice"},
    {".func k () { ret; } .func k () { ret; }", "'k' is defined twice"},
    {".func k () { ret; ", "this '{' has no '}'"},
    {".func k () { \" }", "a string does not end"},
    {".func k () { /* }", "a comment does not end"},
    {".func (", "expected ')', found the end of the text"},
    {".func k (", "expected ')', found the end of the text"},
    {".func k () }", "expected '{' or ';', found '}'"},
    {".alias a, b;", "'.alias' names 'b', which is no function"},
    {".section .debug_info", "expected '{', found the end of the text"},
    {".file 1 name", "expected the name of a file, found 'name'"},
    {".file 65536 \"name\"", "the number of a file is not from 0 to 65535"},
    {".func k (.local .b32 a) { ret; }", "'.local' is not the space of a parameter"},
    {".func k (.reg .b32 a) { ret; }",
     "'k' takes its parameters in registers, which is not supported"},
    {".entry k () .maxntid 65536, 65536 { ret; }", "a block has too many threads"},
};

const std::vector<Row> bodies = {
    {"mov.u32 %r1, 1", "expected ';', found '}'"},
    {"mov.u32 %r1,;", "expected a number, found ';'"},
    {";", "expected an instruction, found ';'"},
    {"mov.u32 %r10, 1;", "'%r10' is not a register"},
    {"mov.u32 %r01, 1;", "'%r01' is not a register"},
    {"ld.u32 %r1, [nothing];", "'nothing' is neither a register nor a variable"},
    {"ld.u32 %r1, [callee];", "'callee' is neither a register nor a variable"},
    {"ld.u32 %r1, [%rd1;", "expected ']', found ';'"},
    {"bra nowhere;", "'nowhere' is not declared"},
    {"{ L: ret; } bra L;", "'L' is not declared"},
    {"L: mov.u64 %rd1, L+8;", "'L' is code and takes no offset"},
    {"L: ret; L: ret;", "'L' is declared twice"},
    {".reg .b32 x, x;", "'x' is declared twice"},
    {".reg .b32 %r<4>;", "registers '%r<...>' are declared twice"},
    {".reg .b32 x<4000000000>;", "the number of registers is not from 0 to 16777216"},
    {".reg .v4 .b32 x;", "registers that are vectors are not supported"},
    {"@%r1 ret;", "'%r1' is not a predicate"},
    {"@n ret;", "'n' is not a predicate"},
    {"@p L: ret;", "expected a number, found ':'"},
    {"mov.u32 %r1, 18446744073709551616;", "'18446744073709551616' is not a number of 64 bits"},
    {"mov.u32 %r1, 0x;", "'0x' is not a number of 64 bits"},
    {"mov.u32 %r1, 08;", "'08' is not a number of 64 bits"},
    {"mov.u32 %r1, 0f3F80;", "'0f3F80' is not a number of 64 bits"},
    {"mov.u32 %r1, 12abc;", "'12abc' is not a number of 64 bits"},
    {"mov.u32 %r1, 1e999;", "'1e999' is not a number of 64 bits"},
    {"mov.u32 %r1, 1/0;", "division by zero"},
    {"mov.f32 %f1, 1.0 + 2;", "a floating-point number stands alone, not in an expression"},
    {"mov.u32 %r1, ~1.0;", "'~' needs an integer"},
    {".loc 1 2\n", "expected a number, found '}'"},
    {".loc 1 2 3, nonsense 3\n", "'nonsense' is not an attribute of a place"},
    {".loc 65536 2 3\n", "a file is not from 0 to 65535"},
    {".loc 1 4294967296 3\n", "a line is not from 0 to 4294967295"},
    {".loc 1 2 1.5\n", "a column is not from 0 to 4294967295"},
    {"mov.u32 %r1, -_;", "'-' needs a register, not '_'"},
    {".nonsense;", "'.nonsense' is not a directive of a function's body"},
    {"call (%r1) callee;", "expected ',', found 'callee'"},
    {repeated("{", 65) + repeated("}", 65), "braces are nested too deeply"},
    {"mov.u32 %r1, " + repeated("(", 100000), "an expression is nested too deeply"},
    {"mov.u32 %r1, " + repeated("- ", 100000) + "1;", "an expression is nested too deeply"},
    {"mov.u32 %r1, " + repeated("{", 12) + repeated("}", 12), "an operand is nested too deeply"},
    {"T: .branchtargets A" + repeated(",A", 2000) + "; A: " + repeated("brx.idx %r1, T; ", 100),
     "the function has too many branch targets"},
};

BOOST_DATA_TEST_CASE(headers_are_refused, data::make(headers)) {
  BOOST_TEST(message_of(sample.text) == sample.message);
}

BOOST_DATA_TEST_CASE(declarations_are_refused, data::make(declarations)) {
  BOOST_TEST(message_of(testing::module_with(sample.text)) ==
             fmt::format("line 4 of the PTX: {}", sample.message));
}

BOOST_DATA_TEST_CASE(bodies_are_refused, data::make(bodies)) {
  const std::string message = message_of(testing::module_with_body(sample.text));
  BOOST_TEST(message.substr(message.find(':') + 2) == sample.message);
}

BOOST_AUTO_TEST_CASE(an_error_in_a_body_waits_for_it) {
  const Module module(testing::module_with(".func broken () { nonsense }\n.entry k () { ret; }"));
  BOOST_TEST(module.find_function("k")->code.size() == 1u);
  // It is the same at each try.
  BOOST_CHECK_THROW(module.find_function("broken"), SyntaxError);
  try {
    module.find_function("broken");
  } catch (const SyntaxError& error) {
    BOOST_TEST(error.line() == 4u);
  }
}

}  // namespace
}  // namespace sweep::ptx::error_test
