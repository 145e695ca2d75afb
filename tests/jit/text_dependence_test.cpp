#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/jit/translation_unit.h"
#include "tests/pattern_from_text.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(what_text_depends_on)

namespace {

/// A pattern with the parameters T, A, B, ON and N, of which the sizes alone use N.
std::string pattern_text(const std::string& body, const std::string& init = "i",
                         const std::string& verify = "data[i] == i") {
  return "/* pattern:\nparameters:\n  T: {type: element, default: float}\n  A: 1\n  B: 2\n"
         "  ON: true\n  N: 64\nbuffers:\n  data: {type: T, length: N, init: \"" +
         init + "\"}\nlaunch: {grid: 1, block: 64}\nuseful: {read: 256}\nverify: \"" + verify +
         "\"\n*/\n" + body;
}

TextDependence dependence_of(const std::string& text) {
  return text_dependence(*pattern_from_text("p", text));
}

std::string joined(const ParameterNames& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : " ") + name;
  return result;
}

const std::string kernel = "__global__ void p(T* data) { data[threadIdx.x * A] += T(1); }\n";

struct BodyCase {
  const char* body;  ///< before the kernel, which names T and A
  const char* parameters;
};
std::ostream& operator<<(std::ostream& out, const BodyCase& one) {
  return out << one.body;
}

constexpr const char* all = "T A B ON N";
const BodyCase body_cases[] = {
    {"", "T A"},
    {"// with B\n", "T A B"},
    {"#define TWICE (2 * B)\n", "T A B"},
    {"#if 0\nON\n#endif\n", "T A ON"},
    {"#include <cstdint>\n#include <cuda_fp16.h>\n#include <cuda/barrier>\n", "T A"},
    {"#include \"mine.h\"\n", all},
    {"#include <mine.h>\n", all},
    {"#if 1\n#include <mine.h>\n#endif\n", all},
    {"#define PASTE(a, b) a##b\n", all},
    {"__device__ int helper(int x) { return x; }\n", "T A"},
    {"__device__ inline int\nhelper (int x) { return x; }\n", "T A"},
    {"__device__ int counter;\n", all},
    {"__device__ int counters[4];\n", all},
    {"__device__ int counter = 0;\n", all},
    {"__device__ int (*function)(int);\n", all},
    {"__device__ __align__(16) int counter;\n", all},
    {"__constant__ int table[4] = {1, 2, 3, 4};\n", all},
    {"__device__ int next() { static int n; return ++n; }\n", all},
    {"__device__ int B_2() { return 1; }\n", "T A"},
};

struct FunctionCase {
  const char* body;  ///< before the kernel
  const char* expression;
  const char* parameters;  ///< null when it needs the body
};
std::ostream& operator<<(std::ostream& out, const FunctionCase& one) {
  return out << one.expression << " after " << one.body;
}

