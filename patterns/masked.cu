/* pattern:
summary: Copy an array with only LANES threads of each warp, every EVERY-th one
family: coalescing
help: >-
  An access that some lanes skip, as in a branch, is still a request of its own. It touches the
  sectors that the active lanes want: LANES * sizeof(T) / 32 of them, rounded up, with neighbouring
  lanes; with every eighth lane of 4 bytes one for each, so that 4 lanes cost as much as all 32.
origin: CUDA C++ Programming Guide, "SIMT Architecture"
parameters:
  T:     {type: element, default: float}
  LANES: {default: 32, min: 1, max: 32, help: active threads of a warp}
  EVERY: {default: 1, min: 1, max: 32, help: distance between active threads}
  BLOCK: {default: 256, min: 32, max: 1024, help: threads per block}
  BYTES: {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - BLOCK % 32 == 0
  - (LANES - 1) * EVERY < 32
buffers:
  in:  {type: T, length: N, init: "splat<T>(1 + i % 101)"}
  out: {type: T, length: N, init: "splat<T>(0)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N / 32 * LANES * sizeof(T), write: N / 32 * LANES * sizeof(T)}
verify: {out: "out[i] == splat<T>(is_active(i % 32) ? 1 + i % 101 : 0)"}
*/
__device__ constexpr bool is_active(uint32_t lane) {
  return lane % EVERY == 0 && lane / EVERY < LANES;
}

__global__ void masked(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (is_active(threadIdx.x % 32)) out[i] = in[i];
}
