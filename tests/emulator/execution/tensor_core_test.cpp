// Tensor cores by way of the run-time compiler: wmma of every shape, layout and type, mma and
// ldmatrix, and what is counted of them.
#include <fmt/format.h>

#include <bit>
#include <boost/test/data/test_case.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace tensor_cores {
namespace {

struct WmmaCase {
  int m, n, k;
  const char* element;  ///< as wmma calls it
  const char* stored;   ///< as it lies in memory
  const char* sum;
  friend std::ostream& operator<<(std::ostream& out, const WmmaCase& one) {
    return out << one.element << " m" << one.m << 'n' << one.n << 'k' << one.k << ' ' << one.sum;
  }
};

const std::vector<WmmaCase> wmma_cases = {
    {16, 16, 16, "half", "half", "float"},
    {32, 8, 16, "half", "half", "float"},
    {8, 32, 16, "half", "half", "half"},
    {16, 16, 16, "__nv_bfloat16", "__nv_bfloat16", "float"},
    {16, 16, 8, "wmma::precision::tf32", "float", "float"},
    {8, 8, 4, "double", "double", "double"},
    {16, 16, 16, "signed char", "signed char", "int"},
    {32, 8, 16, "unsigned char", "unsigned char", "int"},
};

/// A product of 64 x 64 x 32 in tiles of wmma, with the matrices by rows or by columns, loaded and
/// stored by way of shared memory or not.
std::string wmma_pattern(const WmmaCase& form, bool a_by_rows, bool b_by_rows, bool c_by_rows,
                         bool through_shared) {
  constexpr const char* text = R"cuda(/* pattern:
parameters: {M: 64, N: 64, K: 32}
buffers:
  a: {type: uint8_t, length: M * K * %SIZE%, init: "0"}
  b: {type: uint8_t, length: M * K * %SIZE%, init: "0"}
  c: {type: %SUM%, length: M * N}
steps:
  - {kernel: fill, arguments: [(%STORED%*)a, (%STORED%*)b], grid: M * K / 32, block: 32}
  - {kernel: kernel, arguments: [(%STORED%*)a, (%STORED%*)b, c], grid: [N / %N%, M / %M%], block: 32}
useful: {read: M * K}
verify: {c: "[&] { const int row = %ROW%, column = %COLUMN%; float sum = 0; _Pragma(\"unroll 1\") for (int k = 0; k < K; ++k) sum += float((%INDEX_A%) % 5) * float((%INDEX_B%) % 3); return float(c[i]) == sum; }()"}
*/
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
__global__ void fill(%STORED%* a, %STORED%* b) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  a[i] = (%STORED%)(float(i % 5));
  b[i] = (%STORED%)(float(i % 3));
}
__global__ void kernel(const %STORED%* a, const %STORED%* b, %SUM%* c) {
  wmma::fragment<wmma::matrix_a, %M%, %N%, %K%, %ELEMENT%, wmma::%ORDER_A%> fa;
  wmma::fragment<wmma::matrix_b, %M%, %N%, %K%, %ELEMENT%, wmma::%ORDER_B%> fb;
  wmma::fragment<wmma::accumulator, %M%, %N%, %K%, %SUM%> fc;
  wmma::fill_fragment(fc, %SUM%(0));
  const int row = blockIdx.y * %M%, column = blockIdx.x * %N%;
  for (int k = 0; k < K; k += %K%) {
    %LOAD%
    wmma::mma_sync(fc, fa, fb, fc);
  }
  %STORE%
}
)cuda";
  const char* const direct_load = R"cuda(wmma::load_matrix_sync(fa, a + %INDEX_A%, %STRIDE_A%);
    wmma::load_matrix_sync(fb, b + %INDEX_B%, %STRIDE_B%);)cuda";
  const char* const shared_load =
      R"cuda(constexpr int pa = %NEAR_A% / 16 * 16 + 24, pb = %NEAR_B% / 16 * 16 + 24;
    __shared__ __align__(32) %STORED% sa[32 * pa], sb[32 * pb];  // no rows in the same banks
    __syncwarp();
    for (int i = threadIdx.x; i < %M% * %K%; i += 32) sa[i / %NEAR_A% * pa + i % %NEAR_A%] = a[%INDEX_A% + i / %NEAR_A% * %STRIDE_A% + i % %NEAR_A%];
    for (int i = threadIdx.x; i < %K% * %N%; i += 32) sb[i / %NEAR_B% * pb + i % %NEAR_B%] = b[%INDEX_B% + i / %NEAR_B% * %STRIDE_B% + i % %NEAR_B%];
    __syncwarp();
    wmma::load_matrix_sync(fa, sa, pa);
    wmma::load_matrix_sync(fb, sb, pb);)cuda";
  const char* const direct =
      "wmma::store_matrix_sync(c + %INDEX_C%, fc, %STRIDE_C%, wmma::%ORDER_C%);";
  const char* const shared = R"cuda(__shared__ %SUM% s[%M% * %N%];
  wmma::store_matrix_sync(s, fc, %NEAR%, wmma::%ORDER_C%);
  __syncwarp();
  for (int i = threadIdx.x; i < %M% * %N%; i += 32) c[%INDEX_C% + i / %NEAR% * %STRIDE_C% + i % %NEAR%] = s[i];)cuda";
  const std::string element = form.stored;
  const std::pair<const char*, std::string> words[] = {
      {"%LOAD%", through_shared ? shared_load : direct_load},
      {"%STORE%", through_shared ? shared : direct},
      {"%NEAR_A%", a_by_rows ? "%K%" : "%M%"},
      {"%NEAR_B%", b_by_rows ? "%N%" : "%K%"},
      {"%INDEX_A%", a_by_rows ? "row * K + k" : "k * M + row"},
      {"%INDEX_B%", b_by_rows ? "k * N + column" : "column * K + k"},
      {"%INDEX_C%", c_by_rows ? "row * N + column" : "column * M + row"},
      {"%STRIDE_A%", a_by_rows ? "K" : "M"},
      {"%STRIDE_B%", b_by_rows ? "N" : "K"},
      {"%STRIDE_C%", c_by_rows ? "N" : "M"},
      {"%ORDER_A%", a_by_rows ? "row_major" : "col_major"},
      {"%ORDER_B%", b_by_rows ? "row_major" : "col_major"},
      {"%ORDER_C%", c_by_rows ? "mem_row_major" : "mem_col_major"},
      {"%ROW%", c_by_rows ? "i / N" : "i % M"},
      {"%COLUMN%", c_by_rows ? "i % N" : "i / M"},
      {"%NEAR%", std::to_string(c_by_rows ? form.n : form.m)},
      {"%SIZE%", element == "double"  ? "8"
                 : element == "float" ? "4"
                                      : "2"},
      {"%STORED%", element},
      {"%ELEMENT%", form.element},
      {"%SUM%", form.sum},
      {"%M%", std::to_string(form.m)},
      {"%N%", std::to_string(form.n)},
      {"%K%", std::to_string(form.k)}};
  std::string result = text;
  for (const auto& [word, meaning] : words) {
    for (std::size_t at = result.find(word); at != std::string::npos; at = result.find(word)) {
      result.replace(at, std::string_view(word).size(), meaning);
    }
  }
  return result;
}

}  // namespace
}  // namespace tensor_cores

