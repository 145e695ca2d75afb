#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "engine/jit/compiler.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(compiler_messages)

namespace {

Pattern pattern() {
  Pattern pattern;
  pattern.source = std::make_shared<Source>(Source{"my/stride.cu", "one\ntwo\nthree = foo;\n"});
  pattern.included.files.push_back({"my/helper.h", "helper.h", "first\nsecond\n", {}});
  return pattern;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_error_points_into_the_pattern) {
  const Diagnostics messages = read_compiler_log(
      "my/stride.cu(3): error: identifier \"foo\" is undefined\n"
      "  three = foo;\n"
      "          ^\n\n1 error detected in the compilation of \"generated\".\n",
      pattern());
  BOOST_TEST(render(messages) ==
             "my/stride.cu:3:9: error: identifier \"foo\" is undefined\n"
             "  three = foo;\n"
             "          ^\n");
}

BOOST_AUTO_TEST_CASE(a_warning_keeps_its_severity_and_loses_its_number) {
  const Diagnostics messages = read_compiler_log(
      "my/stride.cu(2): warning #177-D: variable \"x\" was declared but never referenced\n"
      "  two\n  ^\n\nRemark: The warnings can be suppressed with \"-diag-suppress 177\"\n",
      pattern());
  BOOST_REQUIRE(messages.list().size() == 1U);
  BOOST_TEST((messages.list().front().severity == Severity::warning));
  BOOST_TEST(messages.list().front().message == "variable \"x\" was declared but never referenced");
  BOOST_TEST(!messages.has_errors());
}

BOOST_AUTO_TEST_CASE(the_same_message_shows_once) {
  const std::string one = "my/stride.cu(3): error: bad\n";
  BOOST_TEST(read_compiler_log(one + one, pattern()).list().size() == 1U);
}

BOOST_AUTO_TEST_CASE(only_errors_of_other_files_are_kept_with_their_place_in_words) {
  const Diagnostics messages = read_compiler_log(
      "generated(7): warning #1-D: nobody can act on this\nother.h(12): error: bad include\n",
      pattern());
  BOOST_REQUIRE(messages.list().size() == 1U);
  BOOST_TEST(messages.list().front().message == "other.h(12): bad include");
}

BOOST_AUTO_TEST_CASE(an_error_points_into_an_included_file) {
  const Diagnostics messages =
      read_compiler_log("my/helper.h(2): error: bad\n  second\n    ^\n", pattern());
  BOOST_TEST(render(messages) == "my/helper.h:2:3: error: bad\n  second\n    ^\n");
}

BOOST_AUTO_TEST_CASE(an_error_in_generated_code_says_so_and_counts_only_without_others) {
  const std::string log = "generated(1): error: linkage specification is not allowed\n";
  BOOST_TEST(render(read_compiler_log(log, pattern())) ==
             "error: in what the engine writes around the pattern's code: linkage specification is "
             "not allowed\n");
  BOOST_TEST(render(read_compiler_log(log + "my/stride.cu(3): error: bad\n", pattern())) ==
             "my/stride.cu:3: error: bad\n");
}

BOOST_AUTO_TEST_CASE(an_error_of_the_assembler_has_the_place_of_its_line_of_ptx) {
  const std::string log =
      "ptxas application ptx input, line 5; fatal   : Parsing error near 'no': syntax error\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n";
  BOOST_TEST(needs_ptx(log));
  const std::string here = std::filesystem::current_path().string();
  const std::string ptx =
      ".visible .entry k()\n{\n\t.loc\t2 3 7\n\t// begin inline asm\n\tno such;\n"
      "}\n\t.file\t1 \"" +
      here + "/my/helper.h\"\n\t.file\t2 \"" + here + "/my/stride.cu\"\n";
  BOOST_TEST(render(read_compiler_log(log, pattern(), ptx)) ==
             "my/stride.cu:3:7: error: Parsing error near 'no': syntax error\n"
             "  three = foo;\n        ^\n  help: the assembler reads: no such;\n");
}

BOOST_AUTO_TEST_CASE(errors_of_the_assembler_have_no_place_and_no_mangled_name) {
  const Diagnostics messages = read_compiler_log(
      "ptxas warning : nobody can act on this\n"
      "ptxas error   : Entry function '_ZN8sweep_c04wideEPf' uses too much shared data "
      "(0x10000 bytes, 0xc000 max)\n"
      "ptxas application ptx input, line 23; error   : Illegal modifier '.foo'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      pattern());
  BOOST_TEST(render(messages) ==
             "error: the kernel uses too much shared data (0x10000 bytes, 0xc000 max)\n"
             "  help: declare it extern __shared__ and give launch: {shared: BYTES}\n"
             "error: Illegal modifier '.foo'\n");
}

BOOST_AUTO_TEST_CASE(text_that_is_no_message_is_left_out) {
  BOOST_TEST(read_compiler_log("", pattern()).empty());
  BOOST_TEST(
      read_compiler_log("(): error\nx(y): error: z\n3 errors detected\n", pattern()).empty());
}

BOOST_AUTO_TEST_SUITE_END()
