/* pattern:
summary: Products with a sparse matrix a, of every type and shape, with random metadata
origin: PTX ISA, section mma.sp
parameters:
  PART: {default: 0, min: 0, max: 6, help: "0 f16 into f32, 1 f16, 2 bf16, 3 tf32, 4 s8 and u8, 5 s4 and u4, 6 e4m3 and e5m2"}
  ANY: {default: false, help: "any bits, with numbers that are not finite; else mostly numbers near 1"}
buffers:
  a:    {type: uint32_t, length: 2048 * 4, init: "factor(i)"}
  b:    {type: uint32_t, length: 2048 * 4, init: "factor(i * 13 + 5)"}
  c:    {type: uint32_t, length: 2048 * 4, init: "addend(i * 7 + 3)"}
  meta: {type: uint32_t, length: 2048, init: "metadata(i)"}
  out:  {type: uint32_t, length: 2048 * 32, init: "1"}
launch: {grid: 16, block: 128}
useful: {read: 2048 * 52, write: 2048 * 128}
verify: {out: "true"}
*/
__device__ unsigned hash(unsigned i) {
  i = (i + 1) * 2654435761u;
  i = (i ^ i >> 15) * 2246822519u;
  return i ^ i >> 13;
}
// A number of so many bits behind the point and in the exponent: now and then 0 or subnormal,
// mostly within 5 powers of 2 from 1.
__device__ unsigned number(unsigned h, int m, int e) {
  const int middle = (1 << (e - 1)) - 1, spread = middle < 5 ? middle - 1 : 5;
  const unsigned exponent = h % 16 == 0 ? 0 : middle - spread + (h >> 4) % (2 * spread + 1);
  const unsigned fraction = h % 64 == 0 ? 0 : hash(h) & ((1u << m) - 1);
  return (h >> 31) << (m + e) | exponent << m | fraction;
}
__device__ unsigned factor(unsigned i) {
  const unsigned h = hash(i);
  if (ANY || PART == 4 || PART == 5) return h;
  if (PART == 2) return number(h, 7, 8) | number(hash(h), 7, 8) << 16;
  if (PART == 3) return number(h, 23, 8);
  if (PART < 2) return number(h, 10, 5) | number(hash(h), 10, 5) << 16;
  unsigned all = 0;
  for (int part = 0; part < 4; ++part) all |= number(hash(h + part), 3, 4) << 8 * part;
  return all;
}
__device__ unsigned addend(unsigned i) {
  const unsigned h = hash(i);
  // Every other integer is near the bounds.
  const unsigned bound = h % 4 == 1 ? 0x7fffffff : 0x80000000;
  if (PART == 4 || PART == 5) return h % 2 == 0 ? h : bound ^ h >> 18;
  if (ANY) return h;
  if (PART == 1) return number(h, 10, 5) | number(hash(h), 10, 5) << 16;
  return number(h, 23, 8);
}
// Two indices of 2 bits in each 4: tf32 has 0 and 1, or 2 and 3; others any that differ, in order
// where the instruction wants it.
__device__ unsigned metadata(unsigned i) {
  unsigned all = 0;
  for (int at = 0; at < 8; ++at) {
    const unsigned h = hash(i * 8 + at);
    unsigned first = h % 4, second = (first + 1 + (h >> 8) % 3) % 4;
    if (PART != 1 && PART != 4 && first > second) {
      const unsigned other = first;
      first = second;
      second = other;
    }
    all |= (PART == 3 ? (h % 2 ? 0b1110u : 0b0100u) : first | second << 2) << 4 * at;
  }
  return all;
}

// With 2 or 4 registers of a and of b, 2 or 4 of c.
#define SWEEP_SMALL(name, selector)                                                               \
  asm volatile("mma." name " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11}, %12, "     \
               #selector ";"                                                                      \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                   \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]),     \
                 "r"(z[3]), "r"(e));                                                              \
  put(4)
#define SWEEP_LARGE(name, selector)                                                               \
  asm volatile("mma." name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, "            \
               "{%12, %13, %14, %15}, %16, " #selector ";"                                        \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                   \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]),     \
                 "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(e));                  \
  put(4)
#define SWEEP_SMALL_HALF(name, selector)                                                          \
  asm volatile("mma." name " {%0, %1}, {%2, %3}, {%4, %5}, {%6, %7}, %8, " #selector ";"          \
               : "=r"(d[0]), "=r"(d[1])                                                           \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(e));       \
  put(2)
