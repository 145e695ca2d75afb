/* pattern:
summary: One warp adds to shared memory; neighbouring threads are OFFSET words apart
family: shared memory
help: >-
  Shared memory has 32 banks of 4 bytes. Threads that want different words of one bank wait for each
  other: gcd(32, OFFSET) of them, so that each load and each store has gcd(32, OFFSET) - 1 bank
  conflicts. OFFSET = 0 sends all to one word, which is free: it is sent to everyone, and of equal
  values stored to it one stays. Every step moves the warp by 32 words, which is the same bank again.
origin: CUDA C++ Programming Guide, "Shared Memory"
parameters:
  OFFSET:     {default: 1, min: 0, help: words between neighbouring threads}
  WORDS:      {default: 4096, min: 32, max: 12288, help: 4-byte words of shared memory}
  ITERATIONS: {default: 10000, min: 1, max: 16 Mi, help: "steps, each a load and a store"}
require:
  - 31 * OFFSET < WORDS
  - WORDS % 32 == 0
buffers:
  sums: {type: uint32_t, length: 32}
launch: {grid: 1, block: 32}
useful: {shared: 2 * ITERATIONS * 32 * sizeof(uint32_t)}
verify: "sums[i] == expected_sum(i)"
*/
__global__ void bank_conflicts(uint32_t* sums) {
  __shared__ uint4 fours[WORDS / 4];
  uint32_t* words = reinterpret_cast<uint32_t*>(fours);
  if (threadIdx.x == 0) {
    for (uint32_t four = 0; four < WORDS / 4; ++four) fours[four] = uint4{0, 0, 0, 0};
  }
  __syncwarp();
  uint32_t at = threadIdx.x * OFFSET;
  uint32_t sum = 0;
  for (uint32_t step = 0; step < ITERATIONS; ++step) {
    const uint32_t value = words[at] + at * step;
    // With OFFSET = 0 all threads have the same word: no one stores before everyone has read.
    __syncwarp();
    words[at] = value;
    __syncwarp();
    sum += value;
    at = (at + 32) % WORDS;
  }
  sums[threadIdx.x] = sum;
}

// What the values of one thread add up to: a word is the sum of all earlier visits' products.
__device__ uint32_t expected_sum(uint32_t thread) {
  constexpr uint32_t round = WORDS / 32;
  uint32_t sum = 0;
  for (uint32_t back = 0; back < round; ++back) {
    // The visit `back` steps ago came from a thread that started here, if there is one.
    const uint32_t start = (thread * OFFSET + 32 * back) % WORDS;
    if (start > 31 * OFFSET || start % (OFFSET > 0 ? OFFSET : 1) != 0) continue;
    for (uint32_t step = back; step < ITERATIONS; ++step) {
      const uint32_t at = (thread * OFFSET + uint64_t(32) * step) % WORDS;
      const uint32_t rounds = (step - back) / round;
      const uint64_t visits = uint64_t(rounds + 1) * (step - back) -
                              uint64_t(rounds) * (rounds + 1) / 2 * round;
      sum += at * uint32_t(visits);
    }
  }
  return sum;
}
