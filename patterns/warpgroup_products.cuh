// Products of a warpgroup: its 128 threads multiply 64 rows of a by columns of b, which both lie in
// shared memory, along 16 elements (PTX ISA, "wgmma.mma_async").
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Where a matrix lies whose lines have `row` bytes, swizzled so, line after line: 8 of them are
// what the next 8 lie behind.
__device__ inline uint64_t matrix_at(const void* start, uint32_t row) {
  const uint64_t mode = row == 128 ? 1 : row == 64 ? 2 : 3;
  return uint64_t(__cvta_generic_to_shared(start)) >> 4 | uint64_t(8 * row >> 4) << 32 | mode << 62;
}
// 16 elements further along the lines: a descriptor counts in 16 bytes.
constexpr uint64_t next_along = 2;

// What the threads have computed in registers is there for the products that follow.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// All products so far are complete.
__device__ inline void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SUMS_8(i)                                                                       \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define NAMES_0 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_1 \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_2 \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define NAMES_3 \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define MULTIPLY_64(type) \
  asm volatile("{ .reg .pred adds; setp.ne.b32 adds, 1, 0; " \
               "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {" NAMES_0 "}, " \
               "%32, %33, adds, 1, 1, 0, 0; }" \
               : SUMS_32(0) : "l"(a), "l"(b))
#define MULTIPLY_128(type) \
  asm volatile("{ .reg .pred adds; setp.ne.b32 adds, 1, 0; " \
               "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" NAMES_0 ", " NAMES_1 "}, " \
               "%64, %65, adds, 1, 1, 0, 0; }" \
               : SUMS_32(0), SUMS_32(32) : "l"(a), "l"(b))
#define MULTIPLY_256(type) \
  asm volatile("{ .reg .pred adds; setp.ne.b32 adds, 1, 0; " \
               "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {" NAMES_0 ", " NAMES_1 ", " NAMES_2 ", " NAMES_3 "}, " \
               "%128, %129, adds, 1, 1, 0, 0; }" \
               : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96) : "l"(a), "l"(b))

// Adds the product of matrices that lie there to d, of which each thread has elements of its own.
template <int count>
__device__ inline void multiply(float (&d)[count], uint64_t a, uint64_t b, half) {
  static_assert(count == 32 || count == 64 || count == 128, "TILE_N is 64, 128 or 256");
  if constexpr (count == 32) MULTIPLY_64("f16");
  if constexpr (count == 64) MULTIPLY_128("f16");
  if constexpr (count == 128) MULTIPLY_256("f16");
}
template <int count>
__device__ inline void multiply(float (&d)[count], uint64_t a, uint64_t b, __nv_bfloat16) {
  static_assert(count == 32 || count == 64 || count == 128, "TILE_N is 64, 128 or 256");
  if constexpr (count == 32) MULTIPLY_64("bf16");
  if constexpr (count == 64) MULTIPLY_128("bf16");
  if constexpr (count == 128) MULTIPLY_256("bf16");
}
