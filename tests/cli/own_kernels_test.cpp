#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace own_kernels {
namespace {

/// A user's file, and what a header says besides N = 64, one block of N threads, and `useful`.
struct Case {
  const char* what;
  const char* file;
  const char* header;
  const char* expected = "executes without a mistake";

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.what; }
};

const std::vector<Case> cases = {
    {"a struct whose size the compiler says",
     "typedef struct { int a; double b; } __Pair;\n"
     "__global__ void f(int* out, const __Pair* p) { out[threadIdx.x] = p[threadIdx.x].a; }\n",
     "kernel: f\narguments: [out, p]\n"
     "buffers: {out: {type: int, length: N}, p: {type: __Pair, length: N, init: '{int(i), 2.0}'}}\n"
     "verify: {out: 'out[i] == i'}\n"},
    {"a class template that a parameter fills",
     "template <class T, int n> struct alignas(sizeof(T) * n) Packed { T at[n]; };\n"
     "template <class T> __global__ void f(Packed<T, 4>* p) { p[threadIdx.x].at[3] += 1; }\n",
     "kernel: f<float>\narguments: [p]\nbuffers:\n"
     "  p: {type: 'Packed<float, 4>', length: N, init: '{float(i), 0, 0, float(i)}'}\n"
     "verify: {p: 'p[i].at[3] == i + 1'}\n"},
    {"pointers to buffers",
     "__global__ void f(float** rows) { rows[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x; "
     "}\n",
     "kernel: f\narguments: [rows]\nbuffers:\n  data: {type: float, length: N}\n"
     "  rows: {type: 'float*', length: 2, init: '(float*)data + i * 32'}\n"
     "verify: {data: 'data[i] == i'}\n"},
    {"C's own types",
     "__global__ void f(bool* b, char* c, long* l, unsigned long* u, size_t* z, long long* q) {\n"
     "  const int i = threadIdx.x;\n  c[i] = b[i] ? 'y' : 'n';\n"
     "  l[i] = -(long)u[i];\n  z[i] = sizeof(long) + q[i];\n}\n",
     "kernel: f\narguments: [b, c, l, u, z, q]\nbuffers:\n"
     "  b: {type: bool, length: N, init: i % 2}\n  c: {type: char, length: N}\n"
     "  l: {type: long, length: N}\n  u: {type: unsigned long, length: N, init: i}\n"
     "  z: {type: size_t, length: N * sizeof(unsigned char)}\n"
     "  q: {type: long long, length: N, init: 2 * i}\n"
     "verify: {c: 'c[i] == (i % 2 == 1 ? 121 : 110)', l: 'l[i] == -long(i)', z: 'z[i] == 8 + "
     "2 * i'}\n"},
    {"a kernel of the pattern's own with a bool and C's types", "",
     "buffers: {out: {type: bool, length: N}}\narguments: {yes: {type: bool, value: N > 32}}\n"
     "verify: out[i] == (i > 3)\n"},
    {"an overload, a default argument, a namespace and a macro",
     "#define KERNEL extern \"C++\" __global__ void\n#define i 3\n#define type 5\n"
     "namespace a::b {\n__device__ inline int two() { return 2; }\n"
     "KERNEL f(int* out) { *out = i; }\n"
     "KERNEL f(int* out, int n, int more = 1) { out[threadIdx.x] = n + more * two(); }\n}\n",
     "kernel: f\narguments: [out, 5]\nbuffers: {out: {type: int, length: N}}\n"
     "verify: {out: 'out[i] == 7'}\n"},
    {"a template's constant memory",
     "template <class T> __constant__ T mask[4];\n"
     "template <class T> __global__ void f(T* out) { out[threadIdx.x] = mask<T>[threadIdx.x % 4]; "
     "}\n",
     "kernel: f<int>\narguments: [out]\nconstants: {mask<int>: {init: 'i * i'}}\n"
     "buffers: {out: {type: int, length: N}}\nverify: {out: 'out[i] == i % 4 * (i % 4)'}\n"},
    {"a struct of another size than the header's",
     "struct P { int a, b; };\n__global__ void f(P* p) {}\n",
     "kernel: f\narguments: [p]\nstructs: {P: 12}\n"
     "buffers: {p: {type: P, length: N, init: '{1, 2}'}}\nverify: {p: 'p[i].a == 1'}\n",
     "own.cu:6:11: error: P has 8 bytes, but the header gives 12\n  structs: {P: 12}\n            "
     "^\n"
     "  help: write structs: {P: 8}"},
    {"a file for elements of a size that is not known",
     "struct P { int a, b; };\n__global__ void f(P* p) {}\n",
     "kernel: f\narguments: [p]\nbuffers: {p: {type: P, length: N, init: {file: p.npy}}}\n"
     "verify: {p: 'p[i].a == 1'}\n",
     "error: the size of 'P' is not known"},
};

}  // namespace
}  // namespace own_kernels

BOOST_AUTO_TEST_SUITE(own_kernels, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(run_as_they_stand, data::make(cases), row) {
  const TemporaryFolder folder;
  const std::string file = row.file;
  folder.write("code.cuh", file);
  const std::string body = file.empty() ? "__global__ void own(bool* out, bool yes) { "
                                          "out[threadIdx.x] = yes && threadIdx.x > 3; }\n"
                                        : "#include \"code.cuh\"\n";
  folder.write("own.cu", "/* pattern:\nparameters: {N: 64}\nlaunch: {grid: 1, block: N}\n" +
                             std::string(row.header) + "useful: {write: N}\n*/\n" + body);
  const Outcome checked = run_program({"check", "--run", "own.cu"}, folder.path());
  BOOST_TEST(contains(checked.out + checked.err, row.expected), checked.out + checked.err);
}

BOOST_AUTO_TEST_CASE(a_repetition_may_halve_its_value) {
  const TemporaryFolder folder;
  folder.write("own.cu", R"cuda(/* pattern:
parameters: {N: 1024}
buffers: {a: {type: int, length: N, init: "permuted(i, N, 7)"}}
steps:
  - kernel: sort
    arguments: [a, size, gap]
    grid: N / 256
    block: 256
    repeat: {size: {from: 2, to: N, multiply: 2}, gap: {from: size / 2, to: 1, divide: 2}}
useful: {read: N * 4}
verify: a[i] == i
*/
__global__ void sort(int* a, int size, int gap) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int other = i ^ gap;
  if (other > i && ((i & size) == 0) == (a[i] > a[other])) {
    const int kept = a[i];
    a[i] = a[other];
    a[other] = kept;
  }
}
)cuda");
  const Outcome checked = run_program({"check", "--run", "own.cu"}, folder.path());
  BOOST_TEST(contains(checked.out, "executes without a mistake"), checked.out + checked.err);
}

BOOST_AUTO_TEST_SUITE_END()
