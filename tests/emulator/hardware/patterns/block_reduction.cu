/* pattern:
summary: Sums of blocks by shuffles and shared memory, and block-wide votes
parameters:
  BLOCK: {default: 256, min: 32, max: 1024}
require:
  - BLOCK % 32 == 0
buffers:
  in:  {type: int32_t, length: 8 * BLOCK, init: "int(uint32_t(i) * 2654435761u >> 9) % 4001 - 2000"}
  out: {type: int32_t, length: 64, init: "0"}
launch: {grid: 8, block: BLOCK}
useful: {read: 8 * BLOCK * 4}
verify: {out: "true"}
*/
__global__ void block_reduction(const int32_t* in, int32_t* out) {
  __shared__ int sums[BLOCK / 32];
  int value = in[blockIdx.x * BLOCK + threadIdx.x];
  const int positive = __syncthreads_count(value > 0);
  const int both = __syncthreads_and(value < 3000) * 2 + __syncthreads_or(value == 1999);
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
#pragma unroll 1
    for (int warp = 0; warp < BLOCK / 32; ++warp) sum += sums[warp];
    out[blockIdx.x * 8] = sum;
    out[blockIdx.x * 8 + 1] = positive;
    out[blockIdx.x * 8 + 2] = both;
  }
}