using namespace tensor_cores;

BOOST_AUTO_TEST_SUITE(tensor_cores_of_the_emulator, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(wmma_multiplies_matrices, data::make(wmma_cases), form) {
  for (int orders = 0; orders < 8; ++orders) {
    const std::string text =
        wmma_pattern(form, (orders & 1) != 0, (orders & 2) != 0, (orders & 4) != 0,
                     std::popcount(static_cast<unsigned>(orders)) % 2 == 0);
    BOOST_TEST(emulate(text).outcome == "correct", form << ", orders " << orders);
  }
}

BOOST_AUTO_TEST_CASE(what_is_counted_of_wmma) {
  const Emulated one = emulate(wmma_pattern(wmma_cases.front(), true, false, true, false));
  // Of 16 warps and 2 steps along k: a and b are 4 registers each, a sector for each of 8 lines.
  BOOST_TEST(one.metrics.at("load_requests") == 16 * 2 * 8);
  BOOST_TEST(one.metrics.at("load_sectors") == 16 * 2 * 8 * 8);
  // Of c 4 pairs of registers: 8 rows of 32 bytes. The kernel before stores 128 requests of 2.
  BOOST_TEST(one.metrics.at("store_requests") == 16 * 4 + 128);
  BOOST_TEST(one.metrics.at("store_sectors") == 16 * 4 * 8 + 128 * 2);
  BOOST_TEST(one.metrics.at("float_operations") == 2 * 64 * 64 * 32);
  // By the other order it is the same: registers are loaded along memory, and turned.
  const Emulated turned = emulate(wmma_pattern(wmma_cases.front(), false, true, true, false));
  BOOST_TEST(turned.metrics.at("load_requests") == 16 * 2 * 8);
  BOOST_TEST(turned.metrics.at("load_sectors") == 16 * 2 * 8 * 8);
}

BOOST_AUTO_TEST_CASE(factors_come_from_shared_memory_by_ldmatrix) {
  // As ptxas has it for 9.0: of four matrices of 8 x 8 at most, each of which takes a wavefront. Of
  // bf16 the compiler does not say that they are in shared memory.
  const std::pair<double, double> expected[] = {{2, 8}, {3, 10}, {3, 10}, {8, 8}};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const WmmaCase& form = wmma_cases[i];
    const double loads = 64 / form.m * (64 / form.n) * 2;
    const double of_c = 64 / form.m * (64 / form.n) * form.m * form.n / 32;
    const Emulated one = emulate(wmma_pattern(form, true, false, true, true));
    BOOST_TEST_CONTEXT(form) {
      BOOST_TEST(one.metrics.at("shared_load_requests") == loads * expected[i].first + of_c);
      BOOST_TEST(one.metrics.at("shared_load_wavefronts") == loads * expected[i].second + of_c);
    }
  }
}

