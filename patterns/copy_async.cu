/* pattern:
summary: Copy an array through shared memory by cp.async, STAGES groups of loads under way
family: streams
help: >-
  From compute capability 8.0 on a load can go straight to shared memory - bytes under way need no
  registers, and a thread has STAGES * UNROLL of them without waiting for the first. A thread reads
  back only what it copied itself, so that no thread waits for another. Compare copy, whose threads
  have UNROLL loads under way, and copy_bulk.
origin: CUDA C++ Programming Guide, "Asynchronous Data Copies"; PTX ISA, "cp.async"
parameters:
  T:          {type: element, default: float4, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 8, min: 1, help: elements of a thread in one pass}
  UNROLL:     {default: 1, min: 1, help: elements of a thread in a group}
  STAGES:     {default: 2, min: 1, help: "groups under way, each with a place in shared memory"}
  PERSISTENT: {default: false, help: whether a block goes on to another group until none is left}
  BLOCKS_PER_SM:
    default: max(1, min(2048 / BLOCK, 192 Ki / (STAGES * UNROLL * BLOCK * sizeof(T))))
    min: 1
    help: blocks of a persistent grid for each multiprocessor; they share its memory
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 5: evict_first, 6: L2 128B, 7: L2 256B}
    help: "0 no hint, 5 an L2 policy of evict_first, 6 .L2::128B (L2 gets the line), 7 .L2::256B"
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first
  BYTES:      {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(T) * BLOCK * ITEMS) * BLOCK * ITEMS
    min: 1
    max: 4 Gi
    help: elements; by default as many whole blocks as fit into BYTES
require:
  - N % (BLOCK * ITEMS) == 0
  - ITEMS % UNROLL == 0
  - sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16
  - LOAD == 0 || (LOAD >= 5 && LOAD <= 7)
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch:
  grid: "PERSISTENT ? min(N / (BLOCK * UNROLL), BLOCKS_PER_SM * MULTIPROCESSORS)
                    : N / (BLOCK * ITEMS)"
  block: BLOCK
  shared: STAGES * UNROLL * BLOCK * sizeof(T)
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % 101)"}
*/
#if __CUDA_ARCH__ < 800
#error "copy_async needs compute capability 8.0 or newer, which have cp.async"
#endif

#include "cache_operators.cuh"

// Only copies of 16 bytes can go past L1.
#define BEGIN_COPYING(LEVEL, QUALIFIER)                                                          \
  asm volatile("cp.async." LEVEL ".shared.global" QUALIFIER " [%0], [%1], %2;" ::"r"(to),        \
               "l"(from), "n"(sizeof(T)) : "memory")
#define BEGIN_HINTED_COPYING(LEVEL)                                                              \
  asm volatile("{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0; "   \
               "cp.async." LEVEL ".shared.global.L2::cache_hint [%0], [%1], %2, policy; }"       \
               ::"r"(to), "l"(from), "n"(sizeof(T)) : "memory")
__device__ void begin_copying(T* staged, const T* from) {
  const auto to = uint32_t(__cvta_generic_to_shared(staged));
  if constexpr (sizeof(T) == 16) {
    if constexpr (LOAD == 0) BEGIN_COPYING("cg", "");
    if constexpr (LOAD == 5) BEGIN_HINTED_COPYING("cg");
    if constexpr (LOAD == 6) BEGIN_COPYING("cg", ".L2::128B");
    if constexpr (LOAD == 7) BEGIN_COPYING("cg", ".L2::256B");
  } else {
    if constexpr (LOAD == 0) BEGIN_COPYING("ca", "");
    if constexpr (LOAD == 5) BEGIN_HINTED_COPYING("ca");
    if constexpr (LOAD == 6) BEGIN_COPYING("ca", ".L2::128B");
    if constexpr (LOAD == 7) BEGIN_COPYING("ca", ".L2::256B");
  }
}
#undef BEGIN_COPYING
#undef BEGIN_HINTED_COPYING

__global__ void copy_async(const T* in, T* out) {
  extern __shared__ uint4 shared[];
  T* stages = reinterpret_cast<T*>(shared) + threadIdx.x;
  // A block has neighbouring groups, or those that are as far apart as the grid is large.
  constexpr uint32_t group_size = UNROLL * BLOCK;
  const uint32_t first = blockIdx.x * (PERSISTENT ? group_size : ITEMS * BLOCK) + threadIdx.x;
  const uint32_t step = PERSISTENT ? gridDim.x * group_size : group_size;
  const uint32_t groups = PERSISTENT ? (N / group_size - blockIdx.x + gridDim.x - 1) / gridDim.x
                                     : ITEMS / UNROLL;
  const T* from = in + first;
  T* to = out + first;

  // Commits a group even behind the last, so that always the same number of groups is younger.
  const auto begin_group = [&](uint32_t group) {
    if (group < groups) {
      T* staged = stages + group % STAGES * group_size;
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) begin_copying(staged + k * BLOCK, from + k * BLOCK);
      from += step;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
#pragma unroll
  for (int group = 0; group < STAGES - 1; ++group) begin_group(group);
#pragma unroll 1
  for (uint32_t group = 0; group < groups; ++group) {
    begin_group(group + STAGES - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    const T* staged = stages + group % STAGES * group_size;
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) store_by<STORE>(to + k * BLOCK, staged[k * BLOCK]);
    to += step;
  }
}
