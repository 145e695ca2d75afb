#include "engine/cuda/batch_plan.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace sweep {
namespace {

/// Saturates: no device has more.
std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  return a > ~b ? ~std::uint64_t{0} : a + b;
}

std::uint64_t align(std::uint64_t offset, std::uint64_t alignment) {
  return add(offset, alignment - 1) / alignment * alignment;
}

}  // namespace

double sample_target(double event_step) {
  constexpr double steps = 200;
  constexpr double shortest = 20e-6;
  return std::max(steps * event_step, shortest);
}

BatchPlan plan_batch(double seconds_per_launch, double target, std::size_t copies) {
  constexpr auto most = static_cast<double>(most_launches_per_sample);
  const double wanted =
      seconds_per_launch > 0 ? std::clamp(target / seconds_per_launch, 1.0, most) : most;
  auto launches = std::bit_ceil(static_cast<unsigned>(wanted));
  if (static_cast<double>(launches) < wanted) launches *= 2;
  const auto usable = std::clamp<std::size_t>(copies, 1, launches);
  const unsigned per_round = std::bit_floor(static_cast<unsigned>(usable));
  return {static_cast<int>(per_round),
          std::min(static_cast<int>(launches / per_round), most_rounds_per_sample)};
}

int samples_per_block(const BatchPlan& plan, CacheState cache) {
  constexpr int most_pieces = 400;
  constexpr int events = 2;
  // Before the events a flush for each round, or a launch; after them a stamp.
  const int pieces = cache == CacheState::cold
                         ? plan.rounds * (1 + events + plan.launches_per_round) + 1
                         : 1 + events + plan.launches() + 1;
  return std::clamp(most_pieces / pieces, 1, most_samples_per_block);
}

CopyLayout lay_out_copy(std::span<const std::uint64_t> sizes) {
  // Where an allocation of its own would begin.
  constexpr std::uint64_t small = 512;
  constexpr std::uint64_t large = 2U << 20U;
  CopyLayout layout;
  std::uint64_t end = 0;
  std::uint64_t largest_alignment = small;
  for (const std::uint64_t size : sizes) {
    const std::uint64_t alignment = size >= large ? large : small;
    largest_alignment = std::max(largest_alignment, alignment);
    const std::uint64_t begin = align(end, alignment);
    layout.offsets.push_back(begin);
    end = add(begin, size);
  }
  layout.bytes_per_copy = align(end, largest_alignment);
  return layout;
}

std::size_t copies_allowed(const CopyLayout& layout, std::uint64_t memory_bytes) {
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30U;
  constexpr std::uint64_t share = 8;
  constexpr auto most_copies = static_cast<std::uint64_t>(most_launches_per_sample);
  if (layout.bytes_per_copy == 0) return most_copies;
  const std::uint64_t further = std::min(memory_bytes / share, most_bytes) / layout.bytes_per_copy;
  return static_cast<std::size_t>(std::min(1 + further, most_copies));
}

double smallest_step(std::span<const double> seconds) {
  constexpr double documented = 0.5e-6;
  constexpr double largest = 1e-6;
  constexpr double rounding = 1e-9;  // of times given as a float in milliseconds
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::ranges::sort(sorted);
  double step = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double difference = sorted[i] - sorted[i - 1];
    if (difference >= rounding && (step == 0 || difference < step)) step = difference;
  }
  return step == 0 ? documented : std::min(step, largest);
}

}  // namespace sweep
