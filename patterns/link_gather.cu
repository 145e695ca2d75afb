/* pattern:
summary: One GPU reads from several others at once
family: links
help: >-
  All to one: every block reads from one of PEERS other GPUs. A GPU's links lead either to one other
  GPU each, or all to a switch, through which one sender can take all of them.
origin: NVIDIA, nvbandwidth, all_to_one_read_sm
parameters:
  T:      {type: element, default: float4, help: what a request moves for each thread}
  PEERS:  {default: 1, min: 1, max: 7, help: GPUs that are read from}
  UNROLL: {default: 8, min: 1, max: 64, help: elements of a thread under way at a time}
  BLOCK:  {default: 512, min: 1, max: 1024, help: threads per block}
  BLOCKS: {default: 528, min: 1, help: "blocks that read, as far as PEERS divides them"}
  BYTES:  {default: 256 Mi, min: 1, help: the memory of all peers together that is read}
  N:
    default: max(1, BYTES / (sizeof(T) * (BLOCKS / PEERS) * PEERS * BLOCK * UNROLL)) * (BLOCKS / PEERS) * BLOCK * UNROLL
    min: 1
    help: elements of each peer; by default those of all whole rounds in BYTES
require:
  - BLOCKS >= PEERS
  - N % (BLOCKS / PEERS * BLOCK * UNROLL) == 0
buffers:
  a: {type: T, length: N, init: value_at(i), place: peer, peer: 1}
  b: {type: T, length: "PEERS > 1 ? N : 1", init: value_at(i), place: "PEERS > 1 ? 'peer' : 'device'", peer: 2}
  c: {type: T, length: "PEERS > 2 ? N : 1", init: value_at(i), place: "PEERS > 2 ? 'peer' : 'device'", peer: 3}
  d: {type: T, length: "PEERS > 3 ? N : 1", init: value_at(i), place: "PEERS > 3 ? 'peer' : 'device'", peer: 4}
  e: {type: T, length: "PEERS > 4 ? N : 1", init: value_at(i), place: "PEERS > 4 ? 'peer' : 'device'", peer: 5}
  f: {type: T, length: "PEERS > 5 ? N : 1", init: value_at(i), place: "PEERS > 5 ? 'peer' : 'device'", peer: 6}
  g: {type: T, length: "PEERS > 6 ? N : 1", init: value_at(i), place: "PEERS > 6 ? 'peer' : 'device'", peer: 7}
  sums: {type: T, length: BLOCKS / PEERS * PEERS * BLOCK}
launch: {grid: BLOCKS / PEERS * PEERS, block: BLOCK}
useful: {read: N * PEERS * sizeof(T)}
verify: {sums: "sums[i] == sum_of(i / BLOCK / PEERS * BLOCK + i % BLOCK)"}
*/
constexpr size_t THREADS = size_t(BLOCKS / PEERS) * BLOCK;

__device__ T value_at(size_t i) {
  return splat<T>(i % 101);
}

__global__ void link_gather(const T* a, const T* b, const T* c, const T* d, const T* e, const T* f,
                            const T* g, T* sums) {
  const T* const of_peers[] = {a, b, c, d, e, f, g};
  const T* const data = of_peers[blockIdx.x % PEERS];
  T sum = splat<T>(0);
#pragma unroll 1
  for (size_t first = size_t(blockIdx.x / PEERS) * BLOCK + threadIdx.x; first < N;
       first += THREADS * UNROLL) {
    T values[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) values[k] = data[first + k * THREADS];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) sum = T(sum + values[k]);
  }
  sums[size_t(blockIdx.x) * BLOCK + threadIdx.x] = sum;
}

__device__ T sum_of(size_t thread) {
  T sum = splat<T>(0);
  for (size_t i = thread; i < N; i += THREADS) sum = T(sum + value_at(i));
  return sum;
}
