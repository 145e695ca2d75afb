/* pattern:
summary: Read PLACES sectors, STRIDE bytes apart, from L2 again and again
family: hierarchy
help: >-
  L2 is made of slices, each with a part of the memory's channels behind it; a hash of the address
  decides which one a line belongs to. Where the hash sends many of the sectors to few slices, these
  are all that serve, as on early GPUs, whose partitions followed from the lower bits of the
  address ("partition camping"). All strides read equally many sectors.
origin: G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009
parameters:
  STRIDE:     {default: 32, min: 32, help: bytes between sectors}
  PLACES:     {default: 16 Ki, min: 32, help: sectors}
  ITERATIONS: {default: 64, min: 1, max: 64 Ki, help: loads of each thread}
  BLOCK:      {default: 256, min: 32, max: 1024, help: threads per block}
  BLOCKS:     {default: 528, min: 1, help: blocks in the grid}
require:
  - is_pow2(PLACES)
  - STRIDE % 32 == 0
buffers:
  in:   {type: uint32_t, length: PLACES * STRIDE / 4, init: "uint32_t(i)"}
  sums: {type: uint32_t, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful: {read: BLOCKS * BLOCK * ITERATIONS * 32, write: BLOCKS * BLOCK * sizeof(uint32_t)}
verify: {sums: "sums[i] == sum_from(uint32_t(i), [](size_t at) { return uint32_t(at); })"}
*/
// A warp's lanes are at neighbouring places, and go round all of them.
template <class Read>
__device__ uint32_t sum_from(uint32_t thread, Read read) {
  uint32_t sum = 0;
  uint32_t place = thread;
#pragma unroll 4
  for (uint32_t step = 0; step < ITERATIONS; ++step) {
    place %= PLACES;
    sum += read(size_t(place) * (STRIDE / 4));
    place += 32 * 97;
  }
  return sum;
}

__global__ void camping(const uint32_t* in, uint32_t* sums) {
  const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x;
  sums[thread] = sum_from(thread, [&](size_t at) { return __ldcg(in + at); });
}
