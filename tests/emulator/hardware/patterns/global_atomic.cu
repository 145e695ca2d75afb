/* pattern:
summary: Atomics on global memory at a stride, with their result used or not
parameters:
  T:         {type: element, default: uint32_t}
  OPERATION: {default: 0, min: 0, max: 7, help: "0 add, 1 max, 2 min, 3 and, 4 or, 5 xor, 6 exchange, 7 compare and swap"}
  STRIDE:    {default: 1, min: 0, help: in elements; 0 is one address}
  DIVIDE:    {default: 1, min: 1, max: 32, help: threads of one address}
  RESULT:    {type: boolean, default: false}
  MASK:      {default: 4294967295, min: 0, max: 4294967295}
buffers:
  in:   {type: T, length: 1024, init: "T(i * 7 % 127)"}
  data: {type: T, length: "1024 * max(STRIDE, 1)", init: "T(i % 101)"}
  seen: {type: uint32_t, length: 1, init: "0"}
launch: {grid: 8, block: 128}
useful: {read: 1024 * sizeof(T), write: 1024 * sizeof(T)}
verify: {data: "true"}
*/
__device__ T update(T* place, T value) {
  if constexpr (OPERATION == 0) return atomicAdd(place, value);
  if constexpr (OPERATION == 1) return atomicMax(place, value);
  if constexpr (OPERATION == 2) return atomicMin(place, value);
  if constexpr (OPERATION == 3) return atomicAnd(place, value);
  if constexpr (OPERATION == 4) return atomicOr(place, value);
  if constexpr (OPERATION == 5) return atomicXor(place, value);
  if constexpr (OPERATION == 6) return atomicExch(place, T(value * 0 + 9));
  return atomicCAS(place, T(5), T(value * 0 + 9));
}

__global__ void global_atomic(const T* in, T* data, uint32_t* seen) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const T value = in[i];
  if (unsigned(MASK) >> threadIdx.x % 32 & 1) {
    const T old = update(data + i / DIVIDE * STRIDE, value);
    // No value is as large as this: the result is needed, but the store never happens.
    if (RESULT && old == T(0x7ffffff1)) *seen = 1;
  }
}
