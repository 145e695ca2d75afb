#include "engine/emulator/machine/element_function.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "engine/emulator/machine/grid_run.h"

namespace sweep {

ElementFunction::ElementFunction(Launch launch) : launch_(std::move(launch)) {
  // Large enough for any element.
  constexpr std::uint32_t widest_grid = 0x7fffffff;
  launch_.grid = {widest_grid, 1, 1};
  launch_.block = {warp_size, 1, 1};
  prepare_launch(launch_);
  count_.sites.resize(launch_.kernel->memory.size());
  run_ = std::make_unique<BlockRun>(launch_, count_);
}

void ElementFunction::run(std::span<const std::uint64_t> elements) {
  while (!elements.empty()) {
    const auto part = elements.first(std::min<std::size_t>(elements.size(), warp_size));
    run_->start_elements(part);
    run_->finish();
    elements = elements.subspan(part.size());
  }
}

void ElementFunction::run_range(std::uint64_t begin, std::uint64_t end) {
  std::array<std::uint64_t, warp_size> elements{};
  while (begin < end) {
    const auto count = std::min<std::uint64_t>(warp_size, end - begin);
    std::iota(elements.begin(), elements.end(), begin);
    run(std::span(elements).first(static_cast<std::size_t>(count)));
    begin += count;
  }
}

LazyValues::LazyValues(Allocation& allocation, std::uint64_t length, MakeFunction make_init,
                       std::recursive_mutex& mutex)
    : allocation_(allocation),
      length_(length),
      make_init_(std::move(make_init)),
      known_(length, allocation.element_bytes),
      mutex_(mutex) {
  allocation_.lazy = this;
}

void LazyValues::ensure(const std::uint64_t* begin, std::uint64_t count, std::uint32_t mask) {
  const auto first = [&](unsigned lane) { return begin[lane] / allocation_.element_bytes; };
  const auto end = [&](unsigned lane) {
    return std::min((begin[lane] + count - 1) / allocation_.element_bytes + 1, length_);
  };
  bool is_missing = false;
  for_each_lane(mask, [&](unsigned lane) {
    is_missing = is_missing || !known_.all(first(lane), end(lane) - first(lane));
  });
  if (!is_missing) return;
  const std::scoped_lock lock(mutex_);
  std::vector<std::uint64_t> elements;
  for_each_lane(mask, [&](unsigned lane) {
    for (std::uint64_t at = first(lane); at < end(lane); ++at) {
      if (!known_.all(at, 1)) elements.push_back(at);
    }
  });
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  if (init_ == nullptr) init_ = make_init_();
  init_->run(elements);
  // Other threads see the values with the marks, which are set afterwards.
  for (const std::uint64_t element : elements) known_.set(element, 1);
}

void LazyValues::complete(unsigned threads) {
  constexpr std::uint64_t chunk = 1U << 14U;
  const auto compute = [this](const std::unique_ptr<ElementFunction>& init, std::uint64_t begin,
                              std::uint64_t end) {
    std::uint64_t run = begin;
    // Whole runs of what is missing; values that are there may have been overwritten since.
    for (std::uint64_t at = known_.find_from(begin); at < end; at = known_.find_from(at + 1)) {
      init->run_range(run, at);
      run = at + 1;
    }
    init->run_range(run, end);
  };
  share_out(length_, chunk, threads, make_init_, compute);
  allocation_.lazy = nullptr;
}

}  // namespace sweep
