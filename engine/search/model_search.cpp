#include "engine/search/model_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "engine/search/gaussian_process.h"
#include "engine/search/regression_forest.h"

namespace sweep {
namespace {

constexpr std::size_t most_first_rows = 8;     // before the model has learnt anything
constexpr std::size_t middle_candidates = 50;  // for the one near the middle
constexpr std::size_t spread_candidates = 20;  // for each of those spread over the space
constexpr double free_answers = 20;            // without a gain, before random rows are tried
constexpr double stuck_answers = 100;          // more of them, after which all would be random
constexpr double most_random = 0.5;            // of the proposals
constexpr std::size_t random_candidates = 300;
constexpr double least_correlation = 0.3;         // of predictions with costs, by their ranks
constexpr std::size_t predicted_candidates = 50;  // the best predicted
constexpr std::size_t best_rows = 5;              // whose neighbours and mutants are candidates too
constexpr int mutants = 10;                       // of each of them
constexpr std::size_t mutated_parameters = 3;

/// `noise` is the deviation of a cost that is known.
double expected_improvement(const Prediction& prediction, double noise, double best) {
  const double deviation = std::sqrt(prediction.variance + noise * noise);
  const double z = (best - prediction.mean) / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return deviation * (z * below + density);
}

/// Rows, one after the other, with a number for each column: the parameters' value numbers, then
/// what is predicted where anything is.
using Points = std::vector<double>;

std::span<const double> point_at(const Points& points, std::size_t i, std::size_t width) {
  return std::span(points).subspan(i * width, width);
}

/// What a search makes of the costs it knows.
class CostModel {
 public:
  CostModel() = default;
  CostModel(const CostModel&) = delete;
  CostModel& operator=(const CostModel&) = delete;
  virtual ~CostModel() = default;

  /// Whether it should learn again when there are so many answers.
  virtual bool is_due(std::size_t answers, std::size_t learnt) const = 0;
  /// Learns anew what the points cost. `pending` are tried at the moment.
  virtual void learn(const Points& points, const std::vector<double>& costs, const Points& pending,
                     RandomGenerator& random) = 0;
  /// By how much each point is expected to cost less than the best that was learnt.
  virtual std::vector<double> improvements(const Points& points) const = 0;
};

class ForestModel final : public CostModel {
 public:
  explicit ForestModel(std::vector<bool> unordered) : unordered_(std::move(unordered)) {}

  bool is_due(std::size_t answers, std::size_t learnt) const override {
    constexpr std::size_t share = 25;  // of those learnt
    return answers >= learnt + std::max<std::size_t>(1, learnt / share);
  }

  void learn(const Points& points, const std::vector<double>& costs, const Points& /*pending*/,
             RandomGenerator& random) override {
    forest_.fit(forest_columns(points, unordered_), costs, random);
    best_ = *std::ranges::min_element(costs);
  }

  std::vector<double> improvements(const Points& points) const override {
    constexpr double noise = 0.02;
    std::vector<double> result;
    const std::size_t width = unordered_.size();
    for (std::size_t i = 0; i < points.size() / width; ++i) {
      const Prediction prediction = forest_.predict(point_at(points, i, width));
      result.push_back(expected_improvement(prediction, noise, best_));
    }
    return result;
  }

 private:
  std::vector<bool> unordered_;
  RegressionForest forest_;
  double best_ = 0;
};

/// A Gaussian process and a forest. Where they part both may be wrong.
class BlendedModel final : public CostModel {
 public:
  /// `spans` has the largest number of each column.
  BlendedModel(std::vector<bool> unordered, std::vector<double> spans)
      : unordered_(std::move(unordered)), spans_(std::move(spans)), process_(unordered_) {}

  bool is_due(std::size_t /*answers*/, std::size_t /*learnt*/) const override { return true; }

