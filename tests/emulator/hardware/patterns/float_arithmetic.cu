/* pattern:
summary: Sums, products, quotients and roots of numbers from all over the range, in every rounding
parameters:
  T:        {type: element, default: float, help: float or double}
  ROUNDING: {default: 0, min: 0, max: 3, help: "0 to nearest, 1 towards zero, 2 down, 3 up"}
buffers:
  a:   {type: T, length: 2048, init: "number(i)"}
  b:   {type: T, length: 2048, init: "number(i * 131 + 7)"}
  c:   {type: T, length: 2048, init: "number(i * 31 + 11)"}
  out: {type: T, length: 2048 * 6, init: "T(1)"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 3 * sizeof(T), write: 2048 * 6 * sizeof(T)}
verify: {out: "true"}
*/
constexpr bool is_double = sizeof(T) == 8;

/// Zeros, subnormals, the ends of the range, infinities and NaNs; then any exponent and any bits.
__device__ T number(size_t i) {
  unsigned long long bits = (i + 1) * 0x9e3779b97f4a7c15ull;
  bits ^= bits >> 29;
  const unsigned long long sign = bits & 1ull << 63;
  const int fraction_bits = is_double ? 52 : 23;
  const unsigned long long all = (is_double ? 0x7ff0ull << 48 : 0xffull << 23);
  const unsigned long long fraction = bits & ((1ull << fraction_bits) - 1);
  unsigned long long value = 0;
  switch (i % 23) {
    case 0: value = 0; break;
    case 1: value = fraction; break;
    case 2: value = fraction >> fraction_bits / 2; break;
    case 3: value = all; break;
    case 4: value = all | fraction | 1; break;
    case 5: value = all - 1; break;
    case 6: value = 1ull << fraction_bits; break;
    case 7: value = (all >> 1 & all) | (fraction & 7); break;
    case 8: value = (all >> 1 & all); break;
    case 9: case 10: case 11: case 12: case 13:
      value = (((all >> fraction_bits) / 2 - 2 + bits % 5) << fraction_bits) | fraction; break;
    default:
      value = ((bits >> 40) % (all >> fraction_bits) << fraction_bits) | fraction; break;
  }
  if constexpr (is_double) return __longlong_as_double((long long)(value | sign));
  return T(__uint_as_float(unsigned(value) | unsigned(sign >> 32)));
}

__global__ void float_arithmetic(const T* a, const T* b, const T* c, T* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const T x = a[i], y = b[i], z = c[i];
  T* to = out + i;
#define ALL(SUFFIX)                                                       \
  if constexpr (is_double) {                                              \
    to[0] = __dadd_##SUFFIX(x, y);                                        \
    to[2048] = __dmul_##SUFFIX(x, y);                                     \
    to[2 * 2048] = __fma_##SUFFIX(double(x), double(y), double(z));       \
    to[3 * 2048] = __ddiv_##SUFFIX(x, y);                                 \
    to[4 * 2048] = __dsqrt_##SUFFIX(x);                                   \
    to[5 * 2048] = __drcp_##SUFFIX(x);                                    \
  } else {                                                                \
    to[0] = __fadd_##SUFFIX(x, y);                                        \
    to[2048] = __fmul_##SUFFIX(x, y);                                     \
    to[2 * 2048] = __fmaf_##SUFFIX(x, y, z);                              \
    to[3 * 2048] = __fdiv_##SUFFIX(x, y);                                 \
    to[4 * 2048] = __fsqrt_##SUFFIX(x);                                   \
    to[5 * 2048] = __frcp_##SUFFIX(x);                                    \
  }
  if constexpr (ROUNDING == 0) { ALL(rn) }
  if constexpr (ROUNDING == 1) { ALL(rz) }
  if constexpr (ROUNDING == 2) { ALL(rd) }
  if constexpr (ROUNDING == 3) { ALL(ru) }
#undef ALL
}
