/* pattern:
summary: Every thread adds to a counter; SHARING neighbouring threads have the same one
family: irregular
help: >-
  SHARING = 1 gives each thread a counter of its own, 32 each warp, BLOCK each block, and 1 Gi the
  whole grid one. Counters are GAP elements apart: 1 packs them, and the lanes of a warp share
  sectors; 32 / sizeof(T) or more gives every counter a sector of its own. Lanes that want one
  counter take turns: each sector is touched as often as the most wanted counter in it has lanes.
  On packed counters of 4 bytes a request comes to 4 sectors with SHARING = 1 and to 32 with 32.
  With RESULT the value from before the addition is used and has to come back.
origin: CUDA C++ Programming Guide, "Atomic Functions"; Gomez-Luna et al., "Performance Modeling
  of Atomic Additions on GPU Scratchpad Memory", 2013
parameters:
  T:       {type: element, default: uint32_t, help: a type that atomicAdd takes}
  SHARING: {default: 32, min: 1, help: "neighbouring threads that add to one counter, at most all"}
  GAP:     {default: 1, min: 1, help: elements between a counter and the next}
  RESULT:  {default: false, help: whether the value before the addition is used}
  REPEATS: {default: 4, min: 1, max: 1024, help: additions of each thread}
  BLOCK:   {default: 256, min: 1, max: 1024, help: threads per block}
  PLACE:   {type: place, default: device, help: where the counters lie}
  PEER:    {default: 1, min: 1, help: "which other GPU that is, where it is one"}
  BYTES:   {default: 4 Mi, min: 1, help: size of as many counters as there are threads}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as BYTES has elements
require:
  - N % BLOCK == 0
  - N % min(SHARING, N) == 0
  - min(SHARING, N) * REPEATS <= 16 Mi
buffers:
  counters:
    type: T
    length: N / min(SHARING, N) * GAP
    init: "T(0)"
    place: PLACE
    peer: PEER
  seen:     {type: T, length: "RESULT ? N : 1", init: "T(0)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * REPEATS * sizeof(T), write: N * REPEATS * sizeof(T)}
verify:
  counters: "counters[i] == T(i % GAP == 0 ? sharing * REPEATS : 0)"
  seen: "!RESULT || (seen[i] >= T(REPEATS - 1) && seen[i] < T(sharing * REPEATS))"
*/
constexpr size_t sharing = SHARING < N ? SHARING : N;

__global__ void atomic_contention(T* counters, T* seen) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  T* const counter = counters + i / sharing * GAP;
  T most = T(0);
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    const T before = atomicAdd(counter, T(1));
    if (RESULT && most < before) most = before;
  }
  if (RESULT) seen[i] = most;
}
