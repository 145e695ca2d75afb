#include "engine/spec/cuda_scanner.h"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <vector>

#include "tests/rapidcheck_case.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(cuda_scanner)

namespace {

using namespace sweep::testing;
using sweep::KernelDeclaration;

// In what is expected, '.' stands for a blanked character.
const std::vector<TextCase> blanked = {
    {"", ""},
    {"a = b / c * d;", "a = b / c * d;"},
    // Comments
    {"a // b\nc", "a ....\nc"},
    {"a /* b */ c", "a ....... c"},
    {"a /* b\n * c */ d", "a ....\n....... d"},
    {"a /* b // c */ d", "a ............ d"},
    {"a // b /* c\nd */ e", "a .........\nd */ e"},
    {"a /* b", "a ...."},
    {"a /*/ b */ c", "a ........ c"},
    {"a // b \\\nc\nd", "a ......\n.\nd"},
    {"a // b \\\r\nc\nd", "a .......\n.\nd"},
    // Literals
    {"f(\"b\", c)", "f(..., c)"},
    {"f(\"/* b\", c) */", "f(......, c) */"},
    {"f(\"b\\\"c\", d)", "f(......, d)"},
    {"f(\"b\\\\\", d)", "f(....., d)"},
    {"f(\"b\\\nc\", d)", "f(...\n.., d)"},
    {"f('\"', c)", "f(..., c)"},
    {"f('\\'', c)", "f(...., c)"},
    {"f(\"b, c)\nd", "f(......\nd"},
    {"f(\"", "f(."},
    {"f(\"\\", "f(.."},
    {"u8\"b\" L'c'", "u8... L..."},
    {"R\"(b \" \\)\" c", "R......... c"},
    {"R\"x(b )\" )x\" c", "R........... c"},
    {"u8R\"(\n)\" c", "u8R..\n.. c"},
    {"R\"(b", "R..."},
    {"FOR\"b\" c", "FOR... c"},
    // A quote within a number separates its digits.
    {"n = 1'000'000; f('\"');", "n = 1'000'000; f(...);"},
    {"n = 0xFF'FF; // b", "n = 0xFF'FF; ...."},
    {"x1'b'", "x1..."},
    // Preprocessor lines
    {"#define A b\nc", "...........\nc"},
    {"  # define A \\\n b\nc", "  ............\n..\nc"},
    {"#define A \\\r\n b\r\nc", "............\n...\nc"},
    {"#define A /* b\n c */ d\ne", "..............\n.......\ne"},
    {"/* a */ #define A\nb", ".................\nb"},
    {"#define A '\"'\nb", ".............\nb"},
    {"#error don't\nb", "............\nb"},
    {"#define A \"/*\"\nb", "..............\nb"},
    {"#define A // b \\\nc\nd", "................\n.\nd"},
    {"a # b", "a # b"},
    {"#", "."},
};

std::string with_dots_blank(std::string text) {
  std::ranges::replace(text, '.', ' ');
  return text;
}

/// "name(type name, type name)", with "template", "extern" and "namespace" before it.
std::string shown(const KernelDeclaration& kernel) {
  std::string result;
  if (kernel.is_template) result += "template ";
  if (kernel.is_extern_c) result += "extern ";
  if (kernel.is_in_namespace) result += "namespace ";
  result += kernel.name + '(';
  for (const sweep::KernelParameter& parameter : kernel.parameters) {
    if (!result.ends_with('(')) result += ", ";
    result += parameter.type;
    if (!parameter.name.empty()) result += ' ' + parameter.name;
  }
  return result + ')';
}

const std::vector<TextCase> declarations = {
    {"", ""},
    {"__global__ void k() {}", "k()"},
    {"__global__ void k(void) {}", "k()"},
    {"__global__ void k(float* a);", "k(float* a)"},
    {"__global__ void k(float*a,float *b,float * c,float\t*\nd) {}",
     "k(float* a, float* b, float* c, float* d)"},
    {"__global__ void k(int n = f(2, 3), T*... rest) {}", "k(int n, T*... rest)"},
    {"#define K __global__ void\nK k(int n) {}", "k(int n)"},
    {"#define K(n) __global__ void n\nK(k)(int n) {}", ""},
    {"__global__ void k(const float* a, float const* b, float* const c) {}",
     "k(float* a, float* b, float* c)"},
    {"__global__ void k(const T* __restrict__ a, T *__restrict b, volatile T* c) {}",
     "k(T* a, T* b, T* c)"},
    {"__global__ void k(float** a, float*& b, float4 &c) {}", "k(float** a, float*& b, float4& c)"},
    {"__global__ void k(float a[], int b[4][2]) {}", "k(float* a, int* b)"},
    {"__global__ void k(unsigned int a, unsigned long long int b) {}",
     "k(unsigned int a, unsigned long long int b)"},
    {"__global__ void k(float*, int) {}", "k(float*, int)"},
    {"__global__ void k(int n = 3, int m = max(1, 2)) {}", "k(int n, int m)"},
    {"__global__ void k(struct P* a, const __grid_constant__ P b) {}", "k(P* a, P b)"},
    {"__global__ void k(Pair<int, float>* a, Grid<Pair<int, int>, 3> b) {}",
     "k(Pair<int,float>* a, Grid<Pair<int,int>,3> b)"},
    {"__global__ void k(void (*f)(int, int), int n) {}", "k(void(*f)(int,int), int n)"},
    {"__global__ void k(\n    const T* a,  // the input, whole\n    T* b /* the output, too */\n) "
     "{}",
     "k(T* a, T* b)"},
    // Attributes
    {"__global__ void __launch_bounds__(256) k(int n) {}", "k(int n)"},
    {"__global__ __launch_bounds__(BLOCK, (1 + 1)) void k(int n) {}", "k(int n)"},
    {"__global__ void __launch_bounds__ (256) __cluster_dims__(2, 1, 1) k(int n) {}", "k(int n)"},
    {"__launch_bounds__(256) __global__ void k(int n) {}", "k(int n)"},
    {"__global__ void __attribute__((noinline)) k(int n) {}", "k(int n)"},
    {"__global__ void k(int n) __attribute__((noinline)) {}", "k(int n)"},
    {"__global__ void k(int n) noexcept {}", "k(int n)"},
    {"__global__ [[deprecated(\"(\")]] void k(int n) {}", "k(int n)"},
    {"__global__ void BOUNDS(256) k(int n) {}", "k(int n)"},
    {"static inline __global__ void k(int n) {}", "k(int n)"},
    {"void __global__ k(int n) {}", "k(int n)"},
    {"__global__\nvoid\nk\n(\nint\nn\n)\n{\n}", "k(int n)"},
    // Where it stands
    {"template <class T, int N = 2> __global__ void k(T* a) {}", "template k(T* a)"},
    {"template <class T> struct S {}; __global__ void k(int n) {}", "k(int n)"},
    {"extern \"C\" __global__ void k(int n) {}", "extern k(int n)"},
    {"extern __shared__ float s[]; __global__ void k(int n) {}", "k(int n)"},
    {"extern \"C\" { __global__ void k(int n) {} }", "extern k(int n)"},
    {"extern \"C\" { void f() {} } __global__ void k(int n) {}", "k(int n)"},
    {"namespace a { namespace b { __global__ void k(int n) {} } }", "namespace k(int n)"},
    {"namespace a { int f() { return 1; } } __global__ void k(int n) {}", "k(int n)"},
    {"namespace { __global__ void k(int n) {} }", "namespace k(int n)"},
    // Several, and what only looks like one
    {"__global__ void a(int n) {}\n__global__ void b(float* d) { a<<<1, 1>>>(2); }",
     "a(int n) b(float* d)"},
    {"__global__ void k(int n); __global__ void k(int n) {}", "k(int n) k(int n)"},
    {"// __global__ void k(int n) {}", ""},
    {"/* __global__ void k(int n) {} */", ""},
    {"const char* s = \"__global__ void k(int n) {}\";", ""},
    {"#define K __global__ void k(int n)\n", ""},
    {"my__global__ void k(int n) {}", ""},
    {"__global__s void k(int n) {}", ""},
    {"__device__ void k(int n) {}", ""},
    {"__global__", ""},
    {"__global__ void", ""},
    {"__global__ void k", ""},
    {"__global__ void k(", ""},
    {"__global__ void k(int n", ""},
    {"__global__ (int n) {}", ""},
    {"__global__ void k{}", ""},
    {"__global__ [[", ""},
    {"__global__ void __launch_bounds__(", ""},
    {"__global__ void a; __global__ void b(int n) {}", "b(int n)"},
};

const std::vector<TextCase> types = {
    {"float", "float"},
    {"float4", "float4"},
    {"int", "int32_t"},
    {"signed", "int32_t"},
    {"unsigned", "uint32_t"},
    {"unsigned int", "uint32_t"},
    {"int unsigned", "uint32_t"},
    {"uint", "uint32_t"},
    {"char", "int8_t"},
    {"signed char", "int8_t"},
    {"unsigned char", "uint8_t"},
    {"short int", "int16_t"},
    {"unsigned short", "uint16_t"},
    {"long", "int64_t"},
    {"long long", "int64_t"},
    {"long long int", "int64_t"},
    {"unsigned long", "uint64_t"},
    {"long unsigned int", "uint64_t"},
    {"unsigned long long", "uint64_t"},
    {"size_t", "uint64_t"},
    {"uint64_t", "uint64_t"},
    {"half", "half"},
    {"__half", "half"},
    {"__half2", "half2"},
    {"__nv_bfloat16", "bfloat16"},
    {"nv_bfloat16", "bfloat16"},
    {"nv_bfloat162", "bfloat162"},
    {"T", "T"},
    {"Particle", "Particle"},
    {"long double", "long double"},
    {"Pair<int,float>", "Pair<int,float>"},
    {"", ""},
};

/// What CUDA source is made of, in any order.
std::string arbitrary_source() {
  static const std::vector<std::string> pieces = {"__global__", "void",
                                                  "k",          "(",
                                                  ")",          "int n",
                                                  ",",          "{",
                                                  "}",          ";",
                                                  "<",          ">",
                                                  "[",          "]",
                                                  "[[",         "]]",
                                                  "*",          "\"",
                                                  "'",          "\\",
                                                  "\n",         "\\\n",
                                                  "\r\n",       "//",
                                                  "/*",         "*/",
                                                  "#",          " ",
                                                  "R\"",        "R\"(",
                                                  ")\"",        "1",
                                                  "'0",         "=",
                                                  "template",   "namespace",
                                                  "extern",     "__launch_bounds__",
                                                  "\xFF",       std::string(1, '\0')};
  std::string text;
  for (const auto& piece :
       *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(pieces))) {
    text += piece;
  }
  return text;
}

