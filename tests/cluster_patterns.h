#pragma once

#include <ostream>
#include <string>

// Patterns whose blocks work together, and verify each element against what it is by its index: for
// the emulator and for GPUs, which so give the same.

namespace sweep {

struct ClusterPattern {
  const char* name;
  const char* header;  ///< but for its beginning and end
  const char* cuda;
  bool has_clusters = true;  ///< needs compute capability 9.0

  std::string text() const {
    return std::string("/* pattern:\nkernel: work\nuseful: {read: 1}\n") + header + "*/\n" +
           R"cuda(#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ inline unsigned in_shared(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ inline unsigned in_block(unsigned place, unsigned rank) {
  unsigned mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(place), "r"(rank));
  return mapped;
}
__device__ inline void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Where something else arrives than is expected the result tells, not a kernel that hangs.
__device__ inline bool waits(unsigned barrier) {
  unsigned done = 0;
  for (int turn = 0; !done && turn < 10000; ++turn) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 "
                 "p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier) : "memory");
    if (!done) __nanosleep(500);
  }
  return done;
}
// An mbarrier of one arrival in each block, which all of the cluster may use from then on.
__device__ inline unsigned begin(unsigned long long* arrived) {
  const unsigned barrier = in_shared(arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  cg::this_cluster().sync();
  return barrier;
}
)cuda" + cuda;
  }
  friend std::ostream& operator<<(std::ostream& out, const ClusterPattern& row) {
    return out << row.name;
  }
};

inline const ClusterPattern cluster_patterns[] = {
    {"a block reads what the next has",
     R"yaml(parameters: {CLUSTER: 4}
buffers: {out: {type: int, length: 2048}}
launch: {grid: 16, block: 128, shared: 512, cluster: CLUSTER}
verify: "out[i] == (i / (128 * CLUSTER) * CLUSTER + (i / 128 + 1) % CLUSTER) * 1000 + i % 128"
)yaml",
     R"cuda(
__global__ void work(int* out) {
  extern __shared__ int words[];
  const cg::cluster_group cluster = cg::this_cluster();
  words[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int* theirs = cluster.map_shared_rank(words, next);
  out[blockIdx.x * 128 + threadIdx.x] =
      cluster.query_shared_rank(theirs) == next ? theirs[threadIdx.x] : -1;
  cluster.sync();
}
)cuda"},
    {"the places of a cluster's blocks",
     R"yaml(buffers: {out: {type: int, length: 24}}
launch: {grid: [4, 3, 2], block: 32, cluster: [2, 1, 2]}
verify: >-
  out[i] == i % 4 % 2 + 10 * (i / 12) + 100 * (i % 2 + i / 12 * 2) + 1000 * (i % 4 / 2)
  + 10000 * (i / 4 % 3) + 100000 * 212 + 4
)yaml",
     R"cuda(
__global__ void work(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  int x, y;
  asm("mov.u32 %0, %%clusterid.x; mov.u32 %1, %%clusterid.y;" : "=r"(x), "=r"(y));
  const dim3 place = cluster.block_index(), size = cluster.dim_blocks();
  if (threadIdx.x > 0) return;
  out[(blockIdx.z * 3 + blockIdx.y) * 4 + blockIdx.x] =
      place.x + 10 * place.z + 100 * cluster.block_rank() + 1000 * x + 10000 * y +
      100000 * (size.x * 100 + size.y * 10 + size.z) + cluster.num_blocks();
}
)cuda"},
    {"a histogram in the cluster's shared memory",
     R"yaml(parameters: {N: 64 Ki, BINS: 1 Ki, CLUSTER: 8}
buffers:
  bins: {type: unsigned, length: BINS, init: "0"}
  in: {type: unsigned, length: N, init: "unsigned(permuted(i, N, 3))"}
launch: {grid: 16, block: 256, shared: 4 * BINS / CLUSTER, cluster: CLUSTER}
verify: {bins: "bins[i] == N / BINS"}
)yaml",
     R"cuda(
