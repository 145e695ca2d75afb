/* pattern:
summary: High products, funnel shifts, byte permutations, bit counts, dot products and saturation
buffers:
  a:    {type: uint32_t, length: 2048, init: "number(i)"}
  b:    {type: uint32_t, length: 2048, init: "number(i * 13 + 5)"}
  c:    {type: uint32_t, length: 2048, init: "number(i * 7 + 3)"}
  out:  {type: uint32_t, length: 2048 * 24, init: "1"}
  wide: {type: uint64_t, length: 2048 * 8, init: "1"}
launch: {grid: 8, block: 256}
useful: {read: 2048 * 12, write: 2048 * 160}
verify: {out: "true"}
*/
__device__ unsigned number(size_t i) {
  const unsigned bits = unsigned(i + 1) * 2654435761u;
  switch (i % 9) {
    case 0: return 0;
    case 1: return ~0u;
    case 2: return 0x80000000u;
    case 3: return 0x7fffffffu;
    case 4: return bits % 70;
    case 5: return 1u << bits % 32;
    default: return bits ^ bits >> 13;
  }
}

__global__ void bit_operations(const uint32_t* a, const uint32_t* b, const uint32_t* c,
                               uint32_t* out, uint64_t* wide) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  const unsigned x = a[i], y = b[i], z = c[i];
  unsigned* to = out + i;
  const auto put = [&](unsigned value) { *to = value; to += 2048; };
  put(__umulhi(x, y));
  put(__mulhi(int(x), int(y)));
  put(__umul24(x, y));
  put(__mul24(int(x), int(y)));
  put(__funnelshift_l(x, y, z));
  put(__funnelshift_r(x, y, z));
  put(__funnelshift_lc(x, y, z));
  put(__funnelshift_rc(x, y, z));
  put(__byte_perm(x, y, z));
  put(__popc(x));
  put(__clz(x));
  put(__ffs(x));
  put(__brev(x));
  put(__dp4a(int(x), int(y), int(z)));
  put(__dp4a(x, y, z));
  put(__dp2a_lo(int(x), int(y), int(z)));
  put(__dp2a_hi(x, y, z));
  put(__usad(x, y, z));
  put(__sad(int(x), int(y), z));
  put(__uhadd(x, y));
  put(__rhadd(int(x), int(y)));
  unsigned field, inserted, shifted;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(y), "r"(z));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(x), "r"(y), "r"(z), "r"(x ^ y));
  asm("shl.b32 %0, %1, %2;" : "=r"(shifted) : "r"(x), "r"(y));
  put(field);
  put(inserted);
  put(shifted);
  const unsigned long long w = (unsigned long long)x << 32 | z, v = (unsigned long long)y << 32 | x;
  uint64_t* wide_to = wide + i;
  const auto put_wide = [&](unsigned long long value) { *wide_to = value; wide_to += 2048; };
  put_wide(__umul64hi(w, v));
  put_wide(__mul64hi((long long)w, (long long)v));
  put_wide(__popcll(w) | __clzll((long long)w) << 8 | __ffsll((long long)w) << 16);
  put_wide(__brevll(w));
  put_wide((unsigned long long)x * y + w);
  put_wide((unsigned long long)((long long)int(x) * int(y)) + v);
  unsigned long long low, high;
  asm("add.cc.u64 %0, %2, %3;\n\taddc.u64 %1, %3, %2;" : "=l"(low), "=l"(high) : "l"(v), "l"(w));
  put_wide(low);
  put_wide(high);
}
