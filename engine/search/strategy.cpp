#include "engine/search/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/search/model_search.h"

namespace sweep {

std::size_t RandomGenerator::below(std::size_t count) {
  if (count < 2) return 0;
  // The largest multiple of `count`: a draw above it would favour the small remainders.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = most - most % count;
  std::uint64_t drawn = engine_();
  while (drawn >= limit) drawn = engine_();
  return static_cast<std::size_t>(drawn % count);
}

double RandomGenerator::unit() {
  constexpr int unused_bits = 11;  // of 64, so that the double's 53 bits are exact
  return static_cast<double>(engine_() >> unused_bits) * 0x1p-53;
}

Strategy::Strategy(const SearchSpace& space, std::uint64_t seed)
    : space_(space),
      random_(seed),
      untried_(space.size()),
      place_(space.size()),
      costs_(space.size()),
      is_answered_(space.size()) {
  std::iota(untried_.begin(), untried_.end(), 0U);
  std::iota(place_.begin(), place_.end(), 0U);
}

namespace {

/// Some rows for a search to begin with, the last one first.
std::vector<std::size_t> predicted_seeds(const SearchSpace& space, RandomGenerator& random) {
  constexpr std::size_t most = 6;
  constexpr std::size_t alike = 24;  // of the best, among which they are chosen to be unlike
  const std::span<const double> costs = space.predictions();
  std::vector<std::size_t> best;
  for (std::size_t row = 0; row < costs.size(); ++row) {
    if (!std::isnan(costs[row])) best.push_back(row);
  }
  random.shuffle(best);  // which of equal ones comes first is chance
  std::ranges::stable_sort(best, {}, [&](std::size_t row) { return costs[row]; });
  best.resize(std::min(best.size(), alike));
  std::vector<std::size_t> chosen;
  while (chosen.size() < most && !best.empty()) {
    const auto farthest = std::ranges::max_element(best, {}, [&](std::size_t row) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::size_t other : chosen) {
        nearest = std::min(nearest, space.distance(row, other));
      }
      return nearest;
    });
    chosen.push_back(*farthest);
    best.erase(farthest);
  }
  std::ranges::reverse(chosen);
  return chosen;
}

}  // namespace

std::optional<std::size_t> Strategy::ask() {
  const std::optional<std::size_t> row = propose();
  if (row) {
    take(*row);
    pending_.push_back(*row);
  }
  return row;
}

void Strategy::tell(std::size_t row, std::optional<double> cost) {
  if (row >= place_.size()) throw std::out_of_range("the search space has no such row");
  if (is_answered_[row]) return;
  take(row);
  std::erase(pending_, row);
  is_answered_[row] = true;
  if (cost && std::isfinite(*cost)) {
    costs_[row] = cost;
    known_.push_back(row);
    if (!best_ || is_better(row, *best_)) best_ = row;
  } else {
    failed_.push_back(row);
  }
  learn(row);
}

/// The row is not untried any more.
void Strategy::take(std::size_t row) {
  const std::uint32_t place = place_[row];
  if (place == taken) return;
  untried_[place] = untried_.back();
  place_[untried_[place]] = place;
  untried_.pop_back();
  place_[row] = taken;
}

std::optional<std::size_t> Strategy::pick() {
  if (untried_.empty()) return std::nullopt;
  return untried_[random_.below(untried_.size())];
}

std::optional<std::size_t> Strategy::next_seed() {
  if (!seeds_) seeds_ = predicted_seeds(space_, random_);
  while (!seeds_->empty()) {
    const std::size_t row = seeds_->back();
    seeds_->pop_back();
    if (is_untried(row)) return row;
  }
  return std::nullopt;
}

bool Strategy::is_better(std::size_t row, std::size_t other) const {
  return costs_[row] && (!costs_[other] || *costs_[row] < *costs_[other]);
}

SearchSpace::Value Strategy::other_value(const SearchParameter& parameter,
                                         SearchSpace::Value value) {
  if (parameter.values < 2) return value;
  if (parameter.ordered && random_.chance(0.5)) {
    const bool up = value == 0 || (value + 1U < parameter.values && random_.chance(0.5));
    return static_cast<SearchSpace::Value>(up ? value + 1 : value - 1);
  }
  const std::size_t drawn = random_.below(parameter.values - 1);
  return static_cast<SearchSpace::Value>(drawn < value ? drawn : drawn + 1);
}

