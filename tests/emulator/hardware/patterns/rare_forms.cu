/* pattern:
summary: Forms that compilers seldom write, for what the PTX ISA leaves open about them
origin: PTX ISA, sections fma, cvt, mov, special registers and video instructions
parameters:
  PART: {default: 0, min: 0, max: 4, help: "0 fma.oob of f16, 1 fma.oob of bf16, 2 cvt, 3 special registers, 4 video"}
buffers:
  a:   {type: uint32_t, length: 2048, init: "number(i)"}
  b:   {type: uint32_t, length: 2048, init: "number(i * 13 + 5)"}
  c:   {type: uint32_t, length: 2048, init: "number(i * 7 + 3)"}
  out: {type: uint32_t, length: 2048 * 8, init: "1"}
launch: {grid: [4, 2], block: [32, 4, 2]}
useful: {read: 2048 * 12, write: 2048 * 32}
verify: {out: "true"}
*/
// Each half is now and then what a tensor copy fills in, its neighbours, or another NaN.
__device__ unsigned number(size_t i) {
  const unsigned bits = unsigned(i + 1) * 2654435761u;
  const auto half = [](unsigned bits) {
    const unsigned rare[] = {0x7ff7, 0xfff7, 0x7ff6, 0x7fff, 0x7e00, 0x7c00, 0xfc00, 0x8000};
    return (bits >> 4) % 3 == 0 ? rare[(bits >> 6) % 8] : bits & 0xffff;
  };
  return half(bits >> 16) << 16 | half(bits * 747796405u >> 8);
}

__global__ void rare_forms(const uint32_t* a, const uint32_t* b, const uint32_t* c, uint32_t* out) {
  const unsigned thread = (threadIdx.z * 4 + threadIdx.y) * 32 + threadIdx.x;
  const unsigned i = (blockIdx.y * 4 + blockIdx.x) * 256 + thread;
  const unsigned x = a[i], y = b[i], z = c[i];
  const unsigned short h = x, k = y, m = z;
  unsigned* to = out + i;
  const auto put = [&](unsigned value) { *to = value; to += 2048; };
  unsigned word;
  unsigned short half;
  if constexpr (PART == 0) {
    asm("fma.rn.oob.f16 %0, %1, %2, %3;" : "=h"(half) : "h"(h), "h"(k), "h"(m));
    put(half);
    asm("fma.rn.oob.relu.f16 %0, %1, %2, %3;" : "=h"(half) : "h"(h), "h"(k), "h"(m));
    put(half);
    asm("fma.rn.oob.f16x2 %0, %1, %2, %3;" : "=r"(word) : "r"(x), "r"(y), "r"(z));
    put(word);
    asm("fma.rn.oob.relu.f16x2 %0, %1, %2, %3;" : "=r"(word) : "r"(x), "r"(y), "r"(z));
    put(word);
  }
  if constexpr (PART == 1) {
    asm("fma.rn.oob.bf16 %0, %1, %2, %3;" : "=h"(half) : "h"(h), "h"(k), "h"(m));
    put(half);
    asm("fma.rn.oob.relu.bf16 %0, %1, %2, %3;" : "=h"(half) : "h"(h), "h"(k), "h"(m));
    put(half);
    asm("fma.rn.oob.bf16x2 %0, %1, %2, %3;" : "=r"(word) : "r"(x), "r"(y), "r"(z));
    put(word);
    asm("fma.rn.oob.relu.bf16x2 %0, %1, %2, %3;" : "=r"(word) : "r"(x), "r"(y), "r"(z));
    put(word);
  }
  if constexpr (PART == 2) {
    asm("cvt.f16.bf16 %0, %1;" : "=h"(half) : "h"(h));
    put(half);
    asm("cvt.bf16.f16 %0, %1;" : "=h"(half) : "h"(h));
    put(half);
    asm("cvt.rz.bf16.f16 %0, %1;" : "=h"(half) : "h"(h));
    put(half);
    asm("cvt.rp.f16.bf16 %0, %1;" : "=h"(half) : "h"(h));
    put(half);
    asm("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(word) : "r"(x));
    put(word);
    asm("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(word) : "r"(y | 0x7f000000));
    put(word);
  }
  if constexpr (PART == 3) {
    unsigned v[4] = {};
    const auto put_all = [&] { put(v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24); };
    asm("mov.v4.u32 {%0, %1, %2, %3}, %%tid;" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]));
    put_all();
    asm("mov.v4.u32 {%0, %1, %2, %3}, %%ntid;" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]));
    put_all();
    asm("mov.v4.u32 {%0, %1, %2, %3}, %%ctaid;" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]));
    put_all();
    asm("mov.v4.u32 {%0, %1, %2, %3}, %%nctaid;" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]));
    put_all();
    asm("mov.v2.u32 {%0, %1}, {%2, %3};" : "=r"(v[0]), "=r"(v[1]) : "r"(y), "r"(x));
    put(v[0] - v[1]);
    asm("mov.u32 %0, %%aggr_smem_size;" : "=r"(v[0]));
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(v[1]));
    put(v[0] - v[1]);
    asm("mov.u64 %0, %%current_graph_exec;" : "=l"(*reinterpret_cast<unsigned long long*>(v)));
    put(v[0] | v[1]);
  }
  if constexpr (PART == 4) {
#define SWEEP_PUT(name)                                               \
  asm(name " %0, %1, %2, %3;" : "=r"(word) : "r"(x), "r"(y), "r"(z)); \
  put(word)
    SWEEP_PUT("vadd.s32.u32.s32.sat.min");
    SWEEP_PUT("vsub.u32.s32.u32.sat.max");
    SWEEP_PUT("vabsdiff.u32.s32.s32.add");
    SWEEP_PUT("vadd4.s32.u32.s32.sat");
    SWEEP_PUT("vsub4.u32.s32.u32.add");
    SWEEP_PUT("vmax2.u32.s32.u32.add");
    SWEEP_PUT("vset4.s32.u32.lt.add");
    SWEEP_PUT("vabsdiff2.s32.s32.u32.sat");
  }
}
