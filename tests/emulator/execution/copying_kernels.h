#pragma once

#include "tests/emulator/execution/synchronised_kernel.h"

// Kernels that wait for asynchronous copies.

namespace sweep {

inline constexpr SynchronisedKernel copying_kernels[] = {
    {"cp.async, two stages", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 7"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == (i ^ 255) * 7"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[2][256];
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  copy<16>(&tile[0][me * 4], in + first + me * 4);
  commit();  //-
  for (int t = 0; t < 4; ++t) {
    if (t < 3) copy<16>(&tile[(t + 1) % 2][me * 4], in + first + (t + 1) * 256 + me * 4);
    commit();
    wait<1>();        //-
    __syncthreads();  //-
    for (int i = me; i < 256; i += 64) out[first + t * 256 + i] = tile[t % 2][i ^ 255];
    __syncthreads();  //-
  }
}
)cuda"},
    {"cp.async, four stages, one barrier for each", R"yaml(
buffers:
  in: {type: unsigned, length: 8192, init: "i * 3"}
  out: {type: unsigned, length: 8192}
launch: {grid: 2, block: 128}
verify: {out: "out[i] == (i ^ 127) * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[4][128];
  const unsigned me = threadIdx.x, first = blockIdx.x * 4096;
  for (int t = 0; t < 3; ++t) {
    copy<4>(&tile[t][me], in + first + t * 128 + me);
    commit();  //-
  }
  for (int t = 0; t < 32; ++t) {
    wait<2>();        //= wait<3>();
    __syncthreads();  //-
    if (t + 3 < 32) copy<4>(&tile[(t + 3) % 4][me], in + first + (t + 3) * 128 + me);
    commit();  //-
    out[first + t * 128 + me] = tile[t % 4][me ^ 127];
  }
}
)cuda"},
    {"cuda::pipeline of a thread", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 5"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == (i ^ 255) * 5"})yaml",
     R"cuda(
#include <cuda/pipeline>
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[2][256];
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  auto pipe = cuda::make_pipeline();
  for (int begun = 0, t = 0; t < 4; ++t) {
    for (; begun < 4 && begun < t + 2; ++begun) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[begun % 2][me * 4], in + first + begun * 256 + me * 4,
                         cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();  //-
    __syncthreads();       //-
    for (int i = me; i < 256; i += 64) out[first + t * 256 + i] = tile[t % 2][i ^ 255];
    __syncthreads();  //-
    pipe.consumer_release();
  }
}
)cuda"},
    {"cuda::pipeline of a block", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 5"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == (i ^ 255) * 5"})yaml",
     R"cuda(
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[2][256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  auto pipe = cuda::make_pipeline(block, &state);
  for (int begun = 0, t = 0; t < 4; ++t) {
    for (; begun < 4 && begun < t + 2; ++begun) {
      pipe.producer_acquire();  //-
      cuda::memcpy_async(block, tile[begun % 2], in + first + begun * 256,
                         cuda::aligned_size_t<16>(1024), pipe);
      pipe.producer_commit();  //-
    }
    pipe.consumer_wait();  //-
    for (int i = me; i < 256; i += 64) out[first + t * 256 + i] = tile[t % 2][i ^ 255];
    pipe.consumer_release();  //-
  }
}
)cuda"},
    {"cuda::barrier and cuda::memcpy_async", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 11"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == (i ^ 255) * 11"})yaml",
     R"cuda(