std::optional<std::size_t> Strategy::untried_mutant(std::size_t row, std::size_t parameters) {
  constexpr int attempts = 30;
  const std::span<const SearchSpace::Value> own = space_.values(row);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::vector<SearchSpace::Value> values(own.begin(), own.end());
    for (std::size_t i = 0; i < parameters; ++i) {
      const std::size_t p = random_.below(values.size());
      values[p] = other_value(space_.parameters()[p], values[p]);
    }
    const std::optional<std::size_t> found = space_.find(values);
    if (found && is_untried(*found)) return found;
  }
  return std::nullopt;
}

CostScale::CostScale(std::span<const double> costs) {
  if (costs.empty()) return;
  if (std::ranges::all_of(costs, [](double cost) { return cost > 0; })) sign_ = 1;
  if (std::ranges::all_of(costs, [](double cost) { return cost < 0; })) sign_ = -1;
}

double CostScale::operator()(double cost) const {
  return sign_ == 0 ? cost : sign_ * std::log(sign_ * cost);
}

namespace {

/// From 0 on; equal numbers share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = mean;
  }
  return ranks;
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> ranks = ranks_of(a);
  const std::vector<double> others = ranks_of(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double both = 0;
  double one = 0;
  double other = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    both += (ranks[i] - mean) * (others[i] - mean);
    one += (ranks[i] - mean) * (ranks[i] - mean);
    other += (others[i] - mean) * (others[i] - mean);
  }
  return one > 0 && other > 0 ? both / std::sqrt(one * other) : 0;
}

namespace {

bool out_of_patience(const Patience& patience, const SearchProgress& progress) {
  const std::size_t tried = progress.best_after.size();
  if (tried <= patience.configurations) return false;
  const std::optional<double> before = progress.best_after[tried - patience.configurations - 1];
  if (!before) return false;
  const double gained = *before - *progress.best_after.back();
  return gained <= 0 || gained < patience.share * std::abs(*before);
}

std::string configurations(std::size_t count) {
  return fmt::format("{} configuration{}", count, count == 1 ? "" : "s");
}

/// Every row in order.
class ExhaustiveSearch final : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  std::optional<std::size_t> propose() override {
    while (next_ < space_.size() && !is_untried(next_)) ++next_;
    return next_ < space_.size() ? std::optional(next_) : std::nullopt;
  }

  std::size_t next_ = 0;
};

/// Every row in a random order.
class RandomSearch final : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  std::optional<std::size_t> propose() override { return pick(); }
};

/// Walks from a row to a neighbour. It begins at the best of a few rows, random ones and the best
/// predicted.
class WalkingSearch : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  bool has_begun() const { return first_ == 0; }
  /// A walk is at its end; the first one begins once the answers to the first rows are compared.
  void leave() {
    if (first_ > 0) {
      --first_;
    } else {
      current_.reset();
    }
  }
  /// Where the next walk begins. At first every second row is chosen by its prediction, which may
  /// be wrong.
  std::optional<std::size_t> start() {
    const auto seed = first_ % 2 == 1 ? next_seed() : std::nullopt;
    return seed ? seed : pick();
  }
  void step_to(std::size_t row) {
    current_ = row;
    neighbours_ = space_.neighbours(row);
  }

  std::optional<std::size_t> current_;   ///< where it is
  std::vector<std::size_t> neighbours_;  ///< of that

 private:
  std::size_t first_ = 8;  ///< rows still to propose before the first step
};

/// It tries the Hamming neighbours in random order and steps to the first better one. Where no
/// neighbour is better, it starts again: from the best row so far with a few parameters changed, or
/// from a random row.
class LocalSearch final : public WalkingSearch {
 public:
  using WalkingSearch::WalkingSearch;

 private:
  static constexpr double restart_near_best = 0.5;  ///< of the restarts; the others are anywhere
  static constexpr std::size_t kicked_parameters = 3;

  std::optional<std::size_t> propose() override {
    while (has_begun() && current_ && next_ < neighbours_.size()) {
      const std::size_t row = neighbours_[next_++];
      if (is_untried(row)) return row;
      if (is_better(row, *current_)) step_to_better(row);
    }
    leave();
    if (has_begun() && best_ && random_.chance(restart_near_best)) {
      if (const auto near = untried_mutant(*best_, kicked_parameters)) return near;
    }
    return start();
  }

  void learn(std::size_t row) override {
    if (cost(row) && (!current_ || is_better(row, *current_))) step_to_better(row);
  }

  void step_to_better(std::size_t row) {
    step_to(row);
    random_.shuffle(neighbours_);
    next_ = 0;
  }

  std::size_t next_ = 0;  ///< neighbour
};

