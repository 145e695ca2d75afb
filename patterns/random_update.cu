/* pattern:
summary: Change elements of a large table in random order, as GUPS does
family: irregular
help: >-
  Every thread works out a random place and changes 8 bytes there by exclusive or: read, change and
  write back a sector of 32 bytes for 8 wanted ones. Giga-updates per second are the bandwidth in
  GB/s divided by 16. ROUNDS threads come to each element, one in every round; HPC Challenge's
  RandomAccess does 4 updates for every element of its table. With ATOMIC no update is lost; without
  it the element is loaded and stored by two instructions.
origin: HPC Challenge RandomAccess (GUPS); Luszczek et al., "The HPC Challenge (HPCC) Benchmark
  Suite", 2006
parameters:
  ATOMIC: {default: true, help: whether updates are atomic}
  ROUNDS: {default: 1, min: 1, max: 64, help: times that each element is changed}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 8, help: size of the table}
  N:
    default: BYTES / (sizeof(uint64_t) * BLOCK) * BLOCK
    min: 1
    help: elements of the table; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - ATOMIC || ROUNDS == 1
buffers:
  table: {type: uint64_t, length: N, init: "i"}
launch: {grid: ROUNDS * N / BLOCK, block: BLOCK}
useful:
  read: ROUNDS * N * sizeof(uint64_t)
  write: ROUNDS * N * sizeof(uint64_t)
verify: "table[i] == (i ^ all_changes(i))"
*/
// What round `round` changes in an element.
__device__ uint64_t change(uint64_t at, uint64_t round) {
  return (at + round + 1) * 0x9e3779b97f4a7c15;
}

__global__ void random_update(uint64_t* table) {
  const uint64_t update = uint64_t(blockIdx.x) * BLOCK + threadIdx.x;
  const uint64_t round = update / N;
  const uint64_t at = permuted(update % N, N, round);
  if (ATOMIC) {
    atomicXor(reinterpret_cast<unsigned long long*>(table + at), change(at, round));
  } else {
    table[at] ^= change(at, round);
  }
}

__device__ uint64_t all_changes(uint64_t at) {
  uint64_t changes = 0;
  for (uint64_t round = 0; round < ROUNDS; ++round) changes ^= change(at, round);
  return changes;
}
