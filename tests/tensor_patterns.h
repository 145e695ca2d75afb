#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <vector>

// Patterns that copy boxes of tensors, and verify each byte against indices computed the plain way:
// for the emulator and for GPUs, which so give the same.

namespace sweep {

/// A tensor, a box and where a copy begins; of each list the first `rank` numbers count.
struct TensorCase {
  const char* name;
  const char* type;
  unsigned rank;
  std::array<int, 5> shape;
  std::array<int, 5> box;
  std::array<int, 5> begin;
  std::array<int, 5> steps = {1, 1, 1, 1, 1};
  int swizzle = 0;
  int padding = 0;  ///< elements behind each row of the tensor
  bool fills_nan = false;

  friend std::ostream& operator<<(std::ostream& out, const TensorCase& row) {
    return out << row.name;
  }
};

inline const TensorCase tensor_cases[] = {
    {"1D inside", "uint32_t", 1, {256}, {64}, {32}},
    {"1D beyond the end", "uint16_t", 1, {200}, {64}, {160}},
    {"1D before the beginning", "double", 1, {200}, {16}, {-6}},
    {"1D bytes", "uint8_t", 1, {256}, {32}, {16}},
    {"2D inside", "float", 2, {40, 24}, {8, 8}, {4, 3}},
    {"2D outside in both", "float", 2, {40, 24}, {16, 8}, {32, 20}},
    {"2D before both", "uint32_t", 2, {40, 24}, {16, 8}, {-4, -5}},
    {"2D wholly outside", "uint32_t", 2, {40, 24}, {16, 8}, {64, 2}},
    {"2D padded rows", "half", 2, {40, 24}, {16, 8}, {32, 20}, {1, 1}, 0, 8},
    {"2D every third row", "uint32_t", 2, {40, 24}, {8, 12}, {4, 2}, {1, 3}},
    {"2D rows that do not divide", "uint32_t", 2, {40, 24}, {8, 11}, {4, 15}, {1, 4}},
    {"2D swizzle of 32", "uint32_t", 2, {40, 70}, {8, 40}, {4, 4}, {1, 1}, 32},
    {"2D swizzle of 64", "uint32_t", 2, {40, 70}, {16, 40}, {4, 4}, {1, 1}, 64},
    {"2D swizzle of 128", "uint32_t", 2, {40, 70}, {32, 40}, {4, 4}, {1, 1}, 128},
    {"2D swizzle of 128, bfloat16", "bfloat16", 2, {104, 40}, {64, 16}, {80, 30}, {1, 1}, 128},
    {"2D swizzle of 128, bytes", "uint8_t", 2, {160, 40}, {128, 16}, {16, -3}, {1, 1}, 128},
    {"2D NaN outside", "float", 2, {40, 24}, {16, 8}, {32, 20}, {1, 1}, 0, 0, true},
    {"2D NaN outside, half", "half", 2, {40, 24}, {16, 8}, {32, 20}, {1, 1}, 0, 0, true},
    {"3D", "uint32_t", 3, {24, 10, 6}, {8, 4, 3}, {20, 8, -1}},
    {"3D swizzle of 64", "float", 3, {24, 10, 6}, {16, 4, 5}, {4, 8, 3}, {1, 1, 1}, 64},
    {"3D steps", "uint64_t", 3, {24, 10, 6}, {8, 5, 5}, {4, 1, 0}, {1, 2, 3}},
    {"4D", "uint32_t", 4, {12, 6, 5, 4}, {4, 3, 2, 3}, {8, 5, 3, 2}},
    {"4D swizzle of 32",
     "uint32_t",
     4,
     {12, 6, 5, 4},
     {8, 3, 2, 3},
     {4, -1, 3, 2},
     {1, 1, 1, 1},
     32},
    {"5D", "uint32_t", 5, {8, 5, 4, 3, 3}, {4, 2, 3, 2, 2}, {4, 4, -1, 2, 2}},
    {"5D swizzle of 128",
     "float",
     5,
     {40, 5, 4, 3, 3},
     {32, 2, 3, 2, 2},
     {8, 1, 2, 0, 1},
     {1, 1, 1, 1, 1},
     128},
};

namespace tensor_text {

/// "[A0, A1]"
inline std::string list(const char* name, unsigned first, unsigned end) {
  std::string text = "[";
  for (unsigned i = first; i < end; ++i)
    text += fmt::format("{}{}{}", i > first ? ", " : "", name, i);
  return text + "]";
}

inline std::string parameters(const TensorCase& row) {
  std::string text = fmt::format("  T: {{type: element, default: {}}}\n  SWIZZLE: {}\n  ROW: {}\n",
                                 row.type, row.swizzle, row.shape[0] + row.padding);
  for (unsigned i = 0; i < 5; ++i) {
    const bool is_used = i < row.rank;
    text += fmt::format("  S{0}: {1}\n  B{0}: {2}\n  C{0}: {3}\n  K{0}: {4}\n  N{0}: {5}\n", i,
                        is_used ? row.shape.at(i) : 1, is_used ? row.box.at(i) : 1,
                        is_used ? row.begin.at(i) : 0, is_used ? row.steps.at(i) : 1,
                        is_used ? (row.box.at(i) + row.steps.at(i) - 1) / row.steps.at(i) : 1);
  }
  return text;
}

inline std::string argument(const TensorCase& row, const char* buffer) {
  std::string strides;
  if (row.rank > 1) {
    strides = ", strides: [ROW";
    std::string plane = "ROW";
    for (unsigned i = 1; i + 1 < row.rank; ++i)
      strides += ", " + (plane += fmt::format(" * S{}", i));
    strides += "]";
  }
  return fmt::format(
      "{{tensor: {}, shape: {}{}, box: {}, element_strides: {}, swizzle: SWIZZLE{}}}", buffer,
      list("S", 0, row.rank), strides, list("B", 0, row.rank), list("K", 0, row.rank),
      row.fills_nan ? ", fill: nan" : "");
}

/// What all of them are made of: the body's first part.
inline constexpr const char* common = R"cuda(
constexpr int copied = N0 * N1 * N2 * N3 * N4;
constexpr int tile_bytes = (copied * int(sizeof(T)) + 1023) / 1024 * 1024;
constexpr int tile_elements = tile_bytes / int(sizeof(T));

__device__ inline unsigned in_shared(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

// The element of the box that lies at element i of the tile, or none: -1.
__device__ inline int box_element(int i) {
  const int address = i * int(sizeof(T));
  const int mask = SWIZZLE > 0 ? SWIZZLE / 16 - 1 : 0;
  const int plain = (address ^ ((address >> 7 & mask) << 4)) / int(sizeof(T));
  return plain < copied ? plain : -1;
}

// Where the tensor has an element of the box, or that it does not: -1.
__device__ inline long long tensor_element(int e) {
  const int at[5] = {C0 + e % N0, C1 + e / N0 % N1 * K1, C2 + e / N0 / N1 % N2 * K2,
                     C3 + e / N0 / N1 / N2 % N3 * K3, C4 + e / N0 / N1 / N2 / N3 * K4};
  const int extents[5] = {S0, S1, S2, S3, S4};
  for (int d = 0; d < 5; ++d)
    if (at[d] < 0 || at[d] >= extents[d]) return -1;
  return at[0] + (long long)ROW * (at[1] + S1 * (at[2] + S2 * (at[3] + S3 * (long long)at[4])));
}
)cuda";

/// The coordinates' operands of an instruction whose first operand is %0.
inline std::string coordinates(unsigned rank) {
  std::string text = "{";
  for (unsigned i = 0; i < rank; ++i) text += fmt::format("{}%{}", i > 0 ? ", " : "", i + 3);
  return text + "}";
}
inline std::string values(unsigned rank) {
  std::string text;
  for (unsigned i = 0; i < rank; ++i) text += fmt::format(", \"r\"(C{})", i);
  return text;
}

}  // namespace tensor_text

/// Loads a box into shared memory, all of which is compared.
inline std::string tensor_load_pattern(const TensorCase& row) {
  using namespace tensor_text;
  const std::string outside = row.fills_nan ? "sizeof(T) == 4 ? 0x7ff77ff7u : 0x7ff7u" : "0";
  return fmt::format(
             "/* pattern:\nparameters:\n{}buffers:\n"
             "  in: {{type: T, length: ROW * S1 * S2 * S3 * S4, init: \"T(float(i * 7 % 251))\"}}\n"
             "  out: {{type: T, length: ceil_div(N0 * N1 * N2 * N3 * N4 * sizeof(T), 1024) * 1024 "
             "/ "
             "sizeof(T)}}\n"
             "arguments: [{}, out]\nlaunch: {{grid: 1, block: 64}}\nuseful: {{read: 1}}\n"
             "verify:\n  out: >-\n    bits_of(out[i]) == [&]() -> unsigned long long {{\n"
             "      const int e = box_element(int(i));\n"
             "      if (e < 0) return bits_of(T(99.0f));\n"
             "      const long long at = tensor_element(e);\n"
             "      return at < 0 ? {} : bits_of(in[at]);\n    }}()\n*/\n",
             parameters(row), argument(row, "in"), outside) +
         common +
         fmt::format(R"cuda(
__device__ inline unsigned long long bits_of(T value) {{
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}}

__global__ void kernel(const __grid_constant__ CUtensorMap map, T* out) {{
  __shared__ __align__(1024) unsigned char tile[tile_bytes];
  __shared__ unsigned long long arrived;
  T* elements = reinterpret_cast<T*>(tile);
  for (int i = threadIdx.x; i < tile_elements; i += blockDim.x) elements[i] = T(99.0f);
  const unsigned barrier = in_shared(&arrived);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(copied * int(sizeof(T))) : "memory");
    asm volatile("cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {}], [%2];" ::"r"(in_shared(tile)), "l"(&map), "r"(barrier){} : "memory");
  }}
  // Where another number of bytes arrives than is expected the result tells, not a kernel that hangs.
  unsigned done = 0;
  for (int turn = 0; !done && turn < 10000; ++turn) {{
    asm volatile("{{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; "
                 "selp.u32 %0, 1, 0, p; }}" : "=r"(done) : "r"(barrier) : "memory");
    if (!done) __nanosleep(500);
  }}
  if (!done) {{
    for (int i = threadIdx.x; i < tile_elements; i += blockDim.x) out[i] = T(77.0f);
    return;
  }}
  for (int i = threadIdx.x; i < tile_elements; i += blockDim.x) out[i] = elements[i];
}}
)cuda",
                     row.rank, coordinates(row.rank), values(row.rank));
}

