#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/spec/included_files.h"
#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace include_sites {

struct Case {
  std::string text;
  std::string sites;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.text; }
};

std::string describe(const std::string& text) {
  std::string all;
  for (const IncludeSite& site : find_include_sites(text)) {
    constexpr const char* kinds[] = {"\"", "<", "?", "!"};
    if (!all.empty()) all += ' ';
    all += kinds[static_cast<int>(site.kind)] + site.name;
    const bool is_named = site.length > 0;
    if (is_named) BOOST_TEST(text.substr(site.begin + 1, site.length - 2) == site.name);
  }
  return all;
}

const std::vector<Case> cases = {
    {"", ""},
    {"#include \"a.h\"\n#include <b/c.h>\n", "\"a.h <b/c.h"},
    {" \t#\v include\f\"a.h\"", "\"a.h"},
    {"%:include \"a.h\"", "\"a.h"},
    {"%\\\n:include \"a.h\"", "\"a.h"},
    {"?\?=include \"a.h\"", "\"a.h"},
    {"#inc\\\nlude \"a.h\"", "\"a.h"},
    {"#inc\\  \t\nlude \"a.h\"", "\"a.h"},
    {"#inc?\?/\nlude \"a.h\"", "\"a.h"},
    {"# /* x */ include /* \n */ \"a.h\"", "\"a.h"},
    {"#/\\\n* x *\\\n/include \"a.h\"", "\"a.h"},
    {"/* x */ #include \"a.h\"", "\"a.h"},
    {"/* x\n */#include \"a.h\"", "\"a.h"},
    {"/* x *\\\n/ #include \"a.h\"", "\"a.h"},
    {"\xEF\xBB\xBF#include \"a.h\"", "\"a.h"},
    {"\xEF\xBB\xBFimport \"a.h\";", "!"},
    {"// x\r#include \"a.h\"", "\"a.h"},
    {"// x \\ \n#include \"a.h\"", "\"a.h"},
    {"int x = 1.R\"(\n#include \"a.h\"\n)\";", "\"a.h"},
    {"\xC3\xA9R\"(\n#include \"a.h\"\n)\";", "\"a.h"},
    {"#if 0\n#include \"a.h\"\n#endif", "\"a.h"},
    {"#include NAME", "?"},
    {"#include", "?"},
    {"#include \"a\\\n.h\"", "?"},
    {"#include \"a.h\n", "?"},
    {"#include <a.h\n>", "?"},
    {"#include \"\"", "?"},
    {"#include_next <a.h>", "!"},
    {"#import \"a.h\"", "!"},
    {"#embed \"a.h\"", "!"},
    {"#\\u0069nclude \"a.h\"", "!"},
    {"import \"a.h\";", "!"},
    // The end of a comment may be the beginning of a line.
    {"  export /**/ import <a.h>;", "! !"},
    {"import NAME;", "!"},
    {"im\\\nport NAME;", "!"},
    {"#if __has_include(\"a.h\")", "\"a.h"},
    {"#if __has_include ( <a.h> )", "<a.h"},
    {"#define H __has_include", "?"},
    {"#if __has_include(NAME)", "?"},
    {"#ifdef __has_include", ""},
    {"#if defined(__has_include) && defined __has_include", ""},
    {"// #include \"a.h\"\n * #include \"b.h\"\nx #include \"c.h\"", ""},
    {"#includes \"a.h\"\n#define include x\n#pragma once\n##include \"a.h\"", ""},
    {"int a;\n  /* In Python:\nimport torch\n*/\nimport \"a.h\";", "!"},
    {"int a; /*\nimport torch\n*/\n", "!"},
    {"int a;\\\n\n/*\nimport torch\n*/\n", "!"},
    {"auto a = R\"x(\n/*\nimport torch\n*/\n)x\";", "!"},
    {"#include <x/*y>\nimport torch;\n/* */", "<x/*y !"},
    {"int important = 1; import = 2;\nimportant(\"a.h\");", ""},
    {"#include \"a.h\" // #include \"b.h\"\n", "\"a.h"},
};

}  // namespace include_sites
}  // namespace

BOOST_AUTO_TEST_SUITE(include_sites_suite)

BOOST_DATA_TEST_CASE(every_place_that_may_open_a_file_is_found, data::make(include_sites::cases),
                     row) {
  BOOST_TEST(include_sites::describe(row.text) == row.sites);
}

BOOST_AUTO_TEST_CASE(a_directive_that_hides_behind_a_long_comment_is_none_that_patterns_can_use) {
  const std::string comment = "/*" + std::string(10'000, 'x') + "*/";
  BOOST_TEST(include_sites::describe("#" + comment + "include \"a.h\"") == "!");
  BOOST_TEST(include_sites::describe("#include" + comment + "\"a.h\"") == "?");
  BOOST_TEST(include_sites::describe("export" + comment + "import \"a.h\";") == "! !");
}

BOOST_AUTO_TEST_CASE(hostile_lengths_take_no_time) {
  BOOST_TEST(find_include_sites(std::string(4'000'000, '#')).size() == 0U);
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "#include /*\n";
  BOOST_TEST(find_include_sites(lines).size() == 20'000U);
}

BOOST_AUTO_TEST_CASE(whatever_blanks_and_joints_stand_between_the_parts_it_is_found) {
  check_property([] {
    const auto gap = rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>(" ", "\t", "\\\n", "/**/", "/* # */", "\v", "\\\r\n"));
    std::string text;
    const auto put = [&](const std::string& part) {
      for (const std::string& piece : *gap) text += piece;
      text += part;
    };
    put(*rc::gen::element<std::string>("#", "%:"));
    put("include");
    put("\"a.h\"");
    RC_ASSERT(find_include_sites(text).size() == 1U);
    RC_ASSERT(find_include_sites(text).front().name == "a.h");
  });
}

BOOST_DATA_TEST_CASE(an_expression_holds_no_directive,
                     data::make({"#include \"x\"", "1;\n#define X", "a == %:include <x>", "?\?=x",
                                 "import \"x\"", "%\\\n:include", "\"#\""}),
                     text) {
  BOOST_TEST(may_hold_directive(text));
}

BOOST_DATA_TEST_CASE(usual_expressions_hold_none,
                     data::make({"i % 251", "c == '#'", "T(i % K) + T(1)", "imported(i)", ""}),
                     text) {
  BOOST_TEST(!may_hold_directive(text));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
