#include "engine/spec/cuda_slice.h"

#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "tests/rapidcheck_case.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace cuda_slice {

/// A file, what is wanted of it, and what is left, with each line's blanks at its end and empty
/// lines taken away.
struct Case {
  const char* what;
  std::string text;
  std::string wanted;
  std::string left;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.what; }
};

std::string without_blanks(const std::string& text) {
  std::string result;
  std::string line;
  for (const char c : text + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) result += line + "\n";
    line.clear();
  }
  return result;
}

const std::vector<Case> cases = {
    {"a kernel without what stands beside it",
     "__global__ void a(int* p) { *p = 1; }\n__global__ void b(int* p) { *p = 2; }\n"
     "int main() { b<<<1, 1>>>(nullptr); }\n",
     "a", "__global__ void a(int* p) { *p = 1; }\n"},
    {"what a kernel names, and what that names",
     "__device__ float f(float x) { return x; }\n__device__ float g(float x) { return f(x); }\n"
     "__device__ float h(float x) { return x; }\n__global__ void k(float* p) { *p = g(1); }\n",
     "k",
     "__device__ float f(float x) { return x; }\n__device__ float g(float x) { return f(x); }\n"
     "__global__ void k(float* p) { *p = g(1); }\n"},
    {"a function of the host with a kernel's name",
     "template <class T>\n__global__ void scale(T* p) { *p *= 2; }\n"
     "void scale(float* p) { scale<<<1, 32>>>(p); }\n"
     "void scale_all() { scale(nullptr); }\n",
     "scale scale_all", "template <class T>\n__global__ void scale(T* p) { *p *= 2; }\n"},
    {"functions of the host by what they call",
     "inline int above(int a, int b) { return (a + b - 1) / b; }\n"
     "void check() { cudaGetLastError(); }\nvoid tell() { std::cout << above(1, 2); }\n",
     "above check tell", "inline int above(int a, int b) { return (a + b - 1) / b; }\n"},
    {"macros that say where a function runs",
     "#define BOTH __host__ __device__\nBOTH int f() { return cudaStreamDefault(); }\n", "f",
     "#define BOTH __host__ __device__\nBOTH int f() { return cudaStreamDefault(); }\n"},
    {"a macro's words",
     "#define TWICE(x) twice(x)\n__device__ int twice(int x) { return 2 * x; }\n"
     "__global__ void k(int* p) { *p = TWICE(1); }\n",
     "k",
     "#define TWICE(x) twice(x)\n__device__ int twice(int x) { return 2 * x; }\n"
     "__global__ void k(int* p) { *p = TWICE(1); }\n"},
    {"kernels that a macro declares",
     "#define KERNEL(T) __global__ void k_##T(T* p) {}\nKERNEL(int)\nKERNEL(float)\n",
     "k_int KERNEL",
     "#define KERNEL(T) __global__ void k_##T(T* p) {}\nKERNEL(int)\nKERNEL(float)\n"},
    {"types, however they are declared",
     "struct A { int x; };\ntypedef struct { A a; } B;\nusing C = B;\nenum D { one, two };\n"
     "struct __align__(16) E : A { C c; } e;\nclass F;\nstd::vector<A> all;\n",
     "E two",
     "struct A { int x; };\ntypedef struct { A a; } B;\nusing C = B;\nenum D { one, two };\n"
     "struct __align__(16) E : A { C c; } e;\n"},
    {"specialisations, and definitions outside their class",
     "template <class T> struct S { int f(); };\ntemplate <> struct S<int> { int f(); };\n"
     "__device__ int S<int>::f() { return 1; }\nstruct U {};\n",
     "S f",
     "template <class T> struct S { int f(); };\ntemplate <> struct S<int> { int f(); };\n"
     "__device__ int S<int>::f() { return 1; }\n"},
    {"variables of each kind",
     "__constant__ float weights[9];\nconst int n = 3, m[2] = {1, 2};\nfloat* host_pointer = "
     "nullptr;\n"
     "constexpr int sizes[] = {n, n};\nstatic __device__ int counter;\n",
     "weights sizes counter",
     "__constant__ float weights[9];\nconst int n = 3, m[2] = {1, 2};\n"
     "constexpr int sizes[] = {n, n};\nstatic __device__ int counter;\n"},
    {"operators for the types that they take",
     "struct A {};\nstruct B {};\n__device__ A operator+(A x, A) { return x; }\n"
     "__device__ B operator+(B x, B) { return x; }\n__global__ void k(A* p) { *p = *p + *p; }\n",
     "k",
     "struct A {};\n__device__ A operator+(A x, A) { return x; }\n"
     "__global__ void k(A* p) { *p = *p + *p; }\n"},
    {"namespaces, linkage and what is used of them",
     "namespace a::b {\n__device__ int f();\n__device__ int g();\n}\nextern \"C\" {\n"
     "__global__ void k(int* p) { *p = a::b::f(); }\n}\nusing namespace a;\n",
     "k",
     "namespace a::b {\n__device__ int f();\n}\nextern \"C\" {\n"
     "__global__ void k(int* p) { *p = a::b::f(); }\n}\nusing namespace a;\n"},
    {"the branches of a condition",
     "#ifdef A\n__global__ void k(int* p) {\n#else\n__global__ void k(long* p) {\n#endif\n  *p = "
     "1;\n"
     "}\nint rest() { return 1; }\n",
     "k",
     "#ifdef A\n__global__ void k(int* p) {\n#else\n__global__ void k(long* p) {\n#endif\n  *p = "
     "1;\n"
     "}\n"},
    {"assertions about what is left",
     "const int n = 1;\nconst int m = 2;\nstatic_assert(n == 1, \"\");\nstatic_assert(m == 2, "
     "\"\");\n",
     "n", "const int n = 1;\nstatic_assert(n == 1, \"\");\n"},
    {"attributes before a name",
     "template <int N>\n__global__ void __launch_bounds__(N) k(int* p) { *p = N; }\n"
     "__global__ __launch_bounds__(256) void l(int* p) {}\n",
     "k", "template <int N>\n__global__ void __launch_bounds__(N) k(int* p) { *p = N; }\n"},
    {"members of classes that are for hosts",
     "struct V {\n  int n;\n  V(int m) : n{m} {}\n  __device__ int get() const { return n; }\n"
     "  static V make(const std::vector<int>& v) { return V(v.size()); }\n"
     "  void load() { cudaMemcpy(0, 0, 3, cudaMemcpyHostToDevice); }\n  void tell() { say(n); }\n"
     "  friend std::ostream& operator<<(std::ostream& o, const V& v) { return o << v.n; }\n"
     "  struct In { int k; void print() { printed(std::cout); } };\n};\n"
     "void say(int i) { std::cout << i; }\nstruct printed {};\n",
     "V say",
     "struct V {\n  int n;\n  V(int m) : n{m} {}\n  __device__ int get() const { return n; }\n"
     "  struct In { int k;                                      };\n};\n"},
    {"a parameter with the name of a function for hosts",
     "void p() { std::cout << 1; }\nusing fn = float (*)(float p);\n"
     "typedef void (*gn)(int p);\nstruct S { int p(); };\nint f(int p, S s) { return p + s.p(); "
     "}\n",
     "fn gn f",
     "using fn = float (*)(float p);\ntypedef void (*gn)(int p);\nstruct S { int p(); };\n"
     "int f(int p, S s) { return p + s.p(); }\n"},
    {"types behind arrows, and of C++'s own",
     "auto f() -> int { return rand(); }\nauto g() -> T { return 1; }\nint h{};\n"
     "void (*table[2])(void) = {f, g};\nusing T = int;\n",
     "int void T", "using T = int;\n"},
    {"overloads and specialisations for libraries that are not there",
     "namespace at { struct Tensor; }\ntemplate <class T> struct L { T t; };\n"
     "template <> struct L<c10::Half> { c10::Half h; };\ntemplate <class T> struct L<T*> {\n"
     "  typename T::type t;\n};\nint c(int a) { return a; }\nint c(at::BFloat16 a);\n"
     "int c(at::Tensor a);\nint d(c10::Half a);\nint e(cuda::std::tuple<int> t);\n",
     "L c d e",
     "namespace at { struct Tensor; }\ntemplate <class T> struct L { T t; };\n"
     "template <class T> struct L<T*> {\n"
     "  typename T::type t;\n};\nint c(int a) { return a; }\n"
     "int c(at::Tensor a);\nint d(c10::Half a);\nint e(cuda::std::tuple<int> t);\n"},
    {"namespaces that there are, and others",
     "using namespace cv;\nusing namespace std::chrono;\nusing namespace std;\n"
     "using namespace own::in;\nnamespace own { namespace in {} }\nusing namespace nvcuda::wmma;\n"
     "namespace fs = std::filesystem;\nnamespace cg = cooperative_groups;\n",
     "fs cg",
     "using namespace std;\nusing namespace own::in;\nnamespace own { namespace in {} }\n"
     "using namespace nvcuda::wmma;\nnamespace cg = cooperative_groups;\n"},
    {"what a file adds to std",
     "struct P { int x; };\nnamespace std {\ntemplate <> struct hash<P> { int f(P p); };\n}\n"
     "namespace std { template <> struct tuple_size<P>; }\n"
     "int f(P p);\n",
     "P f", "struct P { int x; };\nint f(P p);\n"},
    {"explicit instantiations by macros",
     "template <class T> __global__ void k(T* p) { *p = 1; }\n"
     "template <class T> void go(T* p) { k<<<1, 1>>>(p); }\n"
     "#define INST(T) template void go<T>(T*)\nINST(float);\n#define MORE(T) INST(T); INST(T*);\n"
     "MORE(k)\n__global__ void l(float* p) {}\n",
     "k l",
     "template <class T> __global__ void k(T* p) { *p = 1; }\n"
     "#define INST(T) template void go<T>(T*)\n#define MORE(T) INST(T); INST(T*);\n"
     "__global__ void l(float* p) {}\n"},
    {"what macros register with libraries",
     "#define REGISTER(T) REGISTER_OP(\"f\").Set<F<T>>();\nREGISTER(float)\nREGISTER(int)\n"
     "#define DECLARE(T) __launch_bounds__(8) void k(T* p);\nDECLARE(int)\n"
     "template <class T> struct F {};\nvoid Set();\n"
     "#define ALIGN(n) alignas(n)\nALIGN(16) int k;\n",
     "k Set",
     "#define REGISTER(T) REGISTER_OP(\"f\").Set<F<T>>();\n"
     "#define DECLARE(T) __launch_bounds__(8) void k(T* p);\nDECLARE(int)\nvoid Set();\n"
     "#define ALIGN(n) alignas(n)\nALIGN(16) int k;\n"},
    {"marks of lambda functions",
     "__device__ int f(int* v) {\n  auto g = [=] __device__ (int a) { return a + v[0]; };\n"
     "  return g(1) + [] __host__ __device__(int a) { return a; }(2);\n}\n",
     "f",
     "__device__ int f(int* v) {\n  auto g = [=]            (int a) { return a + v[0]; };\n"
     "  return g(1) + []                    (int a) { return a; }(2);\n}\n"},
    {"brackets that do not match", "int f() {\nint g();\n", "", "int f() {\nint g();\n"},
};

}  // namespace cuda_slice
}  // namespace