  void learn(const Points& points, const std::vector<double>& costs, const Points& pending,
             RandomGenerator& random) override {
    const std::vector<double> targets = standardized(costs);
    best_ = *std::ranges::min_element(targets);
    forest_.fit(forest_columns(points, unordered_), targets, random);
    const Points scaled = divided(points);
    Points chosen_points;
    std::vector<double> chosen_targets;
    for (const std::size_t i : chosen(targets, random)) {
      const auto point = point_at(scaled, i, spans_.size());
      chosen_points.insert(chosen_points.end(), point.begin(), point.end());
      chosen_targets.push_back(targets[i]);
    }
    constexpr std::size_t share = 10;  // of those it was tuned by, more before it is tuned again
    const bool tune = costs.size() >= tuned_ + std::max<std::size_t>(1, tuned_ / share);
    if (tune) tuned_ = costs.size();
    process_.fit(std::move(chosen_points), std::move(chosen_targets), tune, random);
    if (!pending.empty()) process_.believe(divided(pending));
  }

  std::vector<double> improvements(const Points& points) const override {
    constexpr double noise = 0.1;
    constexpr double trees = 0.3;  // the forest's share
    std::vector<double> result;
    for (const Prediction& one : process_.predict(divided(points))) {
      const Prediction other = forest_.predict(point_at(points, result.size(), spans_.size()));
      const double apart = other.mean - one.mean;
      const Prediction both = {(1 - trees) * one.mean + trees * other.mean,
                               (1 - trees) * one.variance + trees * other.variance +
                                   trees * (1 - trees) * apart * apart};
      result.push_back(expected_improvement(both, noise, best_));
    }
    return result;
  }

 private:
  /// With a mean of 0 and a deviation of 1.
  static std::vector<double> standardized(std::vector<double> costs) {
    const auto count = static_cast<double>(costs.size());
    const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / count;
    double squares = 0;
    for (const double cost : costs) squares += (cost - mean) * (cost - mean);
    constexpr double least = 1e-6;  // where all are the same
    const double deviation = std::max(std::sqrt(squares / count), least);
    for (double& cost : costs) cost = (cost - mean) / deviation;
    return costs;
  }

  /// What the process learns: a number that bounds its time, half of it the best, half any others.
  static std::vector<std::size_t> chosen(const std::vector<double>& targets,
                                         RandomGenerator& random) {
    constexpr std::size_t most = 250;
    std::vector<std::size_t> rows(targets.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    if (rows.size() <= most) return rows;
    std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return targets[i]; });
    for (std::size_t i = most / 2; i < most; ++i) {
      std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
    }
    rows.resize(most);
    return rows;
  }

  Points divided(Points points) const {
    for (std::size_t i = 0; i < points.size(); ++i) points[i] /= spans_[i % spans_.size()];
    return points;
  }

  std::vector<bool> unordered_;
  std::vector<double> spans_;
  RegressionForest forest_;
  GaussianProcess process_;
  std::size_t tuned_ = 0;  ///< by so many costs
  double best_ = 0;
};

class ModelSearch final : public Strategy {
 public:
  ModelSearch(const SearchSpace& space, std::uint64_t seed, bool is_bayesian)
      : Strategy(space, seed) {
    std::vector<double> spans;
    for (const SearchParameter& parameter : space.parameters()) {
      unordered_.push_back(!parameter.ordered);
      spans.push_back(static_cast<double>(std::max<std::size_t>(parameter.values, 2) - 1));
    }
    // A tiny space is soon known: 2 rows of 15, 4 of 40.
    first_rows_ =
        std::min(most_first_rows,
                 static_cast<std::size_t>(std::sqrt(static_cast<double>(space.size())) / 2) + 1);
    if (!space.predictions().empty()) learn_predictions();
    if (!predicted_.empty()) spans.push_back(1);
    if (is_bayesian) {
      model_ = std::make_unique<BlendedModel>(unordered_, spans);
    } else {
      model_ = std::make_unique<ForestModel>(unordered_);
    }
  }

