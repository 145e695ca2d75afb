/* pattern:
summary: Keep LIVE values in registers while the launch bounds take registers away
family: hierarchy
help: >-
  A multiprocessor has 65536 registers (compute capability 7.0 to 12.0). __launch_bounds__ asks for
  RESIDENT blocks on it at once, which leaves 65536 / (RESIDENT * BLOCK) registers for a thread. As
  soon as LIVE values and a few more do not fit, the compiler spills - it stores some to local memory
  and loads them again at every turn. More blocks hide more latency; spilling costs L1 bandwidth.
origin: CUDA C++ Programming Guide, "Launch Bounds"; CUDA C++ Best Practices Guide, "Register
  Pressure"
parameters:
  LIVE:     {default: 64, min: 1, max: 224, help: 4-byte values that a thread needs all the time}
  RESIDENT: {default: 4, min: 1, max: 32, help: blocks that a multiprocessor is to hold at once}
  TURNS:    {default: 8, min: 1, max: 1024, help: how often a thread goes through its values}
  BLOCK:    {default: 256, min: 32, max: 1024, help: threads per block}
  BYTES:    {default: 1 Gi, min: 1, help: size of all values together}
  N:
    default: BYTES / (4 * LIVE * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - BLOCK % 32 == 0
  - N % BLOCK == 0
  - RESIDENT * BLOCK <= 2048
buffers:
  in:  {type: uint32_t, length: N * LIVE, init: "first_value(i / N, i % N)"}
  out: {type: uint32_t, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * LIVE * sizeof(uint32_t), write: N * sizeof(uint32_t)}
verify: {out: "out[i] == expected_total(i)"}
*/
__device__ uint32_t first_value(size_t k, size_t thread) { return uint32_t(k * k + thread); }

__global__ void __launch_bounds__(BLOCK, RESIDENT) register_spill(const uint32_t* in, uint32_t* out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  uint32_t values[LIVE];
#pragma unroll
  for (uint32_t k = 0; k < LIVE; ++k) values[k] = in[k * N + i];
  uint32_t total = 0;
#pragma unroll 1
  for (uint32_t turn = 0; turn < TURNS; ++turn) {
    // The order counts, so that no value can be finished with before the last turn.
#pragma unroll
    for (uint32_t k = 0; k < LIVE; ++k) total = total * 3 + values[k];
  }
  out[i] = total;
}

__device__ uint32_t expected_total(size_t thread) {
  uint32_t total = 0;
  for (uint32_t turn = 0; turn < TURNS; ++turn) {
    for (uint32_t k = 0; k < LIVE; ++k) total = total * 3 + first_value(k, thread);
  }
  return total;
}
