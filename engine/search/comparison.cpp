#include "engine/search/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace sweep {
namespace {

/// The smallest number that at least this share of the sorted ones do not exceed.
std::size_t at_percentile(const std::vector<std::size_t>& sorted, std::size_t percent) {
  if (sorted.empty()) return 0;
  constexpr std::size_t whole = 100;
  const std::size_t rank = (sorted.size() * percent + whole - 1) / whole;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

double cost_at_share(double best, double share) {
  return best > 0 ? best / share : best * share;
}

std::vector<std::size_t> trials_to_shares(Strategy& strategy, const CostTable& costs,
                                          std::span<const double> shares, std::size_t most) {
  std::vector<std::size_t> result(shares.size(), most + 1);
  std::optional<double> best;
  for (const std::optional<double>& cost : costs) {
    if (cost && (!best || *cost < *best)) best = cost;
  }
  if (!best) return result;
  std::size_t missing = shares.size();
  for (std::size_t trial = 1; trial <= most && missing > 0; ++trial) {
    const std::optional<std::size_t> row = strategy.ask();
    if (!row) break;
    const std::optional<double> cost = costs.at(*row);
    strategy.tell(*row, cost);
    if (!cost) continue;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (result[i] <= most || *cost > cost_at_share(*best, shares[i])) continue;
      result[i] = trial;
      --missing;
    }
  }
  return result;
}

std::vector<Standing> compare_strategies(const SearchSpace& space, const CostTable& costs,
                                         std::span<const std::string> names,
                                         std::span<const double> shares, std::size_t seeds,
                                         std::size_t most) {
  if (costs.size() != space.size()) {
    throw std::invalid_argument(
        fmt::format("{} costs do not belong to {} rows", costs.size(), space.size()));
  }
  std::vector<Standing> result;
  for (const std::string& name : names) {
    std::vector<std::vector<std::size_t>> trials(shares.size());
    for (std::size_t seed = 1; seed <= seeds; ++seed) {
      const auto strategy = make_strategy(name, space, seed);
      if (!strategy) throw std::invalid_argument(fmt::format("there is no strategy '{}'", name));
      const std::vector<std::size_t> one = trials_to_shares(*strategy, costs, shares, most);
      for (std::size_t i = 0; i < one.size(); ++i) trials[i].push_back(one[i]);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      std::ranges::sort(trials[i]);
      Standing standing;
      standing.strategy = name;
      standing.share = shares[i];
      standing.median = at_percentile(trials[i], 50);
      standing.ninetieth = at_percentile(trials[i], 90);
      result.push_back(standing);
    }
  }
  return result;
}

}  // namespace sweep
