/* pattern:
summary: Add one to an element; neighbouring threads are STRIDE elements apart
family: coalescing
help: >-
  The classic curve: every warp touches ceil((31 * STRIDE * sizeof(T) + sizeof(T)) / 32) sectors,
  32 at most, while it wants 32 * sizeof(T) bytes. Stride 0 sends every thread to one element.
origin: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 1, min: 0, help: distance between neighbouring threads in elements}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: the range of memory that the threads cover}
  N:
    default: BYTES / (max(STRIDE, 1) * sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  data: {type: T, length: "N * max(STRIDE, 1)", init: "splat<T>(i % 101)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: "STRIDE > 0 ? data[i] == splat<T>(i % 101 + (i % (STRIDE > 0 ? STRIDE : 1) == 0))
                    : (i > 0) == (data[i] == splat<T>(i % 101))"
*/
__global__ void stride(T* data) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  data[i * STRIDE] += splat<T>(1);
}
