/* pattern:
summary: Copies from global to shared memory of BYTES for each lane, of which SOURCE are read
help: >-
  For copies of 16 bytes, which bypass L1, the hardware's counter of sectors is a sum over pairs of
  neighbouring lanes of the 128-byte lines that a pair touches, whatever sectors it moves: at a
  stride of 2 copies it counts 16 where 32 sectors come from L2. The emulator counts the sectors.
parameters:
  BYTES:  {default: 16, min: 4, max: 16}
  SOURCE: {default: BYTES, min: 0, max: 16, help: "bytes read; the rest becomes zero"}
  STRIDE: {default: 1, min: 0, help: in copies}
  MASK:   {default: 4294967295, min: 0, max: 4294967295, help: the lanes that copy}
require:
  - is_pow2(BYTES)
buffers:
  in:  {type: uint32_t, length: "1024 * max(STRIDE, 1) * BYTES / 4", init: "uint32_t(i) * 2654435761u"}
  out: {type: uint32_t, length: 1024 * BYTES / 4, init: "1"}
launch: {grid: 8, block: 128}
useful: {read: 1024 * BYTES, write: 1024 * BYTES}
verify: {out: "true"}
*/
__global__ void async_copy(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(16) unsigned words[128 * BYTES / 4];
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const auto to = unsigned(__cvta_generic_to_shared(words)) + threadIdx.x * BYTES;
  const auto* from = in + size_t(i) * STRIDE * BYTES / 4;
  for (int word = 0; word < BYTES / 4; ++word) words[threadIdx.x * (BYTES / 4) + word] = 5;
  if (!(unsigned(MASK) >> threadIdx.x % 32 & 1)) {
  } else if constexpr (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(SOURCE));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES),
                 "r"(SOURCE));
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
#pragma unroll 1
  for (int word = threadIdx.x; word < 128 * BYTES / 4; word += 128)
    out[blockIdx.x * (128 * BYTES / 4) + word] = words[word];
}