#define SWEEP_LARGE_HALF(name, selector)                                                          \
  asm volatile("mma." name " {%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%10, %11}, %12, "     \
               #selector ";"                                                                      \
               : "=r"(d[0]), "=r"(d[1])                                                           \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]),     \
                 "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(e));                                        \
  put(2)
#define SWEEP_ORDERED "sp::ordered_metadata.sync.aligned."
#define SWEEP_ANY_ORDER "sp.sync.aligned."

__global__ void sparse_products(const uint32_t* a, const uint32_t* b, const uint32_t* c,
                                const uint32_t* meta, uint32_t* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  unsigned x[4], y[4], z[4], d[4];
  for (int r = 0; r < 4; ++r) {
    x[r] = a[r * 2048 + i];
    y[r] = b[r * 2048 + i];
    z[r] = c[r * 2048 + i];
  }
  const unsigned e = meta[i];
  unsigned* to = out + i;
  const auto put = [&](int count) {
    for (int r = 0; r < count; ++r, to += 2048) *to = d[r];
  };
  if constexpr (PART == 0) {
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k16.row.col.f32.f16.f16.f32", 0);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k16.row.col.f32.f16.f16.f32", 1);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k16.row.col.f32.f16.f16.f32", 2);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k16.row.col.f32.f16.f16.f32", 3);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k32.row.col.f32.f16.f16.f32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k32.row.col.f32.f16.f16.f32", 1);
    SWEEP_LARGE(SWEEP_ANY_ORDER "m16n8k32.row.col.f32.f16.f16.f32", 1);
  }
  if constexpr (PART == 1) {
    SWEEP_SMALL_HALF(SWEEP_ANY_ORDER "m16n8k16.row.col.f16.f16.f16.f16", 0);
    SWEEP_SMALL_HALF(SWEEP_ANY_ORDER "m16n8k16.row.col.f16.f16.f16.f16", 3);
    SWEEP_LARGE_HALF(SWEEP_ANY_ORDER "m16n8k32.row.col.f16.f16.f16.f16", 0);
    SWEEP_LARGE_HALF(SWEEP_ANY_ORDER "m16n8k32.row.col.f16.f16.f16.f16", 1);
  }
  if constexpr (PART == 2) {
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k16.row.col.f32.bf16.bf16.f32", 0);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k16.row.col.f32.bf16.bf16.f32", 2);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k32.row.col.f32.bf16.bf16.f32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k32.row.col.f32.bf16.bf16.f32", 1);
  }
  if constexpr (PART == 3) {
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k8.row.col.f32.tf32.tf32.f32", 0);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k8.row.col.f32.tf32.tf32.f32", 1);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k8.row.col.f32.tf32.tf32.f32", 2);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k8.row.col.f32.tf32.tf32.f32", 3);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k16.row.col.f32.tf32.tf32.f32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k16.row.col.f32.tf32.tf32.f32", 1);
  }
  if constexpr (PART == 4) {
    SWEEP_SMALL(SWEEP_ANY_ORDER "m16n8k32.row.col.s32.s8.s8.s32", 0);
    SWEEP_SMALL(SWEEP_ANY_ORDER "m16n8k32.row.col.s32.u8.s8.s32", 1);
    SWEEP_LARGE(SWEEP_ANY_ORDER "m16n8k64.row.col.s32.s8.u8.s32", 0);
    SWEEP_LARGE(SWEEP_ANY_ORDER "m16n8k64.row.col.satfinite.s32.u8.u8.s32", 0);
  }
  if constexpr (PART == 5) {
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k64.row.col.s32.s4.s4.s32", 0);
    SWEEP_SMALL(SWEEP_ORDERED "m16n8k64.row.col.s32.u4.s4.s32", 1);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k128.row.col.s32.s4.u4.s32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k128.row.col.satfinite.s32.u4.u4.s32", 0);
  }
  if constexpr (PART == 6) {
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k64.row.col.f32.e4m3.e4m3.f32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k64.row.col.f32.e4m3.e5m2.f32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k64.row.col.f32.e5m2.e4m3.f32", 0);
    SWEEP_LARGE(SWEEP_ORDERED "m16n8k64.row.col.f32.e5m2.e5m2.f32", 0);
  }
}
