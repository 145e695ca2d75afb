#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/search/regression_forest.h"
#include "engine/search/tried_rows.h"

namespace sweep {
namespace {

constexpr std::size_t spread_rows = 12;        // spread over the space before the first forest
constexpr std::size_t spread_candidates = 20;  // for each of them
constexpr std::size_t random_candidates = 300;
constexpr std::size_t best_rows = 5;  // whose neighbours and mutants are candidates too
constexpr int mutants = 10;           // of each of them
constexpr std::size_t mutated_parameters = 3;
constexpr std::size_t refit_share = 25;   // a new forest whenever 1 / 25 more answers are known
constexpr double deviation_floor = 0.02;  // of a prediction: costs are noisy

double expected_improvement(const Prediction& prediction, double best) {
  const double deviation = std::sqrt(prediction.variance + deviation_floor * deviation_floor);
  const double z = (best - prediction.mean) / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return deviation * (z * below + density);
}

class ForestSearch final : public RowStrategy {
 public:
  ForestSearch(const SearchSpace& space, std::uint64_t seed) : RowStrategy(space, seed) {
    for (const SearchParameter& parameter : space.parameters()) {
      unordered_.push_back(!parameter.ordered);
    }
    unordered_.resize(unordered_.size() + space.feature_count(), false);
  }

 private:
  std::optional<std::size_t> propose() override {
    if (tried_.untried_count() == 0) return std::nullopt;
    const std::size_t answers = tried_.known().size() + tried_.failed().size();
    if (proposed_.size() < spread_rows && answers < spread_rows) {
      proposed_.push_back(spread_row());
      return proposed_.back();
    }
    if (tried_.known().empty()) return tried_.pick(random_);
    if (refit()) ranked_.clear();
    while (!ranked_.empty() && !tried_.untried(ranked_.back())) ranked_.pop_back();
    if (ranked_.empty()) rank();
    return ranked_.back();
  }

  /// Of some random rows the one farthest from the nearest proposed.
  std::size_t spread_row() {
    std::size_t farthest = *tried_.pick(random_);
    double most = -1;
    for (std::size_t i = 0; i < spread_candidates; ++i) {
      const std::size_t row = *tried_.pick(random_);
      double nearest = static_cast<double>(unordered_.size());
      for (const std::size_t other : proposed_) nearest = std::min(nearest, distance(row, other));
      if (nearest > most) {
        most = nearest;
        farthest = row;
      }
    }
    return farthest;
  }

  double distance(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t p = 0; p < space_.parameters().size(); ++p) {
      const int difference = std::abs(space_.values(a)[p] - space_.values(b)[p]);
      if (difference == 0) continue;
      const SearchParameter& parameter = space_.parameters()[p];
      sum += parameter.ordered ? difference / static_cast<double>(parameter.values - 1) : 1;
    }
    return sum;
  }

  void append_point(std::size_t row, std::vector<double>& points) const {
    const auto values = space_.values(row);
    points.insert(points.end(), values.begin(), values.end());
    const auto features = space_.features(row);
    points.insert(points.end(), features.begin(), features.end());
  }

  bool refit() {
    const std::size_t answers = tried_.known().size() + tried_.failed().size();
    if (fitted_ > 0 && answers < fitted_ + std::max<std::size_t>(1, fitted_ / refit_share)) {
      return false;
    }
    fitted_ = answers;
    std::vector<double> points;
    for (const std::size_t row : tried_.known()) append_point(row, points);
    forest_.fit(ForestColumns(points, unordered_), targets(), random_);
    learn_failures(points);
    return true;
  }

  /// The known costs, scaled; what is worse than the median counts as the median: the trees are to
  /// tell good from better, not bad from worse.
  std::vector<double> targets() {
    std::vector<double> costs;
    for (const std::size_t row : tried_.known()) costs.push_back(*tried_.cost(row));
    const CostScale scale(costs);
    for (double& cost : costs) cost = scale(cost);
    std::vector<double> sorted = costs;
    std::ranges::sort(sorted);
    best_ = sorted.front();
    const double middle = sorted[(sorted.size() - 1) / 2];
    for (double& cost : costs) cost = std::min(cost, middle);
    return costs;
  }

  /// Which rows fail, as a share of 1; `points` are those that did not.
  void learn_failures(std::vector<double> points) {
    if (tried_.failed().empty()) return;
    std::vector<double> failures(tried_.known().size(), 0);
    for (const std::size_t row : tried_.failed()) {
      failures.push_back(1);
      append_point(row, points);
    }
    failures_.fit(ForestColumns(points, unordered_), failures, random_);
  }

  std::vector<std::size_t> candidates() {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < random_candidates; ++i) rows.push_back(*tried_.pick(random_));
    std::vector<std::size_t> best(std::min(best_rows, tried_.known().size()));
    std::ranges::partial_sort_copy(tried_.known(), best, [this](std::size_t a, std::size_t b) {
      return tried_.better(a, b) || (!tried_.better(b, a) && a < b);
    });
    for (const std::size_t row : best) {
      for (const std::size_t near : space_.neighbours(row)) {
        if (tried_.untried(near)) rows.push_back(near);
      }
      for (int i = 0; i < mutants; ++i) {
        const auto mutant = untried_mutant(space_, tried_, row, mutated_parameters, random_);
        if (mutant) rows.push_back(*mutant);
      }
    }
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    random_.shuffle(rows);  // which of equal ones comes first is chance
    return rows;
  }

  /// The candidates, the most promising last.
  void rank() {
    struct Ranked {
      double improvement = 0;
      std::size_t row = 0;
    };
    std::vector<Ranked> all;
    std::vector<double> point;
    for (const std::size_t row : candidates()) {
      point.clear();
      append_point(row, point);
      const double succeeds = 1 - failures_.predict(point).mean;
      all.push_back({expected_improvement(forest_.predict(point), best_) * succeeds, row});
    }
    std::ranges::stable_sort(all, {}, &Ranked::improvement);
    ranked_.clear();
    for (const Ranked& ranked : all) ranked_.push_back(ranked.row);
  }

  std::vector<bool> unordered_;        ///< per column of the forest: parameters, then features
  std::vector<std::size_t> proposed_;  ///< the first rows
  RegressionForest forest_;            ///< of the costs
  RegressionForest failures_;          ///< of the share that fails; without trees when none has
  std::size_t fitted_ = 0;             ///< answers the forest has learnt from
  double best_ = 0;                    ///< the least cost it has learnt, scaled
  std::vector<std::size_t> ranked_;    ///< what to propose next, the most promising last
};

}  // namespace

std::unique_ptr<Strategy> forest_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<ForestSearch>(space, seed);
}

}  // namespace sweep
