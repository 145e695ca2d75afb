#include "engine/spec/pattern_draft.h"

#include <fmt/format.h>

#include <array>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "tests/contains.h"
#include "tests/rapidcheck_case.h"
#include "tests/temporary_folder.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace pattern_draft {

/// The draft for the first kernel of the source; nothing where there is none.
std::string draft_of(const std::string& source) {
  const HostCode host(source);
  const std::vector<KernelDeclaration> kernels = find_kernels_in(host.code());
  if (kernels.empty()) return {};
  return draft_pattern({"mine", "kernels.cu", "kernels.cu", host, kernels.front()});
}

/// CUDA source, and lines that its pattern has.
struct Case {
  const char* what;
  std::string source;
  std::vector<std::string> lines;

  friend std::ostream& operator<<(std::ostream& out, const Case& row) { return out << row.what; }
};

const std::string add =
    "__global__ void add(const float* a, float* b, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) b[i] = a[i];\n}\n";

const std::vector<Case> cases = {
    {"a kernel alone",
     add,
     {"  n: 1 Mi  # fill in: a size to measure with\n",
      "  BLOCK: {default: 256, min: 1, max: 1024}\n",
      "  a: {type: float, length: n, init: \"i % 101\"}  # fill in: its length\n",
      "  b: {type: float, length: n}  # fill in: its length\n", "kernel: add\n",
      "arguments:\n  - a\n  - b\n  - n\n", "  grid: \"ceil_div(n, BLOCK)\"  # fill in: ",
      "  block: BLOCK\n", "  read: n * sizeof(float)\n  write: n * sizeof(float)\n",
      "verify: {b: \"true\"}  # fill in: ", "*/\n#include \"kernels.cu\"\n"}},
    {"its launch, followed through variables, macros and constants",
     "#define THREADS 128\nconst int elements = 1 << 20;\n" + add +
         "int main(int argc, char** argv) {\n  int count = elements;\n"
         "  if (argc > 1) count = atoi(argv[1]);\n  float *x, *y;\n"
         "  const size_t bytes = count * sizeof(float);\n"
         "  cudaMalloc(&x, bytes);\n  cudaMalloc((void**)&y, sizeof(float) * (count + 1));\n"
         "  dim3 block(THREADS);\n  dim3 grid((count + block.x - 1) / block.x);\n"
         "  add<<<grid, block>>>(x, y, count);\n}\n",
     {"  n: 1 Mi\n", "  BLOCK: {default: 128, min: 1, max: 1024}\n",
      "  a: {type: float, length: n, init: \"i % 101\"}\n", "  b: {type: float, length: n + 1}\n",
      "  grid: (n + BLOCK - 1) / BLOCK\n", "  block: BLOCK\n"}},
    {"numbers of a launch that are the block's",
     add + "void run(float* a, float* b, int n) { add<<<(n + 255) / 256, 256>>>(a, b, n); }\n",
     {"  grid: (n + (BLOCK - 1)) / BLOCK\n"}},
    {"a block that the kernel is written for",
     "#define TILE 16\n__global__ void turn(const float* a, float* b, int width, int height) {\n"
     "  __shared__ float tile[TILE][TILE];\n  tile[threadIdx.y][threadIdx.x] = a[blockIdx.y * "
     "TILE];\n"
     "}\nvoid run(float* a, float* b, int w, int h) {\n"
     "  turn<<<dim3(w / TILE, h / TILE), dim3(TILE, TILE)>>>(a, b, w, h);\n}\n",
     {"  width: 1024  # fill in", "  height: 1024  # fill in",
      "  grid: [width / 16, height / 16]\n", "  block: [16, 16]\n"}},
    {"template parameters, by their launch and their defaults",
     "template <typename T, unsigned int SIZE, bool EVEN, int STEPS = 3>\n"
     "__global__ void sums(const T* in, T* out) { out[0] = in[threadIdx.x + SIZE]; }\n"
     "template <class V> void run(V* a, V* b) { sums<V, 512, true><<<1, 512>>>(a, b); }\n",
     {"  T: {type: element, default: float}\n", "  SIZE: 512\n", "  EVEN: true\n", "  STEPS: 3\n",
      "kernel: \"sums<T, SIZE, EVEN, STEPS>\"\n", "  in: {type: T, length: SIZE, init: "}},
    {"numbers of a launch that are the template's, and the value of a scalar",
     "template <class T, int BLOCK, int ITEMS>\n"
     "__global__ void scale(const T* in, T* out, T factor, int n) {\n"
     "  out[blockIdx.x * BLOCK * ITEMS + threadIdx.x] = factor * in[n];\n}\n"
     "void run(float* a, float* b, int n) {\n"
     "  scale<float, 256, 4><<<(n + 1023) / 1024, 256>>>(a, b, 3.0f, n);\n}\n",
     {"  BLOCK: 256\n", "  ITEMS: 4\n", "  - \"splat<T>(3.0f)\"\n", "  block: BLOCK\n",
      "  grid: (n + (BLOCK * ITEMS - 1)) / (BLOCK * ITEMS)\n"}},
    {"elements of a thread, which are no block",
     "template <int PER_THREAD>\n__global__ void twice(float* x, int n) {\n"
     "  x[(blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD] *= n;\n}\n",
     {"  PER_THREAD: 4  # fill in", "  BLOCK: {default: 256, min: 1, max: 1024}\n",
      "  block: BLOCK\n"}},
    {"a type that is no element",
     "struct Plus {};\ntemplate <class T, class F>\n__global__ void fold(T* out, F f) { out[0] = "
     "f(1, 2); }\n"
     "void run(double* a) { fold<double, Plus><<<1, 1>>>(a, Plus()); }\n",
     {"  T: {type: element, default: double}\n", "kernel: \"fold<T, Plus>\"\n",
      "  - \"{}\"  # fill in"}},
    {"structs by value and of buffers, types behind names",
     "typedef float real;\nstruct Body { real x, y; int id; };\n"
     "typedef struct { int count; float scale; const Body* bodies; } Job;\n"
     "__global__ void move(Body* out, Job job) { out[threadIdx.x] = job.bodies[0]; }\n",
     {"  out: {type: Body, length: count}", "  bodies: {type: Body, length: count, init: \"{}\"}",
      "  - out\n", "  - {fields: {count: count, scale: 1.0f, bodies: bodies}}  # fill in: "}},
    {"tensor maps by value, by address and in a struct",
     "struct Maps { int n; CUtensorMap a; };\n"
     "__global__ void gemm(const __grid_constant__ CUtensorMap in, const CUtensorMap* other,\n"
     "                     const __grid_constant__ Maps maps, float* out) {}\n",
     {"  in: {type: float, length: ", "# fill in: its type and length\n",
      "  - {tensor: in, box: 32}  # fill in: its shape, box and swizzle\n",
      "  - {tensor: other, box: 32}  # fill in: its shape, box and swizzle\n",
      "a: {tensor: a, box: 32}}}  # fill in: "}},
    {"a number that has a default value",
     "__global__ void add(float* out, float by = 2.0f) { *out = by; }\n",
     {"  - out\n  - 2.0f\n"}},
    {"C's own types, and those that cannot be made",
     "__global__ void mix(bool* flags, size_t* sizes, char* text, float** rows, void* any,\n"
     "                    cudaTextureObject_t image, half h) {}\n",
     {"  flags: {type: bool,", "  sizes: {type: size_t,", "  text: {type: char,",
      "  - flags\n  - sizes\n  - text\n", "  - nullptr  # fill in: rows is a pointer to pointers\n",
      "  - any\n", "  - {texture: image}  # fill in: its shape, address mode and filter\n",
      "  - \"splat<half>(1)\"  # fill in"}},
    {"names that a pattern cannot have",
     "#define size 3\n__global__ void mine(float* i, int mine, int* size) { size[0] = i[mine]; }\n",
     {"  i_: {type: float", "  size_: {type: int",
      "  - i_\n  - 1  # fill in: the value of mine\n  - size_\n"}},
    {"shared and constant memory, bounds of the launch, a namespace",
     "namespace a::b {\n__constant__ float weights[9];\n"
     "__global__ void __launch_bounds__(64, 2) blur(float* out) {\n"
     "  extern __shared__ double s[];\n  out[threadIdx.x] = weights[0] + s[0];\n}\n}\n",
     {"# fill in: weights in constant memory", "kernel: \"a::b::blur\"\n", "  block: 64\n",
      "  shared: 64 * sizeof(double)  # fill in"}},
    {"what is written and read",
     "__global__ void f(int* a, int* b, int* c, int* d, int n) {\n"
     "  a[n] += 1; b[n] = a[n]; atomicAdd(&c[n], 1); use(d);\n}\n",
     {"  a: {type: int, length: n, init: \"i % 101\"}", "  b: {type: int, length: n}",
      "  c: {type: int, length: n, init: \"i % 101\"}",
      "  d: {type: int, length: n, init: \"i % 101\"}",
      "  read: 3 * n * sizeof(int)\n  write: 4 * n * sizeof(int)\n", "verify: {b: "}},
    {"no pointer",
     "__global__ void f() {}\n",
     {"  unused: {type: int, length: 1}  # fill in", "arguments: []\n"}},
};

}  // namespace pattern_draft
}  // namespace

