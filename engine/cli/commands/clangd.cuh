// Written by sweep for clangd. What clang needs to read a pattern as NVRTC does: CUDA's headers where
// they are found, and declarations of what NVRTC has built in.
#pragma once
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#define __CUDA_ARCH_LIST__ 900
#define __CUDA_ARCH_FEAT_SM90_ALL 1

#include <__clang_cuda_math_forward_declares.h>
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmath>

#if __has_include(<cuda_runtime.h>)
// Their declarations of device functions are not what clang can read; clang has its own.
#define __COMMON_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __MATH_FUNCTIONS_H__
#include <cuda_runtime.h>
#else
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define SWEEP_VECTORS(NAME, T)                                                                     \
  struct NAME##1 { T x; };                                                                         \
  struct alignas(sizeof(T) < 8 ? 2 * sizeof(T) : 16) NAME##2 { T x, y; };                          \
  struct NAME##3 { T x, y, z; };                                                                   \
  struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) NAME##4 { T x, y, z, w; };                    \
  __host__ __device__ inline NAME##1 make_##NAME##1(T x) { return {x}; }                           \
  __host__ __device__ inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                   \
  __host__ __device__ inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }           \
  __host__ __device__ inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SWEEP_VECTORS(char, signed char)
SWEEP_VECTORS(uchar, unsigned char)
SWEEP_VECTORS(short, short)
SWEEP_VECTORS(ushort, unsigned short)
SWEEP_VECTORS(int, int)
SWEEP_VECTORS(uint, unsigned int)
SWEEP_VECTORS(long, long)
SWEEP_VECTORS(ulong, unsigned long)
SWEEP_VECTORS(longlong, long long)
SWEEP_VECTORS(ulonglong, unsigned long long)
SWEEP_VECTORS(float, float)
SWEEP_VECTORS(double, double)
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
#endif
#if !defined(CUDART_VERSION) || CUDART_VERSION < 13000
#define SWEEP_DEFINES_ALIGNED_VECTORS
#endif
#if __has_include(<cuda.h>)
#include <cuda.h>
#else
struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif
#undef __grid_constant__
#define __grid_constant__

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return {x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }

extern "C" {
__device__ int printf(const char*, ...);
__device__ void* malloc(size_t);
__device__ void free(void*);
__device__ void __assert_fail(const char*, const char*, unsigned, const char*);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);
}

template <class T>
struct sweep_itself {
  using type = T;
};
// An argument of this type is converted to T, and does not say what T is.
template <class T>
using sweep_as = typename sweep_itself<T>::type;

#define SWEEP_ATOMIC(NAME, ...)                                    \
  template <class T> __device__ T NAME(T*, __VA_ARGS__);           \
  template <class T> __device__ T NAME##_block(T*, __VA_ARGS__);   \
  template <class T> __device__ T NAME##_system(T*, __VA_ARGS__);
SWEEP_ATOMIC(atomicAdd, sweep_as<T>)
SWEEP_ATOMIC(atomicSub, sweep_as<T>)
SWEEP_ATOMIC(atomicExch, sweep_as<T>)
SWEEP_ATOMIC(atomicMin, sweep_as<T>)
SWEEP_ATOMIC(atomicMax, sweep_as<T>)
SWEEP_ATOMIC(atomicInc, sweep_as<T>)
SWEEP_ATOMIC(atomicDec, sweep_as<T>)
SWEEP_ATOMIC(atomicAnd, sweep_as<T>)
SWEEP_ATOMIC(atomicOr, sweep_as<T>)
SWEEP_ATOMIC(atomicXor, sweep_as<T>)
SWEEP_ATOMIC(atomicCAS, sweep_as<T>, sweep_as<T>)

#define SWEEP_LOAD(NAME) template <class T> __device__ T NAME(const T*);
SWEEP_LOAD(__ldg)
SWEEP_LOAD(__ldca)
SWEEP_LOAD(__ldcg)
SWEEP_LOAD(__ldcs)
SWEEP_LOAD(__ldcv)
SWEEP_LOAD(__ldlu)
#define SWEEP_STORE(NAME) template <class T> __device__ void NAME(T*, sweep_as<T>);
SWEEP_STORE(__stwb)
SWEEP_STORE(__stcg)
SWEEP_STORE(__stcs)
SWEEP_STORE(__stwt)