/// Fails unless what is found in `text` lies within it.
void check_places(const std::string& text) {
  const std::string code = sweep::blank_non_code(text);
  RC_ASSERT(code.size() == text.size());
  for (const KernelDeclaration& kernel : sweep::find_kernels(text)) {
    RC_ASSERT(kernel.offset < text.size());
    RC_ASSERT(text.substr(kernel.offset, kernel.name.size()) == kernel.name);
    for (const sweep::KernelParameter& parameter : kernel.parameters) {
      RC_ASSERT(parameter.offset + parameter.length <= text.size());
      RC_ASSERT(parameter.length > 0u);
    }
  }
}

}  // namespace

BOOST_DATA_TEST_CASE(comments_literals_and_preprocessor_lines_are_blanked, data::make(blanked)) {
  BOOST_TEST(sweep::blank_non_code(sample.text) == with_dots_blank(sample.expected));
}

BOOST_DATA_TEST_CASE(kernels_are_found, data::make(declarations)) {
  std::string found;
  for (const KernelDeclaration& kernel : sweep::find_kernels(sample.text)) {
    found += (found.empty() ? "" : " ") + shown(kernel);
  }
  BOOST_TEST(found == sample.expected);
}

BOOST_DATA_TEST_CASE(types_have_one_name, data::make(types)) {
  BOOST_TEST(sweep::canonical_type(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(places_are_those_of_the_text) {
  const std::string text = "/* k */ __global__ void k(const float* a,\n  int  n ) {}";
  const auto kernels = sweep::find_kernels(text);
  BOOST_TEST_REQUIRE(kernels.size() == 1u);
  BOOST_TEST(kernels[0].offset == text.find("k(const"));
  const auto& parameters = kernels[0].parameters;
  BOOST_TEST(text.substr(parameters[0].offset, parameters[0].length) == "const float* a");
  BOOST_TEST(text.substr(parameters[1].offset, parameters[1].length) == "int  n");
}

BOOST_AUTO_TEST_CASE(any_bytes_can_be_scanned) {
  check_property([](const std::string& text) { check_places(text); }, 1000);
  check_property([] { check_places(arbitrary_source()); }, 5000);
}

BOOST_AUTO_TEST_CASE(blanking_keeps_lines_and_code) {
  const auto property = [] {
    const std::string text = arbitrary_source();
    const std::string code = sweep::blank_non_code(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
      RC_ASSERT((text[i] == '\n') == (code[i] == '\n'));
      RC_ASSERT(code[i] == text[i] || code[i] == ' ');
    }
    for (const char* gone : {"\"", "//", "/*"}) RC_ASSERT(code.find(gone) == std::string::npos);
  };
  check_property(property, 2000);
}

BOOST_AUTO_TEST_CASE(any_number_of_kernels_is_found_soon) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "void f() { {} }\nnamespace n {\n__global__ void k();\n}\n";
  const auto kernels = sweep::find_kernels(text);
  BOOST_REQUIRE(kernels.size() == 20'000U);
  BOOST_TEST(kernels.back().is_in_namespace);
}

BOOST_AUTO_TEST_SUITE_END()
