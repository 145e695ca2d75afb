/* pattern:
summary: Read in order and write STRIDE elements apart
family: coalescing
help: >-
  A store touches as many sectors as a load of the same shape: min(32, 4 * STRIDE) for 4-byte
  elements. It fills only a part of each, sizeof(T) of 32 bytes from STRIDE = 32 / sizeof(T) on, and
  no neighbour fills the rest. Compare access, which strides on the reading side.
origin: CUDA C++ Best Practices Guide, "Strided Accesses"
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 8, min: 1, help: distance between neighbouring threads' stores in elements}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: the range of memory that the threads write in}
  N:
    default: BYTES / (STRIDE * sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)"}
  out: {type: T, length: N * STRIDE, init: "splat<T>(120)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % STRIDE == 0 ? i / STRIDE % 101 : 120)"}
*/
__global__ void strided_store(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i * STRIDE] = in[i];
}
