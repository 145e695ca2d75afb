#include "engine/cuda/blocking_kernel.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace sweep {
namespace {

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

/// The two words lie on lines of their own.
constexpr std::size_t line_bytes = 128;

std::atomic_ref<std::uint32_t> word(const PinnedMemory& words, std::size_t line) {
  auto* bytes = static_cast<std::byte*>(words.get()) + line * line_bytes;
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(bytes));
}

constexpr std::size_t opened = 0;
constexpr std::size_t given_up = 1;

}  // namespace

BlockingKernel::BlockingKernel(CUstream stream)
    : stream_(stream),
      words_(allocate_pinned_memory(2 * line_bytes)),
      module_(load_module(blocking_text)),
      function_(find_function(module_, "sweep_gate")) {
  word(words_, opened).store(ticket_);
  word(words_, given_up).store(ticket_);
  // Once without waiting, so that the function is loaded before the first hold.
  queue(ticket_, std::chrono::nanoseconds(0));
  synchronize(stream_);
}

void BlockingKernel::queue(std::uint32_t ticket, std::chrono::nanoseconds longest) {
  const CUdeviceptr base = device_address_of(words_);
  CUdeviceptr opened_word = base + opened * line_bytes;
  CUdeviceptr given_up_word = base + given_up * line_bytes;
  auto nanoseconds = static_cast<std::uint64_t>(longest.count());
  std::array<void*, 4> arguments = {&opened_word, &given_up_word, &ticket, &nanoseconds};
  Driver::get().check(
      Driver::get().launch(function_, 1, 1, 1, 1, 1, 1, 0, stream_, arguments.data(), nullptr),
      "cuLaunchKernel");
}

bool BlockingKernel::gave_up() const {
  return word(words_, given_up).load(std::memory_order_acquire) == ticket_;
}

StreamHold::StreamHold(BlockingKernel& kernel, std::chrono::nanoseconds longest) : kernel_(kernel) {
  ++kernel_.ticket_;
  kernel_.queue(kernel_.ticket_, longest);
}

void StreamHold::release() noexcept {
  word(kernel_.words_, opened).store(kernel_.ticket_, std::memory_order_release);
}

}  // namespace sweep
