/* pattern:
summary: Sums, products, quotients, shifts, comparisons and extremes of integers of one type
parameters:
  T: {type: element, default: int32_t}
buffers:
  a:   {type: T, length: 2048, init: "number(i)"}
  b:   {type: T, length: 2048, init: "number(i * 13 + 5)"}
  out: {type: T, length: 2048 * 14, init: "T(1)"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 2 * sizeof(T), write: 2048 * 14 * sizeof(T)}
verify: {out: "true"}
*/
__device__ T number(size_t i) {
  unsigned long long bits = (i + 1) * 0x9e3779b97f4a7c15ull;
  bits ^= bits >> 31;
  constexpr int width = 8 * sizeof(T);
  switch (i % 11) {
    case 0: return T(0);
    case 1: return T(-1);
    case 2: return T(1ull << (width - 1));
    case 3: return T((1ull << (width - 1)) - 1);
    case 4: return T(bits % 100);
    case 5: return T(0 - bits % 100);
    case 6: return T(1ull << bits % width);
    default: return T(bits >> i % width);
  }
}

__global__ void integer_arithmetic(const T* a, const T* b, T* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const T x = a[i], y = b[i];
  T* to = out + i;
  const auto put = [&](T value) { *to = value; to += 2048; };
  put(T(x + y));
  put(T(x - y));
  put(T(x * y));
  // -2^n / -1 has no result in C++; the hardware's is not promised.
  const bool divides = y != 0 && !(T(-1) < T(0) && y == T(-1));
  put(divides ? T(x / y) : T(3));
  put(divides ? T(x % y) : T(4));
  put(T(x & y));
  put(T(x | ~y));
  put(T(x ^ y));
  put(T(x << (unsigned(y) % (8 * sizeof(T)))));
  put(T(x >> (unsigned(y) % (8 * sizeof(T)))));
  put(x < y ? x : y);
  put(x > y ? x : y);
  put(T((x < y) + 2 * (x == y) + 4 * (x >= y)));
  put(T(x * y + T(7) * x - y));
}
