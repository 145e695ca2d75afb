#include "engine/search/comparison.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <system_error>

namespace sweep {
namespace {

/// The smallest number that at least this share of the sorted ones do not exceed.
std::size_t at_percentile(const std::vector<std::size_t>& sorted, std::size_t percent) {
  if (sorted.empty()) return 0;
  constexpr std::size_t whole = 100;
  const std::size_t rank = (sorted.size() * percent + whole - 1) / whole;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Calls `work` with the numbers below `count`, in several threads; throws what a call throws.
void for_each_number(std::size_t count, std::size_t threads,
                     const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> others;  // each waits for its thread's end at the latest
  try {
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
      others.push_back(std::async(std::launch::async, run));
    }
  } catch (const std::system_error&) {
    // Where no more threads can be had, those there are do the work.
  }
  run();
  for (std::future<void>& other : others) other.get();
}

}  // namespace

std::vector<std::size_t> trials_to_shares(Strategy& strategy, const CostTable& costs,
                                          std::span<const double> shares, std::size_t most,
                                          const std::atomic<bool>* stop) {
  std::vector<std::size_t> result(shares.size(), most + 1);
  std::optional<double> best;
  for (const std::optional<double>& cost : costs) {
    if (cost && (!best || *cost < *best)) best = cost;
  }
  if (!best) return result;
  std::size_t missing = shares.size();
  for (std::size_t trial = 1; trial <= most && missing > 0; ++trial) {
    const std::optional<std::size_t> row = strategy.ask();
    if (!row || (stop != nullptr && *stop)) break;
    const std::optional<double> cost = costs.at(*row);
    strategy.tell(*row, cost);
    if (!cost) continue;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double wanted = *best > 0 ? *best / shares[i] : *best * shares[i];
      if (result[i] <= most || *cost > wanted) continue;
      result[i] = trial;
      --missing;
    }
  }
  return result;
}

std::vector<Standing> compare_strategies(const SearchSpace& space, const CostTable& costs,
                                         std::span<const std::string> names,
                                         std::span<const double> shares, std::size_t seeds,
                                         std::size_t most, const ComparisonPace& pace) {
  const auto is_stopped = [&] { return pace.stop != nullptr && *pace.stop; };
  std::mutex mutex;
  std::size_t done = 0;
  // Of each name and each seed.
  std::vector<std::vector<std::size_t>> courses(names.size() * seeds);
  for_each_number(courses.size(), pace.threads, [&](std::size_t i) {
    if (is_stopped()) return;
    const auto strategy = make_strategy(names[i / seeds], space, i % seeds + 1);
    courses[i] = trials_to_shares(*strategy, costs, shares, most, pace.stop);
    const std::lock_guard lock(mutex);
    ++done;
    if (pace.on_progress) pace.on_progress(done, courses.size());
  });
  std::vector<Standing> result;
  if (is_stopped()) return result;
  for (std::size_t name = 0; name < names.size(); ++name) {
    for (std::size_t share = 0; share < shares.size(); ++share) {
      std::vector<std::size_t> trials;
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        trials.push_back(courses[name * seeds + seed][share]);
      }
      std::ranges::sort(trials);
      result.push_back(
          {names[name], shares[share], at_percentile(trials, 50), at_percentile(trials, 90)});
    }
  }
  return result;
}

}  // namespace sweep
