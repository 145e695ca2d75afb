#include "engine/search/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <iterator>
#include <mutex>
#include <numeric>
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

/// The predictions that searches with this seed know.
std::vector<double> predictions_for(const SearchSpace& space, const KnownPredictions& predictions,
                                    std::uint64_t seed) {
  std::vector<std::size_t> rows;  // whose prediction each row has
  for (std::size_t row = 0; row < space.size(); ++row) rows.push_back(row);
  if (predictions.are_shuffled) {
    std::vector<std::size_t> known;
    std::ranges::copy_if(rows, std::back_inserter(known),
                         [&](std::size_t row) { return predictions.costs[row].has_value(); });
    std::vector<std::size_t> others = known;
    RandomGenerator(seed).shuffle(others);
    for (std::size_t i = 0; i < known.size(); ++i) rows[known[i]] = others[i];
  }
  const auto predict = [&](std::span<const std::size_t> asked) {
    CostTable costs;
    for (const std::size_t row : asked) costs.push_back(predictions.costs[rows[row]]);
    return costs;
  };
  return sample_predictions(space, seed, predictions.most, predict);
}

/// Lets each strategy search from each seed: `course` is told the number of the course, which
/// counts the seeds of a name before those of the next. False when it was stopped.
bool for_each_course(const SearchSpace& space, std::span<const std::string> names,
                     std::size_t seeds, const ComparisonPace& pace,
                     const KnownPredictions& predictions,
                     const std::function<void(Strategy&, std::size_t)>& course) {
  const auto is_stopped = [&] { return pace.stop != nullptr && *pace.stop; };
  const std::size_t all = names.size() * seeds;
  std::mutex mutex;
  std::size_t done = 0;
  std::vector<std::vector<double>> predicted(predictions.costs.empty() ? 0 : seeds);
  for_each_number(predicted.size(), pace.threads, [&](std::size_t i) {
    if (!is_stopped()) predicted[i] = predictions_for(space, predictions, i + 1);
  });
  for_each_number(all, pace.threads, [&](std::size_t i) {
    if (is_stopped()) return;
    const std::size_t seed = i % seeds;
    std::optional<SearchSpace> known;
    if (!predicted.empty()) known.emplace(space).set_predictions(predicted[seed]);
    const auto strategy = make_strategy(names[i / seeds], known ? *known : space, seed + 1);
    course(*strategy, i);
    const std::lock_guard lock(mutex);
    ++done;
    if (pace.on_progress) pace.on_progress(done, all);
  });
  return !is_stopped();
}

/// The best cost found so far, as a function of how much of the budget is used up. Before there is
/// one it is the baseline's first.
class ScoredCourse {
 public:
  explicit ScoredCourse(const RandomBaseline& baseline)
      : baseline_(baseline), budget_(baseline.budget()), best_(baseline.after(1)) {}

  bool is_over() const { return scored_ == budget_; }
  /// The next trial ends when so many trials of the budget, a whole number or not, are used up.
  void tell(double used, std::optional<double> cost) {
    constexpr double rounding = 1e-9;  // of a sum of times
    score_until(std::ceil(used - rounding) - 1);
    if (cost) best_ = has_found_ ? std::min(best_, *cost) : *cost;
    has_found_ |= cost.has_value();
  }
  /// Nothing more is to be found.
  double end() {
    score_until(static_cast<double>(budget_));
    return sum_ / static_cast<double>(counted_);
  }

 private:
  void score_until(double trials) {
    while (scored_ < budget_ && static_cast<double>(scored_) < trials) {
      const double expected = baseline_.after(static_cast<double>(++scored_));
      // Where random search is at the best, nothing can be better.
      if (expected <= baseline_.best()) continue;
      sum_ += (expected - best_) / (expected - baseline_.best());
      ++counted_;
    }
  }

  const RandomBaseline& baseline_;
  std::size_t budget_;
  double best_;
  bool has_found_ = false;
  std::size_t scored_ = 0;
  std::size_t counted_ = 0;
  double sum_ = 0;
};

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
                                         std::size_t most, const ComparisonPace& pace,
                                         const KnownPredictions& predictions) {
  // Of each name and each seed.
  std::vector<std::vector<std::size_t>> courses(names.size() * seeds);
  std::vector<Standing> result;
  const bool is_done = for_each_course(
      space, names, seeds, pace, predictions, [&](Strategy& strategy, std::size_t i) {
        courses[i] = trials_to_shares(strategy, costs, shares, most, pace.stop);
      });
  if (!is_done) return result;
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

RandomBaseline::RandomBaseline(const CostTable& costs) {
  for (const std::optional<double>& cost : costs) {
    if (cost) worst_first_.push_back(*cost);
  }
  std::ranges::sort(worst_first_, std::ranges::greater());
}

double RandomBaseline::after(double trials) const {
  const auto all = static_cast<double>(worst_first_.size());
  const double rank = std::round(trials * (all + 1) / (trials + 1));
  return worst_first_[static_cast<std::size_t>(std::min(rank, all)) - 1];
}

std::size_t RandomBaseline::budget() const {
  constexpr double left = 0.05;
  const double enough = best() + left * (after(1) - best());
  std::size_t trials = 1;
  while (after(static_cast<double>(trials)) > enough) ++trials;
  return trials;
}

std::vector<Score> score_strategies(const SearchSpace& space, const CostTable& costs,
                                    std::span<const double> seconds,
                                    std::span<const std::string> names, std::size_t seeds,
                                    const ComparisonPace& pace) {
  const RandomBaseline baseline(costs);
  std::vector<Score> result;
  if (baseline.after(1) <= baseline.best()) return result;
  const double mean_seconds =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  std::vector<Score> courses(names.size() * seeds);
  const bool is_done =
      for_each_course(space, names, seeds, pace, {}, [&](Strategy& strategy, std::size_t i) {
        ScoredCourse by_evaluations(baseline);
        ScoredCourse by_time(baseline);
        double trials = 0;
        double elapsed = 0;
        while (!by_evaluations.is_over() || (!seconds.empty() && !by_time.is_over())) {
          const std::optional<std::size_t> row = strategy.ask();
          if (!row || (pace.stop != nullptr && *pace.stop)) break;
          const std::optional<double> cost = costs.at(*row);
          strategy.tell(*row, cost);
          by_evaluations.tell(++trials, cost);
          if (!seconds.empty()) by_time.tell((elapsed += seconds[*row]) / mean_seconds, cost);
        }
        courses[i].by_evaluations = by_evaluations.end();
        if (!seconds.empty()) courses[i].by_time = by_time.end();
      });
  if (!is_done) return result;
  const auto share = 1 / static_cast<double>(seeds);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    if (i % seeds == 0) result.push_back({names[i / seeds]});
    result.back().by_evaluations += courses[i].by_evaluations * share;
    if (courses[i].by_time) {
      result.back().by_time = result.back().by_time.value_or(0) + *courses[i].by_time * share;
    }
  }
  return result;
}

}  // namespace sweep
