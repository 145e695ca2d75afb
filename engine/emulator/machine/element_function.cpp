#include "engine/emulator/machine/element_function.h"

#include <algorithm>
#include <array>
#include <numeric>

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

}  // namespace sweep
