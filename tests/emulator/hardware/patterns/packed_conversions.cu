/* pattern:
summary: Integers packed with saturation, and logic of three inputs that also gives a predicate
buffers:
  a:   {type: int32_t, length: 2048, init: "number(i)"}
  b:   {type: int32_t, length: 2048, init: "number(i * 13 + 5)"}
  out: {type: uint32_t, length: 2048 * 8, init: "1"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 8, write: 2048 * 32}
verify: {out: "true"}
*/
__device__ int number(size_t i) {
  const unsigned bits = unsigned(i + 1) * 2654435761u;
  return i % 5 == 0 ? int(bits) : int(bits) >> (8 + i % 17);
}

__global__ void packed_conversions(const int32_t* a, const int32_t* b, uint32_t* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const int x = a[i], y = b[i];
  unsigned* to = out + i;
  const auto put = [&](unsigned value) { *to = value; to += 2048; };
  unsigned packed;
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(packed) : "r"(x), "r"(y));
  put(packed);
  asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(packed) : "r"(x), "r"(y));
  put(packed);
  asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(x), "r"(y), "r"(packed));
  put(packed);
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(x), "r"(y), "r"(packed));
  put(packed);
  asm("cvt.pack.sat.s4.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(x), "r"(y), "r"(packed));
  put(packed);
  asm("cvt.pack.sat.u2.s32.b32 %0, %1, %2, %3;" : "=r"(packed) : "r"(x), "r"(y), "r"(packed));
  put(packed);
  unsigned both, either;
  asm("{.reg .pred p, q;\n\t"
      "setp.lt.s32 q, %2, %3;\n\t"
      "lop3.or.b32 %0|p, %2, %3, 0x0f0f0f0f, 0x80, q;\n\t"
      "selp.u32 %1, 1, 0, p;\n\t"
      "lop3.and.b32 _|p, %2, %3, 0xffff, 0x96, q;\n\t"
      "@p add.u32 %1, %1, 2;}" : "=r"(both), "=r"(either) : "r"(x), "r"(y));
  put(both);
  put(either);
}
