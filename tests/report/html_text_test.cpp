#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/html/page_parts.h"
#include "tests/rapidcheck_case.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(html_text)

namespace {

struct TextCase {
  const char* text;
  const char* html;
};
std::ostream& operator<<(std::ostream& out, const TextCase& each) {
  return out << each.text;
}

const TextCase text_cases[] = {
    {"T = float", "T = float"},
    {"a < b && c > \"d\"", "a &lt; b &amp;&amp; c &gt; &quot;d&quot;"},
    {"it's", "it&#39;s"},
    {"64 Mi \xe2\x80\x93 \xc3\xa4", "64 Mi \xe2\x80\x93 \xc3\xa4"},
    {"a\r\nb\tc", "a\nb\tc"},
    {"\x1b[31m", "\xef\xbf\xbd[31m"},
    {"\xff", "\xef\xbf\xbd"},
    {"\xc3", "\xef\xbf\xbd"},
    {"\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"\xe2\x80\xae", "\xef\xbf\xbd"},
    {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
};

struct FigureCase {
  const char* figure;
  std::size_t longest;
  const char* html;
};
std::ostream& operator<<(std::ostream& out, const FigureCase& each) {
  return out << each.figure;
}

const FigureCase figure_cases[] = {
    {"12.35", 3, "12.35"},
    {"2738", 2, "2738<span class=\"pad\" aria-hidden=\"true\">.0</span>"},
    {"331.6", 4, "331.6<span class=\"pad\" aria-hidden=\"true\">00</span>"},
    {"5", 0, "5"},
};

struct Base64Case {
  const char* text;
  const char* encoded;
};
std::ostream& operator<<(std::ostream& out, const Base64Case& each) {
  return out << each.text;
}

/// RFC 4648, section 10.
const Base64Case base64_cases[] = {{"", ""},
                                   {"f", "Zg=="},
                                   {"fo", "Zm8="},
                                   {"foo", "Zm9v"},
                                   {"foob", "Zm9vYg=="},
                                   {"fooba", "Zm9vYmE="},
                                   {"foobar", "Zm9vYmFy"}};

}  // namespace

BOOST_DATA_TEST_CASE(escapes_text, boost::unit_test::data::make(text_cases), each) {
  BOOST_TEST(escape_html(each.text) == each.html);
}

BOOST_DATA_TEST_CASE(aligns_figures, boost::unit_test::data::make(figure_cases), each) {
  BOOST_TEST(aligned_figure(each.figure, each.longest) == each.html);
}

BOOST_DATA_TEST_CASE(encodes_base64, boost::unit_test::data::make(base64_cases), each) {
  BOOST_TEST(base64(each.text) == each.encoded);
}

BOOST_AUTO_TEST_CASE(reads_hexadecimal) {
  BOOST_TEST(bytes_of_hex("666f6F") == "foo");
}

BOOST_AUTO_TEST_CASE(figures_of_json_have_seven_digits) {
  BOOST_TEST(page_figure(0.1 + 0.2).dump() == "0.3");
  BOOST_TEST(page_figure(123456789).dump() == "123456789");
  BOOST_TEST(page_figure(1234.56789).dump() == "1234.568");
  BOOST_TEST(page_figure(std::numeric_limits<double>::infinity()).dump() == "\"inf\"");
  BOOST_TEST(page_figure(-std::numeric_limits<double>::infinity()).dump() == "\"-inf\"");
  BOOST_TEST(page_figure(std::nan("")).dump() == "\"nan\"");
}

BOOST_AUTO_TEST_CASE(no_text_ends_its_script) {
  check_property([](const std::string& text) {
    const std::string json = script_json(nlohmann::ordered_json{{"text", "</script><!--" + text}});
    RC_ASSERT(json.find('<') == std::string::npos);
    RC_ASSERT(!nlohmann::json::parse(json, nullptr, false).is_discarded());
  });
}

BOOST_AUTO_TEST_CASE(no_text_becomes_an_element) {
  check_property([](const std::string& text) {
    RC_ASSERT(escape_html(text).find_first_of("<>\"'") == std::string::npos);
  });
}

BOOST_AUTO_TEST_CASE(highlights_cuda) {
  const std::vector<std::string> lines = highlight_cuda(
      "#pragma unroll\nfor (int i = 0; i < 0x1f; ++i) s = \"a\\\"/*\"; // <x>\n/* a\nb */ c");
  const std::vector<std::string> expected = {
      "<span class=\"directive\">#pragma unroll</span>",
      "<span class=\"keyword\">for</span> (<span class=\"keyword\">int</span> i = <span "
      "class=\"number\">0</span>; i &lt; <span class=\"number\">0x1f</span>; ++i) s = <span "
      "class=\"string\">&quot;a\\&quot;/*&quot;</span>; <span class=\"comment\">// "
      "&lt;x&gt;</span>",
      "<span class=\"comment\">/* a</span>", "<span class=\"comment\">b */</span> c"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
