/* pattern:
summary: Copy an array through shared memory by bulk copies, STAGES of them under way in a block
family: streams
help: >-
  From compute capability 9.0 on a unit of the multiprocessor copies whole stretches of memory
  (cp.async.bulk, the Tensor Memory Accelerator without a tensor) - one thread of a block begins
  each copy, no thread touches the bytes, and no request of a warp is counted. A barrier in shared
  memory (mbarrier) says when a stretch has arrived; it goes on to its place from there. Compare
  copy and copy_async.
reference: CUDA C++ Programming Guide, "Asynchronous Data Copies using the Tensor Memory
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
  BYTES:      {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (CHUNK * ITEMS) * ITEMS
    min: 1
    max: 4 Gi
    help: chunks; by default as many whole blocks as fit into BYTES
require:
  - N % ITEMS == 0
  - CHUNK % 16 == 0
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

__device__ uint32_t in_shared(const void* pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

// The barrier's phase ends when as many bytes have arrived.
__device__ void begin_load(uint32_t staged, const uint4* from, uint32_t barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(CHUNK)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(staged), "l"(from), "r"(CHUNK), "r"(barrier)
               : "memory");
}

__device__ void wait_for_phase(uint32_t barrier, uint32_t parity) {
  uint32_t is_done = 0;
  do {
    asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; "
                 "selp.u32 %0, 1, 0, done; }" : "=r"(is_done) : "r"(barrier), "r"(parity)
                 : "memory");
  } while (is_done == 0);
}

__device__ void begin_store(uint4* to, uint32_t staged) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(staged),
               "r"(CHUNK) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void copy_bulk(const uint4* in, uint4* out) {
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ uint64_t arrived[STAGES];
  if (threadIdx.x > 0) return;
  for (int stage = 0; stage < STAGES; ++stage) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(&arrived[stage]))
                 : "memory");
  }
  // The unit that copies sees the barriers as they are now.
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  // A block has neighbouring chunks, or those that are as far apart as the grid is large.
  const uint32_t first = blockIdx.x * (PERSISTENT ? 1 : ITEMS);
  const uint32_t step = PERSISTENT ? gridDim.x : 1;
  const uint32_t chunks = PERSISTENT ? (N - blockIdx.x + gridDim.x - 1) / gridDim.x : ITEMS;
  const auto place_of = [&](uint32_t chunk) { return size_t(first + chunk * step) * (CHUNK / 16); };
  const auto load = [&](uint32_t chunk) {
    const uint32_t stage = chunk % STAGES;
    begin_load(in_shared(stages) + stage * CHUNK, in + place_of(chunk), in_shared(&arrived[stage]));
  };
  for (uint32_t chunk = 0; chunk < STAGES && chunk < chunks; ++chunk) load(chunk);
#pragma unroll 1
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const uint32_t stage = chunk % STAGES;
    wait_for_phase(in_shared(&arrived[stage]), chunk / STAGES % 2);
    begin_store(out + place_of(chunk), in_shared(stages) + stage * CHUNK);
    // The place of the chunk before is free once its store, the last but one, has read it.
    if (chunk > 0 && chunk - 1 + STAGES < chunks) {
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      load(chunk - 1 + STAGES);
    }
  }
  // The shared memory has to stay until all of it is read.
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
