#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "engine/jit/compiler.h"
#include "engine/text/read_source.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/temporary_folder.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace foreign_kernel {

/// A file of a user's, and a pattern that brings its kernel in.
struct Case {
  const char* what;
  std::string file;
  std::string kernel;
  std::string arguments;
  std::string expected = "compiled";

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.what; }
};

constexpr const char* plain = "__global__ void f(const float* in, float* out, int n) {}\n";

const std::vector<Case> cases = {
    {"a template", "template <class T, int B, bool X> __global__ void f(T* out) { *out = B; }\n",
     "f<T, BLOCK, true>", "[out]"},
    {"another name than the file's, and C's linkage",
     "extern \"C\" __global__ void f(float* out) { *out = BLOCK; }\n", "f", "[out]"},
    {"a namespace", "namespace a::b { __global__ void f(float* out) { *out = BLOCK; } }\n",
     "a::b::f", "[out]"},
    {"macros of the file's own give way to parameters",
     "#ifndef BLOCK\n#define BLOCK 7\n#endif\n#define N 5\n#define T double\n"
     "#if BLOCK < 64 || N != 256\n#error the file's own\n#endif\n"
     "__global__ void f(T* out) { static_assert(BLOCK > 7 && sizeof(T) == 4); *out = N; }\n",
     "f", "[out]"},
    {"operators before host code",
     "struct P { int x; };\n"
     "__device__ bool operator==(P a, P b) { return a.x == b.x; }\n"
     "bool operator<=(P a, P b) { return a.x <= b.x; }\nint host() { return rand(); }\n"
     "__global__ void f(float* out) { *out = P{BLOCK} == P{1}; }\n",
     "f", "[out]"},
    {"overloads of CUDA's functions that make vectors",
     "__device__ float4 make_float4(float x) { return make_float4(x, x, x, x); }\n"
     "__device__ uint2 make_uint2(int2 a) { return make_uint2(unsigned(a.x), unsigned(a.y)); }\n"
     "__global__ void f(float* out) {\n"
     "  *out = make_float4(BLOCK).w + make_float3(1, 2, 3).z + make_uint2(make_int2(1, 2)).y;\n}\n",
     "f", "[out]"},
    {"names that begin with underscores",
     "typedef struct { int x; } __Options;\n__device__ int __twice(int i) { return 2 * i; }\n"
     "inline void __check(int e) { printf(\"%d\", rand() + e); }\n"
     "__global__ void __launch_bounds__(BLOCK) f(float* out, __Options o) {\n"
     "  *out = __twice(o.x);\n}\n",
     "f", "[out, {fields: {x: 3}}]"},
    {"headers of the standard library's that CUDA has otherwise, or not",
     "#include <algorithm>\n#include <climits>\n"
     "__global__ void f(float* out) { *out = std::max(1.0f, float(CHAR_BIT)) + BLOCK; }\n",
     "f", "[out]"},
    {"names of std without a header, and functions of numbers of each kind",
     "__device__ float g(float a, int n) {\n"
     "  return std::exp(std::max(a, 0.0f)) + std::numeric_limits<float>::epsilon() + sqrt(n) +\n"
     "         std::pow(a, 2.0) + std::sqrt(n) + std::expf(a) + std::isnan(a) + fmin(a, 1.0);\n}\n"
     "template <class T> __device__ typename std::common_type<T, float>::type h(T a) {\n"
     "  return std::forward<T>(a);\n}\n"
     "__global__ void f(float* out, std::size_t n) {\n"
     "  static_assert(std::is_same_v<std::remove_cv_t<const int>, int>);\n"
     "  static_assert(sizeof(std::sqrt(1.0f)) == 4 && sizeof(std::abs(-1.5f)) == 4);\n"
     "  std::uint64_t m = std::min<std::uint64_t>(n, 3);\n  *out = g(BLOCK, m) + h(n);\n}\n",
     "f", "[out, N]"},
    {"using namespace std",
     "#include <cmath>\n#include <algorithm>\n#include <cub/block/block_reduce.cuh>\n"
     "using namespace std;\ntypedef vector<int> ints;\n"
     "template <class T> __global__ void f(T* out) {\n"
     "  using R = cub::BlockReduce<T, BLOCK>;\n  __shared__ typename R::TempStorage s;\n"
     "  *out = R(s).Sum(exp(out[0])) + max(1, (int)sqrt(4.0f)) + floor(1.5) + abs(-1) + pow(2, 2) "
     "+\n"
     "         is_same<T, float>::value + std::clamp(BLOCK, 1, 3);\n}\n"
     "ints load() { ints v; v.push_back(2); return v; }\n",
     "f<T>", "[out]"},
    {"macros and types of nvcc and of the C library's",
     "#include <cuda_runtime.h>\n#include <stdint.h>\n#include <time.h>\n"
     "#ifndef __linux__\n#error unsupported system\n#endif\n"
     "#if CUDA_VERSION < 9000 || !defined(__NVCC__)\n#error old\n#endif\n"
     "static __device__ __const__ float two = 2;\n"
     "__global__ void f(float* out, CUtexObject t, CUdeviceptr d, cufftComplex c, cuComplex e) {\n"
     "  u_int32_t q = UINT32_MAX;\n  ssize_t s = INT64_MAX;\n"
     "  *out = two * SIZE_MAX + UINT64_C(2) + BLOCK + q + s + CLOCKS_PER_SEC + c.x + e.y;\n}\n",
     "f", "[out, 0, 0, float2(), float2()]"},
    {"a constant that a parameter replaces",
     "const int BLOCK = 7;\n__global__ void f(float* out) { static_assert(BLOCK > 7); }\n", "f",
     "[out]"},
    {"constants, enumerators and types that parameters replace",
     "enum Sizes { FIRST = 2, BLOCK, LAST };\nstatic constexpr unsigned M = 3, N = 5;\n"
     "typedef double T;\nstatic_assert(N == 256 && M == 3 && LAST == 4 && sizeof(T) == 4);\n"
     "__global__ void f(T* out) { static_assert(BLOCK > 7); *out = N; }\n",
     "f", "[out]"},
    {"headers of CUB's, Thrust's and cuRAND's for hosts",
     "#include <cub/device/device_radix_sort.cuh>\n#include <cub/block/block_reduce.cuh>\n"
     "#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n#include <thrust/functional.h>\n"
     "#include <curand.h>\n#include <curand_kernel.h>\n"
     "void sort(int* a) { cub::DeviceRadixSort::SortKeys(nullptr, n, a, a, 4); }\n"
     "__global__ void f(float* out) {\n  using R = cub::BlockReduce<float, BLOCK>;\n"
     "  __shared__ typename R::TempStorage s;\n  curandState c;\n  curand_init(1, 0, 0, &c);\n"
     "  *out = R(s).Sum(thrust::plus<float>()(1, curand_uniform(&c)));\n}\n",
     "f", "[out]"},
    {"Python in a comment",
     "/* In Python:\nimport torch\n*/\n__global__ void f(float* out) { *out = BLOCK; }\n", "f",
     "[out]"},
    {"host code beside it",
     "#include <iostream>\n#include <mpi.h>\n#include \"nowhere/helper.h\"\n"
     "__global__ void f(float* out) { *out = BLOCK; }\n"
     "std::vector<float> all;\nint main() { std::cout << 1; f<<<1, 1>>>(nullptr); }\n",
     "f", "[out]"},
    {"the standard library's types",
     "#include <type_traits>\n#include <limits>\n#include <cmath>\nusing namespace std;\n"
     "template <class T> __global__ void f(T* out) {\n"
     "  *out = std::is_same<T, float>::value ? numeric_limits<T>::max() + BLOCK : M_PI;\n}\n",
     "f<T>", "[out]"},
    {"CUDA's headers under names of a namespace",
     "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n#include <cuda_runtime.h>\n"
     "namespace cg = cooperative_groups;\n__global__ void f(float* out) {\n"
     "  cg::this_thread_block().sync();\n  *out = __half2float(__float2half(BLOCK));\n}\n",
     "f", "[out]"},
    {"what nvcc includes by itself, or by a header of the host's",
     "#include <cublas_v2.h>\n#include \"../none/of/these.h\"\n#define PI float(M_PI)\n"
     "__global__ void f(float* out, __nv_bfloat16 b) {\n"
     "  *out = INFINITY + PI + FLT_MAX + INT_MAX + float(b) + BLOCK;\n}\n",
     "f", "[out, 1.0f]"},
    {"textures and what CUDA's runtime declares",
     "__global__ void f(cudaTextureObject_t t, float* out, cudaError_t e) {\n"
     "  *out = tex2D<float>(t, BLOCK, e);\n}\n",
     "f", "[0, out, cudaSuccess]"},
    {"what only an argument names of CUDA's runtime",
     "__global__ void f(float* out, int e) { *out = e + BLOCK; }\n", "f", "[out, cudaSuccess]"},
    {"scalars of each kind, pointers to anything and null",
     "struct S { int a; float b; const float* c; };\n"
     "__global__ void f(int n, bool b, const void* p, float x, S s, double* none, S t) {\n"
     "  if (b) *const_cast<float*>(s.c) = n + x + t.a;\n}\n",
     "f", "[N, true, out, 1.5f, {fields: {c: out, a: BLOCK}}, null, \"{1, 2.0f, in}\"]"},
    {"an array's elements",
     "struct S { int a[2]; };\n__global__ void f(float* out, S s) { *out = s.a[1] + BLOCK; }\n",
     "f", "[out, {fields: {\"a[0]\": 1, \"a[1]\": N}}]"},
    {"constant memory, macros and a guard that each configuration needs anew",
     "#ifndef GUARD_H\n#define GUARD_H\n#define WIDTH BLOCK\n__constant__ float c[WIDTH];\n"
     "__global__ void f(float* out) { *out = c[WIDTH - 1]; }\n#endif\n",
     "f", "[out]"},
    {"the overload with as many parameters",
     "__global__ void f(int* out) {}\n__global__ void f(float* out, int n) { *out = n + BLOCK; }\n",
     "f", "[out, N]"},
    {"the overload of these types",
     "__global__ void f(float* out, int n) { *out = n + BLOCK; }\n"
     "__global__ void f(float* out, const float* n) {}\n",
     "f(float*, int)", "[out, N]"},
    {"an overload among templates in a namespace",
     "namespace a {\ntemplate <class T> __global__ void f(T* out) { *out = BLOCK; }\n"
     "template <class T> __global__ void f(T* out, int n) {}\n}\n",
     "f<T>", "[out]"},
    {"a pack of parameters",
     "template <int B, class... Ts> __global__ void f(int n, Ts*... x) { ((*x = n + B), ...); }\n",
     "f<BLOCK, T, T>", "[N, out, out]"},
    {"default arguments, which a declaration has",
     "__global__ void f(float* out, int n = BLOCK, const float* in = nullptr);\n"
     "__global__ void f(float* out, int n, const float* in) { *out = in ? *in : n; }\n",
     "f", "[out]"},
    {"a kernel behind a macro",
     "#define KERNEL extern \"C\" __global__ void\n"
     "KERNEL __launch_bounds__(1024)\nf(float* __restrict__ out) { *out = BLOCK; }\n",
     "f", "[out]"},
    {"a kernel that a macro names",
     "#define KERNEL(name) __global__ void name(float* out)\nKERNEL(f) { *out = BLOCK; }\n", "f",
     "[out]"},
    {"macros that mean something else in the header",
     "#define i 3\n#define type 5\n#define count 7\n#define value 1\n#define first 2\n"
     "#define length 2\n#define is_right 2\n#define in 3\n"
     "__global__ void f(float* out) { *out = i + BLOCK; }\n",
     "f", "[out]"},
    {"pointers to C's own types, of as many bytes",
     "struct S { const unsigned long* u; };\n"
     "__global__ void f(long* l, S s, char* c, bool* b, size_t* z) { *l = *s.u + BLOCK; }\n",
     "f",
     "[(long long*)out, {fields: {u: (unsigned long long*)out}}, (signed char*)out, "
     "(unsigned char*)out, (unsigned long long*)out]"},
    {"functions of the header's expressions",
     "template <int B, bool P> __global__ void f(float* out) { *out = B + BLOCK; }\n",
     "f<ceil_div(N, 100), is_pow2(N)>", "[out]"},
    {"no such kernel", plain, "g", "[in, out, N]",
     "red.cu:4:10: error: there is no kernel 'g' in this file, nor in one that it includes\n"
     "  kernel:  g\n           ^\n  help: there are: f\n"},
    {"fewer arguments than parameters", plain, "f", "[in, out]",
     "red.cu:5:13: error: the kernel takes 3 parameters, but the header gives 2\n"
     "  arguments: [in, out]\n              ^~\n"
     "  help: it is f(const float* in, float* out, int n)"},
    {"an argument of another type", plain, "f", "[in, N, out]",
     "red.cu:5:17: error: argument 2, 'N', is int, but the kernel's parameter 'out' is float*\n"},
    {"a pointer of another type", "__global__ void f(long n, int* x) {}\n", "f", "[N, in + 1]",
     "red.cu:5:16: error: argument 2, 'in + 1', is T*, but the kernel's parameter 'x' is "
     "int*\n"},
    {"a field of another type", "struct S { int* a; };\n__global__ void f(S s) {}\n", "f",
     "[{fields: {a: out}}]", "red.cu:5:"},
    {"fields of a class with constructors",
     "struct S { float* a; __device__ S(float* p) : a(p) {} };\n__global__ void f(S s) {}\n", "f",
     "[{fields: {a: out}}]", "a type with constructors has no fields to give: write S(...)"},
    {"a word that nothing declares", plain, "f", "[in, out, M]",
     "red.cu:5:22: error: identifier \"M\" is undefined"},
    {"a field that there is not", "struct S { int a; };\n__global__ void f(float* out, S s) {}\n",
     "f", "[out, {fields: {b: 1}}]", "red.cu:5:"},
    {"a field that is an array", "struct S { int a[2]; };\n__global__ void f(float* out, S s) {}\n",
     "f", "[out, {fields: {a: \"{1, 2}\"}}]",
     "the field is an array or constant and cannot be assigned\n"
     "  arguments: [out, {fields: {a: \"{1, 2}\"}}]\n                                 ^\n"
     "  help: give an array's elements one by one: {fields: {\"x[0]\": 1, \"x[1]\": 2}}\n"},
    {"template arguments that do not fit", "template <int B> __global__ void f(float* out) {}\n",
     "f<T>", "[out]",
     "red.cu:4:10: error: the template arguments of 'f<T>' are too few or do not fit\n"
     "  kernel:  f<T>\n           ^~~~\n"
     "  help: none is deduced, give all of them: it is template <int B> f(float* out)\n"},
    {"no template arguments", "template <class T> __global__ void f(T* out) {}\n", "f", "[out]",
     "red.cu:4:10: error: 'f' lacks template arguments\n  kernel:  f\n           ^\n"
     "  help: none is deduced, give all of them: it is template <typename T> f(T* out)\n"},
    {"overloads of as many parameters",
     "__global__ void f(float* out, int n) {}\n__global__ void f(float* out, const float* n) {}\n",
     "f", "[out, in]",
     "red.cu:4:10: error: there are 2 kernels 'f'\n  kernel:  f\n           ^\n"
     "  help: write f(float*, int), or f(float*, const float*)\n"},
    {"an overload that there is not",
     "__global__ void f(float* out, int n) {}\n__global__ void f(float* out, float n) {}\n",
     "f(double*, int)", "[out, N]",
     "red.cu:4:10: error: no kernel 'f' has the parameters (double*, int)\n"
     "  kernel:  f(double*, int)\n           ^\n"
     "  help: write f(float*, int), or f(float*, float)\n"},
    {"a default value of the template's",
     "template <int B> __global__ void f(float* out, int n = B) {}\n", "f<BLOCK>", "[out]",
     "red.cu:4:10: error: a default value names the template's parameter 'B'\n"},
};

