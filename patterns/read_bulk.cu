/* pattern:
summary: Read an array through shared memory by bulk copies and look for marks
family: streams
help: >-
  As read does, but what is read comes into shared memory by bulk copies (cp.async.bulk, compute
  capability 9.0), STAGES of CHUNK bytes under way in a block. The memory is asked for whole
  stretches at a time, by one thread, and bytes under way need no registers. All elements are 0 but
  one in each chunk; the threads add up what has arrived, and the one that gets something other than
  0 writes it.
origin: CUDA C++ Programming Guide, "Asynchronous Data Copies using the Tensor Memory
  Accelerator (TMA)"; PTX ISA, "cp.async.bulk" and "mbarrier"
parameters:
  CHUNK:      {default: 8 Ki, min: 16, max: 128 Ki, help: bytes of one copy}
  STAGES:     {default: 4, min: 1, help: "copies under way, each with a place in shared memory"}
  BLOCK:      {default: 128, min: 32, max: 1024, help: threads that add up what arrives}
  ITEMS:      {default: 2 * STAGES, min: 1, help: chunks of a block in one pass}
  PERSISTENT: {default: false, help: whether a block goes on to another chunk until none is left}
  BLOCKS_PER_SM:
    default: max(1, min(2048 / BLOCK, 192 Ki / (STAGES * CHUNK)))
    min: 1
    help: blocks of a persistent grid for each multiprocessor; they share its memory
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  ORDER:
    default: 0
    min: 0
    max: 2
    values: {0: in turn, 1: stretches, 2: side by side}
    help: >-
      which chunks a persistent block takes: 0 every block the next one, so that memory is walked in
      order; 1 a stretch of its own; 2 as 0, with blocks of a multiprocessor side by side
  SLICES:
    default: 1
    min: 1
    max: 64 Ki
    help: equal parts of the array that persistent blocks walk side by side
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 5: evict_first}
    help: "0 no hint, 5 an L2 policy of evict_first"
  BYTES:      {default: 1 Gi, min: 1, help: size of the array}
  N:
    default: BYTES / (CHUNK * ITEMS * SLICES) * ITEMS * SLICES
    min: 1
    max: 2 Gi
    help: chunks; by default as many whole blocks as fit into BYTES
require:
  - N % ITEMS == 0
  - N % SLICES == 0
  - CHUNK % (16 * BLOCK) == 0
  - PERSISTENT || (ORDER == 0 && SLICES == 1)
  - LOAD == 0 || LOAD == 5
buffers:
  in:    {type: uint4, length: N * CHUNK / 16, init: "splat<uint4>(is_marked(i) ? mark_of(i / TILE) : 0)"}
  found: {type: uint4, length: N}
launch:
  grid: "PERSISTENT ? min(N, BLOCKS_PER_SM * MULTIPROCESSORS) : N / ITEMS"
  block: BLOCK
  shared: STAGES * CHUNK
useful: {read: N * CHUNK}
verify: {found: "found[i] == splat<uint4>(mark_of(i))"}
*/
#if __CUDA_ARCH__ < 900
#error "read_bulk needs compute capability 9.0 or newer, which have cp.async.bulk"
#endif

#include "bulk_copies.cuh"
#include "tile_order.cuh"

constexpr uint32_t TILE = CHUNK / 16;

__global__ void __launch_bounds__(BLOCK) read_bulk(const uint4* in, uint4* found) {
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ uint64_t arrived[STAGES];
  const TileWalk<ORDER, SLICES, N, MULTIPROCESSORS> walk;
  const uint32_t chunks = PERSISTENT ? walk.turns() : ITEMS;
  const auto number_of = [&](uint32_t chunk) {
    return PERSISTENT ? walk.tile_at(chunk) : blockIdx.x * ITEMS + chunk;
  };
  const auto load = [&](uint32_t chunk) {
    const uint32_t stage = chunk % STAGES;
    expect_bytes(arrived[stage], CHUNK);
    begin_load<LOAD>(stages + stage * TILE, in + size_t(number_of(chunk)) * TILE, CHUNK,
                     arrived[stage]);
  };

  if (threadIdx.x == 0) {
    make_barriers(arrived);
    for (uint32_t chunk = 0; chunk < STAGES && chunk < chunks; ++chunk) load(chunk);
  }
  __syncthreads();
#pragma unroll 1
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const uint32_t stage = chunk % STAGES;
    wait_for_phase(arrived[stage], chunk / STAGES % 2);
    const uint4* from = stages + stage * TILE + threadIdx.x;
    uint4 sum = splat<uint4>(0);
#pragma unroll 8
    for (uint32_t i = 0; i < TILE; i += BLOCK) sum += from[i];
    if (!(sum == splat<uint4>(0))) found[number_of(chunk)] = sum;
    // The place is free when all have read it.
    __syncthreads();
    if (threadIdx.x == 0 && chunk + STAGES < chunks) load(chunk + STAGES);
  }
}

__device__ bool is_marked(size_t i) {
  return i % TILE == i / TILE * 97 % TILE;
}

__device__ int mark_of(size_t tile) {
  return int(1 + tile % 100);
}
