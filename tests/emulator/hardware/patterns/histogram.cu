/* pattern:
summary: A histogram in shared memory, added to global memory at the end
parameters:
  BINS:   {default: 64, min: 1, max: 1024}
buffers:
  in:   {type: uint32_t, length: 4096, init: "uint32_t(i) * 2654435761u >> 11"}
  bins: {type: uint32_t, length: BINS, init: "0"}
launch: {grid: 8, block: 128}
useful: {read: 4096 * 4}
verify: {bins: "true"}
*/
__global__ void histogram(const uint32_t* in, uint32_t* bins) {
  __shared__ unsigned counts[BINS];
  for (int i = threadIdx.x; i < BINS; i += 128) counts[i] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = blockIdx.x * 512 + threadIdx.x; i < (blockIdx.x + 1) * 512; i += 128)
    atomicAdd(&counts[in[i] % BINS], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < BINS; i += 128) atomicAdd(&bins[i], counts[i]);
}