/// Stores a box from shared memory, or adds it to the tensor; all of the tensor is compared. Stores
/// cannot begin before the tensor.
inline std::string tensor_store_pattern(TensorCase row, bool adds) {
  using namespace tensor_text;
  for (int& begin : row.begin) begin = std::max(begin, 0);
  return fmt::format(
             "/* pattern:\nparameters:\n{}buffers:\n"
             "  out: {{type: T, length: ROW * S1 * S2 * S3 * S4, init: \"T(float(i % 5))\"}}\n"
             "arguments: [{}]\nlaunch: {{grid: 1, block: 64}}\nuseful: {{write: 1}}\n"
             "verify:\n  out: >-\n    float(out[i]) == [&] {{\n"
             "      float value = i % 5;\n"
             "      for (int e = 0; e < copied; ++e)\n"
             "        if (tensor_element(e) == (long long)(i)) value = {}float(e % 31);\n"
             "      return value;\n    }}()\n*/\n",
             parameters(row), argument(row, "out"), adds ? "value + " : "") +
         common +
         fmt::format(R"cuda(
__global__ void kernel(const __grid_constant__ CUtensorMap map) {{
  __shared__ __align__(1024) unsigned char tile[tile_bytes];
  T* elements = reinterpret_cast<T*>(tile);
  for (int i = threadIdx.x; i < tile_elements; i += blockDim.x) {{
    elements[i] = T(float(box_element(i) % 31));
  }}
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x > 0) return;
  // The operand %2 is not used.
  asm volatile("cp.{}async.bulk.tensor.{}d.global.shared::cta.{}tile.bulk_group [%1, {}], [%0];" ::"r"(
                   in_shared(tile)), "l"(&map), "r"(0){} : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}}
)cuda",
                     adds ? "reduce." : "", row.rank, adds ? "add." : "", coordinates(row.rank),
                     values(row.rank));
}

/// Whether the hardware adds values of the type where they lie.
inline bool can_add(const TensorCase& row) {
  const std::string type = row.type;
  return type == "uint32_t" || type == "uint64_t" || type == "float" || type == "half" ||
         type == "bfloat16";
}

}  // namespace sweep
