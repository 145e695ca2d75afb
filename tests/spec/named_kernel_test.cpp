#include "engine/spec/named_kernel.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace named_kernels {

/// What a header's `kernel` says, and its parts.
const std::vector<TextCase> texts = {
    {"k", "k"},
    {"a::b::k<T, (1 > 0)>", "a::b::k<T, (1 > 0)>"},
    {"k(int*, int)", "k | int*, int"},
    {"a::k<f(3)> (void (*)(int), T) ", "a::k<f(3)> | void (*)(int), T"},
    {"k()", "k | "},
    {"k)", "k)"},
};

/// Kernels beside `kernel: k` and `arguments: [x, 1]`, and the one that is meant.
const std::vector<TextCase> choices = {
    {"__global__ void k(float* x, int n) {}", "k(float* x, int n)"},
    {"__global__ void k(float*, int = 2); __global__ void k(float* x, int n) {}",
     "k(float* x, int n = 2)"},
    {"__global__ void k(float* x) {} __global__ void k(float* x, int n) {}", "k(float* x, int n)"},
    {"__global__ void k(float* x) {} __global__ void k(float* x, int n, int m = 3) {}",
     "k(float* x, int n, int m = 3)"},
    {"__global__ void k(float* x, int n) {} __global__ void k(float* x, long n) {}",
     "none: write k(float*, int), or k(float*, long)"},
    {"namespace a { template <class T, int... N> __global__ void k(T* x, long n) {} }",
     "a::template <typename T, int... N> k(T* x, long n)"},
    {"namespace a { __global__ void k(T* x, int n); } namespace b { __global__ void k(T* x); }",
     "a::k(T* x, int n)"},
    {"#define KERNEL __global__ void\nKERNEL k(const float* x, int n) {}",
     "k(const float* x, int n)"},
};

}  // namespace named_kernels
}  // namespace

BOOST_AUTO_TEST_SUITE(named_kernel)

BOOST_DATA_TEST_CASE(a_text_has_a_name_and_perhaps_types, data::make(named_kernels::texts), row) {
  const KernelText parts = split_kernel(row.text);
  const std::string types = parts.types ? " | " + std::string(*parts.types) : "";
  BOOST_TEST(std::string(parts.name) + types == row.expected);
}

BOOST_DATA_TEST_CASE(the_arguments_choose_among_overloads, data::make(named_kernels::choices),
                     row) {
  Pattern pattern;
  pattern.body = row.text;
  Step step;
  step.kernel.text = "k";
  step.arguments = std::vector<KernelArgument>(2);
  const auto kernel = find_kernel(pattern, step);
  BOOST_TEST((kernel ? implied_scope(pattern, step) + to_string(*kernel)
                     : "none: " + how_to_choose(overloads_of(pattern, step), "k")) == row.expected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
