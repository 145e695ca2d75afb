#include "engine/search/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace sweep {
namespace {

/// The smallest number that at least this share of the sorted ones do not exceed.
std::size_t at_percentile(const std::vector<std::size_t>& sorted, std::size_t percent) {
  if (sorted.empty()) return 0;
  constexpr std::size_t whole = 100;
  const std::size_t rank = (sorted.size() * percent + whole - 1) / whole;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// The courses of strategies over seeds: each is a strategy's search with one seed.
class Courses {
 public:
  Courses(const SearchSpace& space, const CostTable& costs, std::span<const std::string> names,
          std::span<const double> shares, std::size_t seeds, std::size_t most,
          const ComparisonPace& pace)
      : space_(space),
        costs_(costs),
        names_(names),
        shares_(shares),
        seeds_(seeds),
        most_(most),
        pace_(pace),
        trials_(names.size() * seeds) {}

  void run() {
    std::vector<std::thread> others;
    const std::size_t threads = std::min(pace_.threads, trials_.size());
    others.reserve(threads);
    try {
      for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // Where no more threads can be had, those there are do the work.
    }
    work();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
  }

  bool stopped() const { return pace_.stop != nullptr && *pace_.stop; }

  /// How many rows each seed's course of a strategy took to a share.
  std::vector<std::size_t> trials(std::size_t name, std::size_t share) const {
    std::vector<std::size_t> result;
    for (std::size_t seed = 0; seed < seeds_; ++seed) {
      result.push_back(trials_[name * seeds_ + seed][share]);
    }
    return result;
  }

 private:
  /// Takes one course after the other that no thread has taken.
  void work() {
    try {
      for (std::size_t i = next_++; i < trials_.size() && !stopped(); i = next_++) {
        const auto strategy = make_strategy(names_[i / seeds_], space_, i % seeds_ + 1);
        trials_[i] = trials_to_shares(*strategy, costs_, shares_, most_, pace_.stop);
        const std::lock_guard lock(mutex_);
        ++done_;
        if (pace_.on_progress) pace_.on_progress(done_, trials_.size());
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      next_ = trials_.size();
    }
  }

  const SearchSpace& space_;
  const CostTable& costs_;
  std::span<const std::string> names_;
  std::span<const double> shares_;
  std::size_t seeds_;
  std::size_t most_;
  const ComparisonPace& pace_;
  std::vector<std::vector<std::size_t>> trials_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

double cost_at_share(double best, double share) {
  return best > 0 ? best / share : best * share;
}

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
                                         std::size_t most, const ComparisonPace& pace) {
  if (costs.size() != space.size()) {
    throw std::invalid_argument(
        fmt::format("{} costs do not belong to {} rows", costs.size(), space.size()));
  }
  const std::vector<std::string> known = strategy_names();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw std::invalid_argument(fmt::format("there is no strategy '{}'", name));
  }
  // Asking for features the first time changes the space.
  for (std::size_t row = 0; row < space.size(); ++row) space.features(row);
  Courses courses(space, costs, names, shares, seeds, most, pace);
  courses.run();
  std::vector<Standing> result;
  if (courses.stopped()) return result;
  for (std::size_t name = 0; name < names.size(); ++name) {
    for (std::size_t share = 0; share < shares.size(); ++share) {
      std::vector<std::size_t> trials = courses.trials(name, share);
      std::ranges::sort(trials);
      Standing standing;
      standing.strategy = names[name];
      standing.share = shares[share];
      standing.median = at_percentile(trials, 50);
      standing.ninetieth = at_percentile(trials, 90);
      result.push_back(standing);
    }
  }
  return result;
}

}  // namespace sweep
