#include "engine/cuda/clock_stamps.h"

#include <algorithm>
#include <array>
#include <vector>

namespace sweep {

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
  std::nth_element(clocks.begin(), middle, clocks.end());
  return *middle;
}

namespace {

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

constexpr std::uint64_t never_moved = ~std::uint64_t{0};

}  // namespace

ClockStamps::ClockStamps(std::size_t capacity, int multiprocessors, CUstream stream)
    : stream_(stream),
      blocks_(static_cast<std::uint32_t>(std::max(multiprocessors, 1))),
      slots_(2 * blocks_),
      on_device_(allocate_device_memory(capacity * slots_ * sizeof(ClockStamp))),
      on_host_(allocate_pinned_memory(capacity * slots_ * sizeof(ClockStamp))),
      module_(load_module(stamp_text)),
      stamp_(find_function(module_, "sweep_stamp")) {
  timer_step_ = find_timer_step();
  queue(0);
  synchronize(stream_);
}

std::uint64_t ClockStamps::find_timer_step() {
  const CUfunction function = find_function(module_, "sweep_timer_step");
  CUdeviceptr place = on_device_.get();
  std::array<void*, 1> arguments = {&place};
  const Driver& driver = Driver::get();
  driver.check(driver.launch(function, 1, 1, 1, 1, 1, 1, 0, stream_, arguments.data(), nullptr),
               "cuLaunchKernel");
  driver.check(driver.copy_to_host(on_host_.get(), place, sizeof(std::uint64_t), stream_),
               "cuMemcpyDtoHAsync");
  synchronize(stream_);
  const auto step = *static_cast<const std::uint64_t*>(on_host_.get());
  return step == never_moved ? 0 : step;
}

void ClockStamps::queue_reset(std::size_t count) {
  Driver::get().check(
      Driver::get().memory_set(on_device_.get(), 0, count * slots_ * sizeof(ClockStamp), stream_),
      "cuMemsetD8Async");
}

void ClockStamps::queue(std::size_t round) {
  CUdeviceptr place = on_device_.get() + round * slots_ * sizeof(ClockStamp);
  std::array<void*, 2> arguments = {&place, &slots_};
  Driver::get().check(
      Driver::get().launch(stamp_, blocks_, 1, 1, 1, 1, 1, 0, stream_, arguments.data(), nullptr),
      "cuLaunchKernel");
}

void ClockStamps::queue_fetch(std::size_t count) {
  Driver::get().check(Driver::get().copy_to_host(on_host_.get(), on_device_.get(),
                                                 count * slots_ * sizeof(ClockStamp), stream_),
                      "cuMemcpyDtoHAsync");
}

std::span<const ClockStamp> ClockStamps::round(std::size_t index) const {
  return {static_cast<const ClockStamp*>(on_host_.get()) + index * slots_, slots_};
}

}  // namespace sweep
