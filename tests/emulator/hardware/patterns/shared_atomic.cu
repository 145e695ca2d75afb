/* pattern:
summary: Atomics on shared memory at a stride; DIVIDE lanes have one address
parameters:
  OPERATION: {default: 0, min: 0, max: 5, help: "0 add of 1, 1 add, 2 max, 3 exchange, 4 compare and swap, 5 add of 1 whose result is used"}
  STRIDE:    {default: 1, min: 0}
  DIVIDE:    {default: 1, min: 1, max: 32}
  MASK:      {default: 4294967295, min: 0, max: 4294967295}
buffers:
  in:   {type: uint32_t, length: 128, init: "uint32_t(i) * 7 % 127"}
  out:  {type: uint32_t, length: 4 * 2048, init: "1"}
  seen: {type: uint32_t, length: 1, init: "0"}
launch: {grid: 4, block: 32}
useful: {shared: 512}
verify: {out: "true"}
*/
__global__ void shared_atomic(const uint32_t* in, uint32_t* out, uint32_t* seen) {
  __shared__ unsigned words[2048];
  for (int i = threadIdx.x; i < 2048; i += 32) words[i] = i % 101;
  __syncthreads();
  const unsigned value = in[blockIdx.x * 32 + threadIdx.x];
  unsigned* place = words + threadIdx.x / DIVIDE * STRIDE;
  if (unsigned(MASK) >> threadIdx.x & 1) {
    unsigned old = 0;
    if constexpr (OPERATION == 0) atomicAdd(place, 1u);
    if constexpr (OPERATION == 1) atomicAdd(place, value);
    if constexpr (OPERATION == 2) atomicMax(place, value);
    if constexpr (OPERATION == 3) atomicExch(place, 9u);
    if constexpr (OPERATION == 4) old = atomicCAS(place, 5u, 9u);
    if constexpr (OPERATION == 5) old = atomicAdd(place, 1u);
    if (old == 0xfffffff1u) *seen = 1;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 2048; i += 32) out[blockIdx.x * 2048 + i] = words[i];
}
