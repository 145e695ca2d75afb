/* pattern:
summary: Groups of SHARING neighbouring threads read the same element
family: coalescing
help: >-
  A request counts the different sectors that its lanes touch, however many lanes want the same
  bytes: 32 / SHARING elements side by side are 32 * sizeof(T) / SHARING bytes, and at least one
  sector. With SHARING = 32 the whole warp reads one element, in 1 sector. The useful bytes count
  each element once.
origin: CUDA C++ Programming Guide, "Device Memory Accesses"
parameters:
  T:       {type: element, default: float}
  SHARING: {default: 32, min: 1, max: 1024, help: neighbouring threads that read one element}
  BLOCK:   {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:   {default: 1 Gi, min: 1, help: size of what is written}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - N % SHARING == 0
buffers:
  in:  {type: T, length: N / SHARING, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N / SHARING * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i / SHARING % 101)"}
*/
__global__ void uniform_load(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[i / SHARING];
}