BOOST_AUTO_TEST_SUITE(pattern_draft_suite)

BOOST_DATA_TEST_CASE(the_source_says, data::make(pattern_draft::cases), row) {
  const std::string text = pattern_draft::draft_of(row.source);
  for (const std::string& line : row.lines)
    BOOST_TEST(contains(text, line), line << "in\n" << text);
}

BOOST_DATA_TEST_CASE(a_draft_is_a_pattern, data::make(pattern_draft::cases), row) {
  const TemporaryFolder folder;
  folder.write("kernels.cu", row.source);
  const auto source =
      std::make_shared<Source>(Source{"mine.cu", pattern_draft::draft_of(row.source)});
  Diagnostics diagnostics;
  const PatternPtr pattern = parse_pattern(source, folder.path() / "mine.cu", diagnostics);
  BOOST_TEST(render(diagnostics) == "");
  BOOST_TEST_REQUIRE(pattern != nullptr);
  std::size_t marks = 0;
  const std::string& text = source->text;
  for (std::size_t at = text.find(fill_in_mark); at != std::string::npos; ++marks) {
    at = text.find(fill_in_mark, at + 1);
  }
  const Diagnostics left = notes_on(*pattern);
  BOOST_TEST(left.list().size() == marks);
  for (const Diagnostic& note : left.list()) {
    BOOST_TEST((note.severity == Severity::note && note.where.line > 0));
    BOOST_TEST(note.message.starts_with("left to fill in: "), note.message);
  }
}

