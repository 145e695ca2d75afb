/* pattern:
summary: Conversions between floating-point and integer types in every rounding
parameters:
  ROUNDING: {default: 0, min: 0, max: 3, help: "0 to nearest, 1 towards zero, 2 down, 3 up"}
buffers:
  a:     {type: uint64_t, length: 2048, init: "pattern_of(i)"}
  small: {type: int32_t, length: 2048 * 4, init: "1"}
  wide:  {type: int64_t, length: 2048 * 4, init: "1"}
  f:     {type: float, length: 2048 * 5, init: "1"}
  d:     {type: double, length: 2048 * 3, init: "1"}
  h:     {type: uint16_t, length: 2048 * 3, init: "1"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 8}
verify: {small: "true"}
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

/// As double: small and large numbers, halves, ends of the integer types, NaNs.
__device__ unsigned long long pattern_of(size_t i) {
  unsigned long long bits = (i + 1) * 0x9e3779b97f4a7c15ull;
  bits ^= bits >> 31;
  const double whole = double((long long)(bits) >> i % 60);
  switch (i % 8) {
    case 0: return __double_as_longlong(whole);
    case 1: return __double_as_longlong(whole * 0.5);
    case 2: return __double_as_longlong(whole * 0.25);
    case 3: return bits;
    case 4: return __double_as_longlong((i % 3 ? 2147483648.0 : 9223372036854775808.0) * (i % 2 ? 1 : -1) + double(int(i % 7) - 3));
    case 5: return (bits & 1ull << 63) | 0x7ff0000000000000ull | (i % 16 == 5 ? 0 : bits >> 13);
    case 6: return (bits & (1ull << 63 | 0xfffffffffffffull)) | (0x3ffull - 150 + bits % 300) << 52;
    default: return (bits & (1ull << 63 | 0xfffffffffffffull)) | (0x3ffull - 26 + bits % 45) << 52;
  }
}

__global__ void conversions(const uint64_t* a, int32_t* small, int64_t* wide, float* f, double* d,
                            uint16_t* h) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const unsigned long long bits = a[i];
  const double x = __longlong_as_double((long long)bits);
#define ALL(SUFFIX)                                                  \
  const float y = __double2float_##SUFFIX(x);                        \
  f[i] = y;                                                          \
  small[i] = __double2int_##SUFFIX(x);                               \
  small[i + 2048] = int(__double2uint_##SUFFIX(x));                  \
  small[i + 2 * 2048] = __float2int_##SUFFIX(y);                     \
  small[i + 3 * 2048] = int(__float2uint_##SUFFIX(y));               \
  wide[i] = __double2ll_##SUFFIX(x);                                 \
  wide[i + 2048] = (long long)(__double2ull_##SUFFIX(x));            \
  wide[i + 2 * 2048] = __float2ll_##SUFFIX(y);                       \
  wide[i + 3 * 2048] = (long long)(__float2ull_##SUFFIX(y));         \
  f[i + 2048] = __int2float_##SUFFIX(int(bits));                     \
  f[i + 2 * 2048] = __uint2float_##SUFFIX(unsigned(bits >> 16));     \
  f[i + 3 * 2048] = __ll2float_##SUFFIX((long long)bits);            \
  f[i + 4 * 2048] = __ull2float_##SUFFIX(bits);                      \
  d[i] = __ll2double_##SUFFIX((long long)bits);                      \
  d[i + 2048] = __ull2double_##SUFFIX(bits);                         \
  h[i] = __half_as_ushort(__float2half_##SUFFIX(y));                 \
  h[i + 2048] = __bfloat16_as_ushort(__float2bfloat16_##SUFFIX(y));  \
  h[i + 2 * 2048] = __half_as_ushort(__int2half_##SUFFIX(int(bits >> i % 32)));
  if constexpr (ROUNDING == 0) { ALL(rn) }
  if constexpr (ROUNDING == 1) { ALL(rz) }
  if constexpr (ROUNDING == 2) { ALL(rd) }
  if constexpr (ROUNDING == 3) { ALL(ru) }
#undef ALL
  d[i + 2 * 2048] = double(__half2float(__ushort_as_half((unsigned short)bits)));
}