BOOST_AUTO_TEST_SUITE(cuda_slice_suite)

BOOST_DATA_TEST_CASE(what_is_left, data::make(cuda_slice::cases), row) {
  const std::vector<std::string> sliced = slice({row.text}, words_in(row.wanted));
  BOOST_REQUIRE(sliced.size() == 1U);
  BOOST_TEST(sliced[0].size() == row.text.size());
  BOOST_TEST(cuda_slice::without_blanks(sliced[0]) == row.left);
}

BOOST_AUTO_TEST_CASE(files_are_one_program) {
  const std::vector<std::string> sliced =
      slice({"__device__ int f() { return 1; }\nint g() { return 2; }",
             "__global__ void k(int* p) { *p = f(); }"},
            words_in("k"));
  BOOST_TEST(cuda_slice::without_blanks(sliced[0]) == "__device__ int f() { return 1; }\n");
  BOOST_TEST(cuda_slice::without_blanks(sliced[1]) == "__global__ void k(int* p) { *p = f(); }\n");
}

BOOST_AUTO_TEST_CASE(places_stay_whatever_the_text_is) {
  check_property([](const std::vector<std::size_t>& choices) {
    constexpr std::array pieces = {"__global__ ",
                                   "void ",
                                   "k",
                                   "(",
                                   ")",
                                   "{",
                                   "}",
                                   ";",
                                   "\n#if A\n",
                                   "\n#else\n",
                                   "\n#endif\n",
                                   "template <",
                                   ">",
                                   "struct ",
                                   "=",
                                   ",",
                                   "namespace n ",
                                   "\"C\"",
                                   "extern ",
                                   "operator",
                                   "// x\n",
                                   "<<<",
                                   "static_assert",
                                   "\n#define k(x) x\n",
                                   "public:",
                                   "[]__device__",
                                   "using namespace ",
                                   "a::b "};
    std::string text;
    for (const std::size_t choice : choices) text += pieces.at(choice % pieces.size());
    const std::string sliced = slice({text}, words_in("k")).at(0);
    RC_ASSERT(sliced.size() == text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      RC_ASSERT(sliced[i] == text[i] || (sliced[i] == ' ' && text[i] != '\n'));
    }
  });
}

BOOST_AUTO_TEST_CASE(hostile_lengths_take_no_time) {
  for (const char* piece :
       {"x<", "(", "f{", "struct ", "\n#if\n", "template<", "=", "a::", "struct x{", "[]__device__",
        "class ", "namespace std{", "namespace std{}"}) {
    std::string text;
    while (text.size() < 250'000) text += piece;
    BOOST_TEST(slice({text}, words_in("x")).at(0).size() == text.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
