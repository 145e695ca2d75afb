__device__ unsigned spin(unsigned x) {
  unsigned r;
  asm volatile("{ .reg .pred p; .reg .b32 t<3>;\n mov.u32 t0, %1; LOOP: sub.u32 t0, t0, 1; setp.ne.u32 p, t0, 0;"
               " { .reg .b32 t0; mov.b32 t0, 0x7FU; add.u32 t1, t0, 0b101; } @p bra LOOP; @!p bra.uni DONE; trap; DONE: add.u32 %0, t0, t1; }" : "=r"(r) : "r"(x));
  return r;
}
extern "C" __global__ void assembly(unsigned* data, unsigned long long* wide, double* d) {
  extern __shared__ unsigned dynamic[];
  const unsigned i = threadIdx.x;
  unsigned lo, hi;
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(wide[i]));
  unsigned a, b, c, e;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4+-16];" : "=r"(a), "=r"(b), "=r"(c), "=r"(e) : "l"(data + 4 * i + 4));
  asm volatile("{.reg .pred q, p; setp.lt.and.u32 p|q, %0, %1, !q; selp.b32 %0, 017, 0xffU, p;}" : "+r"(a) : "r"(b));
  asm volatile("prefetch.global.L2 [%0]; fence.acq_rel.gpu; { } bar.warp.sync -1;" :: "l"(data));
  dynamic[i] = spin(a + b + c + e + lo + hi);
  __syncthreads();
  data[i] = dynamic[i ^ 1] + __shfl_down_sync(~0u, lo, 1) + __ballot_sync(~0u, hi > 3);
  d[i] = d[i] * 0.1 + 1e300;
}
