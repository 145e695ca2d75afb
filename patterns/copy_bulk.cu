/* pattern:
summary: Copy an array through shared memory by bulk copies, STAGES of them under way in a block
family: streams
help: >-
  From compute capability 9.0 on a unit of the multiprocessor copies whole stretches of memory
  (cp.async.bulk, the Tensor Memory Accelerator without a tensor) - one thread of a block begins
  each copy, no thread touches the bytes, and no request of a warp is counted. A barrier in shared
  memory (mbarrier) says when a stretch has arrived; it goes on to its place from there. Compare
  copy and copy_async.
origin: CUDA C++ Programming Guide, "Asynchronous Data Copies using the Tensor Memory
  Accelerator (TMA)"; PTX ISA, "cp.async.bulk" and "mbarrier"
parameters:
  CHUNK:      {default: 8 Ki, min: 16, max: 128 Ki, help: bytes of one copy}
  STAGES:     {default: 4, min: 2, help: "copies under way, each with a place in shared memory"}
  ITEMS:      {default: STAGES, min: 1, help: chunks of a block in one pass}
  PERSISTENT: {default: false, help: whether a block goes on to another chunk until none is left}
  BLOCKS_PER_SM:
    default: max(1, 192 Ki / (STAGES * CHUNK))
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
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 5: evict_first}
    help: "0 no hint, 5 an L2 policy of evict_first"
  PHASED:
    default: false
    help: >-
      whether a block loads all its stages before it stores the first, and stores all before it
      loads again. Memory loses time when it turns from reading to writing; long phases turn seldom
  PACE:
    default: 0
    min: 0
    max: 100000
    help: >-
      bytes that all blocks together read and write in a nanosecond at most, with PHASED; 0 for no
      such limit. At a rate just below the memory's the phases of all blocks stay in step
  BYTES:      {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (CHUNK * ITEMS * SLICES) * ITEMS * SLICES
    min: 1
    max: 2 Gi
    help: chunks; by default as many whole blocks as fit into BYTES
require:
  - N % ITEMS == 0
  - N % SLICES == 0
  - CHUNK % 16 == 0
  - PERSISTENT || (ORDER == 0 && SLICES == 1)
  - LOAD == 0 || LOAD == 5
  - STORE == 0 || STORE == 5
  - PACE == 0 || PHASED
buffers:
  in:  {type: uint4, length: N * CHUNK / 16, init: "splat<uint4>(i % 101)"}
  out: {type: uint4, length: N * CHUNK / 16}
launch:
  grid: "PERSISTENT ? min(N, BLOCKS_PER_SM * MULTIPROCESSORS) : N / ITEMS"
  block: 32
  shared: STAGES * CHUNK
useful: {read: N * CHUNK, write: N * CHUNK}
verify: {out: "out[i] == splat<uint4>(i % 101)"}
*/
#if __CUDA_ARCH__ < 900
#error "copy_bulk needs compute capability 9.0 or newer, which have cp.async.bulk"
#endif

#include "bulk_copies.cuh"
#include "tile_order.cuh"

__device__ uint64_t nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__global__ void copy_bulk(const uint4* in, uint4* out) {
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ uint64_t arrived[STAGES];
  if (threadIdx.x > 0) return;
  make_barriers(arrived);

  const TileWalk<ORDER, SLICES, N, MULTIPROCESSORS> walk;
  const uint32_t chunks = PERSISTENT ? walk.turns() : ITEMS;
  const auto place_of = [&](uint32_t chunk) {
    const uint32_t number = PERSISTENT ? walk.tile_at(chunk) : blockIdx.x * ITEMS + chunk;
    return size_t(number) * (CHUNK / 16);
  };
  const auto load = [&](uint32_t chunk) {
    const uint32_t stage = chunk % STAGES;
    expect_bytes(arrived[stage], CHUNK);
    begin_load<LOAD>(stages + stage * (CHUNK / 16), in + place_of(chunk), CHUNK, arrived[stage]);
  };
  const auto load_all_stages = [&](uint32_t chunk) {
    for (uint32_t stage = 0; stage < STAGES && chunk + stage < chunks; ++stage) load(chunk + stage);
  };

  const uint64_t begin = PACE > 0 ? nanoseconds() : 0;
  load_all_stages(0);
#pragma unroll 1
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const uint32_t stage = chunk % STAGES;
    wait_for_phase(arrived[stage], chunk / STAGES % 2);
    if (PHASED && stage == 0) {
      // The others have to be there as well; each keeps its phase until it is loaded again.
      for (uint32_t other = 1; other < STAGES && chunk + other < chunks; ++other) {
        wait_for_phase(arrived[other], chunk / STAGES % 2);
      }
    }
    begin_store<STORE>(out + place_of(chunk), stages + stage * (CHUNK / 16), CHUNK);
    if (PHASED && stage == STAGES - 1) {
      wait_until_read<0>();
      if (PACE > 0) {
        const uint64_t moved = 2ull * CHUNK * (chunk + 1) * gridDim.x;
        while (nanoseconds() - begin < moved / (PACE > 0 ? PACE : 1)) continue;
      }
      load_all_stages(chunk + 1);
    }
    // The place of the chunk before is free once its store, the last but one, has read it.
    if (!PHASED && chunk > 0 && chunk - 1 + STAGES < chunks) {
      wait_until_read<1>();
      load(chunk - 1 + STAGES);
    }
  }
  wait_until_stored();
}
