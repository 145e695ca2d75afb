#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string>

// Patterns that read textures at coordinates inside and outside, and verify what they got against
// the formulas of the CUDA C++ Programming Guide: for the emulator and for GPUs.

namespace sweep {

struct TextureCase {
  const char* name;
  const char* type;     ///< of the buffer's elements
  const char* read;     ///< the template argument of tex2D
  const char* keys;     ///< of the argument, beside its buffer and shape
  const char* address;  ///< the address mode, as `keys` have it
  bool is_normalized = false;
  bool is_linear = false;
  float scale = 1;  ///< that elements are divided by as they are read

  friend std::ostream& operator<<(std::ostream& out, const TextureCase& row) {
    return out << row.name;
  }
};

inline const TextureCase texture_cases[] = {
    {"point, clamp", "float", "float", "address: clamp", "clamp"},
    {"point, border", "float", "float", "address: border", "border"},
    {"point, clamp, normalized", "float", "float", "address: clamp, normalized: true", "clamp",
     true},
    {"point, border, normalized", "float", "float", "address: border, normalized: true", "border",
     true},
    {"point, wrap", "float", "float", "address: wrap, normalized: true", "wrap", true},
    {"point, mirror", "float", "float", "address: mirror, normalized: true", "mirror", true},
    {"linear, clamp", "float", "float", "address: clamp, filter: linear", "clamp", false, true},
    {"linear, border", "float", "float", "address: border, filter: linear", "border", false, true},
    {"linear, wrap", "float", "float", "address: wrap, filter: linear, normalized: true", "wrap",
     true, true},
    {"linear, mirror", "float", "float", "address: mirror, filter: linear, normalized: true",
     "mirror", true, true},
    {"linear, clamp, normalized", "float", "float",
     "address: clamp, filter: linear, normalized: true", "clamp", true, true},
    {"point, pairs", "float2", "float2", "address: clamp", "clamp"},
    {"linear, vectors", "float4", "float4", "address: clamp, filter: linear", "clamp", false, true},
    {"point, half", "half", "float", "address: clamp", "clamp"},
    {"linear, half", "half", "float", "address: clamp, filter: linear", "clamp", false, true},
    {"point, int", "int32_t", "int", "address: clamp", "clamp"},
    {"point, unsigned bytes", "uint8_t", "unsigned char", "address: clamp", "clamp"},
    {"point, shorts", "int16_t", "short", "address: border", "border"},
    {"point, bytes as shares", "uint8_t", "float", "address: clamp, read: normalized_float",
     "clamp", false, false, 255},
    {"linear, shorts as shares", "int16_t", "float",
     "address: clamp, filter: linear, read: normalized_float", "clamp", false, true, 32767},
    {"point, bytes of four", "uchar4", "uchar4", "address: clamp", "clamp"},
};

/// Each of 64 x 48 threads reads at a place of its own, some beyond each side of the 32 x 20
/// texels, none at the border of two. Weights of interpolation have 8 bits after the point; what
/// hardware interpolates of shares has as many bits as the elements.
inline std::string texture_pattern(const TextureCase& row) {
  return fmt::format(
             "/* pattern:\nparameters: {{T: {{type: element, default: {0}}}}}\nbuffers:\n"
             "  in: {{type: T, length: 32 * 20, init: \"splat<T>(value_at(i % 32, i / 32))\"}}\n"
             "  out: {{type: float, length: 64 * 48}}\n"
             "arguments: [{{texture: in, shape: [32, 20], {1}}}, out]\n"
             "launch: {{grid: 48, block: 64}}\nuseful: {{read: 1}}\n"
             "verify: {{out: {{equals: \"expected(i)\", tolerance: {{absolute: {2}}}}}}}\n*/\n"
             "constexpr bool is_normalized = {3}, is_linear = {4};\n"
             "constexpr float scale = {5};\n#define {6}_mode 1\nusing Read = {7};\n",
             row.type, row.keys,
             !row.is_linear   ? 1e-6F
             : row.scale == 1 ? 0.15F
                              : 0.6F / row.scale,
             row.is_normalized, row.is_linear, row.scale, row.address, row.read) +
         R"cuda(
__device__ inline float value_at(long long x, long long y) { return 3 * x + 5 * y; }

__device__ inline float x_of(long long i) { return (i % 64) * 0.84375f - 11.203125f; }
__device__ inline float y_of(long long i) { return (i / 64) * 0.84375f - 9.328125f; }

// The texel that one of any number stands for; none: -1.
__device__ inline long long inside(long long at, long long n) {
#ifdef clamp_mode
  return at < 0 ? 0 : at >= n ? n - 1 : at;
#elif defined border_mode
  return at < 0 || at >= n ? -1 : at;
#elif defined wrap_mode
  return (at % n + n) % n;
#else
  const long long place = (at % (2 * n) + 2 * n) % (2 * n);
  return place < n ? place : 2 * n - 1 - place;
#endif
}

__device__ inline double texel(long long x, long long y) {
  x = inside(x, 32);
  y = inside(y, 20);
  return x < 0 || y < 0 ? 0 : value_at(x, y) / scale;
}

__device__ inline double expected(long long i) {
  const double x = x_of(i), y = y_of(i);
  if (!is_linear) return texel((long long)floor(x), (long long)floor(y));
  const double left = floor(x - 0.5), top = floor(y - 0.5);
  const double a = x - 0.5 - left, b = y - 0.5 - top;
  const long long l = (long long)left, t = (long long)top;
  return (1 - a) * (1 - b) * texel(l, t) + a * (1 - b) * texel(l + 1, t) +
         (1 - a) * b * texel(l, t + 1) + a * b * texel(l + 1, t + 1);
}

template <class V>
__device__ inline float first_of(const V& value) {
  if constexpr (requires { value.x; }) return value.x;
  else return value;
}
template <class V>
__device__ inline float last_of(const V& value) {
  if constexpr (requires { value.w; }) return value.w;
  else if constexpr (requires { value.y; }) return value.y;
  else return value;
}

__global__ void kernel(cudaTextureObject_t texture, float* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  float x = x_of(i), y = y_of(i);
  if (is_normalized) { x /= 32; y /= 20; }
  const Read value = tex2D<Read>(texture, x, y);
  out[i] = first_of(value) == last_of(value) ? first_of(value) : -1;
}
)cuda";
}

