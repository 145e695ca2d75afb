#include "engine/cuda/measuring_kernels.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace sweep {
namespace {

/// Reads `count` 16-byte elements of `data`. The sum is stored only if it has a value that zeroed
/// data cannot give, so that the reads are not optimised away.
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

/// Waits until the word at `opened` has reached `ticket`, or for `patience` nanoseconds; then
/// writes the ticket to `given_up`. Tickets are compared by their difference, so they may wrap.
constexpr const char* blocking_text = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry sweep_gate(.param .u64 opened, .param .u64 given_up, .param .u32 ticket,
                           .param .u64 patience)
{
  .reg .b64 %open, %up, %patience, %begin, %now;
  .reg .b32 %ticket, %seen, %ahead;
  .reg .pred %q;
  ld.param.u64 %open, [opened];
  ld.param.u64 %up, [given_up];
  ld.param.u32 %ticket, [ticket];
  ld.param.u64 %patience, [patience];
  cvta.to.global.u64 %open, %open;
  cvta.to.global.u64 %up, %up;
  mov.u64 %begin, %globaltimer;
wait:
  ld.volatile.global.u32 %seen, [%open];
  sub.s32 %ahead, %seen, %ticket;
  setp.ge.s32 %q, %ahead, 0;
  @%q bra done;
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %q, %now, %patience;
  @%q bra wait;
  st.volatile.global.u32 [%up], %ticket;
done:
  ret;
}
)";

/// The kernel's two words lie on lines of their own.
constexpr std::size_t line_bytes = 128;
enum Word : std::size_t { opened, given_up };

std::atomic_ref<std::uint32_t> word(const PinnedMemory& words, Word which) {
  auto* bytes = static_cast<std::byte*>(words.get()) + which * line_bytes;
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(bytes));
}

/// sweep_stamp writes one ClockStamp to the place of its multiprocessor's number.
/// sweep_timer_step writes the smallest step seen of the nanosecond timer, reading it until it has
/// moved 64 times, but not for ever: on some devices it moves once in a millisecond.
constexpr const char* stamp_text = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry sweep_stamp(.param .u64 stamps, .param .u32 slots)
{
  .reg .b64 %to, %offset, %cycles, %time;
  .reg .b32 %sm, %n;
  .reg .pred %q;
  ld.param.u64 %to, [stamps];
  ld.param.u32 %n, [slots];
  cvta.to.global.u64 %to, %to;
  mov.u32 %sm, %smid;
  setp.ge.u32 %q, %sm, %n;
  @%q bra done;
  mul.wide.u32 %offset, %sm, 16;
  add.u64 %to, %to, %offset;
  mov.u64 %cycles, %clock64;
  mov.u64 %time, %globaltimer;
  st.global.v2.u64 [%to], {%cycles, %time};
done:
  ret;
}
.visible .entry sweep_timer_step(.param .u64 result)
{
  .reg .b64 %to, %last, %now, %step, %least;
  .reg .b32 %reads, %moves;
  .reg .pred %q;
  ld.param.u64 %to, [result];
  cvta.to.global.u64 %to, %to;
  mov.u64 %least, -1;
  mov.u32 %reads, 0;
  mov.u32 %moves, 0;
  mov.u64 %last, %globaltimer;
read:
  add.u32 %reads, %reads, 1;
  setp.gt.u32 %q, %reads, 200000;
  @%q bra done;
  mov.u64 %now, %globaltimer;
  sub.u64 %step, %now, %last;
  setp.eq.u64 %q, %step, 0;
  @%q bra read;
  mov.u64 %last, %now;
  min.u64 %least, %least, %step;
  add.u32 %moves, %moves, 1;
  setp.lt.u32 %q, %moves, 64;
  @%q bra read;
done:
  st.global.u64 [%to], %least;
  ret;
}
)";

}  // namespace

namespace {

std::uint64_t flush_bytes(std::uint64_t l2_bytes) {
  return std::max<std::uint64_t>(2 * l2_bytes, 1U << 20U) / element_bytes * element_bytes;
}

}  // namespace

L2Flush::L2Flush(std::uint64_t l2_bytes, int multiprocessors, CUstream stream)
    : bytes_(flush_bytes(l2_bytes)),
      blocks_(4 * static_cast<unsigned>(std::max(multiprocessors, 1))),
      buffer_(allocate_device_memory(bytes_ + element_bytes)),
      module_(load_module(read_through)),
      function_(find_function(module_, "sweep_read_through")) {
  Driver::get().memory_set(buffer_.get(), 0, bytes_ + element_bytes, stream);
}