struct Folder {
  std::string compile(const Case& row) const {
    folder.write("code.cuh", row.file);
    const auto path = folder.write(
        "red.cu",
        "/* pattern:\nparameters: {T: {type: element, default: float}, BLOCK: 64, N: 256}\n"
        "buffers: {in: {type: T, length: N, init: \"1\"}, out: {type: T, length: N}}\nkernel:  " +
            row.kernel + "\narguments: " + row.arguments +
            "\nlaunch: {grid: 1, block: BLOCK}\nuseful: {read: N}\nverify: {out: \"true\"}\n*/\n"
            "#include \"code.cuh\"\n");
    Diagnostics diagnostics;
    const PatternPtr pattern = parse_pattern(read_source(path), path, diagnostics);
    if (pattern == nullptr) return render(diagnostics);
    // Both in one program.
    const auto configurations = configurations_with(pattern, "BLOCK", {64, 128});
    const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
    for (const CompileOutcome& outcome : outcomes) {
      const auto* failure = std::get_if<CompileFailure>(&outcome);
      if (failure != nullptr) return render(failure->errors);
    }
    const auto& first = std::get<CompiledConfiguration>(outcomes[0]);
    const auto& second = std::get<CompiledConfiguration>(outcomes[1]);
    BOOST_TEST(first.program == second.program);
    BOOST_TEST(!first.entries.steps.front().pack.empty());
    return "compiled";
  }

