#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"
#include "tests/emulator/ptx/module_text.h"

namespace data = boost::unit_test::data;

namespace sweep::ptx::declaration_test {
namespace {

/// "global u32 a align 4 bytes 8 {0: 1, 4: 2}"
struct Row {
  std::string text;
  std::string expected;

  friend std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.text; }
};

std::string text_of(const Variable::Cell& cell) {
  std::string value = fmt::format("{:#x}", cell.bits);
  if (!cell.symbol.empty()) {
    value = fmt::format("{}{:+}", cell.symbol, static_cast<std::int64_t>(cell.bits));
    if (cell.is_generic) value = "generic " + value;
    if (cell.shift != 0) value += fmt::format(">>{}", cell.shift);
  }
  return fmt::format("{}/{}: {}", cell.offset, cell.size, value);
}

std::string text_of(const Variable& variable) {
  std::string result =
      fmt::format("{}{} {} {} align {} bytes {}", variable.is_extern ? "extern " : "",
                  to_string(variable.space), to_string(variable.type), variable.name,
                  variable.align, variable.bytes);
  for (const Variable::Cell& cell : variable.initial) result += ", " + text_of(cell);
  return result;
}

std::string text_of(const std::vector<Variable>& variables) {
  std::string result;
  for (const Variable& variable : variables) {
    if (!result.empty()) result += "; ";
    result += text_of(variable);
  }
  return result;
}

const std::vector<Row> variables = {
    {".global .u32 a;", "global u32 a align 4 bytes 4"},
    {".visible .global .align 16 .b8 a[10];", "global b8 a align 16 bytes 10"},
    {".const .f64 a[4][8];", "const f64 a align 8 bytes 256"},
    {".global .v4 .f32 a;", "global f32 a align 16 bytes 16"},
    {".global .align 8 .v2 .u8 a[3];", "global u8 a align 8 bytes 6"},
    {".extern .shared .align 16 .b8 a[];", "extern shared b8 a align 16 bytes 0"},
    {".shared .b32 a, b[2];", "shared b32 a align 4 bytes 4; shared b32 b align 4 bytes 8"},
    {".global .attribute(.managed, .unified(1, 2)) .b32 a;", "global b32 a align 4 bytes 4"},
    {".global .managed .b32 a;", "global b32 a align 4 bytes 4"},
    {".global .texref a;", "global b64 a align 8 bytes 8"},
    {".global .samplerref a = {addr_mode_0 = wrap};", "global b64 a align 8 bytes 8"},
    {".extern .global .b32 a; .global .b32 a = 1;", "global b32 a align 4 bytes 4, 0/4: 0x1"},
    {".global .b32 a = 1; .extern .global .b32 a;", "global b32 a align 4 bytes 4, 0/4: 0x1"},
    {".global .s32 a = -2;", "global s32 a align 4 bytes 4, 0/4: 0xfffffffe"},
    {".global .u8 a = 257;", "global u8 a align 1 bytes 1, 0/1: 0x1"},
    {".global .b32 a = 0;", "global b32 a align 4 bytes 4"},
    {".global .b32 a[] = {1, 0, 3};", "global b32 a align 4 bytes 12, 0/4: 0x1, 8/4: 0x3"},
    {".global .b16 a[2][2] = {{1}, {2, 3}};",
     "global b16 a align 2 bytes 8, 0/2: 0x1, 4/2: 0x2, 6/2: 0x3"},
    {".global .b16 a[][2] = {{1}, {2}};", "global b16 a align 2 bytes 8, 0/2: 0x1, 4/2: 0x2"},
    {".global .v2 .b16 a[2] = {{1, 2}, {3}};",
     "global b16 a align 4 bytes 8, 0/2: 0x1, 2/2: 0x2, 4/2: 0x3"},
    {".global .b8 a[2][2][2] = {{{1}, {2}}, {{3, 4}}};",
     "global b8 a align 1 bytes 8, 0/1: 0x1, 2/1: 0x2, 4/1: 0x3, 5/1: 0x4"},
    {".global .f32 a = 0.5;", "global f32 a align 4 bytes 4, 0/4: 0x3f000000"},
    {".global .f32 a = 0d3FE0000000000000;", "global f32 a align 4 bytes 4, 0/4: 0x3f000000"},
    {".global .f64 a = 0f3F000000;", "global f64 a align 8 bytes 8, 0/8: 0x3fe0000000000000"},
    {".global .b32 a = 0f3F000000;", "global b32 a align 4 bytes 4, 0/4: 0x3f000000"},
    {".global .u64 a = later; .global .b32 later;",
     "global u64 a align 8 bytes 8, 0/8: later+0; global b32 later align 4 bytes 4"},
    {".global .u64 a[3] = {x+8, generic(x), generic(x)+-4};",
     "global u64 a align 8 bytes 24, 0/8: x+8, 8/8: generic x+0, 16/8: generic x-4"},
    {".global .u8 a[2] = {0xFF(x), 0xFF00000000000000(generic(x+4))};",
     "global u8 a align 1 bytes 2, 0/1: x+0, 1/1: generic x+4>>56"},
};

BOOST_DATA_TEST_CASE(module_variables, data::make(variables)) {
  const Module module(testing::module_with(sample.text));
  BOOST_TEST(text_of(module.variables()) == sample.expected);
}

const std::vector<Row> functions = {
    {".entry k { ret; }", ""},
    {".entry k () { ret; }", ""},
    {".entry k (.param .u64 a, .param .align 8 .b8 b[24]) { ret; }",
     "param u64 a align 8 bytes 8; param b8 b align 8 bytes 24"},
    {".entry k (.param .u64 .ptr .global .align 1 a, .param .u32 .ptr b) { ret; }",
     "param u64 a align 8 bytes 8; param u32 b align 4 bytes 4"},
    {".func (.param .b32 r) k (.param .b64 a) { .local .align 8 .b8 x[4]; { .param .b32 a; } ret; "
     "}",
     "param b64 a align 8 bytes 8; param b32 r align 4 bytes 4; local b8 x align 8 bytes 4; "
     "param b32 a align 4 bytes 4"},
    {".func (.param .b32 r) k\n(\n.param .b64 a\n)\n;",
     "param b64 a align 8 bytes 8; param b32 r align 4 bytes 4"},
    {".func k (.param .b32 _, .param .b8 _[]) .noreturn { trap; }",
     "param b32 _ align 4 bytes 4; param b8 _ align 1 bytes 0"},
    {".func .attribute(.unified(1, 2)) k () { .shared .b32 x; ret; }",
     "shared b32 x align 4 bytes 4"},
};

BOOST_DATA_TEST_CASE(function_variables, data::make(functions)) {
  const Module module(testing::module_with(sample.text));
  const Function* const function = module.find_function("k");
  BOOST_REQUIRE(function != nullptr);
  BOOST_TEST(text_of(function->variables) == sample.expected);
  std::vector<Variable> bound = function->variables;
  bound.resize(function->parameter_count + function->result_count);
  BOOST_TEST(sample.expected.starts_with(text_of(bound)));
}

struct HeaderRow {
  std::string text;
  std::uint32_t max_threads;