__global__ void work(unsigned* bins, const unsigned* in) {
  extern __shared__ unsigned own[];
  const cg::cluster_group cluster = cg::this_cluster();
  constexpr int each = BINS / CLUSTER;
  for (int i = threadIdx.x; i < each; i += blockDim.x) own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    const unsigned bin = in[i] % BINS;
    atomicAdd(cluster.map_shared_rank(own, bin / each) + bin % each, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < each; i += blockDim.x) {
    atomicAdd(bins + cluster.block_rank() * each + i, own[i]);
  }
}
)cuda"},
    {"sums in the first block, with arrivals and waits apart",
     R"yaml(buffers: {out: {type: int, length: 8}}
launch: {grid: 32, block: 64, cluster: 4}
verify: "out[i] == 64 * (16 * i + 6) + 4 * 2016"
)yaml",
     R"cuda(
__global__ void work(int* out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), blockIdx.x + threadIdx.x);
  auto token = cluster.barrier_arrive();
  const int place = blockIdx.x / 4;
  cluster.barrier_wait(static_cast<decltype(token)&&>(token));
  if (cluster.thread_rank() == 0) out[place] = sum;
}
)cuda"},
    {"st.async, red.async and arrivals from afar",
     R"yaml(buffers: {out: {type: int, length: 1024}}
launch: {grid: 8, block: 128, cluster: 2}
verify: "out[i] == int(i ^ 128) * 3 + 5"
)yaml",
     R"cuda(
__global__ void work(int* out) {
  __shared__ int words[128], sums[128];
  __shared__ unsigned long long arrived;
  const int i = blockIdx.x * 128 + threadIdx.x;
  const unsigned other = cg::this_cluster().block_rank() ^ 1;
  sums[threadIdx.x] = 2;
  const unsigned barrier = begin(&arrived);
  const unsigned theirs = in_block(barrier, other);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 1024;" ::"r"(theirs)
                 : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs)
                 : "memory");
  }
  __syncthreads();
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::
                   "r"(in_block(in_shared(words + threadIdx.x), other)), "r"(i * 3), "r"(theirs)
               : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
               "[%0], 3, [%1];" ::"r"(in_block(in_shared(sums + threadIdx.x), other)), "r"(theirs)
               : "memory");
  out[i] = waits(barrier) ? words[threadIdx.x] + sums[threadIdx.x] : -1;
  cg::this_cluster().sync();
}
)cuda"},
    {"a bulk copy to another block",
     R"yaml(buffers: {out: {type: int, length: 1024}}
launch: {grid: 8, block: 128, cluster: 4}
verify: "out[i] == (i / 512 * 4 + (i / 128 + 3) % 4) * 128 + i % 128"
)yaml",
     R"cuda(
__global__ void work(int* out) {
  __shared__ __align__(16) int words[128];
  __shared__ __align__(16) int got[128];
  __shared__ unsigned long long arrived;
  const int i = blockIdx.x * 128 + threadIdx.x;
  words[threadIdx.x] = i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  const unsigned barrier = begin(&arrived);
  const unsigned next = (cg::this_cluster().block_rank() + 1) % 4;
  if (threadIdx.x == 0) {
    expect(barrier, 512);
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], "
                 "512, [%2];" ::"r"(in_block(in_shared(got), next)), "r"(in_shared(words)),
                 "r"(in_block(barrier, next)) : "memory");
  }
  out[i] = waits(barrier) ? got[threadIdx.x] : -1;
  cg::this_cluster().sync();
}
)cuda"},
    {"a bulk copy to several blocks",
     R"yaml(buffers:
  out: {type: int, length: 1024}
  in: {type: int, length: 128, init: "int(i * 5)"}
launch: {grid: 8, block: 128, cluster: 4}
verify: {out: "out[i] == (i / 128 % 4 == 2 ? 7 : int(i % 128 * 5))"}
)yaml",
     R"cuda(
