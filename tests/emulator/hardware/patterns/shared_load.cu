/* pattern:
summary: Loads from shared memory by the lanes of MASK at a stride; DIVIDE lanes have one address
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 1, min: 0, help: in elements}
  OFFSET: {default: 0, min: 0, help: in elements}
  DIVIDE: {default: 1, min: 1, max: 32}
  SHUFFLE: {default: 0, min: 0, max: 31, help: the lanes' numbers are xored with this}
  MASK:   {default: 4294967295, min: 0, max: 4294967295}
  BLOCK:  {default: 64, min: 32, max: 1024}
require:
  - BLOCK % 32 == 0
buffers:
  out: {type: T, length: 4 * BLOCK, init: "splat<T>(1)"}
launch: {grid: 4, block: BLOCK}
useful: {shared: 4 * BLOCK * sizeof(T)}
verify: "true"
*/
constexpr int bytes = 32768;

__global__ void shared_load(T* out) {
  __shared__ alignas(16) unsigned words[bytes / 4];
  for (int i = threadIdx.x; i < bytes / 4; i += BLOCK) words[i] = i * 2654435761u;
  __syncthreads();
  const unsigned place = OFFSET + ((threadIdx.x % 32 ^ SHUFFLE) / DIVIDE + threadIdx.x / 32) * STRIDE;
  T value = splat<T>(2);
  if (unsigned(MASK) >> threadIdx.x % 32 & 1)
    value = reinterpret_cast<const T*>(words)[place % unsigned(bytes / sizeof(T))];
  out[blockIdx.x * BLOCK + threadIdx.x] = value;
}
