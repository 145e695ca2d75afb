/* pattern:
summary: Prefix sums within each block, by shuffles or in shared memory
family: collectives
help: >-
  out[i] is the sum of the block's elements up to and including i. METHOD 0 scans each warp by
  shuffles, then the warps' sums. METHOD 1, by Hillis and Steele, adds the element 1, 2, 4, ...
  before in shared memory - simple, without conflicts, BLOCK * log2(BLOCK) additions. METHOD 2, by
  Blelloch, goes up and down a tree with 2 * BLOCK additions, whose words at distances of powers of
  two share banks. METHOD 3 is the same with one word of padding after every 32, which avoids most
  conflicts.
origin: Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, ch. 39
parameters:
  METHOD:
    default: 0
    min: 0
    max: 3
    values: {0: shuffles, 1: Hillis-Steele, 2: tree, 3: padded tree}
    help: "0 shuffles, 1 Hillis and Steele, 2 Blelloch's tree, 3 the tree with padding"
  BLOCK:  {default: 256, min: 32, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(uint32_t) * BLOCK) * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - is_pow2(BLOCK)
buffers:
  in:  {type: uint32_t, length: N, init: "i % 101"}
  out: {type: uint32_t, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(uint32_t), write: N * sizeof(uint32_t)}
verify: {out: "out[i] == uint32_t(sum_below(i + 1) - sum_below(i / BLOCK * BLOCK))"}
*/
__device__ uint32_t scan_warp(uint32_t sum) {
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    const uint32_t before = __shfl_up_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 >= distance) sum += before;
  }
  return sum;
}

__device__ uint32_t scan_by_shuffles(uint32_t value) {
  __shared__ uint32_t of_warps[32];
  const uint32_t warp = threadIdx.x / 32;
  const uint32_t sum = scan_warp(value);
  if (threadIdx.x % 32 == 31) of_warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const uint32_t sums = scan_warp(threadIdx.x < BLOCK / 32 ? of_warps[threadIdx.x] : 0);
    __syncwarp();
    of_warps[threadIdx.x] = sums;
  }
  __syncthreads();
  return warp > 0 ? sum + of_warps[warp - 1] : sum;
}

__device__ uint32_t scan_by_doubling(uint32_t value) {
  __shared__ uint32_t sums[2][BLOCK];
  uint32_t from = 0;
  sums[from][threadIdx.x] = value;
  for (uint32_t distance = 1; distance < BLOCK; distance *= 2) {
    __syncthreads();
    if (threadIdx.x >= distance) value += sums[from][threadIdx.x - distance];
    from = 1 - from;
    sums[from][threadIdx.x] = value;
  }
  return value;
}

// Where word n of the tree lies.
__device__ constexpr uint32_t word(uint32_t n) {
  return METHOD == 3 ? n + n / 32 : n;
}

__device__ uint32_t scan_by_tree(uint32_t value) {
  __shared__ uint32_t tree[word(BLOCK)];
  tree[word(threadIdx.x)] = value;
  // Up: the last word of every 2 * step holds their sum.
  for (uint32_t step = 1; step < BLOCK; step *= 2) {
    __syncthreads();
    const uint32_t end = (threadIdx.x + 1) * 2 * step;
    if (end <= BLOCK) tree[word(end - 1)] += tree[word(end - step - 1)];
  }
  // Down: it passes what came before to the middle of the next 2 * step.
  for (uint32_t step = BLOCK / 4; step > 0; step /= 2) {
    __syncthreads();
    const uint32_t end = (threadIdx.x + 1) * 2 * step;
    if (end < BLOCK) tree[word(end + step - 1)] += tree[word(end - 1)];
  }
  __syncthreads();
  return tree[word(threadIdx.x)];
}

__global__ void scan(const uint32_t* __restrict__ in, uint32_t* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (METHOD == 0) {
    out[i] = scan_by_shuffles(in[i]);
  } else if (METHOD == 1) {
    out[i] = scan_by_doubling(in[i]);
  } else {
    out[i] = scan_by_tree(in[i]);
  }
}

// The sum of the first n elements.
__device__ uint64_t sum_below(uint64_t n) {
  return n / 101 * (101 * 100 / 2) + n % 101 * (n % 101 - (n % 101 > 0)) / 2;
}
