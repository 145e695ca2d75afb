/* pattern:
summary: One warp adds to an array; START apart at first, then MOVE further at every step
family: coalescing
help: >-
  START = 1, MOVE = 32 keeps the warp's elements side by side: 128 bytes, 4 sectors for every
  request. START = 32, MOVE = 1 gives each thread a stretch of its own, as a CPU would like it: every
  thread has a sector to itself, 32 for every request. BASE = 1 shifts the warp off its alignment,
  which costs a fifth sector. Reversing the threads' order changes nothing.
origin: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"
parameters:
  START:      {default: 1, min: 1, help: elements between neighbouring threads}
  MOVE:       {default: 32, min: 0, help: elements that a thread moves on after each step}
  BASE:       {default: 0, min: 0, help: elements between the buffer's start and the first thread's}
  REVERSED:   {default: false, help: whether the last thread has the first place}
  LENGTH:     {default: 4096, min: 32, max: 1 Gi, help: elements that the threads walk round in}
  ITERATIONS: {default: 1000, min: 1, max: 1 Gi, help: steps}
require:
  - 31 * START < LENGTH
buffers:
  data: {type: uint32_t, length: BASE + LENGTH, init: "0"}
launch: {grid: 1, block: 32}
useful: {read: ITERATIONS * 32 * sizeof(uint32_t), write: ITERATIONS * 32 * sizeof(uint32_t)}
verify: "data[i] == (i < BASE ? 0 : sum_at(i - BASE))"
*/
__global__ void walk(uint32_t* data) {
  const uint32_t place = REVERSED ? 31 - threadIdx.x : threadIdx.x;
  uint32_t at = place * START;
  for (uint32_t step = 0; step < ITERATIONS; ++step) {
    data[BASE + at] += at * step;
    at = (at + MOVE) % LENGTH;
    // Another thread may come to this element at the next step.
    __syncwarp();
  }
}

__device__ constexpr uint32_t greatest_divisor(uint32_t a, uint32_t b) {
  return b == 0 ? a : greatest_divisor(b, a % b);
}

// What all steps together add to the element `at`.
__device__ uint32_t sum_at(uint32_t at) {
  // After so many steps every thread is where it started.
  constexpr uint32_t round = LENGTH / greatest_divisor(LENGTH, MOVE);
  uint64_t steps = 0;
  uint32_t start = at;  // of a thread that is here at `step`
  for (uint32_t step = 0; step < round && step < ITERATIONS; ++step) {
    if (start % START == 0 && start / START < 32) {
      const uint64_t visits = (ITERATIONS - 1 - step) / round + 1;
      steps += visits * step + visits * (visits - 1) / 2 * round;
    }
    start = (start + LENGTH - MOVE % LENGTH) % LENGTH;
  }
  return at * uint32_t(steps);
}
