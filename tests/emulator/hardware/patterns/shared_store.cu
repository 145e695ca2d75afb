/* pattern:
summary: Stores to shared memory by the lanes of MASK at a stride; DIVIDE lanes have one address
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 1, min: 0, help: in elements}
  OFFSET: {default: 0, min: 0, help: in elements}
  DIVIDE: {default: 1, min: 1, max: 32}
  SHUFFLE: {default: 0, min: 0, max: 31, help: the lanes' numbers are xored with this}
  MASK:   {default: 4294967295, min: 0, max: 4294967295}
buffers:
  in:  {type: T, length: 128, init: "splat<T>(i * 7 % 127)"}
  out: {type: uint32_t, length: 4 * 4096, init: "1"}
launch: {grid: 4, block: 32}
useful: {shared: 128 * sizeof(T)}
verify: {out: "true"}
*/
constexpr int bytes = 16384;

__global__ void shared_store(const T* in, uint32_t* out) {
  __shared__ alignas(16) unsigned words[bytes / 4];
  for (int i = threadIdx.x; i < bytes / 4; i += 32) words[i] = i;
  __syncthreads();
  const unsigned first = (threadIdx.x ^ SHUFFLE) / DIVIDE;
  const unsigned place = OFFSET + first * STRIDE;
  if (unsigned(MASK) >> threadIdx.x & 1)
    reinterpret_cast<T*>(words)[place % unsigned(bytes / sizeof(T))] =
        in[blockIdx.x * 32 + (STRIDE == 0 ? 0 : first)];
  __syncthreads();
  for (int i = threadIdx.x; i < bytes / 4; i += 32) out[blockIdx.x * 4096 + i] = words[i];
}