 private:
  std::optional<std::size_t> propose() override {
    if (untried_count() == 0) return std::nullopt;
    const std::size_t answers = known_.size() + failed_.size();
    if (proposed_.size() < first_rows_ && answers < first_rows_) {
      proposed_.push_back(first_row());
      return proposed_.back();
    }
    if (known_.empty()) return pick();
    // A model that has seen nothing good elsewhere stays near the best.
    const double stuck = (static_cast<double>(unchanged_) - free_answers) / stuck_answers;
    if (stuck > 0 && random_.chance(std::min(stuck, most_random))) return pick();
    if (refit()) ranked_.clear();
    while (!ranked_.empty() && !is_untried(ranked_.back().row)) ranked_.pop_back();
    if (ranked_.empty()) rank();
    return ranked_.back().row;
  }

  void learn(std::size_t row) override { unchanged_ = row == best_ ? 0 : unchanged_ + 1; }

  /// Every second row by its prediction, which may be wrong.
  std::size_t first_row() {
    if (proposed_.size() % 2 == 0) {
      if (const auto seed = next_seed()) return *seed;
    }
    if (has_middle_) return spread_row();
    has_middle_ = true;
    return middle_row();
  }

  /// Of some random rows the one nearest the middle: the ends of parameters are seldom good.
  std::size_t middle_row() {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < middle_candidates; ++i) rows.push_back(*pick());
    return *std::ranges::min_element(
        rows, {}, [this](std::size_t row) { return space_.distance_from_middle(row); });
  }

  /// Of some random rows the one farthest from the nearest proposed.
  std::size_t spread_row() {
    std::size_t farthest = *pick();
    double most = -1;
    for (std::size_t i = 0; i < spread_candidates; ++i) {
      const std::size_t row = *pick();
      double nearest = static_cast<double>(unordered_.size());
      for (const std::size_t other : proposed_) {
        nearest = std::min(nearest, space_.distance(row, other));
      }
      if (nearest > most) {
        most = nearest;
        farthest = row;
      }
    }
    return farthest;
  }

  Points points_of(std::span<const std::size_t> rows) const {
    Points points;
    for (const std::size_t row : rows) {
      const auto values = space_.values(row);
      points.insert(points.end(), values.begin(), values.end());
      if (!predicted_.empty()) points.push_back(trusts_predictions_ ? predicted_[row] : 0);
    }
    return points;
  }

