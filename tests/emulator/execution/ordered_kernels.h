#pragma once

#include "tests/emulator/execution/synchronised_kernel.h"

// Kernels whose warpgroups, clusters and grids wait for each other.

namespace sweep {

inline constexpr SynchronisedKernel ordered_kernels[] = {
    {"products by wgmma", R"yaml(
buffers:
  a: {type: uint16_t, length: 2048, init: "i < 1024 ? 0x3c00 : 0x4000"}
  b: {type: uint16_t, length: 128, init: "0x3c00"}
  out: {type: float, length: 512}
arguments: [a, b, out]
compile: {architecture: specific}
launch: {grid: 1, block: 128}
verify: {out: "out[i] == 48"})yaml",
     R"cuda(
__global__ void kernel(const uint16_t* a, const uint16_t* b, float* out) {
  __shared__ __align__(128) uint16_t rows[1024], columns[128];
  const int me = threadIdx.x;
  columns[me] = b[me];
  const unsigned long long of_rows = at(rows) >> 4 | 0x800400000ull;
  const unsigned long long of_columns = at(columns) >> 4 | 0x800080000ull;
  float d[4] = {0, 0, 0, 0};
  for (int t = 0; t < 2; ++t) {
    for (int k = 0; k < 8; ++k) rows[me + k * 128] = a[t * 1024 + me + k * 128];
    fence_proxy();    //-
    __syncthreads();  //-
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");  //-
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, "
                 "1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(of_rows), "l"(of_columns) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");  //-
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");  //-
  }
  for (int i = 0; i < 4; ++i) out[me * 4 + i] = d[i];
}
)cuda"},
    {"blocks of a cluster that exchange", R"yaml(
buffers:
  in: {type: unsigned, length: 256, init: "i * 5"}
  out: {type: unsigned, length: 256}
launch: {grid: 4, block: 64, cluster: 2}
verify: {out: "out[i] == (i ^ 64) * 5"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[64];
  unsigned rank, there, value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  //-
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");    //-
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(tile + threadIdx.x)), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");  //-
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");    //-
  out[blockIdx.x * 64 + threadIdx.x] = value;
}
)cuda"},
    {"a sum under a lock", R"yaml(
buffers:
  in: {type: unsigned, length: 256, init: "i"}
  lock: {type: unsigned, length: 1, init: "0"}
  out: {type: unsigned, length: 1, init: "0"}
launch: {grid: 4, block: 64}
verify: {out: "out[i] == 4 * 32 + 64 * 6"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* lock, unsigned* out) {
  if (threadIdx.x != 32) return;
  while (atomicCAS(lock, 0u, 1u) != 0) {}  //-
  __threadfence();
  out[0] += in[blockIdx.x * 64 + threadIdx.x];
  __threadfence();      //-
  atomicExch(lock, 0u);
}
)cuda"},
    {"a stencil between two buffers", R"yaml(
buffers:
  in: {type: unsigned, length: 256, init: "i"}
  out: {type: unsigned, length: 256}
launch: {grid: 2, block: 128}
verify: {out: "out[i] == i / 128 * 128 + (i + 4) % 128"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned now[128], next[128];
  const unsigned me = threadIdx.x, first = blockIdx.x * 128;
  now[me] = in[first + me];
  __syncthreads();  //-
  for (int t = 0; t < 2; ++t) {
    next[me] = now[(me + 1) % 128];
    __syncthreads();  //-
    now[me] = next[(me + 1) % 128];
    __syncthreads();  //-
  }
  out[first + me] = now[me];
}
)cuda"},
    {"a grid that waits for itself", R"yaml(
buffers:
  in: {type: unsigned, length: 256, init: "i"}
  parts: {type: unsigned, length: 4}
  out: {type: unsigned, length: 4}
launch: {grid: 4, block: 64, cooperative: true}
verify: {out: "out[i] == 255 * 128"})yaml",
     R"cuda(
#include <cooperative_groups.h>
__global__ void kernel(const unsigned* in, unsigned* parts, unsigned* out) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();  //-
  atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);  //= sum += in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();  //-
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();  //-
  if (threadIdx.x == 0) out[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}
)cuda"},
    {"an mbarrier in the place of a barrier", R"yaml(
buffers:
  in: {type: unsigned, length: 128, init: "i * 3"}
  out: {type: unsigned, length: 128}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == (i ^ 33) * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ Barrier met;
  __shared__ unsigned tile[64];
  if (threadIdx.x == 0) make(met, 64);
  __syncthreads();  //-
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  arrive(met);       //-
  wait_for(met, 0);  //-
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 33];
}
)cuda"},
    {"sums of warps", R"yaml(
buffers:
  in: {type: unsigned, length: 1024, init: "i % 7"}
  out: {type: unsigned, length: 8}
launch: {grid: 4, block: 256}
verify:
  out: >-
    i % 2 == 1 || out[i] == [&] { unsigned s = 0; for (int k = 0; k < 256; ++k) s += (i / 2 * 256 + k) % 7; return s; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned sums[8];
  const unsigned lane = threadIdx.x % 32;
  unsigned mine = in[blockIdx.x * 256 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (lane == 0) sums[threadIdx.x / 32] = mine;
  __syncthreads();  //-
  if (threadIdx.x < 8) {
    for (int d = 4; d > 0; d /= 2) {
      const unsigned other = threadIdx.x + d < 8 ? sums[threadIdx.x + d] : 0;
      __syncwarp(0xff);
      sums[threadIdx.x] += other;
      __syncwarp(0xff);  //-
    }
  }
  __syncthreads();  //-
  if (threadIdx.x == 64) out[blockIdx.x * 2] = sums[0];
  if (threadIdx.x == 65) out[blockIdx.x * 2 + 1] = 0;
}
)cuda"},
};

}  // namespace sweep