/// tex1Dfetch within and beyond the array, and tex2Dgather.
inline constexpr const char* texture_fetch_pattern = R"cuda(/* pattern:
buffers:
  in: {type: float, length: 100, init: "i + 1"}
  out: {type: float, length: 128}
arguments: [{texture: in}, out]
launch: {grid: 4, block: 32}
useful: {read: 1}
verify: {out: "out[i] == (i < 2 || i >= 102 ? 0 : i - 1)"}
*/
__global__ void kernel(cudaTextureObject_t texture, float* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = tex1Dfetch<float>(texture, i - 2);
}
)cuda";

inline constexpr const char* texture_gather_pattern = R"cuda(/* pattern:
buffers:
  in: {type: float2, length: 8 * 8, init: "make_float2(i, 100 + i)"}
  out: {type: float4, length: 8 * 8}
arguments: [{texture: in, shape: [8, 8]}, out]
launch: {grid: 1, block: 64}
useful: {read: 1}
verify:
  out: >-
    out[i] == [&] {
      const int x = i % 8, y = i / 8, right = min(x + 1, 7), below = min(y + 1, 7);
      return make_float4(100 + below * 8 + x, 100 + below * 8 + right, 100 + y * 8 + right,
                         100 + y * 8 + x);
    }()
*/
__global__ void kernel(cudaTextureObject_t texture, float4* out) {
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  out[threadIdx.x] = tex2Dgather<float4>(texture, x + 1.0f, y + 1.0f, 1);
}
)cuda";

inline constexpr const char* texture_query_pattern = R"cuda(/* pattern:
buffers:
  in: {type: float, length: 8 * 5, init: "i"}
  out: {type: int, length: 32}
arguments: [{texture: in, shape: [8, 5]}, out]
launch: {grid: 1, block: 32}
useful: {read: 1}
verify: {out: "out[i] == 8 + 100 * 5"}
*/
__global__ void kernel(cudaTextureObject_t texture, int* out) {
  int width, height;
  asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(texture));
  asm("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(texture));
  out[threadIdx.x] = width + 100 * height;
}
)cuda";

}  // namespace sweep
