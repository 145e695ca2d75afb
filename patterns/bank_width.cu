/* pattern:
summary: Read shared memory in elements of T; neighbouring threads are STRIDE elements apart
family: shared memory
help: >-
  The 32 banks give 128 bytes at a time. A warp's 8-byte elements are read in two halves and its
  16-byte elements in four quarters, so that side by side they take 2 and 4 wavefronts and lose
  nothing. With a stride a load takes sizeof(T) / 4 * gcd(128 / sizeof(T), STRIDE) wavefronts for
  elements of 4 bytes and more - an odd stride is free at every width, and at STRIDE = 2 all widths
  lose half. Every step moves a warp by 32 elements, which is the same banks again.
origin: CUDA C++ Programming Guide, "Shared Memory"; CUDA C++ Best Practices Guide, "Shared
  Memory and Memory Banks"
parameters:
  T:          {type: element, default: float}
  STRIDE:     {default: 1, min: 1, help: elements between neighbouring threads}
  LENGTH:     {default: 1024, min: 32, max: 48 Ki, help: elements of T in shared memory}
  ITERATIONS: {default: 2000, min: 1, max: 16 Mi, help: "steps, each a load"}
  BLOCK:      {default: 256, min: 32, max: 1024, help: threads per block}
  BLOCKS:     {default: 528, min: 1, help: blocks in the grid}
require:
  - 31 * STRIDE < LENGTH
  - is_pow2(LENGTH)
  - LENGTH * sizeof(T) <= 48 Ki
  - BLOCK % 32 == 0
buffers:
  sums: {type: T, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful: {shared: BLOCKS * BLOCK * ITERATIONS * sizeof(T)}
verify: "sums[i] == sum_of(i % BLOCK, [](uint32_t at) { return element(at); })"
*/
__device__ T element(uint32_t at) {
  return splat<T>(at % 3);
}

// What a thread reads, added up in the order of its steps.
template <class Read>
__device__ T sum_of(uint32_t thread, Read read) {
  uint32_t at = (thread % 32 * STRIDE + thread / 32 * 32) % LENGTH;
  T sum = splat<T>(0);
  for (uint32_t step = 0; step < ITERATIONS; ++step) {
    sum = sum + read(at);
    at = (at + 32) % LENGTH;
  }
  return sum;
}

__global__ void bank_width(T* sums) {
  __shared__ T elements[LENGTH];
  for (uint32_t at = threadIdx.x; at < LENGTH; at += BLOCK) elements[at] = element(at);
  __syncthreads();
  sums[size_t(blockIdx.x) * BLOCK + threadIdx.x] =
      sum_of(threadIdx.x, [&](uint32_t at) { return elements[at]; });
}