/// From the current row it tries a random Hamming neighbour; it always steps to a better one, and
/// to one that is worse by d with probability exp(-d / T) (Metropolis). Costs are compared by their
/// ratio where all have one sign, and T is a share of their spread so far. T falls with every row
/// tried; when it is cold, it is heated again and goes on from the best row or a random one.
class AnnealingSearch final : public WalkingSearch {
 public:
  using WalkingSearch::WalkingSearch;

 private:
  // Temperatures are shares of the standard deviation of the costs.
  static constexpr double hot = 0.05;
  static constexpr double cold = 0.002;
  static constexpr double cooling = 0.95;  ///< per row tried
  static constexpr double reheat_at_best = 0.5;
  static constexpr int free_steps = 200;  ///< between known rows, before a new start is due

  std::optional<std::size_t> propose() override {
    for (int step = 0; has_begun() && current_ && step < free_steps; ++step) {
      if (neighbours_.empty()) break;
      const std::size_t row = neighbours_[random_.below(neighbours_.size())];
      if (is_untried(row)) return row;
      if (accepts(row)) step_to(row);
    }
    leave();
    temperature_ = hot;
    return start();
  }

  void learn(std::size_t row) override {
    const bool improves = cost(row) && (!current_ || is_better(row, *current_));
    if (improves || (has_begun() && current_ && accepts(row))) step_to(row);
    if (!current_ || !has_begun()) return;
    temperature_ *= cooling;
    if (temperature_ < cold) reheat();
  }

  bool accepts(std::size_t row) {
    if (!cost(row)) return false;
    if (!is_better(*current_, row)) return true;
    measure_spread();
    const double worse = scale_(*cost(row)) - scale_(*cost(*current_));
    return spread_ > 0 && random_.chance(std::exp(-worse / (temperature_ * spread_)));
  }

  /// Anew whenever a tenth more costs are known.
  void measure_spread() {
    constexpr std::size_t growth = 10;
    const std::size_t count = known_.size();
    if (count < measured_ + std::max<std::size_t>(1, measured_ / growth)) return;
    measured_ = count;
    std::vector<double> costs;
    for (const std::size_t row : known_) costs.push_back(*cost(row));
    scale_ = CostScale(costs);
    double sum = 0;
    double squares = 0;
    for (const double cost : costs) sum += scale_(cost);
    const double mean = sum / static_cast<double>(count);
    for (const double cost : costs) squares += (scale_(cost) - mean) * (scale_(cost) - mean);
    spread_ = std::sqrt(squares / static_cast<double>(count));
  }

  void reheat() {
    temperature_ = hot;
    if (random_.chance(reheat_at_best)) {
      step_to(*best_);
    } else {
      current_.reset();
    }
  }

  double temperature_ = hot;
  CostScale scale_{{}};
  std::size_t measured_ = 0;  ///< costs the spread is of
  double spread_ = 0;
};

/// A population of random rows and the best predicted; then each proposal is a child of two of its
/// members, the better ones more often: each parameter from one of them, some of them changed. A
/// child replaces the worst member when it is better. A population that has long not changed keeps
/// its best members and is filled with random rows again.
class GeneticSearch final : public Strategy {
 public:
  using Strategy::Strategy;

 private:
  static constexpr std::size_t population_size = 10;
  static constexpr std::size_t tournament = 3;
  static constexpr double mutations_per_child = 1.5;
  static constexpr int attempts = 30;          ///< to breed a child that is valid and untried
  static constexpr std::size_t patience = 40;  ///< children without a change before it is renewed
  static constexpr std::size_t kept_when_renewed = 2;

  std::optional<std::size_t> propose() override {
    std::optional<std::size_t> row;
    if (strangers_ > 0) {
      if (strangers_-- % 2 == 0) row = next_seed();
    } else if (!members_.empty()) {
      row = child();
    }
    return row ? row : pick();
  }

  void learn(std::size_t row) override {
    ++unchanged_;
    if (cost(row)) enter(row);
    if (unchanged_ >= patience) renew();
  }

  /// Members stand in the order of their costs.
  void enter(std::size_t row) {
    const auto place = std::ranges::upper_bound(
        members_, row, [this](std::size_t a, std::size_t b) { return is_better(a, b); });
    if (place == members_.end() && members_.size() >= population_size) return;
    members_.insert(place, row);
    if (members_.size() > population_size) members_.pop_back();
    unchanged_ = 0;
  }

  void renew() {
    unchanged_ = 0;
    members_.resize(std::min(members_.size(), kept_when_renewed));
    strangers_ = population_size - members_.size();
  }

