/* pattern:
summary: A warp's threads follow chains in the shared memory of a block of their cluster
family: shared memory
help: >-
  The time divided by ITERATIONS is the latency of another block's shared memory and a few cycles for
  the next address. The first block's warp follows the chains in the memory of the block that is
  DISTANCE behind it; with DISTANCE = 0 in its own, by the same instructions. Compare shared_chase,
  whose loads need not ask whose memory it is. On an NVIDIA H100 and an H200 a step takes 17 ns in the
  own memory, and 103 to 109 ns in another's, however far it is.
origin: CUDA C++ Programming Guide, "Distributed Shared Memory"
parameters:
  CLUSTER:    {default: 8, min: 1, max: 16, help: "blocks; beyond 8 not every GPU has them"}
  DISTANCE:   {default: 1, min: 0, max: 15, help: of the blocks that reads and is read}
  WORDS:      {default: 4096, min: 1024, max: 8192, help: 4-byte words of shared memory}
  ITERATIONS: {default: 16384, min: 1, max: 16 Mi, help: steps}
require:
  - DISTANCE < CLUSTER
  - is_pow2(WORDS)
buffers:
  last: {type: uint32_t, length: 32}
launch: {grid: CLUSTER, block: 32, cluster: CLUSTER}
useful: {shared: ITERATIONS * 32 * sizeof(uint32_t)}
verify: "last[i] == (i + 97 * uint64_t(ITERATIONS)) % WORDS"
*/
#include <cooperative_groups.h>

__global__ void cluster_chase(uint32_t* last) {
  __shared__ uint32_t next[WORDS];
  const auto cluster = cooperative_groups::this_cluster();
  for (uint32_t at = threadIdx.x; at < WORDS; at += 32) next[at] = (at + 97) % WORDS;
  cluster.sync();
  if (cluster.block_rank() == 0) {
    const uint32_t* theirs = cluster.map_shared_rank(next, DISTANCE);
    uint32_t at = threadIdx.x;
#pragma unroll 8
    for (uint32_t step = 0; step < ITERATIONS; ++step) at = theirs[at];
    last[threadIdx.x] = at;
  }
  cluster.sync();
}