#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  auto block = cooperative_groups::this_thread_block();
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  if (me == 0) init(&arrived, 64);
  block.sync();  //-
  for (int t = 0; t < 4; ++t) {
    cuda::memcpy_async(block, tile, in + first + t * 256, cuda::aligned_size_t<16>(1024), arrived);
    arrived.arrive_and_wait();  //-
    for (int i = me; i < 256; i += 64) out[first + t * 256 + i] = tile[i ^ 255];
    block.sync();  //-
  }
}
)cuda"},
    {"cp.async that arrive at an mbarrier", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 13"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 128}
verify: {out: "out[i] == (i ^ 127) * 13"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[2][128];
  __shared__ Barrier arrived[2];
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  if (me == 0) {
    make(arrived[0], 128);
    make(arrived[1], 128);
  }
  __syncthreads();  //-
  copy<4>(&tile[0][me], in + first + me);
  arrive_with_copies(arrived[0]);  //-
  for (int t = 0; t < 8; ++t) {
    if (t < 7) {
      copy<4>(&tile[(t + 1) % 2][me], in + first + (t + 1) * 128 + me);
      arrive_with_copies(arrived[(t + 1) % 2]);  //= arrive(arrived[(t + 1) % 2]);
    }
    wait_for(arrived[t % 2], t / 2 % 2);  //-
    out[first + t * 128 + me] = tile[t % 2][me ^ 127];
    __syncthreads();  //-
  }
}
)cuda"},
    {"a bulk load", R"yaml(
buffers:
  in: {type: unsigned, length: 1024, init: "i * 3"}
  out: {type: unsigned, length: 1024}
launch: {grid: 2, block: 128}
verify: {out: "out[i] == (i ^ 511) * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[512];
  __shared__ Barrier arrived;
  const unsigned me = threadIdx.x, first = blockIdx.x * 512;
  if (me == 0) {
    make(arrived, 1);
  }
  __syncthreads();  //-
  if (me == 0) {
    expect(arrived, 2048);  //= arrive(arrived);
    load(tile, in + first, 1024, arrived);  //-
    load(tile + 256, in + first + 256, 1024, arrived);
  }
  wait_for(arrived, 0);  //= wait_for(arrived, 1);
  for (int i = me; i < 512; i += 128) out[first + i] = tile[i ^ 511];
}
)cuda"},
    {"a bulk store", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 3"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 128}
verify: {out: "out[i] == (i ^ 511) * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[512];
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  for (int t = 0; t < 2; ++t) {
    for (int i = me; i < 512; i += 128) tile[i] = in[first + t * 512 + (i ^ 511)];
    fence_proxy();    //-
    __syncthreads();  //-
    if (me == 0) {
      store(out + first + t * 512, tile, 2048);
      commit_bulk();  //-
      wait_read<0>();  //-
    }
    __syncthreads();  //-
  }
}
)cuda"},
    {"a bulk store that is read back", R"yaml(
buffers:
  in: {type: unsigned, length: 512, init: "i * 3"}
  middle: {type: unsigned, length: 512}
  out: {type: unsigned, length: 512}
launch: {grid: 1, block: 128}
verify: {out: "out[i] == (i ^ 511) * 3 + 1"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* middle, unsigned* out) {
  __shared__ __align__(16) unsigned tile[512];
  const unsigned me = threadIdx.x;
  for (int i = me; i < 512; i += 128) tile[i] = in[i] + 1;
  __syncthreads();  //-
  if (me == 0) {
    fence_proxy();  //-
    store(middle, tile, 2048);
    commit_bulk();   //-
    wait_bulk<0>();  //= wait_read<0>();
  }
  __syncthreads();  //-
  for (int i = me; i < 512; i += 128) out[i] = middle[i ^ 511];
}
)cuda"},
    {"a bulk load, in place, and a bulk store", R"yaml(
buffers:
  in: {type: unsigned, length: 2048, init: "i * 3"}
  out: {type: unsigned, length: 2048}
launch: {grid: 2, block: 64}
verify: {out: "out[i] == i * 6 + 1"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[2][256];
  __shared__ Barrier arrived[2];
  const unsigned me = threadIdx.x, first = blockIdx.x * 1024;
  const auto begin = [&](int t) {
    expect(arrived[t % 2], 1024);
    load(tile[t % 2], in + first + t * 256, 1024, arrived[t % 2]);
  };
  if (me == 0) {
    make(arrived[0], 1);
    make(arrived[1], 1);
    begin(0);
  }
  __syncthreads();  //-
  for (int t = 0; t < 4; ++t) {
    if (me == 0 && t < 3) {
      wait_read<0>();  //-
      begin(t + 1);
    }
    wait_for(arrived[t % 2], t / 2);  //-
    for (int i = me; i < 256; i += 64) tile[t % 2][i] = tile[t % 2][i] * 2 + 1;
    fence_proxy();    //-
    __syncthreads();  //-
    if (me == 0) {
      store(out + first + t * 256, tile[t % 2], 1024);
      commit_bulk();  //-
    }
  }
  if (me == 0) wait_read<0>();  //-
}
)cuda"},
    {"a tensor's boxes with a swizzle", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i * 3"}
  out: {type: unsigned, length: 4096}
arguments: [{tensor: in, shape: [64, 64], box: [32, 16], swizzle: 128}, out]
launch: {grid: [2, 4], block: 128}
verify: {out: "out[i] == i * 3"})yaml",
     R"cuda(
