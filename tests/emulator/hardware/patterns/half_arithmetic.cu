/* pattern:
summary: Sums, products, fused products, quotients, comparisons and packed forms of 16-bit numbers
parameters:
  T: {type: element, default: half, help: half or bfloat16}
buffers:
  a:   {type: uint16_t, length: 4096, init: "uint16_t(i * 40503u >> 3)"}
  b:   {type: uint16_t, length: 4096, init: "uint16_t(i * 30013u + 77u)"}
  out: {type: T, length: 4096 * 8, init: "T(0.0f)"}
launch: {grid: 16, block: 256}
useful: {read: 4096 * 4, write: 4096 * 16}
verify: {out: "true"}
*/
__global__ void half_arithmetic(const uint16_t* a, const uint16_t* b, T* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const T x = reinterpret_cast<const T*>(a)[i], y = reinterpret_cast<const T*>(b)[i];
  T* to = out + i;
  to[0] = __hadd_rn(x, y);
  to[4096] = __hmul_rn(x, y);
  to[2 * 4096] = __hfma(x, y, x);
  to[3 * 4096] = __hsub_rn(x, y);
  to[4 * 4096] = __hmin(x, y);
  to[5 * 4096] = __hmax(x, y);
  to[6 * 4096] = __hlt(x, y) ? __hneg(x) : __habs(y);
  to[7 * 4096] = __hfma_relu(x, y, y);
}
