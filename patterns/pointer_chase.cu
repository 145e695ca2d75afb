/* pattern:
summary: LANES threads follow chains of places, each load waiting for the one before
family: hierarchy
help: >-
  Every step costs the latency of the level that BYTES fit in - L1, L2, or device memory - and a few
  cycles for the next address. The time divided by ITERATIONS is the latency: with 100,000 steps a
  time in us is 100 times a latency in ns. The places are STRIDE bytes apart; a linear congruential
  generator with a full period goes round all of them in one cycle, in an order that hardware does
  not foresee. A launch goes on where the one before ended, so that what does not fit in a cache is
  always gone from it when the chain comes round. With several LANES every load waits for as many
  sectors, which adds to the latency.
origin: Mei and Chu, "Dissecting GPU Memory Hierarchy through Microbenchmarking", 2017; Hull and
  Dobell, "Random Number Generators", 1962
parameters:
  BYTES:      {default: 16 Ki, min: 128, help: bytes that the chain goes round in}
  STRIDE:     {default: 128, min: 4, help: bytes between places}
  LANES:      {default: 1, min: 1, max: 32, help: "threads, each at another place of the chain"}
  ITERATIONS: {default: 100000, min: 1, max: 1 Gi, help: steps of one launch}
  PLACE:      {type: place, default: device, help: where the chain lies}
  PEER:       {default: 1, min: 1, help: "which other GPU that is, where it is one"}
require:
  - BYTES / STRIDE >= LANES
  - is_pow2(STRIDE)
  - is_pow2(BYTES)
  - BYTES / STRIDE >= 4
  - BYTES <= 128 Gi
buffers:
  next:
    type: uint32_t
    length: BYTES / sizeof(uint32_t)
    init: next_word(i)
    place: PLACE
    peer: PEER
  last: {type: uint32_t, length: LANES, init: "i"}
launch: {grid: 1, block: LANES}
useful: {read: ITERATIONS * LANES * sizeof(uint32_t), write: 0}
verify: {last: "last[i] == place_after(i, ITERATIONS)"}
*/
constexpr uint64_t places = BYTES / STRIDE;
constexpr size_t words = STRIDE / sizeof(uint32_t);
// One more than a multiple of 4, and odd: what a full period modulo a power of two takes.
constexpr uint64_t factor = 0x9e3779b1;
constexpr uint64_t addend = 0x7f4a7c15;

__global__ void pointer_chase(const uint32_t* next, uint32_t* last) {
  uint32_t at = last[threadIdx.x];
#pragma unroll 8
  for (uint32_t step = 0; step < ITERATIONS; ++step) at = next[at * words];
  last[threadIdx.x] = at;
}

// What the chain's word holds: the place after its own; the words between are not part of it.
__device__ uint32_t next_word(size_t word) {
  return uint32_t((word / words * factor + addend) % places);
}

// The place that `steps` steps lead to, by doubling.
__device__ uint64_t place_after(uint64_t place, uint64_t steps) {
  uint64_t step_factor = factor;
  uint64_t step_addend = addend;
  for (; steps > 0; steps /= 2) {
    if (steps % 2 == 1) place = place * step_factor + step_addend;
    step_addend = step_addend * (step_factor + 1);
    step_factor = step_factor * step_factor;
  }
  return place % places;
}
