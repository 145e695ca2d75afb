#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "engine/spec/cuda_scanner.h"
#include "engine/spec/included_files.h"
#include "engine/text/read_source.h"
#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"
#include "tests/temporary_folder.h"

using namespace sweep::testing;

namespace code_shape {
namespace {

/// The messages about a pattern with this code behind its kernel, which ends in line 19.
std::string messages_with(const std::string& code) {
  return pattern_messages(copy_pattern + code);
}

/// The messages about what a pattern in the folder includes, without the folder's name.
std::string include_failure(const std::filesystem::path& folder, const std::string& text) {
  const auto source = std::make_shared<sweep::Source>(sweep::Source{"copy.cu", text});
  sweep::Diagnostics found;
  sweep::read_included_files(source, 0, folder / "copy.cu", {}, found);
  std::string all = messages(found);
  const std::string prefix = folder.string() + "/";
  if (const std::size_t at = all.find(prefix); at != std::string::npos)
    all.erase(at, prefix.size());
  return all;
}

}  // namespace
}  // namespace code_shape

BOOST_AUTO_TEST_SUITE(code_shape)

namespace {

std::string bracket_message(const std::string& code) {
  sweep::Diagnostics found;
  const bool good = sweep::check_brackets(source_of(code), 0, found);
  BOOST_TEST(good == found.empty());
  return messages(found);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_bracket_without_its_partner_is_found) {
  BOOST_TEST(bracket_message("void f() { g(a[1]); }\n") == "");
  BOOST_TEST(bracket_message("void f() {\n  g();\n") == "1:10+1 this { is never closed");
  BOOST_TEST(bracket_message("void f() {\n}\n}\n") == "3:1+1 this } closes nothing");
  BOOST_TEST(bracket_message("void f() { g(a[1); }\n") ==
             "1:15+1 this [ is not closed before the ) in line 1");
  // The indents tell which is missing, but do not make a mistake.
  BOOST_TEST(bracket_message("void f() {\n  if (x) {\n    y();\n}\n\nvoid g() {\n}\n") ==
             "2:10+1 this { is not closed before the } in line 4");
  BOOST_TEST(bracket_message("void f() {\n  if (x) {\n    y();\n}}\n") == "");
}

BOOST_AUTO_TEST_CASE(brackets_in_what_is_no_code_have_no_partners) {
  BOOST_TEST(bracket_message("// {\n/* ( */ char c = '{'; auto s = \"[\"; auto r = R\"x({)\")x\";\n"
                             "int n = 1'000;\n") == "");
}

BOOST_AUTO_TEST_CASE(conditions_and_macros_may_leave_brackets_open) {
  const std::string both = "#if A\nvoid f() {\n#elif B\nvoid g() {\n#else\nvoid h() {\n#endif\n}\n";
  BOOST_TEST(bracket_message(both) == "");
  BOOST_TEST(bracket_message(both + "{\n") == "9:1+1 this { is never closed");
  // Which of them holds is not known.
  BOOST_TEST(bracket_message("#if A\nnamespace a {\n#endif\n{\n") == "");
  BOOST_TEST(bracket_message("#define BEGIN {\nvoid f() BEGIN }\n") == "");
}

BOOST_AUTO_TEST_CASE(comments_are_closed) {
  BOOST_TEST(messages_with("/* closed */ // not /* one\n\"/*\"\n") == "");
  BOOST_TEST(messages_with("\n  /* open\n") ==
             "21:3+2 this comment is never closed | end it with */");
  BOOST_TEST(messages_with("/*/") == "20:1+2 this comment is never closed | end it with */");
}

BOOST_AUTO_TEST_CASE(brackets_stand_in_each_other_500_deep) {
  const auto nested = [](std::size_t depth) {
    return "constexpr int x = " + std::string(depth, '(') + "1" + std::string(depth, ')') + ";\n";
  };
  BOOST_TEST(messages_with(nested(500)) == "");
  BOOST_TEST(messages_with(nested(501)) ==
             "20:519+1 brackets stand in each other more than 500 deep here");
  // What is closed, and what is no code, does not count.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{}[]()";
  BOOST_TEST(messages_with(many + "// " + std::string(1000, '{') + "\n") == "");
  BOOST_TEST(pattern_messages(edited(copy_pattern, "\"T(i % 101)\"}\n  out:",
                                     "\"" + std::string(600, '(') + "\"}\n  out:")) ==
             "9:35+600 brackets stand in each other more than 500 deep here");
}

BOOST_AUTO_TEST_CASE(a_line_has_64_kibibytes_at_most) {
  const std::string longest(64U << 10U, 'x');
  BOOST_TEST(messages_with("//" + longest.substr(2)) == "");
  BOOST_TEST(messages_with("\n//" + longest + "\n") ==
             "21:1+1 this line has 65,538 bytes; a line of code can have 65,536");
}

BOOST_AUTO_TEST_CASE(code_is_text) {
  BOOST_TEST(messages_with("// f\xFCr\n") ==
             "20:5+1 this byte (0xFC) is not UTF-8 text | save the file as UTF-8 text");
  BOOST_TEST(messages_with("// gr\xC3\xB6\xC3\x9F"
                           "e\n\f\n") == "");
  std::string with_crlf;
  for (const char c : copy_pattern)
    with_crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  BOOST_TEST(pattern_messages(with_crlf) == "");
  BOOST_TEST(pattern_messages("\xEF\xBB\xBF" + with_crlf) == "");
}

BOOST_FIXTURE_TEST_CASE(what_is_included_is_a_file_of_text, sweep::TemporaryFolder) {
  write("good.cuh", "#pragma once\n#include \"missing.cuh\"\n#include \"good.cuh\"\n");
  BOOST_TEST(include_failure(path(), "#include \"good.cuh\"\n") == "");
  std::filesystem::create_directory(path() / "folder.cuh");
  // The compiler says that there is no such file.
  BOOST_TEST(include_failure(path(), "#include \"folder.cuh\"\n") == "");
  BOOST_REQUIRE(mkfifo((path() / "pipe.cuh").c_str(), 0600) == 0);
  BOOST_TEST(include_failure(path(), "#include \"pipe.cuh\"\n") ==
             "1:10+10 pipe.cuh: this is not a file but a pipe");
  // What others wrote is taken as it is.
  write("bad.cuh", "// f\xFCr\n");
  BOOST_TEST(include_failure(path(), "#include \"bad.cuh\"\n") == "");
  write("marked.cuh", "\xEF\xBB\xBF#define Q 1\n");
  BOOST_TEST(include_failure(path(), "#include \"marked.cuh\"\n") == "");
  write("long.cuh", "#include \"" + std::string(1'000'000, 'a') + "\"\n");
  BOOST_TEST(
      include_failure(path(), "#include \"long.cuh\"\n").starts_with("1:1+1 this line has "));
}

BOOST_FIXTURE_TEST_CASE(all_that_is_included_has_64_mebibytes_at_most, sweep::TemporaryFolder) {
  std::string text;
  std::string lines;
  for (int i = 0; i < (15 << 10); ++i) lines += "//" + std::string(1021, 'x') + "\n";
  for (int i = 0; i < 5; ++i) {
    const std::string name = "part" + std::to_string(i) + ".cuh";
    write(name, lines);
    text += "#include \"" + name + "\"\n";
  }
  BOOST_TEST(include_failure(path(), text) ==
             "5:10+11 the included files are larger than 64 MiB together");
}

BOOST_AUTO_TEST_CASE(the_compiler_is_told_a_name_that_it_takes) {
  BOOST_TEST(sweep::compiler_file_name("a b/gr\xC3\xB6\xC3\x9F"
                                       "e's.cu") ==
             "a b/gr\xC3\xB6\xC3\x9F"
             "e's.cu");
  BOOST_TEST(sweep::compiler_file_name("a\"b\\c\nd/p.cu") == "a_b_c_d/p.cu");
}

BOOST_AUTO_TEST_SUITE_END()
