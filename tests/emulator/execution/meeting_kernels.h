#pragma once

#include "tests/emulator/execution/synchronised_kernel.h"

// Kernels whose threads meet at barriers and in atomics.

namespace sweep {

inline constexpr SynchronisedKernel meeting_kernels[] = {
    {"warps that meet at named barriers", R"yaml(
buffers:
  in: {type: unsigned, length: 1024, init: "i * 3"}
  out: {type: unsigned, length: 1024}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == (i ^ 31) * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32];
  const unsigned me = threadIdx.x % 32, first = blockIdx.x * 512;
  if (threadIdx.x < 32) {
    for (int t = 0; t < 16; ++t) {
      asm volatile("bar.sync 2, 64;" ::: "memory");  //-
      tile[me] = in[first + t * 32 + me];
      asm volatile("bar.arrive 1, 64;" ::: "memory");  //-
    }
  } else {
    for (int t = 0; t < 16; ++t) {
      asm volatile("bar.arrive 2, 64;" ::: "memory");  //-
      asm volatile("bar.sync 1, 64;" ::: "memory");  //-
      out[first + t * 32 + me] = tile[me ^ 31];
    }
  }
}
)cuda"},
    {"a sum by shared atomics", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i % 97"}
  out: {type: unsigned, length: 1, init: "0"}
launch: {grid: 4, block: 256}
verify:
  out: >-
    out[i] == [] { unsigned s = 0; for (int k = 0; k < 4096; ++k) s += k % 97; return s; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();  //-
  unsigned mine = 0;
  for (int i = 0; i < 4; ++i) mine += in[blockIdx.x * 1024 + i * 256 + threadIdx.x];
  atomicAdd(&sum, mine);  //= sum += mine;
  __syncthreads();  //-
  if (threadIdx.x == 0) {
    atomicAdd(out, sum);  //= *out += sum;
  }
}
)cuda"},
    {"a sum by halves", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i % 97"}
  out: {type: unsigned, length: 16}
launch: {grid: 16, block: 256}
verify:
  out: >-
    out[i] == [&] {
      unsigned s = 0;
      for (int k = 0; k < 256; ++k) s += (i * 256 + k) % 97;
      return s; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned part[256];
  const unsigned me = threadIdx.x;
  part[me] = in[blockIdx.x * 256 + me];
  __syncthreads();  //-
  for (int half = 128; half >= 32; half /= 2) {
    if (me < half) part[me] += part[me + half];
    __syncthreads();  //-
  }
  if (me >= 32) return;
  for (int half = 16; half > 0; half /= 2) {
    const unsigned other = part[me + half];
    __syncwarp();  //-
    part[me] += other;
    __syncwarp();  //-
  }
  if (me == 0) out[blockIdx.x] = part[0];
}
)cuda"},
    {"the last block adds up", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i % 97"}
  parts: {type: unsigned, length: 16}
  ticket: {type: unsigned, length: 1, init: "0"}
  out: {type: unsigned, length: 1}
launch: {grid: 16, block: 256}
verify:
  out: >-
    out[i] == [] { unsigned s = 0; for (int k = 0; k < 4096; ++k) s += k % 97; return s; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* parts, unsigned* ticket, unsigned* out) {
  __shared__ unsigned sum;
  __shared__ bool is_last;
  const unsigned me = threadIdx.x;
  if (me == 0) sum = 0;
  __syncthreads();  //-
  atomicAdd(&sum, in[blockIdx.x * 256 + me]);
  __syncthreads();  //-
  if (me == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();  //-
    unsigned number = 0;
    number = atomicAdd(ticket, 1u);  //= number = (*ticket)++;
    is_last = number == gridDim.x - 1;
  }
  __syncthreads();  //-
  if (!is_last || me > 0) return;
  unsigned all = 0;
  for (int i = 0; i < 16; ++i) all += parts[i];
  *out = all;
}
)cuda"},
    {"a histogram", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i * 7 % 61"}
  out: {type: unsigned, length: 16, init: "0"}
launch: {grid: 4, block: 128}
verify:
  out: >-
    out[i] == [&] {
      unsigned n = 0;
      for (unsigned k = 0; k < 4096; ++k) n += k * 7 % 61 % 16 == i;
      return n; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[16];
  const unsigned me = threadIdx.x;
  if (me < 16) bins[me] = 0;
  __syncthreads();  //-
  for (int i = me; i < 1024; i += 128) {
    const unsigned bin = in[blockIdx.x * 1024 + i] % 16;
    atomicAdd(&bins[bin], 1u);  //= bins[bin]++;
  }
  __syncthreads();  //-
  if (me < 16) {
    atomicAdd(&out[me], bins[me]);  //= out[me] += bins[me];
  }
}
)cuda"},
    {"a transposed tile", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i"}
  out: {type: unsigned, length: 4096}
launch: {grid: [2, 2], block: [32, 8]}
verify: {out: "out[i] == i % 64 * 64 + i / 64"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32][33];
  unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * 64 + x];
  __syncthreads();  //-
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) out[(y + r) * 64 + x] = tile[threadIdx.x][threadIdx.y + r];
}
)cuda"},
    {"a prefix sum in shared memory", R"yaml(
buffers:
  in: {type: unsigned, length: 1024, init: "i % 13"}
  out: {type: unsigned, length: 1024}
launch: {grid: 4, block: 256}
verify:
  out: >-
    out[i] == [&] {
      unsigned s = 0;
      for (unsigned k = i / 256 * 256; k <= i; ++k) s += k % 13;
      return s; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned part[256];
  const unsigned me = threadIdx.x, i = blockIdx.x * 256 + me;
  part[me] = in[i];
  __syncthreads();  //-
  for (unsigned step = 1; step < 256; step *= 2) {
    const unsigned before = me >= step ? part[me - step] : 0;
    __syncthreads();  //-
    part[me] += before;
    __syncthreads();  //-
  }
  out[i] = part[me];
}
)cuda"},
};

}  // namespace sweep