  TemporaryFolder folder;
};

}  // namespace foreign_kernel
}  // namespace

BOOST_FIXTURE_TEST_SUITE(foreign_kernel_suite, foreign_kernel::Folder,
                         *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE_F(foreign_kernel::Folder, comes_in_as_it_stands,
                       data::make(foreign_kernel::cases), row) {
  const std::string said = compile(row);
  BOOST_TEST(contains(said, row.expected), said);
}

BOOST_AUTO_TEST_CASE(what_gives_way_to_a_parameter_is_said) {
  const auto path = folder.write(
      "note.cu",
      "/* pattern:\nparameters: {BLOCK: 64, TILE: 4, LEVEL: 1}\nkernel: f\narguments: [out]\n"
      "buffers: {out: {type: int, length: 1}}\nlaunch: {grid: 1, block: BLOCK}\n"
      "useful: {write: 4}\nverify: {out: \"true\"}\n*/\n#include \"code.cuh\"\n");
  folder.write(
      "code.cuh",
      "#define TILE 8\n#ifndef BLOCK\n#define BLOCK 8\n#endif\nnamespace a {\n"
      "constexpr int TILE = 16;\n}\n__global__ void f(int* out) {\n  const int LEVEL = 16;\n"
      "  *out = TILE + LEVEL;\n}\n");
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(read_source(path), path, diagnostics);
  BOOST_REQUIRE(pattern != nullptr);
  const std::string said = render(pattern->replaced);
  BOOST_TEST(contains(said, "code.cuh:1:9: note: TILE is the pattern's parameter here\n"), said);
  BOOST_TEST(contains(said, "code.cuh:6:15: note: TILE is the pattern's parameter here\n"), said);
  BOOST_TEST(contains(said,
                      "code.cuh:9:13: note: LEVEL is a constant of its own here, and not the "
                      "pattern's parameter\n"),
             said);
  BOOST_TEST(!contains(said, "BLOCK is"), said);
}

BOOST_AUTO_TEST_CASE(a_library_in_angle_brackets_is_taken_as_it_stands) {
  folder.write(
      "lib/helper.h",
      "inline int length(const char* s) { return strlen(s); }\n"
      "struct Watch { timeval start; };\n"
      "inline __device__ float3 operator+(float3 a, float3 b) { return {a.x + b.x, 0, 0}; }\n"
      "inline __device__ float dot(float3 a, float3 b) { return a.x * b.x; }\n");
  const auto path =
      folder.write("angled.cu",
                   "/* pattern:\nparameters: {B: 64}\nkernel: f\narguments: [out]\n"
                   "buffers: {out: {type: float, length: 1}}\nlaunch: {grid: 1, block: B}\n"
                   "useful: {write: 4}\nverify: {out: \"true\"}\n*/\n#include <helper.h>\n"
                   "__global__ void f(float* out) { float3 v{1, 2, 3}; *out = dot(v + v, v); }\n");
  Diagnostics diagnostics;
  const PatternPtr pattern =
      parse_pattern(read_source(path), path, diagnostics, {folder.path() / "lib"});
  BOOST_REQUIRE_MESSAGE(pattern != nullptr, render(diagnostics));
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations_with(pattern, "B", {64}));
  const auto* failure = std::get_if<CompileFailure>(&outcomes[0]);
  BOOST_TEST((failure != nullptr ? render(failure->errors) : "") == "");
}

BOOST_AUTO_TEST_CASE(a_header_that_is_nowhere_is_named_where_it_may_be_the_reason) {
  const std::string said = compile({"",
                                    "#include \"nowhere.h\"\n#include <vector>\n"
                                    "__global__ void f(float* out) { *out = elsewhere(); }\n",
                                    "f", "[out]"});
  BOOST_TEST(contains(said, "identifier \"elsewhere\" is undefined"), said);
  BOOST_TEST(contains(said,
                      "code.cuh:1:10: note: nowhere.h is neither beside the pattern nor in "
                      "the CUDA Toolkit, and is left out\n"),
             said);
  BOOST_TEST(!contains(said, "vector"), said);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
