/* pattern:
summary: Count how often each value comes, in the shared memory of all blocks of a cluster
family: irregular
help: >-
  As many blocks as fill the device go over the elements. The counters are spread over the blocks of
  a cluster, BINS / CLUSTER in the shared memory of each, and a block counts its elements wherever
  their counters are: of evenly spread values a share of (CLUSTER - 1) / CLUSTER in other blocks
  (cluster_requests). A larger cluster leaves a block fewer counters to clear and to add to the
  result, and makes room for more of them than one block could have; but an atomic in another block's
  memory goes over the network between the multiprocessors. Compare histogram, where every block has
  all counters.
origin: CUDA C++ Programming Guide, "Distributed Shared Memory"
parameters:
  CLUSTER: {default: 4, min: 1, max: 16, help: "blocks of a cluster; beyond 8 not every GPU has them"}
  BINS:    {default: 16 Ki, min: 1, max: 512 Ki, help: values that an element can have}
  HOT:     {default: 0, min: 0, max: 100, help: percent of the elements that are 0 in any case}
  BLOCK:   {default: 1024, min: 32, max: 1024, help: threads per block}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of the grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: the grid is made for}
  BYTES:   {default: 1 Gi, min: 1, help: size of the elements}
  N:
    default: BYTES / (sizeof(uint32_t) * BLOCK) * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % 32 == 0
  - N <= 2 Gi
  - BINS % CLUSTER == 0
  # What a block of 9.0 can have.
  - BINS / CLUSTER * sizeof(uint32_t) <= 227 Ki
  - BLOCKS_PER_SM * MULTIPROCESSORS >= CLUSTER
buffers:
  values: {type: uint32_t, length: N, init: "value_of(permuted(i, N, 1))"}
  counts: {type: uint32_t, length: BINS, init: "0"}
launch:
  grid: BLOCKS_PER_SM * MULTIPROCESSORS / CLUSTER * CLUSTER
  block: BLOCK
  shared: BINS / CLUSTER * sizeof(uint32_t)
  cluster: CLUSTER
useful: {read: N * sizeof(uint32_t), write: BINS * sizeof(uint32_t)}
verify: {counts: "counts[i] == count_of(i)"}
*/
#include <cooperative_groups.h>

__global__ void histogram_cluster(const uint32_t* __restrict__ values, uint32_t* counts) {
  extern __shared__ uint32_t own[];
  constexpr uint32_t own_bins = BINS / CLUSTER;
  const auto cluster = cooperative_groups::this_cluster();
  for (uint32_t bin = threadIdx.x; bin < own_bins; bin += BLOCK) own[bin] = 0;
  // All blocks have begun, and their counters are zero.
  cluster.sync();
  const size_t step = size_t(gridDim.x) * BLOCK;
  for (size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x; i < N; i += step) {
    const uint32_t value = values[i];
    uint32_t* const theirs = cluster.map_shared_rank(own, value / own_bins);
    atomicAdd(theirs + value % own_bins, 1);
  }
  // All are counted, and no block is needed any more once it has added its counters.
  cluster.sync();
  const uint32_t first_bin = cluster.block_rank() * own_bins;
  for (uint32_t bin = threadIdx.x; bin < own_bins; bin += BLOCK) {
    if (own[bin] != 0) atomicAdd(counts + first_bin + bin, own[bin]);
  }
}

constexpr uint64_t hot = uint64_t(N) * HOT / 100;

__device__ uint32_t value_of(uint64_t j) {
  return j < hot ? 0 : uint32_t((j - hot) % BINS);
}

__device__ uint32_t count_of(uint64_t bin) {
  const uint64_t even = N - hot;
  return uint32_t((bin == 0 ? hot : 0) + even / BINS + (bin < even % BINS));
}
