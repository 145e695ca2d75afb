#include "engine/cuda/pool_decisions.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sweep {
namespace {

/// The indices of `values`, those of smaller values first.
std::vector<std::size_t> ascending(std::span<const std::uint64_t> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

}  // namespace

std::vector<std::optional<std::size_t>> assign_blocks(std::span<const std::uint64_t> capacities,
                                                      std::span<const std::uint64_t> sizes) {
  std::vector<std::size_t> free = ascending(capacities);
  std::vector<std::size_t> order = ascending(sizes);
  std::ranges::reverse(order);
  std::vector<std::optional<std::size_t>> result(sizes.size());
  for (const std::size_t i : order) {
    const auto fits = std::ranges::find_if(
        free, [&](std::size_t block) { return capacities[block] >= sizes[i]; });
    if (fits == free.end()) continue;
    result[i] = *fits;
    free.erase(fits);
  }
  return result;
}

std::uint64_t pooled_capacity(std::uint64_t bytes) {
  constexpr std::uint64_t page = 2U << 20U;
  constexpr std::uint64_t smallest = 512;
  constexpr std::uint64_t parts = 8;
  const std::uint64_t part = std::bit_floor(bytes) / parts;
  const std::uint64_t unit = std::max(part, bytes > page ? page : smallest);
  const std::uint64_t rest = bytes % unit;
  if (rest == 0 || bytes > ~std::uint64_t{0} - unit) return std::max(bytes, smallest);
  return bytes - rest + unit;
}

std::vector<std::size_t> blocks_to_free(std::span<const std::uint64_t> idle_capacities,
                                        std::uint64_t bytes) {
  std::vector<std::size_t> chosen;
  std::uint64_t freed = 0;
  for (const std::size_t i : ascending(idle_capacities)) {
    if (freed >= bytes) break;
    chosen.push_back(i);
    freed += idle_capacities[i];
  }
  return chosen;
}

std::uint64_t total_of(std::span<const std::uint64_t> sizes) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  return std::accumulate(
      sizes.begin(), sizes.end(), std::uint64_t{0},
      [](std::uint64_t sum, std::uint64_t size) { return size > most - sum ? most : sum + size; });
}

}  // namespace sweep