  /// Each row gets a number: its prediction, or what a forest that learnt the predictions expects.
  void learn_predictions() {
    const std::span<const double> known = space_.predictions();
    std::vector<std::size_t> rows;
    std::vector<double> costs;
    for (std::size_t row = 0; row < known.size(); ++row) {
      if (std::isnan(known[row])) continue;
      rows.push_back(row);
      costs.push_back(known[row]);
    }
    if (costs.empty()) return;
    const CostScale scale(costs);
    for (double& cost : costs) cost = scale(cost);
    RegressionForest forest;
    forest.fit(forest_columns(points_of(rows), unordered_), costs, random_);
    std::vector<double> predicted;
    for (std::size_t row = 0; row < space_.size(); ++row) {
      predicted.push_back(std::isnan(known[row]) ? forest.predict(points_of({&row, 1})).mean
                                                 : scale(known[row]));
    }
    predicted_ = std::move(predicted);
    unordered_.push_back(false);
    rows.resize(space_.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    random_.shuffle(rows);
    best_predicted_.resize(std::min(rows.size(), predicted_candidates));
    const auto by_prediction = [this](std::size_t row) { return predicted_[row]; };
    std::ranges::partial_sort_copy(rows, best_predicted_, {}, by_prediction, by_prediction);
  }

  /// What does not order the costs known so far is left out.
  void judge_predictions() {
    std::vector<double> costs;
    std::vector<double> predicted;
    for (const std::size_t row : known_) {
      costs.push_back(*cost(row));
      predicted.push_back(predicted_[row]);
    }
    trusts_predictions_ = rank_correlation(costs, predicted) > least_correlation;
  }

  bool refit() {
    const std::size_t answers = known_.size() + failed_.size();
    if (learnt_ > 0 && !model_->is_due(answers, learnt_)) return false;
    learnt_ = answers;
    if (!predicted_.empty()) judge_predictions();
    Points points = points_of(known_);
    model_->learn(points, targets(), points_of(pending_), random_);
    if (failed_.empty()) return true;
    // Which rows fail, as a share of 1.
    std::vector<double> failures(known_.size(), 0);
    failures.resize(known_.size() + failed_.size(), 1);
    const Points failed = points_of(failed_);
    points.insert(points.end(), failed.begin(), failed.end());
    failures_.fit(forest_columns(points, unordered_), failures, random_);
    return true;
  }

  /// The known costs, scaled; what is worse than the median counts as the median: the model is
  /// to tell good from better, not bad from worse.
  std::vector<double> targets() {
    std::vector<double> costs;
    for (const std::size_t row : known_) costs.push_back(*cost(row));
    const CostScale scale(costs);
    for (double& cost : costs) cost = scale(cost);
    std::vector<double> sorted = costs;
    std::ranges::sort(sorted);
    const double middle = sorted[(sorted.size() - 1) / 2];
    for (double& cost : costs) cost = std::min(cost, middle);
    return costs;
  }

  std::vector<std::size_t> candidates() {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < random_candidates; ++i) rows.push_back(*pick());
    std::vector<std::size_t> best(std::min(best_rows, known_.size()));
    std::ranges::partial_sort_copy(known_, best, [this](std::size_t a, std::size_t b) {
      return is_better(a, b) || (!is_better(b, a) && a < b);
    });
    for (const std::size_t row : best) {
      for (const std::size_t near : space_.neighbours(row)) {
        if (is_untried(near)) rows.push_back(near);
      }
      for (int i = 0; i < mutants; ++i) {
        const auto mutant = untried_mutant(row, mutated_parameters);
        if (mutant) rows.push_back(*mutant);
      }
    }
    if (trusts_predictions_) {
      std::ranges::copy_if(best_predicted_, std::back_inserter(rows),
                           [this](std::size_t row) { return is_untried(row); });
    }
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    random_.shuffle(rows);  // which of equal ones comes first is chance
    return rows;
  }

  void rank() {
    const std::vector<std::size_t> rows = candidates();
    const Points points = points_of(rows);
    const std::vector<double> improvements = model_->improvements(points);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double fails = failures_.predict(point_at(points, i, unordered_.size())).mean;
      ranked_.push_back({improvements[i] * (1 - fails), rows[i]});
    }
    std::ranges::stable_sort(ranked_, {}, &Ranked::improvement);
  }

  struct Ranked {
    double improvement = 0;
    std::size_t row = 0;
  };

  std::vector<bool> unordered_;              ///< per column of the points
  std::size_t first_rows_ = 0;               ///< to propose before the model learns
  std::vector<std::size_t> proposed_;        ///< of them
  bool has_middle_ = false;                  ///< whether one of them is the one near the middle
  std::vector<double> predicted_;            ///< of each row, scaled; empty without predictions
  std::vector<std::size_t> best_predicted_;  ///< by it
  bool trusts_predictions_ = true;
  std::unique_ptr<CostModel> model_;
  RegressionForest failures_;   ///< of the share that fails; without trees when none has
  std::size_t unchanged_ = 0;   ///< answers since one was the best
  std::size_t learnt_ = 0;      ///< answers
  std::vector<Ranked> ranked_;  ///< what to propose next, the most promising last
};

}  // namespace

std::unique_ptr<Strategy> forest_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<ModelSearch>(space, seed, false);
}

std::unique_ptr<Strategy> bayesian_search(const SearchSpace& space, std::uint64_t seed) {
  return std::make_unique<ModelSearch>(space, seed, true);
}

}  // namespace sweep
