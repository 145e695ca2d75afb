/* pattern:
summary: Copy an array, one element per thread
family: streams
help: >-
  The roof for anything that reads and writes equally much. With T = float4 each thread moves 16
  bytes, which fills the memory system far better than 4.
reference: CUDA C++ Best Practices Guide, "Effective Bandwidth Calculation"
parameters:
  T:      {type: element, default: float}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % 101)"}
*/
__global__ void copy(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[i];
}
