#include "engine/cuda/l2_flush.h"

#include <algorithm>
#include <array>

namespace sweep {
namespace {

/// Reads `count` 16-byte elements of `data`. The sum is stored only if it has a value that zeroed
/// data cannot give, so that the reads are not optimised away. In PTX, since this room has no
/// compiler; every device since 5.0 runs it.
constexpr const char* read_through = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry sweep_read_through(.param .u64 data, .param .u64 count, .param .u64 sink)
{
  .reg .b64 %a, %n, %s, %i, %step, %p;
  .reg .b32 %t, %x, %y, %z, %w, %sum, %b, %d, %g;
  .reg .pred %q;
  ld.param.u64 %a, [data];
  ld.param.u64 %n, [count];
  ld.param.u64 %s, [sink];
  cvta.to.global.u64 %a, %a;
  cvta.to.global.u64 %s, %s;
  mov.u32 %b, %ctaid.x;
  mov.u32 %d, %ntid.x;
  mov.u32 %g, %nctaid.x;
  mov.u32 %t, %tid.x;
  mad.wide.u32 %i, %b, %d, 0;
  cvt.u64.u32 %p, %t;
  add.u64 %i, %i, %p;
  mul.wide.u32 %step, %d, %g;
  mov.u32 %sum, 0;
loop:
  setp.ge.u64 %q, %i, %n;
  @%q bra done;
  shl.b64 %p, %i, 4;
  add.u64 %p, %p, %a;
  ld.global.v4.u32 {%x, %y, %z, %w}, [%p];
  xor.b32 %sum, %sum, %x;
  xor.b32 %sum, %sum, %y;
  xor.b32 %sum, %sum, %z;
  xor.b32 %sum, %sum, %w;
  add.u64 %i, %i, %step;
  bra loop;
done:
  setp.ne.u32 %q, %sum, 305419896;
  @%q bra end;
  st.global.u32 [%s], %sum;
end:
  ret;
}
)";

constexpr std::uint64_t element_bytes = 16;
constexpr unsigned threads_per_block = 512;

}  // namespace

L2Flush::L2Flush(std::uint64_t l2_bytes, int multiprocessors, CUstream stream)
    : bytes_(std::max<std::uint64_t>(2 * l2_bytes, 1U << 20U) / element_bytes * element_bytes),
      blocks_(4 * static_cast<unsigned>(std::max(multiprocessors, 1))),
      buffer_(allocate_device_memory(bytes_ + element_bytes)),
      module_(load_module(read_through)),
      function_(find_function(module_, "sweep_read_through")) {
  Driver::get().check(Driver::get().memory_set(buffer_.get(), 0, bytes_ + element_bytes, stream),
                      "cuMemsetD8Async");
}

void L2Flush::run(CUstream stream) const {
  CUdeviceptr data = buffer_.get();
  std::uint64_t count = bytes_ / element_bytes;
  CUdeviceptr sink = buffer_.get() + bytes_;
  std::array<void*, 3> arguments = {&data, &count, &sink};
  Driver::get().check(Driver::get().launch(function_, blocks_, 1, 1, threads_per_block, 1, 1, 0,
                                           stream, arguments.data(), nullptr),
                      "cuLaunchKernel");
}

}  // namespace sweep
