#include "engine/emulator/execution/lazy_values.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <exception>

#include "engine/emulator/machine/thread_team.h"

namespace sweep {

LazyValues::LazyValues(Allocation& allocation, std::uint64_t length, MakeFunction make_init,
                       std::recursive_mutex& mutex)
    : allocation_(allocation),
      length_(length),
      make_init_(std::move(make_init)),
      known_(length, allocation.element_bytes),
      mutex_(mutex) {
  allocation_.lazy = this;
}

LazyValues::~LazyValues() {
  allocation_.lazy = nullptr;
}

bool LazyValues::are_known(std::uint64_t begin, std::uint64_t count) const {
  const std::uint64_t first = begin / allocation_.element_bytes;
  const std::uint64_t last = (begin + count - 1) / allocation_.element_bytes;
  return known_.all(first, std::min(last, length_ - 1) - first + 1);
}

std::vector<std::uint64_t> LazyValues::missing_elements(const std::uint64_t* begin,
                                                        std::uint64_t count,
                                                        std::uint32_t mask) const {
  std::vector<std::uint64_t> elements;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = begin[std::countr_zero(rest)];
    const std::uint64_t last =
        std::min((first + count - 1) / allocation_.element_bytes, length_ - 1);
    for (std::uint64_t at = first / allocation_.element_bytes; at <= last; ++at) {
      if (!known_.all(at, 1)) elements.push_back(at);
    }
  }
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

void LazyValues::ensure(const std::uint64_t* begin, std::uint64_t count, std::uint32_t mask) {
  bool is_missing = false;
  for (std::uint32_t rest = mask; rest != 0 && !is_missing; rest &= rest - 1) {
    is_missing = !are_known(begin[std::countr_zero(rest)], count);
  }
  if (!is_missing) return;
  const std::scoped_lock lock(mutex_);
  const std::vector<std::uint64_t> elements = missing_elements(begin, count, mask);
  if (init_ == nullptr) init_ = make_init_();
  init_->run(elements);
  // Other threads see the values with the marks, which are set afterwards.
  for (const std::uint64_t element : elements) known_.set(element, 1);
}

void LazyValues::complete(unsigned threads) {
  constexpr std::uint64_t chunk = 1U << 14U;
  std::atomic<std::uint64_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    try {
      const std::unique_ptr<ElementFunction> init = make_init_();
      for (std::uint64_t begin = next.fetch_add(chunk); begin < length_;
           begin = next.fetch_add(chunk)) {
        const std::uint64_t end = std::min(length_, begin + chunk);
        std::uint64_t run = begin;
        // Whole runs of what is missing; values that are there may have been overwritten since.
        for (std::uint64_t at = known_.find_from(begin); at < end; at = known_.find_from(at + 1)) {
          init->run_range(run, at);
          run = at + 1;
        }
        init->run_range(run, end);
      }
    } catch (...) {
      const std::scoped_lock lock(failure_mutex);
      if (failure == nullptr) failure = std::current_exception();
      next = length_;
    }
  };
  const std::uint64_t chunks = (length_ + chunk - 1) / chunk;
  run_on_threads(static_cast<unsigned>(std::min<std::uint64_t>(threads, chunks)), work);
  if (failure != nullptr) std::rethrow_exception(failure);
  allocation_.lazy = nullptr;
}

}  // namespace sweep
