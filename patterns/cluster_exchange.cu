/* pattern:
summary: Read the shared memory of the own block, of the next, or of the first block of a cluster
family: shared memory
help: >-
  Blocks of a cluster reach each other's shared memory over a network between the multiprocessors of
  a GPC. FROM = 0 reads the own memory, by the same instructions. FROM = 1 reads the next block's, a
  ring, in which each memory serves one reader. FROM = 2 reads the first block's, which serves all:
  a broadcast. A thread reads 16 bytes at a time, and DEPTH loads are under way together. On an
  NVIDIA H100 and an H200 all blocks of 512 threads together read 32.1 TB/s of their own memory, in a
  ring 4.1 TB/s with 2 blocks of a cluster and 2.1 TB/s with 4 to 16, and from one block half as much
  each time the cluster is twice as large: 1.24 TB/s with 4 blocks, 0.24 TB/s with 16.
origin: CUDA C++ Programming Guide, "Distributed Shared Memory"
parameters:
  FROM:    {default: 1, min: 0, max: 2, help: "0 own memory, 1 the next block's, 2 the first block's"}
  CLUSTER: {default: 4, min: 1, max: 16, help: "blocks of a cluster; beyond 8 not every GPU has them"}
  SHARED:   {default: 32 Ki, min: 1 Ki, max: 64 Ki, help: shared memory of a block}
  BLOCK:   {default: 512, min: 32, max: 1024, help: threads per block}
  DEPTH:   {default: 4, min: 1, max: 16, help: loads of a step}
  BYTES:   {default: 1 Gi, min: 1, help: bytes that all blocks together read}
  BLOCKS_PER_SM: {default: 2, min: 1, max: 32, help: blocks of the grid for each multiprocessor}
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: the grid is made for}
  BLOCKS:
    default: BLOCKS_PER_SM * MULTIPROCESSORS / CLUSTER * CLUSTER
    min: 1
    help: blocks in the grid; as many clusters as there is room for
  STEPS:
    default: max(1, BYTES / (BLOCKS * BLOCK * DEPTH * sizeof(uint4)))
    min: 1
    max: 16 Mi
    help: steps of each thread
require:
  - BLOCK % 32 == 0
  - is_pow2(SHARED)
  - BLOCKS % CLUSTER == 0
buffers:
  sum: {type: uint32_t, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK, shared: SHARED, cluster: CLUSTER}
useful: {shared: BLOCKS * BLOCK * STEPS * DEPTH * sizeof(uint4)}
verify: {sum: "sum[i] == expected_sum(i / BLOCK, i % BLOCK)"}
*/
#include <cooperative_groups.h>

constexpr uint32_t places = SHARED / sizeof(uint4);

// The block of the cluster that another one reads from.
__device__ uint32_t source_of(uint32_t rank) {
  return FROM == 0 ? rank : FROM == 1 ? (rank + 1) % CLUSTER : 0;
}

__device__ uint32_t value_of(uint32_t block, uint32_t place) {
  return block * 40503 + place;
}

// A thread's loads go round the memory; they come by other places in every round, or the compiler
// would read each once.
__device__ uint32_t place_of(uint32_t thread, uint32_t load) {
  return (thread + load * (BLOCK + 32)) % places;
}

__global__ void cluster_exchange(uint32_t* sum) {
  extern __shared__ uint4 own[];
  const auto cluster = cooperative_groups::this_cluster();
  for (uint32_t at = threadIdx.x; at < places; at += BLOCK) {
    own[at] = splat<uint4>(value_of(blockIdx.x, at));
  }
  // All blocks have begun, and their memory is filled.
  cluster.sync();
  const uint4* theirs = cluster.map_shared_rank(own, source_of(cluster.block_rank()));
  uint32_t total = 0;
#pragma unroll 1
  for (uint32_t load = 0; load < STEPS * DEPTH; load += DEPTH) {
#pragma unroll
    for (uint32_t k = 0; k < DEPTH; ++k) {
      const uint4 value = theirs[place_of(threadIdx.x, load + k)];
      total += value.x + value.y + value.z + value.w;
    }
  }
  sum[size_t(blockIdx.x) * BLOCK + threadIdx.x] = total;
  // A block's memory is there as long as another reads it.
  cluster.sync();
}

__device__ uint32_t expected_sum(uint64_t block, uint64_t thread) {
  const uint64_t source = block / CLUSTER * CLUSTER + source_of(uint32_t(block % CLUSTER));
  uint32_t total = 0;
  for (uint32_t load = 0; load < STEPS * DEPTH; ++load) {
    total += 4 * value_of(uint32_t(source), place_of(uint32_t(thread), load));
  }
  return total;
}