  friend std::ostream& operator<<(std::ostream& out, const HeaderRow& row) {
    return out << row.text;
  }
};

const std::vector<HeaderRow> headers = {
    {"", 0},
    {".maxntid 128", 128},
    {".maxntid 32, 4 .minnctapersm 2 .maxnreg 64", 128},
    {".reqntid 32, 4, 2 .maxntid 1024", 256},
    {".maxntid 1024 .reqntid 32, 4, 2", 256},
    {".explicitcluster .reqnctapercluster 2, 1, 1 .maxntid 64, 1, 1", 64},
    {".blocksareclusters .maxclusterrank 8", 0},
    {".pragma \"nounroll\"; .maxntid 96 .pragma \"a\", \"b\";", 96},
};

BOOST_DATA_TEST_CASE(function_headers, data::make(headers)) {
  const Module module(testing::module_with(".entry k () " + sample.text + " { ret; }"));
  BOOST_TEST(module.find_function("k")->max_threads == sample.max_threads);
}

BOOST_AUTO_TEST_CASE(clusters_of_function_headers) {
  const Module module(testing::module_with(
      ".entry k () .explicitcluster .reqnctapercluster 4, 2 .maxntid 64 { ret; }\n"
      ".entry l () .blocksareclusters .maxclusterrank 8 { ret; }"));
  const Function& k = *module.find_function("k");
  BOOST_TEST((k.cluster == std::array<std::uint32_t, 3>{4, 2, 1}));
  BOOST_TEST(k.needs_cluster);
  BOOST_TEST(k.max_cluster_blocks == 0U);
  BOOST_TEST(!k.has_grid_of_clusters);
  const Function& l = *module.find_function("l");
  BOOST_TEST((l.cluster == std::array<std::uint32_t, 3>{}));
  BOOST_TEST(l.max_cluster_blocks == 8U);
  BOOST_TEST(l.has_grid_of_clusters);
}

BOOST_AUTO_TEST_CASE(module_facts) {
  const Module module(
      "// a comment\n.version 6.0\n.target sm_70, debug\n.address_size 64\n"
      ".file 1 \"a.cu\"\n.file\t7 \"dir\\\\b \\\"c\\\".cu\", 12, 0x10\n.file 8 \"\\303\\251.cu\"\n"
      ".section .debug_str { .b8 1, 2 label: \"}\" // }\n { } }\n"
      ".func (.param .b32 r) f (.param .b32 a);\n"
      ".entry second () { ret; }\n"
      ".func (.param .b32 r) f (.param .b32 a) { \n// }\n/* } */ .pragma \"}\"; ret; }\n"
      ".func (.param .b32 r) g (.param .b32 a);\n.alias g, f;\n"
      ".extern .func h;\n"
      ".visible .entry first () { ret; }\n");
  BOOST_TEST(module.version() == 60u);
  BOOST_TEST(module.target() == "sm_70");
  BOOST_TEST(module.file_name(1) == "a.cu");
  BOOST_TEST(module.file_name(7) == "dir\\b \"c\".cu");
  BOOST_TEST(module.file_name(8) == "\303\251.cu");
  BOOST_TEST(module.file_name(0).empty());
  BOOST_TEST(module.file_name(2).empty());
  const std::vector<std::string> entries = {"second", "first"};
  BOOST_TEST(module.entries() == entries, boost::test_tools::per_element());
  BOOST_TEST(module.find_function("f")->code.size() == 1u);
  BOOST_TEST(module.find_function("g") == module.find_function("f"));
  BOOST_TEST(!module.find_function("f")->is_entry);
  BOOST_TEST(!module.find_function("h")->has_body);
  BOOST_TEST((module.find_function("i") == nullptr));
}

}  // namespace
}  // namespace sweep::ptx::declaration_test
