#include <boost/test/unit_test.hpp>

#include "engine/text/yaml.h"
#include "tests/rapidcheck_case.h"
#include "tests/text/yaml_case.h"

BOOST_AUTO_TEST_SUITE(yaml_properties)

namespace {

using namespace sweep::testing;
using sweep::Diagnostic;
using sweep::Diagnostics;
using sweep::Location;
using sweep::SourcePtr;
using sweep::YamlNode;

/// The offset of a place, which must be in the source.
std::size_t offset_of(const Location& where) {
  const std::string& text = where.source->text;
  RC_ASSERT(where.column >= 1U);
  const std::size_t offset = sweep::offset_of_line(text, where.line) + where.column - 1;
  RC_ASSERT(offset <= text.size());
  return offset;
}

void check_node(const YamlNode& node, const SourcePtr& source) {
  RC_ASSERT(node.where.source == source);
  RC_ASSERT(node.where.length >= 1U);
  if (node.where.line > 0) {
    const std::size_t offset = offset_of(node.where);
    const std::string first_line = node.text.substr(0, node.text.find('\n'));
    if (node.where.exact) RC_ASSERT(source->text.substr(offset, first_line.size()) == first_line);
  }
  RC_ASSERT(node.is_scalar() || node.text.empty());
  RC_ASSERT(node.text.find(sweep::hidden_comma) == std::string::npos);
  RC_ASSERT(node.is_sequence() || node.items.empty());
  RC_ASSERT(node.is_map() || node.entries.empty());
  for (const YamlNode& item : node.items) check_node(item, source);
  for (const auto& [key, value] : node.entries) {
    RC_ASSERT(key.is_scalar());
    RC_ASSERT(node.find(key.text) == &value);  // no key stands twice
    check_node(key, source);
    check_node(value, source);
  }
}

/// Reads a text that is most likely wrong: a sound tree or shown messages, nothing else.
bool try_read(const std::string& text) {
  const auto source = yaml_source(text);
  Diagnostics diagnostics;
  const auto root = read_yaml(source, diagnostics);
  RC_ASSERT(root.has_value() != diagnostics.has_errors());
  for (const Diagnostic& diagnostic : diagnostics.list()) {
    RC_ASSERT(diagnostic.where.source == source);
    RC_ASSERT(!diagnostic.message.empty());
    if (diagnostic.where.line > 0) offset_of(diagnostic.where);
  }
  RC_ASSERT(render(diagnostics).empty() == root.has_value());
  if (root) check_node(*root, source);
  return root.has_value();
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

/// A random value, and how it is written in flow style with random spaces and line breaks.
struct Flow {
  std::string written;
  std::string outlined;
};

std::string random_space() {
  return *rc::gen::element<std::string>("", "", " ", "  ", "\n  ");
}

Flow random_flow(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 6 : 3)) {
    case 0:
      return {"'it''s'", "\"it's\""};
    case 1:
      return {"word", "word"};
    case 2: {
      const auto call = *rc::gen::element<std::string>("f(1, 2)", "min(a,b, max( c , d),(e)) + 1",
                                                       "(ö, ü)", "g()", "f(1 ,2)*h(3, (4,5))");
      return {call, call};
    }
    default:
      break;
  }
  const bool is_map = *rc::gen::arbitrary<bool>();
  Flow result{is_map ? "{" : "[", is_map ? "{" : "["};
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    const Flow value = random_flow(depth - 1);
    const std::string key = is_map ? "k" + std::to_string(i) + ": " : "";
    result.written += random_space() + key + value.written + random_space();
    result.written += i + 1 < count ? "," : "";
    result.outlined += key + value.outlined + (i + 1 < count ? ", " : "");
  }
  result.written += random_space() + (is_map ? "}" : "]");
  result.outlined += is_map ? "}" : "]";
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_bytes_crash_the_reader) {
  check_property([] { try_read(*rc::gen::container<std::string>(rc::gen::arbitrary<char>())); },
                 500);
  check_property(
      [] {
        try_read(*rc::gen::container<std::string>(
            rc::gen::elementOf(std::string(" \t\r\n:-?[]{},#&*!|>'\"%@`ab(0)~\\\x04"))));
      },
      1000);
}

BOOST_AUTO_TEST_CASE(no_tokens_crash_the_reader) {
  const std::vector<std::string> tokens = {
      "a",       "b",        "c",    "a: ",   "b: ",    "c: ",      "- ",   "\n",          "\n  ",
      "\n    ",  "\n- ",     "{",    "}",     "[",      "]",        ", ",   ",",           "'x'",
      "'",       "\"y\\n\"", "\"",   "|\n  ", ">-\n  ", "|2\n    ", "&a ",  "&b ",         "*a",
      "*b ",     "f(1",      ")",    "(2)",   " # c",   "é",        ": ",   "? ",          "~",
      "\n---\n", "\n...\n",  "\r\n", "!t ",   "! ",     "\t",       "%X\n", "\xEF\xBB\xBF"};
  int trees = 0;
  check_property(
      [&] {
        const auto soup = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(tokens));
        trees += try_read(joined(soup)) ? 1 : 0;
      },
      2000);
  BOOST_TEST(trees > 20);
}

BOOST_AUTO_TEST_CASE(no_lines_crash_the_reader) {
  const std::vector<std::string> lines = {"a: 1\n",
                                          "b: 'x y'\n",
                                          "c:\n",
                                          "  d: f(1, 2)\n",
                                          "  - e\n",
                                          "- g\n",
                                          "h: [1, (2, 3)]\n",
                                          "i: {j: k(4, 5), l: m}\n",
                                          "n: |\n",
                                          "   o\n",
                                          "p: &q [r]\n",
                                          "s: *q\n",
                                          "# t\n",
                                          "\n",
                                          "u: \"v\\tw\"\n",
                                          "  x\n",
                                          "y: z\r\n",
                                          "'a b': 1\n",
                                          "? c\n",
                                          ": d\n"};
  int trees = 0;
  check_property(
      [&] {
        const auto chosen = *rc::gen::scale(
            0.2, rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(lines)));
        trees += try_read(joined(chosen)) ? 1 : 0;
      },
      2000);
  BOOST_TEST(trees > 200);
}

BOOST_AUTO_TEST_CASE(no_part_of_a_document_crashes_the_reader) {
  const std::string text =
      "summary: 'größe'\naxes: {A: [f(1, 2), 3], B: \"x\\ty\"}\nwhere:\n  - |\n    one\n  - *x\n";
  check_property(
      [&] {
        const auto begin = *rc::gen::inRange<std::size_t>(0, text.size() + 3);
        const auto end = *rc::gen::inRange<std::size_t>(0, text.size() + 3);
        const auto source = yaml_source(text);
        Diagnostics diagnostics;
        const auto root = read_yaml(source, begin, end, diagnostics);
        RC_ASSERT(root.has_value() != diagnostics.has_errors());
        if (root) check_node(*root, source);
      },
      500);
}

BOOST_AUTO_TEST_CASE(flow_style_reads_back_whatever_its_spaces) {
  check_property(
      [] {
        const Flow flow = random_flow(4);
        RC_LOG(flow.written);
        RC_ASSERT(yaml_outcome("- " + flow.written + "\n") == "[" + flow.outlined + "]");
        RC_ASSERT(yaml_outcome("x: " + flow.written + "\n") == "{x: " + flow.outlined + "}");
      },
      500);
}

BOOST_AUTO_TEST_SUITE_END()
