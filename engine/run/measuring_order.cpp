#include "engine/run/measuring_order.h"

#include <numeric>
#include <random>
#include <utility>

namespace sweep {

std::vector<std::size_t> measuring_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  // Fisher and Yates' shuffle: the standard's own gives another order with another library.
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random() % left]);
  }
  return order;
}

}  // namespace sweep