BOOST_AUTO_TEST_CASE(any_text_has_a_draft) {
  check_property([](const std::vector<std::size_t>& choices) {
    constexpr std::array pieces = {
        "template <", "typename ",   "T",       "int ",   "N",           ",",     ">",  "(",
        ")",          "{",           "}",       ";",      "<<<",         ">>>",   "=",  "\n",
        "struct S ",  "typedef ",    "dim3 ",   "x",      "cudaMalloc(", "&",     "*",  "[",
        "]",          "blockDim.x ", "extern ", "const ", "/ 256",       "1.5f",  "::", "..",
        "\"",         "#define N ",  "sizeof(", "ceil(",  "__shared__ ", "enum ", "->", "0x1",
        "1e9"};
    std::string text = "__global__ void k(T* x, int n, S s) { x[n] = N; }\n";
    for (const std::size_t choice : choices) text += pieces.at(choice % pieces.size());
    RC_ASSERT(!pattern_draft::draft_of(text + "\nk<<<N, x>>>(x, N, s); }").empty());
  });
}

BOOST_AUTO_TEST_CASE(values_that_name_each_other_take_no_time) {
  std::string text = "__global__ void k(int* p) {}\nint main() {\n  int a0 = 1;\n";
  for (int i = 1; i < 200; ++i) {
    text += fmt::format("  int a{0} = a{1} + a{1} + a{1} + a{1};\n", i, i - 1);
  }
  text += "  int b = c + b; int c = b;\n  k<<<a199, b>>>(nullptr);\n}\n";
  BOOST_TEST(contains(pattern_draft::draft_of(text), "  block: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
