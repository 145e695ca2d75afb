/* pattern:
summary: Minima, maxima, comparisons, signs and subnormals flushed, with NaNs among the numbers
parameters:
  T: {type: element, default: float, help: float or double}
buffers:
  a:    {type: T, length: 1024, init: "number(i % 32)"}
  b:    {type: T, length: 1024, init: "number(i / 32)"}
  out:  {type: T, length: 1024 * 6, init: "T(1)"}
  bits: {type: uint32_t, length: 1024, init: "1"}
launch: {grid: 4, block: 256}
useful: {read: 1024 * 2 * sizeof(T), write: 1024 * 6 * sizeof(T)}
verify: {out: "true"}
*/
constexpr bool is_double = sizeof(T) == 8;

__device__ T number(unsigned i) {
  const unsigned high[16] = {0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000,
                             0x7fc00000, 0x7f800001, 0x7fffffff, 0x40490fdb, 0x33333333, 0x4b800000,
                             0x00400000, 0x5f000000};
  const unsigned word = high[i % 16] | (i >= 16 ? 0x80000000u : 0u);
  if constexpr (is_double) {
    const unsigned shifted = (word & 0x80000000u) | (word & 0x7fffffffu) >> 3 |
                             ((word & 0x7f800000u) == 0x7f800000u ? 0x7ff00000u : 0u);
    return __hiloint2double(int(shifted), int(i % 3));
  } else {
    return T(__uint_as_float(word));
  }
}

__global__ void extremes(const T* a, const T* b, T* out, uint32_t* bits) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const T x = a[i], y = b[i];
  T* to = out + i;
  if constexpr (is_double) {
    to[0] = fmin(x, y);
    to[1024] = fmax(x, y);
    to[2 * 1024] = fabs(x);
    to[3 * 1024] = copysign(x, y);
    to[4 * 1024] = -x;
    to[5 * 1024] = fma(x, y, -x);
  } else {
    to[0] = fminf(x, y);
    to[1024] = fmaxf(x, y);
    to[2 * 1024] = fabsf(x);
    to[3 * 1024] = copysignf(x, y);
    float sum, product;
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(sum) : "f"(float(x)), "f"(float(y)));
    asm("mul.ftz.sat.f32 %0, %1, %2;" : "=f"(product) : "f"(float(x)), "f"(float(y)));
    to[4 * 1024] = sum;
    to[5 * 1024] = product;
  }
  bits[i] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | !(x >= y) << 4 | !(x > y) << 5 |
            (x != x) << 6 | (x > T(0) && y < T(1)) << 7;
}
