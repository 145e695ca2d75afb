/* pattern:
summary: Fill an array with one value by bulk copies out of shared memory
family: streams
help: >-
  A block fills CHUNK bytes of shared memory once; then one thread begins copies of them to one place
  after another (cp.async.bulk, compute capability 9.0). No register holds what is written, and the
  memory gets whole stretches at a time - what write does with a store of every thread.
origin: CUDA C++ Programming Guide, "Asynchronous Data Copies using the Tensor Memory
  Accelerator (TMA)"; PTX ISA, "cp.async.bulk"
parameters:
  CHUNK:      {default: 8 Ki, min: 16, max: 128 Ki, help: bytes of one copy}
  STAGES:     {default: 4, min: 1, max: 64, help: copies of a block under way}
  BLOCK:      {default: 128, min: 32, max: 1024, help: threads that fill the shared memory}
  ITEMS:      {default: 8, min: 1, help: chunks of a block in one pass}
  PERSISTENT: {default: false, help: whether a block goes on to another chunk until none is left}
  BLOCKS_PER_SM:
    default: max(1, min(2048 / BLOCK, 192 Ki / CHUNK))
    min: 1
    help: blocks of a persistent grid for each multiprocessor; they share its memory
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  ORDER:
    default: 0
    min: 0
    max: 2
    help: >-
      which chunks a persistent block takes: 0 every block the next one, so that memory is walked in
      order; 1 a stretch of its own; 2 as 0, with blocks of a multiprocessor side by side
  SLICES:
    default: 1
    min: 1
    max: 64 Ki
    help: equal parts of the array that persistent blocks walk side by side
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
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
  - CHUNK % 16 == 0
  - PERSISTENT || (ORDER == 0 && SLICES == 1)
  - STORE == 0 || STORE == 5
buffers:
  out: {type: uint4, length: N * CHUNK / 16}
launch:
  grid: "PERSISTENT ? min(N, BLOCKS_PER_SM * MULTIPROCESSORS) : N / ITEMS"
  block: BLOCK
  shared: CHUNK
useful: {write: N * CHUNK}
verify: {out: "out[i] == splat<uint4>(42)"}
*/
#if __CUDA_ARCH__ < 900
#error "write_bulk needs compute capability 9.0 or newer, which have cp.async.bulk"
#endif

#include "bulk_copies.cuh"
#include "tile_order.cuh"

__global__ void write_bulk(uint4* out) {
  extern __shared__ __align__(128) uint4 source[];
  for (uint32_t i = threadIdx.x; i < CHUNK / 16; i += BLOCK) source[i] = splat<uint4>(42);
  show_to_bulk_copies();
  __syncthreads();
  if (threadIdx.x > 0) return;

  const TileWalk<ORDER, SLICES, N, MULTIPROCESSORS> walk;
  const uint32_t chunks = PERSISTENT ? walk.turns() : ITEMS;
#pragma unroll 1
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const uint32_t number = PERSISTENT ? walk.tile_at(chunk) : blockIdx.x * ITEMS + chunk;
    begin_store<STORE>(out + size_t(number) * (CHUNK / 16), source, CHUNK);
    wait_until_read<STAGES - 1>();
  }
  wait_until_stored();
}
