/* pattern:
summary: A thread per row; rows of different lengths in shared memory, packed or padded
family: shared memory
help: >-
  The 32 rows of a warp have all lengths from LONGEST - 31 to LONGEST, in scattered order, and each
  thread adds up its own. Packed, a row begins where the one before ends: the threads' banks are as
  good as random, and the fullest of 32 banks has 3 or so of up to 32 random words. Padded, a row
  begins every PITCH words: an even pitch makes banks collide, those of all threads where it is a
  multiple of 32, and an odd one never does. It takes 32 * PITCH words where packing takes
  32 * LONGEST - 496, so that fewer blocks fit on a multiprocessor.
origin: CUDA C++ Programming Guide, "Shared Memory"
parameters:
  PACKED:     {default: true, help: whether rows follow each other without a gap}
  LONGEST:    {default: 64, min: 32, max: 256, help: words of the longest row}
  PITCH:      {default: LONGEST, min: 32, max: 384, help: words from a padded row to the next}
  SEED:       {default: 1, min: 0, help: decides the order of the lengths}
  ITERATIONS: {default: 50, min: 1, max: 1 Mi, help: times that every row is added up}
  BLOCKS:     {default: 2112, min: 1, help: "blocks in the grid, each a warp"}
require:
  - PITCH >= LONGEST
  - 32 * PITCH * sizeof(uint32_t) <= 48 Ki
buffers:
  sums: {type: uint32_t, length: BLOCKS * 32}
launch: {grid: BLOCKS, block: 32}
useful: {shared: BLOCKS * (ITERATIONS + 1) * (32 * LONGEST - 496) * sizeof(uint32_t)}
verify: "sums[i] == ITERATIONS * sum_of_row(i % 32)"
*/
__device__ uint32_t length_of(uint32_t row) {
  return LONGEST - uint32_t(permuted(row, 32, SEED));
}

__device__ uint32_t begin_of(uint32_t row) {
  if (!PACKED) return row * PITCH;
  uint32_t begin = 0;
  for (uint32_t before = 0; before < row; ++before) begin += length_of(before);
  return begin;
}

__global__ void jagged_rows(uint32_t* sums) {
  __shared__ uint32_t words[PACKED ? 32 * LONGEST - 496 : 32 * PITCH];
  const uint32_t row = threadIdx.x;
  const uint32_t begin = begin_of(row);
  const uint32_t length = length_of(row);
  for (uint32_t word = 0; word < LONGEST; ++word) {
    if (word < length) words[begin + word] = row * 1000 + word;
  }
  uint32_t sum = 0;
  for (uint32_t round = 0; round < ITERATIONS; ++round) {
    // What was stored is read again in every round.
    __syncwarp();
    // A loop for all threads alike: they stay together, whatever the compiler makes of it.
    for (uint32_t word = 0; word < LONGEST; ++word) {
      if (word < length) sum += words[begin + word];
    }
  }
  sums[blockIdx.x * 32 + row] = sum;
}

__device__ uint32_t sum_of_row(uint32_t row) {
  const uint32_t length = length_of(row);
  return length * row * 1000 + length * (length - 1) / 2;
}
