#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "report/document.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(markdown_text)

namespace {

struct Escape {
  const char* text;
  const char* markdown;
};
std::ostream& operator<<(std::ostream& out, const Escape& escape) {
  return out << escape.text;
}

const Escape escapes[] = {
    {"", ""},
    {"plain text, 1.5 - 2 (a)", "plain text, 1.5 - 2 (a)"},
    {"a|b", R"(a\|b)"},
    {"`code`", R"(\`code\`)"},
    {"two\nlines\r\nand\ttab", "two lines  and tab"},
    {R"(back\slash)", R"(back\\slash)"},
    // Between spaces an asterisk multiplies.
    {"N * STRIDE", "N * STRIDE"},
    {"*bold*", R"(\*bold\*)"},
    {"a*b", R"(a\*b)"},
    // Within a word an underscore is a letter.
    {"percent_of_peak", "percent_of_peak"},
    {"l1tex__t_sectors", "l1tex__t_sectors"},
    {"__global__ void", R"(\_\_global\_\_ void)"},
    {"vector<int> a < b", R"(vector\<int> a < b)"},
    {"</td>", R"(\</td>)"},
    {"a && b &amp;", R"(a && b \&amp;)"},
    {"bandwidth [GB/s]", "bandwidth [GB/s]"},
    {"[text](target)", R"([text\](target))"},
    {"~~struck~~ $x$", R"(\~\~struck\~\~ \$x\$)"},
    {"# heading", R"(\# heading)"},
    {"> quotation", R"(\> quotation)"},
    {"- item", R"(\- item)"},
    {"* item", R"(\* item)"},
    {"-1", "-1"},
    {"---", R"(\---)"},
    {"12. item", R"(12\. item)"},
    {"12.5", "12.5"},
    {"colour \x1b[31m", "colour ?[31m"},
    {"\xc2\x9b"
     "31m \xff a\u202eb",
     "?31m ? a?b"},
    {"![x](javascript:alert(1))", R"(![x\](javascript:alert(1)))"},
    {"<javascript:alert(1)>", R"(\<javascript:alert(1)>)"},
    {"[x]: https://a.example", R"([x\]: https://a.example)"},
    {"<!-- comment", R"(\<!-- comment)"},
};

BOOST_DATA_TEST_CASE(markup_is_escaped, data::make(escapes), escape) {
  BOOST_TEST(escape_markdown(escape.text) == escape.markdown);
}

BOOST_AUTO_TEST_CASE(code_is_shown_as_it_is) {
  BOOST_TEST(markdown_code("a < b", "sh") == "```sh\na < b\n```\n");
  BOOST_TEST(markdown_code("  a\r\n  ^\n", "text") == "```text\n  a\n  ^\n```\n");
  BOOST_TEST(markdown_code("", "") == "```\n```\n");
}

BOOST_AUTO_TEST_CASE(code_cannot_end_its_block) {
  BOOST_TEST(markdown_code("```\n````", "text") == "`````text\n```\n````\n`````\n");
}

BOOST_AUTO_TEST_CASE(a_table_can_be_read_as_it_stands) {
  const std::string expected =
      "| name  | figure |\n"
      "|:------|-------:|\n"
      "| a     |   1.50 |\n"
      "| – and |      – |\n";
  BOOST_TEST(markdown_table({{"name", false}, {"figure", true}}, {{"a", "1.50"}, {"– and", "–"}}) ==
             expected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
