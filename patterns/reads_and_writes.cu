/* pattern:
summary: Read READS arrays and write WRITES arrays, all of one size
family: streams
help: >-
  Device memory turns round between reads and writes, which costs time, and what it gives depends on
  the mixture. A thread reads 16 bytes of each array, adds them up, and writes the sum to each of
  the others.
origin: J. D. McCalpin, "STREAM"
parameters:
  READS:  {default: 3, min: 0, max: 8, help: arrays to read}
  WRITES: {default: 1, min: 0, max: 8, help: arrays to write}
  BLOCK:  {default: 512, min: 32, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: bytes of all arrays together}
  N:
    default: BYTES / ((READS + WRITES) * 16 * BLOCK) * BLOCK
    min: 1
    help: elements of an array; by default those of all whole blocks in BYTES
require:
  - READS + WRITES >= 1
  - N % BLOCK == 0
buffers:
  in:  {type: uint4, length: "max(READS, 1) * N", init: "splat<uint4>(uint32_t(i % 101))"}
  out: {type: uint4, length: "max(WRITES, 1) * N"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: READS * N * sizeof(uint4), write: WRITES * N * sizeof(uint4)}
verify: {out: "WRITES == 0 || out[i] == sum_at(i % N)"}
*/
__device__ uint4 sum_at(size_t i) {
  uint4 sum = splat<uint4>(0);
  for (int array = 0; array < READS; ++array) sum += splat<uint4>(uint32_t((array * N + i) % 101));
  return sum;
}

__global__ void reads_and_writes(const uint4* __restrict__ in, uint4* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  uint4 sum = splat<uint4>(0);
#pragma unroll
  for (int array = 0; array < READS; ++array) sum += in[array * N + i];
  // No sum is as large: what is only read has to be read all the same.
  if (WRITES == 0 && sum.x == 0xffffffff) out[i] = sum;
#pragma unroll
  for (int array = 0; array < WRITES; ++array) out[array * N + i] = sum;
}
