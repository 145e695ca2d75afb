/* pattern:
summary: Read one sector of 32 bytes in every GAP bytes; the load may name an L2 prefetch size
family: hierarchy
help: >-
  Two neighbouring threads read the halves of a sector, and the next two a sector GAP bytes further:
  every request touches 16 sectors and wants all of them. Even so device memory may move more. L2
  fetches a missing sector with its neighbours, 32, 64 or 128 bytes at once
  (cudaLimitMaxL2FetchGranularity), and a load can ask for 64, 128 or 256 with .L2::64B, .L2::128B
  and .L2::256B. Where GAP is larger, the neighbours are bandwidth lost; where it is smaller, the
  next sector wanted is among them.
origin: PTX ISA, "Data Movement and Conversion Instructions - ld"; CUDA Runtime API,
  cudaLimitMaxL2FetchGranularity
parameters:
  GAP:      {default: 128, min: 32, help: bytes from one sector to the next}
  PREFETCH:
    default: 0
    min: 0
    max: 256
    help: L2 prefetch size of the load in bytes; 64, 128, 256 from compute capability 8.0 on, 0 for none
  BLOCK:    {default: 256, min: 32, max: 1024, help: threads per block}
  EACH:     {default: 16, min: 1, max: 64, help: loads of each thread}
  BYTES:    {default: 128 Mi, min: 1, help: size of all sectors together}
  N:
    default: BYTES / (16 * EACH * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - BLOCK % 32 == 0
  - N % BLOCK == 0
  - GAP % 32 == 0
  - PREFETCH == 0 || PREFETCH == 64 || PREFETCH == 128 || PREFETCH == 256
buffers:
  in:  {type: uint4, length: (N * EACH / 2 - 1) * (GAP / 16) + 2, init: "word(i)"}
  sum: {type: uint32_t, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * EACH * sizeof(uint4), write: N * sizeof(uint32_t)}
verify: {sum: "sum[i] == expected_sum(i)"}
*/
__device__ uint4 load(const uint4* from) {
  uint4 to;
  if constexpr (PREFETCH == 0) {
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w) : "l"(from));
  } else if constexpr (PREFETCH == 64) {
    asm volatile("ld.global.L2::64B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w) : "l"(from));
  } else if constexpr (PREFETCH == 128) {
    asm volatile("ld.global.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w) : "l"(from));
  } else {
    asm volatile("ld.global.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w) : "l"(from));
  }
  return to;
}

// From a block's load to its next, in words of 16 bytes.
constexpr size_t turn_words = BLOCK / 2 * (GAP / 16);

__global__ void l2_granularity(const uint4* in, uint32_t* sum) {
  // A block's loads lie side by side.
  const size_t first = size_t(blockIdx.x) * EACH * turn_words;
  const uint4* from = in + first + threadIdx.x / 2 * (GAP / 16) + threadIdx.x % 2;
  uint4 words[EACH];
#pragma unroll
  for (uint32_t turn = 0; turn < EACH; ++turn) words[turn] = load(from + turn * turn_words);
  uint4 total = splat<uint4>(0);
#pragma unroll
  for (uint32_t turn = 0; turn < EACH; ++turn) total += words[turn];
  sum[size_t(blockIdx.x) * BLOCK + threadIdx.x] = total.x + 3 * total.y + 5 * total.z + 7 * total.w;
}

__device__ uint4 word(size_t i) {
  const uint32_t first = 4 * uint32_t(i);
  return {first, first + 1, first + 2, first + 3};
}

__device__ uint32_t expected_sum(size_t i) {
  uint32_t total = 0;
  for (uint32_t turn = 0; turn < EACH; ++turn) {
    const size_t half = (i / BLOCK * EACH + turn) * BLOCK + i % BLOCK;
    const uint4 wanted = word(half / 2 * (GAP / 16) + half % 2);
    total += wanted.x + 3 * wanted.y + 5 * wanted.z + 7 * wanted.w;
  }
  return total;
}
