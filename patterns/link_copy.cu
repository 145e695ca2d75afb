/* pattern:
summary: Threads, or a copy engine, copy an array from one place to another
family: links
help: >-
  A copy from elsewhere waits for what it reads, one to elsewhere need not wait for what it writes.
  Each byte counts once, as a copy engine's do: the bandwidth is that of the link.
origin: NVIDIA, nvbandwidth, its copies by SMs
parameters:
  T:         {type: element, default: float4, help: what a request moves for each thread}
  FROM:      {type: place, default: device, help: where the data lie}
  TO:        {type: place, default: device, help: where they are copied to}
  FROM_PEER: {default: 1, min: 1, help: "which other GPU FROM is, where it is one"}
  TO_PEER:   {default: 1, min: 1, help: "which other GPU TO is, where it is one"}
  ENGINE:    {default: false, help: whether a copy engine copies in the place of the threads}
  UNROLL:    {default: 8, min: 1, max: 64, help: elements of a thread under way at a time}
  BLOCK:     {default: 512, min: 1, max: 1024, help: threads per block}
  BLOCKS:    {default: 528, min: 1, help: blocks in the grid}
  BYTES:
    default: "FROM == 'peer' || TO == 'peer' ? 1 Gi : 256 Mi"
    min: 1
    help: size of each array
  N:
    default: max(1, BYTES / (sizeof(T) * BLOCKS * BLOCK * UNROLL)) * BLOCKS * BLOCK * UNROLL
    min: 1
    help: elements; by default those of all whole rounds in BYTES
require:
  - N % (BLOCKS * BLOCK * UNROLL) == 0
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)", place: FROM, peer: FROM_PEER}
  out: {type: T, length: N, place: TO, peer: TO_PEER}
launch:
  grid: BLOCKS
  block: BLOCK
  copy_engine: {from: in, to: out, bytes: "ENGINE ? N * sizeof(T) : 0"}
useful: {read: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % 101)"}
*/
constexpr size_t THREADS = size_t(BLOCKS) * BLOCK;

__global__ void link_copy(const T* __restrict__ in, T* __restrict__ out) {
  const size_t thread = size_t(blockIdx.x) * BLOCK + threadIdx.x;
#pragma unroll 1
  for (size_t first = thread; first < N; first += THREADS * UNROLL) {
    T values[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) values[k] = in[first + k * THREADS];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) out[first + k * THREADS] = values[k];
  }
}
