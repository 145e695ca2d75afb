/* pattern:
summary: Add one to an element; every thread is OFFSET elements further
family: coalescing
help: >-
  Shifting a warp off its alignment makes it touch one sector more. The neighbouring warp touches
  that sector too and finds it in the cache, so that the bandwidth hardly falls.
origin: CUDA C++ Best Practices Guide, "A Simple Copy with Misaligned Accesses"
parameters:
  T:      {type: element, default: float}
  OFFSET: {default: 0, min: 0, help: elements between the buffer's start and the first thread's}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: the range of memory that the threads cover}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  data: {type: T, length: N + OFFSET, init: "splat<T>(i % 101)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: "data[i] == splat<T>(i % 101 + (i >= OFFSET))"
*/
__global__ void offset(T* data) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x + OFFSET;
  data[i] += splat<T>(1);
}