L2Flush::L2Flush(const L2Flush& own, std::uint64_t l2_bytes, CUcontext owner)
    : bytes_(flush_bytes(l2_bytes)), blocks_(own.blocks_), function_(own.function_) {
  const ContextScope scope(owner);
  buffer_ = allocate_device_memory(bytes_ + element_bytes);
  Driver::get().memory_set(buffer_.get(), 0, bytes_ + element_bytes, nullptr);
  synchronize(nullptr);
}

void L2Flush::run(CUstream stream) const {
  constexpr unsigned threads_per_block = 512;
  const CUdeviceptr sink = buffer_.get() + bytes_;
  queue_launch(stream, function_, blocks_, threads_per_block, buffer_.get(), bytes_ / element_bytes,
               sink);
}

BlockingKernel::BlockingKernel(CUstream stream)
    : stream_(stream),
      words_(allocate_pinned_memory(2 * line_bytes)),
      module_(load_module(blocking_text)),
      function_(find_function(module_, "sweep_gate")) {
  word(words_, opened).store(ticket_);
  word(words_, given_up).store(ticket_);
  // Once without waiting, so that the function is loaded before the first hold.
  queue(std::chrono::nanoseconds(0));
  synchronize(stream_);
}

void BlockingKernel::queue(std::chrono::nanoseconds longest) const {
  const CUdeviceptr base = Driver::get().pinned_device_address.value(words_.get(), 0U);
  queue_launch(stream_, function_, 1, 1, base + opened * line_bytes, base + given_up * line_bytes,
               ticket_, static_cast<std::uint64_t>(longest.count()));
}

bool BlockingKernel::gave_up() const {
  return word(words_, given_up).load(std::memory_order_acquire) == ticket_;
}

StreamHold::StreamHold(BlockingKernel& kernel, std::chrono::nanoseconds longest) : kernel_(kernel) {
  ++kernel_.ticket_;
  kernel_.queue(longest);
}

void StreamHold::release() noexcept {
  word(kernel_.words_, opened).store(kernel_.ticket_, std::memory_order_release);
}

double mean_sm_clock(std::span<const ClockStamp> before, std::span<const ClockStamp> after,
                     std::uint64_t timer_step) {
  // An interval is known to one step of the timer.
  constexpr std::uint64_t fewest_steps = 100;
  if (timer_step == 0) return 0;
  std::vector<double> clocks;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const ClockStamp& first = before[i];
    const ClockStamp& last = after[i];
    if (first.nanoseconds == 0 || last.nanoseconds <= first.nanoseconds) continue;
    if (last.cycles <= first.cycles) continue;
    const std::uint64_t nanoseconds = last.nanoseconds - first.nanoseconds;
    if (nanoseconds / timer_step < fewest_steps) continue;
    clocks.push_back(static_cast<double>(last.cycles - first.cycles) /
                     static_cast<double>(nanoseconds) * 1e9);
  }
  if (clocks.empty()) return 0;
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::ranges::nth_element(clocks, middle);
  return *middle;
}

ClockStamps::ClockStamps(std::size_t capacity, int multiprocessors, CUstream stream)
    : stream_(stream),
      blocks_(static_cast<std::uint32_t>(std::max(multiprocessors, 1))),
      slots_(2 * blocks_),
      on_device_(allocate_device_memory(bytes_of(capacity))),
      on_host_(allocate_pinned_memory(bytes_of(capacity))),
      module_(load_module(stamp_text)),
      stamp_(find_function(module_, "sweep_stamp")) {
  timer_step_ = find_timer_step();
  queue(0);
  synchronize(stream_);
}

std::uint64_t ClockStamps::find_timer_step() const {
  constexpr std::uint64_t never_moved = ~std::uint64_t{0};
  queue_launch(stream_, find_function(module_, "sweep_timer_step"), 1, 1, on_device_.get());
  Driver::get().copy_to_host(on_host_.get(), on_device_.get(), sizeof(std::uint64_t), stream_);
  synchronize(stream_);
  const auto step = *static_cast<const std::uint64_t*>(on_host_.get());
  return step == never_moved ? 0 : step;
}

void ClockStamps::queue_reset(std::size_t count) const {
  Driver::get().memory_set(on_device_.get(), 0, bytes_of(count), stream_);
}

void ClockStamps::queue(std::size_t round) const {
  queue_launch(stream_, stamp_, blocks_, 1, on_device_.get() + bytes_of(round), slots_);
}

void ClockStamps::queue_fetch(std::size_t count) const {
  Driver::get().copy_to_host(on_host_.get(), on_device_.get(), bytes_of(count), stream_);
}

std::span<const ClockStamp> ClockStamps::round(std::size_t index) const {
  return {static_cast<const ClockStamp*>(on_host_.get()) + index * slots_, slots_};
}

}  // namespace sweep