__global__ void kernel(const __grid_constant__ CUtensorMap map, unsigned* out) {
  __shared__ __align__(1024) unsigned tile[16 * 32];
  __shared__ Barrier arrived;
  const unsigned me = threadIdx.x;
  if (me == 0) {
    make(arrived, 1);
  }
  __syncthreads();  //-
  if (me == 0) {
    expect(arrived, 2048);  //= expect(arrived, 1024);
    load_box(tile, &map, blockIdx.x * 32, blockIdx.y * 16, arrived);
  }
  wait_for(arrived, 0);  //-
  for (int i = me; i < 512; i += 128) {
    const int y = i / 32, x = i % 32;
    out[(blockIdx.y * 16 + y) * 64 + blockIdx.x * 32 + x] = tile[y * 32 + (x ^ y % 8 * 4)];
  }
}
)cuda"},
    {"a tensor's boxes stored", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i * 3"}
  out: {type: unsigned, length: 4096}
arguments: [in, {tensor: out, shape: [64, 64], box: [32, 16]}]
launch: {grid: 2, block: 128}
verify: {out: "out[i] == i * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, const __grid_constant__ CUtensorMap map) {
  __shared__ __align__(128) unsigned tile[2][16 * 32];
  const unsigned me = threadIdx.x;
  for (int t = 0; t < 4; ++t) {
    if (me == 0) {
      wait_read<1>();  //-
    }
    __syncthreads();  //-
    for (int i = me; i < 512; i += 128) {
      tile[t % 2][i] = in[(t * 16 + i / 32) * 64 + blockIdx.x * 32 + i % 32];
    }
    fence_proxy();    //-
    __syncthreads();  //-
    if (me == 0) {
      store_box(&map, blockIdx.x * 32, t * 16, tile[t % 2]);
      commit_bulk();  //-
    }
  }
  if (me == 0) wait_read<0>();  //-
}
)cuda"},
    {"a warp that loads and warps that compute", R"yaml(
buffers:
  in: {type: unsigned, length: 8192, init: "i * 3"}
  out: {type: unsigned, length: 8192}
launch: {grid: 2, block: 160}
verify: {out: "out[i] == (i ^ 255) * 3"})yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[3][256];
  __shared__ Barrier full[3], empty[3];
  const unsigned me = threadIdx.x, first = blockIdx.x * 4096;
  if (me == 0) {
    for (int s = 0; s < 3; ++s) {
      make(full[s], 1);
      make(empty[s], 128);
    }
    fence_barriers();
  }
  __syncthreads();  //-
  if (me >= 128) {
    if (me > 128) return;
    for (int t = 0; t < 16; ++t) {
      const int s = t % 3, round = t / 3;
      wait_for(empty[s], (round + 1) % 2);  //-
      expect(full[s], 1024);                //-
      load(tile[s], in + first + t * 256, 1024, full[s]);
    }
    return;
  }
  for (int t = 0; t < 16; ++t) {
    const int s = t % 3, round = t / 3;
    wait_for(full[s], round % 2);  //-
    for (int i = me; i < 256; i += 128) out[first + t * 256 + i] = tile[s][i ^ 255];
    arrive(empty[s]);  //-
  }
}
)cuda"},
    {"a sum by bulk additions", R"yaml(
buffers:
  in: {type: unsigned, length: 4096, init: "i % 97"}
  out: {type: unsigned, length: 256, init: "0"}
launch: {grid: 8, block: 64}
verify:
  out: >-
    out[i] == [&] {
      unsigned s = 0;
      for (int k = i; k < 4096; k += 256) s += k % 97;
      return s; }()
)yaml",
     R"cuda(
__global__ void kernel(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned part[256];
  const unsigned me = threadIdx.x;
  for (int t = 0; t < 2; ++t) {
    for (int i = me; i < 256; i += 64) part[i] = in[(blockIdx.x * 2 + t) * 256 + i];
    fence_proxy();    //-
    __syncthreads();  //-
    if (me == 0) {
      add(out, part, 1024);  //= store(out, part, 1024);
      commit_bulk();   //-
      wait_read<0>();  //-
    }
    __syncthreads();  //-
  }
}
)cuda"},
};

}  // namespace sweep
