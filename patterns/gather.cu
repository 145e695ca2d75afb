/* pattern:
summary: Read at places that an index array names, and write in order
family: irregular
help: >-
  out[i] = in[index[i]]. Runs of RUN neighbouring elements stay together; within every REGION
  elements the runs change places at random. What counts is how many different sectors of 32 bytes
  a warp names: with runs of a whole sector or more a request touches as few as without any
  shuffling; with shorter runs it touches one for every run, 32 with RUN = 1. REGION = 32 shuffles
  each warp's own elements, which costs nothing; REGION = BLOCK those of a block. With RUN = REGION
  nothing is shuffled, and STRIDE alone decides. Half of the loads read the index, in order - 4
  sectors each. What is gathered waits for its index, so that the latency of the memory counts twice;
  VECTOR and UNROLL put more of both under way in each thread.
origin: Lavin et al., "Evaluating Gather and Scatter Performance on CPUs and GPUs", MEMSYS 2020;
  CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"
parameters:
  T:       {type: element, default: float}
  RUN:     {default: 1, min: 1, help: elements that stay side by side}
  REGION:  {default: 1 Gi, min: 1, help: "elements within which runs change places, at most all"}
  STRIDE:  {default: 1, min: 1, help: distance between elements that the index can name}
  REPEATS: {default: false, help: whether runs are drawn at random so that some come twice}
  BLOCK:   {default: 256, min: 1, max: 1024, help: threads per block}
  VECTOR:  {default: 1, min: 1, max: 4, help: neighbouring indices and results that a thread moves at once}
  ITEMS:   {default: 1, min: 1, help: "vectors of a thread in a tile, BLOCK vectors apart"}
  UNROLL:  {default: ITEMS, min: 1, help: vectors of a thread gathered before the first is stored}
  PERSISTENT: {default: false, help: whether a block goes on to another tile until none is left}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of a persistent grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  INDEX_LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: "how the indices are read, numbered as LOAD is"
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: >-
      0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg (__ldcg, past L1),
      4 .L1::no_allocate, 5 an L2 policy of evict_first, 6 .L2::128B (L2 gets the whole line),
      7 .L2::256B (two lines), 8 .nc with 4 and 7; 5, 7 and 8 need 8.0
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0 and later)
  BYTES:   {default: 1 Gi, min: 1, help: the range of memory that is read in}
  N:
    default: BYTES / (STRIDE * sizeof(T) * BLOCK * ITEMS * VECTOR) * BLOCK * ITEMS * VECTOR
    min: 1
    help: elements gathered; by default as many as cover BYTES
require:
  - N % (BLOCK * ITEMS * VECTOR) == 0
  - N / (BLOCK * ITEMS * VECTOR) < 2 Gi
  - ITEMS % UNROLL == 0
  - is_pow2(VECTOR)
  - VECTOR == 1 || (is_pow2(VECTOR * sizeof(T)) && VECTOR * sizeof(T) <= 16)
  - LOAD == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - LOAD <= 3 || sizeof(T) >= 4
  - STORE == 0 || (is_pow2(VECTOR * sizeof(T)) && VECTOR * sizeof(T) <= 16)
  - STORE <= 3 || VECTOR * sizeof(T) >= 4
  - N % min(REGION, N) == 0
  - min(REGION, N) % RUN == 0
  - N * STRIDE <= 4 Gi
buffers:
  in:    {type: T, length: N * STRIDE, init: "splat<T>(i % 101)"}
  index: {type: uint32_t, length: N, init: "place(i)"}
  out:   {type: T, length: N}
launch:
  grid: "min(N / (BLOCK * ITEMS * VECTOR), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
useful: {read: N * (sizeof(T) + sizeof(uint32_t)), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(place(i) % 101)"}
*/
#include "cache_operators.cuh"

// What a thread moves at once; a vector type keeps its own alignment.
template <class Element>
struct alignas(VECTOR > 1 ? VECTOR * sizeof(Element) : alignof(Element)) Vector {
  Element element[VECTOR];
};

__global__ void __launch_bounds__(BLOCK)
    gather(const T* __restrict__ in, const uint32_t* __restrict__ index, T* __restrict__ out) {
  constexpr uint32_t tiles = N / (BLOCK * ITEMS * VECTOR);
  uint32_t tile = blockIdx.x;
  do {
    const size_t first = size_t(tile) * (BLOCK * ITEMS) + threadIdx.x;
    const Vector<uint32_t>* indices = reinterpret_cast<const Vector<uint32_t>*>(index) + first;
    Vector<T>* to = reinterpret_cast<Vector<T>*>(out) + first;
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
      Vector<uint32_t> places[UNROLL];
      Vector<T> values[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
        places[k] = load_by<INDEX_LOAD>(indices + (item + k) * BLOCK);
      }
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) {
          values[k].element[j] = load_by<LOAD>(in + places[k].element[j]);
        }
      }
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) store_by<STORE>(to + (item + k) * BLOCK, values[k]);
    }
    tile += gridDim.x;
  } while (PERSISTENT && tile < tiles);
}

// Where element i comes from.
__device__ size_t place(size_t i) {
  constexpr size_t region = REGION < N ? REGION : N;
  constexpr size_t runs = region / RUN;
  const size_t which = i / region;
  const size_t run = i % region / RUN;
  const size_t taken = REPEATS ? random_below(runs, which, run) : permuted(run, runs, which);
  return (which * region + taken * RUN + i % RUN) * STRIDE;
}
