/* pattern:
summary: Stores to places in a random order, each written once
parameters:
  T:      {type: element, default: float}
  FACTOR: {default: 2053, min: 1, help: "odd: thread i stores to i * FACTOR modulo 4096"}
require:
  - FACTOR % 2 == 1
buffers:
  in:  {type: T, length: 4096, init: "splat<T>(i * 7 % 127)"}
  out: {type: T, length: 4096, init: "splat<T>(1)"}
launch: {grid: 16, block: 256}
useful: {read: 4096 * sizeof(T), write: 4096 * sizeof(T)}
verify: {out: "true"}
*/
__global__ void scatter(const T* in, T* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const unsigned mixed = i ^ i >> 7;
  out[mixed * FACTOR % 4096] = in[i];
}
