/* pattern:
summary: A warp's threads follow chains in shared memory, each load waiting for the one before
family: shared memory
help: >-
  The time divided by ITERATIONS is the latency of shared memory and a few cycles for the next
  address. Every thread goes round all WORDS. GAP words lie between a thread's place and its
  neighbour's, so that a load takes gcd(32, GAP) wavefronts and the chain waits for all of them.
origin: Mei and Chu, "Dissecting GPU Memory Hierarchy through Microbenchmarking", 2017
parameters:
  GAP:        {default: 1, min: 1, max: 32, help: words between neighbouring threads}
  WORDS:      {default: 4096, min: 1024, max: 8192, help: 4-byte words of shared memory}
  ITERATIONS: {default: 16384, min: 1, max: 16 Mi, help: steps}
require:
  - is_pow2(WORDS)
buffers:
  last: {type: uint32_t, length: 32}
launch: {grid: 1, block: 32}
useful: {shared: ITERATIONS * 32 * sizeof(uint32_t)}
verify: "last[i] == (i * GAP + 97 * uint64_t(ITERATIONS)) % WORDS"
*/
__global__ void shared_chase(uint32_t* last) {
  __shared__ uint32_t next[WORDS];
  for (uint32_t at = threadIdx.x; at < WORDS; at += 32) next[at] = (at + 97) % WORDS;
  __syncthreads();
  uint32_t at = threadIdx.x * GAP;
#pragma unroll 8
  for (uint32_t step = 0; step < ITERATIONS; ++step) at = next[at];
  last[threadIdx.x] = at;
}
