/* pattern:
summary: Look values up in a small table in constant memory, DISTINCT different ones in a warp
family: hierarchy
help: >-
  The constant cache answers one address at a time. A warp whose threads want one and the same
  entry gets it at once; with DISTINCT entries the request is split into as many, and takes that
  much longer. A table in global memory (without IN_CONSTANT) goes through L1, which gives all
  the entries of a line together, so that it wins as soon as the threads disagree.
origin: CUDA C++ Programming Guide, "Device Memory Accesses - Constant Memory"
parameters:
  DISTINCT:    {default: 1, min: 1, max: 32, help: different entries that the threads of a warp want at once}
  IN_CONSTANT: {default: true, help: whether the table lies in constant memory or in global memory}
  ENTRIES:     {default: 256, min: 64, max: 8192, help: 4-byte words of the table}
  BLOCK:       {default: 256, min: 32, max: 1024, help: threads per block}
  LOOKUPS:     {default: 128, min: 1, max: 64 Ki, help: entries that a thread looks up}
  BYTES:       {default: 4 Gi, min: 1, help: bytes that all threads together look up}
  N:
    default: max(1, BYTES / (4 * LOOKUPS * BLOCK)) * BLOCK
    min: 1
    help: threads in the grid; by default as many as look up BYTES
require:
  - BLOCK % 32 == 0
  - N % BLOCK == 0
  - is_pow2(ENTRIES)
buffers:
  first: {type: uint32_t, length: N, init: "i % DISTINCT"}
  table: {type: uint32_t, length: ENTRIES, init: "entry(i)"}
  sum:   {type: uint32_t, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * LOOKUPS * sizeof(uint32_t)}
verify: {sum: "sum[i] == expected_sum(i % DISTINCT)"}
*/
// Any value that an entry's neighbours do not have.
__device__ constexpr uint32_t entry(uint32_t at) { return at * at + 1; }

struct Table {
  uint32_t entries[ENTRIES];
};

constexpr Table filled_table() {
  Table table = {};
  for (uint32_t at = 0; at < ENTRIES; ++at) table.entries[at] = entry(at);
  return table;
}

__constant__ Table constant_table = filled_table();

// The first index is read from memory, so that the compiler does not know who agrees with whom.
__global__ void constant_memory(const uint32_t* first, const uint32_t* table, uint32_t* sum) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  const uint32_t start = first[i];
  uint32_t total = 0;
#pragma unroll 8
  for (uint32_t step = 0; step < LOOKUPS; ++step) {
    const uint32_t at = (start + step) % ENTRIES;
    total += IN_CONSTANT ? constant_table.entries[at] : table[at];
  }
  sum[i] = total;
}

__device__ uint32_t expected_sum(uint32_t start) {
  uint32_t total = 0;
  for (uint32_t step = 0; step < LOOKUPS; ++step) total += entry((start + step) % ENTRIES);
  return total;
}
