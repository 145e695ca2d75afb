/* pattern:
summary: Arithmetic in registers - CHAINS chains in each thread, whose steps wait for each other
family: execution
help: >-
  An element type stands for a pipe - uint32_t for integers and logic, float and double for
  multiply-adds, and float with ROOT for reciprocal roots. With one warp and one chain a step takes
  the latency of an instruction. With many warps, or many chains, the pipe is busy all the time, and
  the time divided by the steps of a quarter of a multiprocessor tells how many cycles it takes for
  a warp's instruction.
origin: CUDA C++ Programming Guide, "Arithmetic Instructions", under "Maximize Instruction
  Throughput"; V. Volkov, "Better Performance at Lower Occupancy", 2010
parameters:
  T:          {type: element, default: float, help: "uint32_t, float or double"}
  ROOT:       {default: false, help: whether a step is a reciprocal root}
  CHAINS:     {default: 1, min: 1, max: 16, help: chains of a thread}
  ITERATIONS: {default: 4096, min: 32, max: 16 Mi, help: "steps of each chain, in turns of 32"}
  BLOCK:      {default: 256, min: 32, max: 1024, help: threads per block}
  BLOCKS_PER_SM:   {default: 4, min: 1, help: blocks of the grid for each multiprocessor}
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: the grid is made for}
require:
  - ITERATIONS % 32 == 0
  - "!ROOT || T == float"
  - T == uint32_t || T == float || T == double
buffers:
  operands: {type: T, length: 2, init: "i == 1 ? T(3) : T(-1) < T(0) ? T(-1) : T(1)"}
  sums:     {type: T, length: BLOCKS_PER_SM * MULTIPROCESSORS * BLOCK}
launch: {grid: BLOCKS_PER_SM * MULTIPROCESSORS, block: BLOCK}
useful: {write: BLOCKS_PER_SM * MULTIPROCESSORS * BLOCK * sizeof(T)}
verify: {sums: "sums[i] == T(CHAINS)"}
*/
// A rotation by 1 has the first value again after 32 steps, and 3 less it after 2.
__device__ uint32_t step(uint32_t value, uint32_t by, uint32_t) {
  return __funnelshift_l(value, value, by);
}
__device__ double step(double value, double factor, double addend) {
  return fma(value, factor, addend);
}
__device__ float step(float value, float factor, float addend) {
  if constexpr (ROOT) {
    asm("rsqrt.approx.f32 %0, %0;" : "+f"(value));
    return value;
  } else {
    return fmaf(value, factor, addend);
  }
}

__global__ void arithmetic(const T* operands, T* sums) {
  const T a = operands[0];
  const T b = operands[1];
  T values[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) values[chain] = T(1);
#pragma unroll 1
  for (int turn = 0; turn < ITERATIONS / 32; ++turn) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
#pragma unroll
      for (int chain = 0; chain < CHAINS; ++chain) values[chain] = step(values[chain], a, b);
    }
  }
  T sum = T(0);
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) sum = T(sum + values[chain]);
  sums[size_t(blockIdx.x) * BLOCK + threadIdx.x] = sum;
}
