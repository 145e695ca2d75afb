/* pattern:
summary: Atomics of whole warps at one address, with their result used or not
help: >-
  Where the compiler sees that a warp's lanes have one address, it lets one lane do the work of all.
parameters:
  T:         {type: element, default: uint32_t}
  OPERATION: {default: 0, min: 0, max: 5, help: "0 add, 1 max, 2 min, 3 and, 4 or, 5 xor"}
  PLACE:     {default: 0, min: 0, max: 4, help: "0 fixed, 1 the block's, 2 a kernel argument's, 3 read from memory, 4 the warp's"}
  VALUE:     {default: 0, min: 0, max: 2, help: "0 each lane's own, 1 the constant 1, 2 one read from memory"}
  SHARED:    {type: boolean, default: false}
  RESULT:    {type: boolean, default: false}
  MASK:      {default: 4294967295, min: 0, max: 4294967295}
buffers:
  in:   {type: T, length: 512, init: "T(i % 61 + 1)"}
  data: {type: T, length: 64, init: "T(i)"}
  seen: {type: uint32_t, length: 1, init: "0"}
arguments:
  place: {type: int32_t, value: 7}
launch: {grid: 4, block: 128}
useful: {read: 512 * sizeof(T)}
verify: {data: "true"}
*/
template <class V>
__device__ V update(V* place, V value) {
  if constexpr (OPERATION == 0) return atomicAdd(place, value);
  if constexpr (OPERATION == 1) return atomicMax(place, value);
  if constexpr (OPERATION == 2) return atomicMin(place, value);
  if constexpr (OPERATION == 3) return atomicAnd(place, value);
  if constexpr (OPERATION == 4) return atomicOr(place, value);
  if constexpr (OPERATION == 5) return atomicXor(place, value);
}

__global__ void uniform_atomic(const T* in, T* data, uint32_t* seen, int32_t place) {
  __shared__ T words[64];
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  if constexpr (SHARED) {
    if (threadIdx.x < 64) words[threadIdx.x] = T(threadIdx.x);
    __syncthreads();
  }
  int at = 3;
  if constexpr (PLACE == 1) at = blockIdx.x;
  if constexpr (PLACE == 2) at = place;
  if constexpr (PLACE == 3) at = int(in[place]);
  if constexpr (PLACE == 4) at = threadIdx.x / 32;
  T value = VALUE == 0 ? in[i] : T(1);
  if constexpr (VALUE == 2) value = in[place + 1];
  if (unsigned(MASK) >> threadIdx.x % 32 & 1) {
    const T old = update((SHARED ? words : data) + at, value);
    // No value is as large as this: the result is needed, but the store never happens.
    if (RESULT && old == T(0x7ffffff1)) *seen = 1;
  }
  if constexpr (SHARED) {
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(data + threadIdx.x, words[threadIdx.x]);
  }
}