const FunctionCase function_cases[] = {
    {"", "i", "T"},
    {"", "splat<T>(i % 101)", "T"},
    {"", "splat<T>(i % B)", "T B"},
    {"", "ON ? T(i) : T(max(1, B))", "T B ON"},
    {"", "static_cast<float>(uint32_t(i) * 0x1Fu + 1.5e3f)", "T"},
    {"", "float4{1, 2, 3, 4}.x", "T"},
    {"", "sizeof(T) + i", "T"},
    {"", "random_below(B, 7, i)", "T B"},
    {"", "permuted(i, N, random_bits(A, i))", "T A N"},
    {"", "helper(i)", nullptr},
    {"", "threadIdx.x", nullptr},
    {"#define i 3\n", "i", nullptr},
    {"#define x y\n", "float4{1, 2, 3, 4}.x", nullptr},
    {"#define splat other\n", "splat<T>(i)", nullptr},
    {"#define T double\n", "splat<T>(i)", nullptr},
    {"#define OTHER 3\n", "splat<T>(i)", "T"},
    {"__device__ float operator+(float4, int);\n", "i", nullptr},
    {"namespace n {}\n", "i", nullptr},
    {"typedef int mine;\n", "i", nullptr},
    {"#include \"mine.h\"\n", "i", nullptr},
    {"struct float4 { int x; };\n", "float4{1}.x", nullptr},
    {"using float4 = int;\n", "float4{1}.x", nullptr},
    {"struct float2 { int x; };\n", "float4{1}.x", "T"},
    {"__device__ float4 four();\n", "float4{1}.x", "T"},
    {"template <class V> __device__ V splat(int v) { return v; }\n", "splat<T>(i)", nullptr},
    {"__device__ float f() { return splat<T>(1); }\n", "splat<T>(i)", "T"},
    {"__device__ int max(int, int);\n", "max(i, B)", nullptr},
    {"__device__ int permuted(int);\n", "permuted(i, N, 1)", nullptr},
    {"#define random_bits other\n", "random_bits(1, i)", nullptr},
    {"__device__ int f() { return permuted(1, 2, 3); }\n", "permuted(i, B, 1)", "T B"},
    {"#if 1\n__device__ void f() {\n#else\n__device__ void g() {\n#endif\n}\n", "i", nullptr},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_body_depends_on_the_parameters_it_names, data::make(body_cases), one) {
  BOOST_TEST(joined(dependence_of(pattern_text(one.body + kernel)).body) == one.parameters);
}

BOOST_DATA_TEST_CASE(a_function_stands_alone_if_the_body_cannot_change_it,
                     data::make(function_cases), one) {
  const TextDependence dependence = dependence_of(pattern_text(one.body + kernel, one.expression));
  const FunctionDependence& init = dependence.init.front();
  BOOST_TEST(init.needs_body == (one.parameters == nullptr));
  if (one.parameters != nullptr) BOOST_TEST(joined(init.parameters) == one.parameters);
}

BOOST_AUTO_TEST_CASE(the_body_depends_on_what_a_function_behind_it_names) {
  const TextDependence dependence = dependence_of(pattern_text(
      "__device__ int f(int x) { return x; }\n" + kernel, "f(B)", "data[i] == i + ON"));
  BOOST_TEST(dependence.init.front().needs_body);
  BOOST_TEST(!dependence.check.front().needs_body);
  BOOST_TEST(joined(dependence.check.front().parameters) == "T ON");
  BOOST_TEST(joined(dependence.body) == "T A B");
}

BOOST_AUTO_TEST_CASE(functions_over_the_patterns_own_types_need_the_body) {
  const TextDependence dependence = dependence_of(
      "/* pattern:\nparameters: {A: 1, B: 2}\nstructs: {Pair: 4 * A}\nbuffers:\n"
      "  data: {type: Pair, length: 64}\n  out: {type: int, length: 64, init: \"i\"}\n"
      "launch: {grid: 1, block: 64}\nuseful: {read: 256}\nverify: {out: \"out[i] == i\"}\n*/\n"
      "struct Pair { int x; };\n__global__ void p(Pair* data, int* out) {}\n");
  BOOST_TEST(dependence.init[1].needs_body);
  BOOST_TEST(dependence.check[0].needs_body);
  BOOST_TEST(joined(dependence.body) == "A");
}

BOOST_AUTO_TEST_CASE(values_tell_configurations_apart) {
  const PatternPtr pattern = pattern_from_text("p", pattern_text(kernel));
  const Configuration one = resolve(pattern, integers({{"A", 1}, {"B", 23}}));
  const Configuration other = resolve(pattern, integers({{"A", 12}, {"B", 3}}));
  BOOST_TEST(values_of(one, {"A", "B"}) != values_of(other, {"A", "B"}));
  BOOST_TEST(values_of(one, {"T", "N"}) == values_of(other, {"T", "N"}));
}

BOOST_AUTO_TEST_SUITE_END()
