/* pattern:
summary: Add two arrays, c = a + b, one element per thread
family: coalescing
help: >-
  The first kernel that everyone writes is coalesced as it stands: a warp's 32 elements lie side by
  side, sizeof(T) sectors for every load and store, all of it wanted. It reads twice what it writes.
origin: CUDA C++ Programming Guide, "Kernels"; CUDA C++ Best Practices Guide, "Coalesced Access
  to Global Memory"
parameters:
  T:     {type: element, default: float}
  BLOCK: {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES: {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  a: {type: T, length: N, init: "splat<T>(i % 50)"}
  b: {type: T, length: N, init: "splat<T>(i % 47)"}
  c: {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: 2 * N * sizeof(T), write: N * sizeof(T)}
verify: {c: "c[i] == splat<T>(i % 50 + i % 47)"}
*/
__global__ void vector_add(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  c[i] = a[i] + b[i];
}