#define SWEEP_SHUFFLE(NAME, LANE) template <class T> __device__ T NAME(unsigned, T, LANE, int = 32);
SWEEP_SHUFFLE(__shfl_sync, int)
SWEEP_SHUFFLE(__shfl_up_sync, unsigned)
SWEEP_SHUFFLE(__shfl_down_sync, unsigned)
SWEEP_SHUFFLE(__shfl_xor_sync, int)
template <class T> __device__ unsigned __match_any_sync(unsigned, T);
template <class T> __device__ unsigned __match_all_sync(unsigned, T, int*);
__device__ void __syncwarp(unsigned = ~0u);
__device__ void __barrier_sync(unsigned);
__device__ void __barrier_sync_count(unsigned, unsigned);
__device__ int __all_sync(unsigned, int);
__device__ int __any_sync(unsigned, int);
__device__ int __uni_sync(unsigned, int);
__device__ unsigned __ballot_sync(unsigned, int);
__device__ unsigned __activemask();
__device__ unsigned __fns(unsigned, unsigned, int);
__device__ unsigned __reduce_add_sync(unsigned, unsigned);
__device__ unsigned __reduce_min_sync(unsigned, unsigned);
__device__ unsigned __reduce_max_sync(unsigned, unsigned);
__device__ unsigned __reduce_and_sync(unsigned, unsigned);
__device__ unsigned __reduce_or_sync(unsigned, unsigned);
__device__ unsigned __reduce_xor_sync(unsigned, unsigned);
__device__ int __reduce_add_sync(unsigned, int);
__device__ int __reduce_min_sync(unsigned, int);
__device__ int __reduce_max_sync(unsigned, int);

__device__ unsigned __funnelshift_l(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_lc(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_r(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_rc(unsigned, unsigned, unsigned);
__device__ int __dp4a(int, int, int);
__device__ unsigned __dp4a(unsigned, unsigned, unsigned);
__device__ void __nanosleep(unsigned);

__device__ size_t __cvta_generic_to_global(const void*);
__device__ size_t __cvta_generic_to_shared(const void*);
__device__ size_t __cvta_generic_to_constant(const void*);
__device__ size_t __cvta_generic_to_local(const void*);
__device__ void* __cvta_global_to_generic(size_t);
__device__ void* __cvta_shared_to_generic(size_t);
__device__ void* __cvta_constant_to_generic(size_t);
__device__ void* __cvta_local_to_generic(size_t);
__device__ unsigned __isGlobal(const void*);
__device__ unsigned __isShared(const void*);
__device__ unsigned __isConstant(const void*);
__device__ unsigned __isLocal(const void*);

__device__ dim3 __clusterDim();
__device__ dim3 __clusterGridDimInClusters();
__device__ dim3 __clusterIdx();
__device__ dim3 __clusterRelativeBlockIdx();
__device__ unsigned __clusterDimIsSpecified();
__device__ unsigned __clusterRelativeBlockRank();
__device__ unsigned __clusterSizeInBlocks();
__device__ unsigned __cluster_query_shared_rank(const void*);
__device__ void* __cluster_map_shared_rank(const void*, unsigned);
__device__ void __cluster_barrier_arrive();
__device__ void __cluster_barrier_arrive_relaxed();
__device__ void __cluster_barrier_wait();

template <class T> __device__ T tex1Dfetch(cudaTextureObject_t, int);
template <class T> __device__ T tex1D(cudaTextureObject_t, float);
template <class T> __device__ T tex2D(cudaTextureObject_t, float, float);
template <class T> __device__ T tex3D(cudaTextureObject_t, float, float, float);

namespace cooperative_groups {}
namespace cub {}
namespace cuda {}
namespace nvcuda {
namespace wmma {}
}
namespace thrust {}
