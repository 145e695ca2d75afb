/* pattern:
summary: Additions to vectors of floats and halves in global memory, with and without their results
parameters:
  STRIDE: {default: 1, min: 1}
buffers:
  in:    {type: float4, length: 512, init: "float4{i * 0.37f, i * 0.11f, 3.0f - i, i * 7.0f}"}
  quads: {type: float4, length: 512 * STRIDE, init: "float4{i % 101 * 1.1f, 2.0f, i * 0.5f, -1.0f}"}
  pairs: {type: float2, length: 512 * STRIDE, init: "float2{i % 7 * 1.3f, i * 0.25f}"}
  sums:  {type: float4, length: 512 * STRIDE, init: "float4{0.1f, i % 3 * 9.0f, -2.5f, i * 1.0f}"}
  halves: {type: uint4, length: 512 * STRIDE, init: "uint4{0x3c004000, 0x12345678, 0x2c003800, 0}"}
  old:   {type: float4, length: 1024, init: "float4{0, 0, 0, 0}"}
launch: {grid: 4, block: 128}
useful: {read: 512 * 16, write: 512 * 16}
verify: {old: "true"}
*/
__global__ void vector_atomic(const float4* in, float4* quads, float2* pairs, float4* sums,
                              uint4* halves, float4* old) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const float4 add = in[i];
  float4 before;
  asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
               : "=f"(before.x), "=f"(before.y), "=f"(before.z), "=f"(before.w)
               : "l"(quads + i * STRIDE), "f"(add.x), "f"(add.y), "f"(add.z), "f"(add.w) : "memory");
  old[2 * i] = before;
  asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};"
               : "=f"(before.x), "=f"(before.y)
               : "l"(pairs + i * STRIDE), "f"(add.z), "f"(add.w) : "memory");
  old[2 * i + 1] = before;
  asm volatile("red.global.v4.f32.add [%0], {%1, %2, %3, %4};"
               :: "l"(sums + (511 - i) * STRIDE), "f"(add.w), "f"(add.z), "f"(add.y), "f"(add.x)
               : "memory");
  asm volatile("red.global.v4.f16x2.add.noftz [%0], {%1, %2, %3, %4};"
               :: "l"(halves + i * STRIDE), "r"(0x34003c00u + i), "r"(i << 6), "r"(0x9000u), "r"(i)
               : "memory");
}