BOOST_AUTO_TEST_CASE(mma_of_what_ldmatrix_loads) {
  const Emulated one = emulate(R"cuda(/* pattern:
parameters: {N: 1}
buffers:
  a: {type: half, length: 256, init: "half(float(i % 7))"}
  b: {type: half, length: 128, init: "half(float(i % 5))"}
  c: {type: float, length: 128}
launch: {grid: 1, block: 32}
useful: {read: 512}
verify: {c: "[&] { float sum = 0; for (int k = 0; k < 16; ++k) sum += float((i / 8 * 16 + k) % 7) * float((k * 8 + i % 8) % 5); return c[i] == sum; }()"}
*/
#include <cuda_fp16.h>
__global__ void kernel(const half* a, const half* b, float* c) {
  __shared__ __align__(16) half s[256], t[128];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) s[i] = a[i];
  for (int i = lane; i < 128; i += 32) t[i] = b[i];
  __syncwarp();
  unsigned x[4], y[2];
  const unsigned from = __cvta_generic_to_shared(s + lane % 16 * 16 + lane / 16 * 8);
  const unsigned other = __cvta_generic_to_shared(t + lane % 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(y[0]), "=r"(y[1]) : "r"(other));
  float d[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int i = 0; i < 4; ++i) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
)cuda");
  BOOST_TEST(one.outcome == "correct");
}

BOOST_AUTO_TEST_CASE(all_lanes_multiply_together) {
  const Emulated one = emulate(R"cuda(/* pattern:
parameters: {N: 1}
buffers: {c: {type: float, length: 32}}
launch: {grid: 1, block: 32}
useful: {write: 128}
verify: {c: "true"}
*/
__global__ void kernel(float* c) {
  float d[4] = {};
  if (threadIdx.x < 16)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, "
                 "{%4}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(0));
  c[threadIdx.x] = d[0];
}
)cuda");
  BOOST_TEST(contains(one.outcome, "all lanes of a warp execute it together"));
}

BOOST_AUTO_TEST_SUITE_END()
