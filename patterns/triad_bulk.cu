/* pattern:
summary: Add a multiple of an array to another, both read into shared memory by bulk copies
family: streams
help: >-
  As triad does, out = a + 3 * b, but a and b come into shared memory by bulk copies (cp.async.bulk,
  compute capability 9.0), STAGES chunks of each under way in a block. The results either leave by
  the threads' own stores, or take the place of a and go out by bulk copies, so that the memory reads
  and writes whole stretches at a time.
origin: J. D. McCalpin, "STREAM"; CUDA C++ Programming Guide, "Asynchronous Data Copies using the
  Tensor Memory Accelerator (TMA)"; PTX ISA, "cp.async.bulk" and "mbarrier"
parameters:
  T:          {type: element, default: float4, help: what a thread takes from shared memory at once}
  CHUNK:      {default: 8 Ki, min: 16, max: 64 Ki, help: bytes of one copy}
  STAGES:     {default: 2, min: 2, help: "chunks of each array under way, with places in shared memory"}
  BLOCK:      {default: 256, min: 32, max: 1024, help: threads that add up what arrives}
  BULK_STORES: {default: true, help: whether results go out by bulk copies}
  ITEMS:      {default: 2 * STAGES, min: 1, help: chunks of a block in one pass}
  PERSISTENT: {default: false, help: whether a block goes on to another chunk until none is left}
  BLOCKS_PER_SM:
    default: max(1, min(2048 / BLOCK, 192 Ki / (2 * STAGES * CHUNK)))
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
    help: equal parts of the arrays that persistent blocks walk side by side
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
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first; of these bulk copies know 0 and 5
  PHASED:
    default: false
    help: >-
      whether a block has all its stages before it works on the first, and is done with all before it
      loads again. Memory loses time when it turns from reading to writing; long phases turn seldom
  BYTES:      {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (CHUNK * ITEMS * SLICES) * ITEMS * SLICES
    min: 1
    max: 2 Gi
    help: chunks; by default as many whole blocks as fit into BYTES
require:
  - N % ITEMS == 0
  - N % SLICES == 0
  - sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16
  - CHUNK % (sizeof(T) * BLOCK) == 0
  - CHUNK % 16 == 0
  - PERSISTENT || (ORDER == 0 && SLICES == 1)
  - LOAD == 0 || LOAD == 5
  - STORE == 0 || STORE == 5 || !BULK_STORES
buffers:
  a:   {type: T, length: N * CHUNK / sizeof(T), init: "splat<T>(i % 41)"}
  b:   {type: T, length: N * CHUNK / sizeof(T), init: "splat<T>(i % 29)"}
  out: {type: T, length: N * CHUNK / sizeof(T)}
launch:
  grid: "PERSISTENT ? min(N, BLOCKS_PER_SM * MULTIPROCESSORS) : N / ITEMS"
  block: BLOCK
  shared: 2 * STAGES * CHUNK
useful: {read: 2 * N * CHUNK, write: N * CHUNK}
verify: {out: "out[i] == splat<T>(i % 41 + 3 * (i % 29))"}
*/
#if __CUDA_ARCH__ < 900
#error "triad_bulk needs compute capability 9.0 or newer, which have cp.async.bulk"
#endif

#include "bulk_copies.cuh"
#include "cache_operators.cuh"
#include "tile_order.cuh"

constexpr uint32_t TILE = CHUNK / sizeof(T);

__global__ void __launch_bounds__(BLOCK) triad_bulk(const T* a, const T* b, T* out) {
  extern __shared__ __align__(128) uint4 shared[];
  __shared__ uint64_t arrived[STAGES];
  T* stages_a = reinterpret_cast<T*>(shared);
  T* stages_b = stages_a + STAGES * TILE;
  const TileWalk<ORDER, SLICES, N, MULTIPROCESSORS> walk;
  const uint32_t chunks = PERSISTENT ? walk.turns() : ITEMS;
  const auto place_of = [&](uint32_t chunk) {
    return size_t(PERSISTENT ? walk.tile_at(chunk) : blockIdx.x * ITEMS + chunk) * TILE;
  };
  const auto load = [&](uint32_t chunk) {
    const uint32_t stage = chunk % STAGES;
    const size_t place = place_of(chunk);
    expect_bytes(arrived[stage], 2 * CHUNK);
    begin_load<LOAD>(stages_a + stage * TILE, a + place, CHUNK, arrived[stage]);
    begin_load<LOAD>(stages_b + stage * TILE, b + place, CHUNK, arrived[stage]);
  };
  const auto load_all_stages = [&](uint32_t chunk) {
    for (uint32_t stage = 0; stage < STAGES && chunk + stage < chunks; ++stage) load(chunk + stage);
  };

  if (threadIdx.x == 0) {
    make_barriers(arrived);
    load_all_stages(0);
  }
  __syncthreads();
#pragma unroll 1
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const uint32_t stage = chunk % STAGES;
    T* staged_a = stages_a + stage * TILE;
    const T* staged_b = stages_b + stage * TILE;
    T* to = out + place_of(chunk);
    wait_for_phase(arrived[stage], chunk / STAGES % 2);
    if (PHASED && stage == 0) {
      // The others have to be there as well; each keeps its phase until it is loaded again.
      for (uint32_t other = 1; other < STAGES && chunk + other < chunks; ++other) {
        wait_for_phase(arrived[other], chunk / STAGES % 2);
      }
    }
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < TILE; i += BLOCK) {
      const T result = T(staged_a[i] + splat<T>(3) * staged_b[i]);
      if constexpr (BULK_STORES) {
        staged_a[i] = result;
      } else {
        store_by<STORE>(to + i, result);
      }
    }
    if (BULK_STORES) show_to_bulk_copies();
    __syncthreads();
    if (threadIdx.x > 0) continue;
    if (BULK_STORES) begin_store<STORE>(to, staged_a, CHUNK);
    if (PHASED && stage == STAGES - 1) {
      if (BULK_STORES) wait_until_read<0>();
      load_all_stages(chunk + 1);
    }
    // The place of the chunk before is free once its store, the last but one, has read it.
    if (!PHASED && chunk > 0 && chunk - 1 + STAGES < chunks) {
      if (BULK_STORES) wait_until_read<1>();
      load(chunk - 1 + STAGES);
    }
  }
  if (BULK_STORES && threadIdx.x == 0) wait_until_stored();
}