__global__ void work(int* out, const int* in) {
  __shared__ __align__(16) int got[128];
  __shared__ unsigned long long arrived;
  got[threadIdx.x] = 7;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  const unsigned barrier = begin(&arrived), rank = cg::this_cluster().block_rank();
  if (threadIdx.x == 0 && rank != 2) expect(barrier, 512);
  cg::this_cluster().sync();
  if (threadIdx.x == 0 && rank == 1) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], 512, [%2], %3;" ::"r"(in_shared(got)), "l"(in),
                 "r"(barrier), "h"((unsigned short)0b1011) : "memory");
  }
  const bool has_come = rank == 2 || waits(barrier);
  out[blockIdx.x * 128 + threadIdx.x] = has_come ? got[threadIdx.x] : -1;
  cg::this_cluster().sync();
}
)cuda"},
    {"a tensor's box to several blocks",
     R"yaml(buffers:
  out: {type: int, length: 1024}
  in: {type: int, length: 32 * 32, init: "int(i)"}
arguments: [out, {tensor: in, shape: [32, 32], box: [16, 8]}]
launch: {grid: 8, block: 128, cluster: 2}
verify: {out: "out[i] == int((i % 128 / 16 + 4) * 32 + 8 + i % 16)"}
)yaml",
     R"cuda(
__global__ void work(int* out, const __grid_constant__ CUtensorMap map) {
  __shared__ __align__(128) int got[128];
  __shared__ unsigned long long arrived;
  const unsigned barrier = begin(&arrived);
  if (threadIdx.x == 0) expect(barrier, 512);
  cg::this_cluster().sync();
  if (threadIdx.x == 0 && cg::this_cluster().block_rank() == 1) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(in_shared(got)),
                 "l"(&map), "r"(barrier), "r"(8), "r"(4), "h"((unsigned short)3) : "memory");
  }
  out[blockIdx.x * 128 + threadIdx.x] = waits(barrier) ? got[threadIdx.x] : -1;
  cg::this_cluster().sync();
}
)cuda"},
    {"a kernel that is compiled for clusters",
     R"yaml(buffers: {out: {type: int, length: 256}}
launch: {grid: 8, block: 32}
verify: "out[i] == int(i / 32 % 2 * 10 + 2)"
)yaml",
     R"cuda(
__global__ void __cluster_dims__(2, 1, 1) work(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  out[blockIdx.x * 32 + threadIdx.x] = cluster.block_rank() * 10 + cluster.num_blocks();
}
)cuda"},
    {"all blocks wait for each other",
     R"yaml(buffers: {out: {type: int, length: 4096}, turn: {type: int, length: 4096}}
launch: {grid: 32, block: 128, cooperative: true}
verify: {out: "out[i] == int(4 * i + 10)"}
)yaml",
     R"cuda(
__global__ void work(int* out, int* turn) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank(), n = grid.num_threads();
  out[i] = 0;
  turn[i] = i;
  for (int step = 0; step < 4; ++step) {
    grid.sync();
    out[i] += turn[(i + step + 1) % n] + (i + step + 1 >= n ? n : 0);
  }
}
)cuda",
     false},
    {"clusters that wait for each other",
     R"yaml(buffers: {out: {type: int, length: 2048}}
launch: {grid: 16, block: 128, cluster: 2, cooperative: true}
verify: "out[i] == int(2047 - i)"
)yaml",
     R"cuda(
__global__ void work(int* out) {
  __shared__ int words[128];
  cg::grid_group grid = cg::this_grid();
  const cg::cluster_group cluster = cg::this_cluster();
  const int i = grid.thread_rank();
  words[threadIdx.x] = i ^ 128;
  cluster.sync();
  out[i] = cluster.map_shared_rank(words, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
  grid.sync();
  const int mirrored = out[2047 - i];
  grid.sync();
  out[i] = mirrored;
}
)cuda"},
    {"a block waits for a flag of a later one",
     R"yaml(buffers: {out: {type: int, length: 8}, flags: {type: int, length: 9, init: "0"}}
launch: {grid: 8, block: 32}
verify: {out: "out[i] == int(8 - i)"}
)yaml",
     R"cuda(
__global__ void work(int* out, int* flags) {
  if (threadIdx.x > 0) return;
  int value = 0;
  if (blockIdx.x < 7) {
    while ((value = atomicAdd(flags + blockIdx.x + 1, 0)) == 0) {
    }
  }
  out[blockIdx.x] = value + 1;
  __threadfence();
  atomicExch(flags + blockIdx.x, value + 1);
}
)cuda",
     false},
};

}  // namespace sweep
