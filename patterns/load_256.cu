/* pattern:
summary: Move 32 bytes of each thread at once, or 16 bytes twice
family: streams
help: >-
  From compute capability 10.0 on a load or a store moves up to 32 bytes of a thread, 256 bits;
  before, up to 16. Here each thread moves PIECES times 32 bytes, in elements of the type T, which
  lie BLOCK apart. With one of 16 bytes that takes two requests of 16 sectors each. With
  ulonglong4_32a, whose alignment is 32, it is one request of 32 sectors from 10.0 on, half the
  instructions for the same bytes. Before 10.0 the compiler makes two of it, 16 bytes apart, and
  each touches half of 32 sectors - twice as many as are wanted. Loads find the other half in L1,
  stores leave it to L2. With ulonglong4_16a it is so everywhere, since the alignment does not allow
  more.
origin: PTX ISA 8.8, "ld" and "st"; CUDA C++ Programming Guide, "Built-in Vector Types"
parameters:
  T:      {type: element, default: ulonglong4_32a, help: "of 16 or 32 bytes"}
  ACCESS: {default: 0, min: 0, max: 2, values: {0: copy, 1: read, 2: write},
           help: what a thread does}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  PIECES: {default: 1, min: 1, max: 16, help: pieces of 32 bytes that a thread moves}
  BYTES:  {default: 1 Gi, min: 1, help: size of an array}
  N:
    default: BYTES / (BLOCK * PIECES * 32) * BLOCK * PIECES * 32 / sizeof(T)
    min: 1
    help: elements; by default those of all whole blocks in BYTES
require:
  - sizeof(T) == 16 || sizeof(T) == 32
  - N % (BLOCK * PIECES * 32 / sizeof(T)) == 0
buffers:
  in:  {type: T, length: "ACCESS == 2 ? 1 : N", init: "splat<T>(value_of(i))"}
  out: {type: T, length: "ACCESS == 1 ? N / (BLOCK * PIECES * 32 / sizeof(T)) : N"}
launch: {grid: N / (BLOCK * PIECES * 32 / sizeof(T)), block: BLOCK}
useful:
  read:  "ACCESS == 2 ? 0 : N * sizeof(T)"
  write: "ACCESS == 1 ? 0 : N * sizeof(T)"
verify: {out: "out[i] == splat<T>(ACCESS == 1 ? mark_of(i) : i % 101)"}
*/
constexpr int ITEMS = PIECES * 32 / sizeof(T);
constexpr uint32_t TILE = BLOCK * ITEMS;

// Reads look for the mark of their block, so that none of them can be left out.
__device__ uint32_t mark_of(size_t tile) {
  return 1 + tile % 100;
}

__device__ uint32_t value_of(size_t i) {
  if (ACCESS != 1) return i % 101;
  return i % TILE == i / TILE * 97 % TILE ? mark_of(i / TILE) : 0;
}

__global__ void load_256(const T* __restrict__ in, T* __restrict__ out) {
  const size_t first = size_t(blockIdx.x) * TILE + threadIdx.x;
  T values[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const size_t i = first + k * BLOCK;
    values[k] = ACCESS == 2 ? splat<T>(i % 101) : in[i];
  }
  if (ACCESS == 1) {
    T sum = values[0];
#pragma unroll
    for (int k = 1; k < ITEMS; ++k) sum += values[k];
    if (!(sum == splat<T>(0))) out[blockIdx.x] = sum;
    return;
  }
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) out[first + k * BLOCK] = values[k];
}