  std::size_t parent() {
    std::size_t place = members_.size();
    for (std::size_t i = 0; i < tournament; ++i) {
      place = std::min(place, random_.below(members_.size()));
    }
    return members_[place];
  }

  std::optional<std::size_t> child() {
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::optional<std::size_t> row = space_.find(bred_values());
      if (row && is_untried(*row)) return row;
    }
    return untried_mutant(parent(), 2);
  }

  std::vector<SearchSpace::Value> bred_values() {
    const std::span<const SearchSpace::Value> mother = space_.values(parent());
    const std::span<const SearchSpace::Value> father = space_.values(parent());
    std::vector<SearchSpace::Value> values(mother.begin(), mother.end());
    const double mutation = mutations_per_child / static_cast<double>(values.size());
    for (std::size_t p = 0; p < values.size(); ++p) {
      if (random_.chance(0.5)) values[p] = father[p];
      if (random_.chance(mutation)) {
        values[p] = other_value(space_.parameters()[p], values[p]);
      }
    }
    return values;
  }

  std::vector<std::size_t> members_;
  std::size_t strangers_ = population_size;  ///< random rows still to propose
  std::size_t unchanged_ = 0;                ///< answers since a member changed
};

template <class Search>
std::unique_ptr<Strategy> make(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<Search>(space, seed);
}

}  // namespace

void SearchProgress::tell(std::optional<double> cost) {
  std::optional<double> best = best_after.empty() ? std::nullopt : best_after.back();
  if (cost && std::isfinite(*cost) && (!best || *cost < *best)) best = cost;
  best_after.push_back(best);
}

std::optional<std::string> should_stop(const Budget& budget, const SearchProgress& progress,
                                       double elapsed) {
  const std::size_t tried = progress.best_after.size();
  if (budget.configurations && tried >= *budget.configurations) {
    return "stopped after " + configurations(tried);
  }
  if (budget.seconds && elapsed >= *budget.seconds) {
    return fmt::format("stopped after {:.3g} s ({})", elapsed, configurations(tried));
  }
  if (budget.patience && out_of_patience(*budget.patience, progress)) {
    constexpr double percent = 100;
    const std::size_t last = budget.patience->configurations;
    return fmt::format("stopped without a gain of {:.3g} % in the last {}",
                       budget.patience->share * percent,
                       last == 1 ? "configuration" : configurations(last));
  }
  return std::nullopt;
}

std::span<const StrategyDescription> strategies() {
  static const std::array<StrategyDescription, 7> all = {{
      {"exhaustive", "every configuration, in order", make<ExhaustiveSearch>},
      {"random", "configurations at random; as good as any where nearly all are equal",
       make<RandomSearch>},
      {"local", "greedy steps to better neighbours, with restarts", make<LocalSearch>},
      {"annealing", "steps to neighbours, worse ones too while it is hot; reheated",
       make<AnnealingSearch>},
      {"genetic", "crosses and mutates the best so far; for good points that lie scattered",
       make<GeneticSearch>},
      {"forest", "a random forest learns the costs and proposes where better ones are likely",
       forest_search},
      {"bayesian",
       "a Gaussian process and a forest learn the costs; the fewest configurations on average",
       bayesian_search},
  }};
  return all;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> result;
  for (const StrategyDescription& strategy : strategies()) result.push_back(strategy.name);
  return result;
}

std::vector<double> sample_predictions(const SearchSpace& space, std::uint64_t seed,
                                       std::size_t most, const PredictCosts& predict) {
  constexpr std::size_t rows_at_once = 32;
  std::vector<double> costs(space.size(), std::numeric_limits<double>::quiet_NaN());
  const std::unique_ptr<Strategy> strategy = forest_search(space, seed);
  for (std::size_t asked = 0; asked < most;) {
    std::vector<std::size_t> rows;
    while (rows.size() < std::min(rows_at_once, most - asked)) {
      const std::optional<std::size_t> row = strategy->ask();
      if (!row) break;
      rows.push_back(*row);
    }
    if (rows.empty()) break;
    asked += rows.size();
    const std::vector<std::optional<double>> predicted = predict(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      strategy->tell(rows[i], predicted[i]);
      if (predicted[i]) costs[rows[i]] = *predicted[i];
    }
  }
  return costs;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed) {
  const auto found = std::ranges::find(strategies(), name, &StrategyDescription::name);
  return found != strategies().end() ? found->make(space, seed) : nullptr;
}

}  // namespace sweep
