/* pattern:
summary: Products of forms that 9.0 has no tensor cores for, and of doubles in every rounding
origin: PTX ISA, section mma
parameters:
  PART: {default: 0, min: 0, max: 3, help: "0 m8n8k4 of f16 into f32, 1 into f16, 2 e4m3 and e5m2, 3 f64"}
  ANY: {default: false, help: "any bits, with numbers that are not finite; else mostly numbers near 1"}
buffers:
  a:   {type: uint32_t, length: 2048 * 16, init: "factor(i, 0)"}
  b:   {type: uint32_t, length: 2048 * 8, init: "factor(i, 1)"}
  c:   {type: uint32_t, length: 2048 * 8, init: "addend(i)"}
  out: {type: uint32_t, length: 2048 * 96, init: "1"}
launch: {grid: 16, block: 128}
useful: {read: 2048 * 128, write: 2048 * 384}
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
// Of doubles the low words come first.
__device__ unsigned double_word(unsigned i, unsigned h) {
  return i / 2048 % 2 == 0 ? h : number(h, 20, 11);
}
__device__ unsigned factor(unsigned i, unsigned matrix) {
  const unsigned h = hash(i * 2 + matrix);
  if (ANY) return h;
  if (PART == 3) return double_word(i, h);
  if (PART < 2) return number(h, 10, 5) | number(hash(h), 10, 5) << 16;
  unsigned all = 0;
  for (int part = 0; part < 4; ++part) all |= number(hash(h + part), 3, 4) << 8 * part;
  return all;
}
__device__ unsigned addend(unsigned i) {
  const unsigned h = hash(~i);
  if (ANY) return h;
  if (PART == 3) return double_word(i, h);
  if (PART == 1) return number(h, 10, 5) | number(hash(h), 10, 5) << 16;
  return number(h, 23, 8);
}

#define SWEEP_QUADS(layouts)                                                                      \
  asm volatile("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f32 "                             \
               "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "                         \
               "{%12, %13, %14, %15, %16, %17, %18, %19};"                                        \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]),          \
                 "=r"(d[6]), "=r"(d[7])                                                           \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]),     \
                 "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));                          \
  put(8)
#define SWEEP_QUADS_OF_HALVES(layouts)                                                            \
  asm volatile("mma.sync.aligned.m8n8k4." layouts ".f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, " \
               "{%6, %7}, {%8, %9, %10, %11};"                                                    \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                   \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]),     \
                 "r"(z[3]));                                                                      \
  put(4);                                                                                         \
  asm volatile("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f16 "                             \
               "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15};"    \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]),          \
                 "=r"(d[6]), "=r"(d[7])                                                           \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]),     \
                 "r"(z[3]));                                                                      \
  put(8)
#define SWEEP_BYTES(types)                                                                        \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32." types ".f32 {%0, %1, %2, %3}, "           \
               "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"                                \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                   \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(z[0]),     \
                 "r"(z[1]), "r"(z[2]), "r"(z[3]));                                                \
  put(4);                                                                                         \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." types ".f32 {%0, %1, %2, %3}, {%4, %5}, " \
               "{%6}, {%7, %8, %9, %10};"                                                         \
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                   \
               : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));    \
  put(4)
#define SWEEP_DOUBLES(rounding)                                                                   \
  asm volatile("mma.sync.aligned.m8n8k4.row.col" rounding ".f64.f64.f64.f64 {%0, %1}, {%2}, "     \
               "{%3}, {%4, %5};"                                                                  \
               : "=d"(s[0]), "=d"(s[1])                                                           \
               : "d"(p[0]), "d"(q[0]), "d"(r[0]), "d"(r[1]));                                     \
  put_doubles(2);                                                                                 \
  asm volatile("mma.sync.aligned.m16n8k8.row.col" rounding ".f64.f64.f64.f64 {%0, %1, %2, %3}, "  \
               "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"                                \
               : "=d"(s[0]), "=d"(s[1]), "=d"(s[2]), "=d"(s[3])                                   \
               : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(q[0]), "d"(q[1]), "d"(r[0]),     \
                 "d"(r[1]), "d"(r[2]), "d"(r[3]));                                                \
  put_doubles(4);                                                                                 \
  asm volatile("mma.sync.aligned.m16n8k16.row.col" rounding ".f64.f64.f64.f64 {%0, %1, %2, %3}, " \
               "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, "                       \
               "{%16, %17, %18, %19};"                                                            \
               : "=d"(s[0]), "=d"(s[1]), "=d"(s[2]), "=d"(s[3])                                   \
               : "d"(p[0]), "d"(p[1]), "d"(p[2]), "d"(p[3]), "d"(p[4]), "d"(p[5]), "d"(p[6]),     \
                 "d"(p[7]), "d"(q[0]), "d"(q[1]), "d"(q[2]), "d"(q[3]), "d"(r[0]), "d"(r[1]),     \
                 "d"(r[2]), "d"(r[3]));                                                           \
  put_doubles(4)

__global__ void rare_products(const uint32_t* a, const uint32_t* b, const uint32_t* c,
                              uint32_t* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  unsigned x[16], y[8], z[8], d[8];
  for (int at = 0; at < 16; ++at) x[at] = a[at * 2048 + i];
  for (int at = 0; at < 8; ++at) {
    y[at] = b[at * 2048 + i];
    z[at] = c[at * 2048 + i];
  }
  unsigned* to = out + i;
  const auto put = [&](int count) {
    for (int at = 0; at < count; ++at, to += 2048) *to = d[at];
  };
  if constexpr (PART == 0) {
    SWEEP_QUADS("row.col");
    SWEEP_QUADS("col.row");
    SWEEP_QUADS("row.row");
    SWEEP_QUADS("col.col");
  }
  if constexpr (PART == 1) {
    SWEEP_QUADS_OF_HALVES("row.col");
    SWEEP_QUADS_OF_HALVES("col.row");
    SWEEP_QUADS_OF_HALVES("row.row");
    SWEEP_QUADS_OF_HALVES("col.col");
  }
  if constexpr (PART == 2) {
    SWEEP_BYTES("e4m3.e4m3");
    SWEEP_BYTES("e4m3.e5m2");
    SWEEP_BYTES("e5m2.e4m3");
    SWEEP_BYTES("e5m2.e5m2");
  }
  if constexpr (PART == 3) {
    const auto joined = [](unsigned low, unsigned high) {
      return __hiloint2double(int(high), int(low));
    };
    double p[8], q[4], r[4], s[4];
    for (int at = 0; at < 8; ++at) p[at] = joined(x[2 * at], x[2 * at + 1]);
    for (int at = 0; at < 4; ++at) {
      q[at] = joined(y[2 * at], y[2 * at + 1]);
      r[at] = joined(z[2 * at], z[2 * at + 1]);
    }
    const auto put_doubles = [&](int count) {
      for (int at = 0; at < count; ++at) {
        d[2 * at] = __double2loint(s[at]);
        d[2 * at + 1] = __double2hiint(s[at]);
      }
      put(2 * count);
    };
    SWEEP_DOUBLES("");
    SWEEP_DOUBLES(".rz");
    SWEEP_DOUBLES(".rm");
    SWEEP_DOUBLES(".rp");
  }
}
