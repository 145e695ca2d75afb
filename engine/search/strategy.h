#pragma once

#include <memory>
#include <random>

#include "engine/search/search_space.h"

namespace sweep {

/// Random numbers that are the same for the same seed with every compiler and library: the
/// standard fixes what std::mt19937_64 gives, but not what its distributions make of it.
class RandomGenerator {
 public:
  explicit RandomGenerator(std::uint64_t seed) : engine_(seed) {}

  /// Uniform from 0 to `count` - 1, without bias. 0 for a count of 0.
  std::size_t below(std::size_t count);
  /// Uniform from 0 to 1, less than 1, in steps of 2^-53.
  double unit();
  /// True in this share of the calls.
  bool chance(double probability) { return unit() < probability; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// Chooses which configurations to try, one after the other: proposes untried rows, and learns from
/// the first answer to each. The same seed and the same answers give the same course, on every
/// machine.
class Strategy {
 public:
  Strategy(const SearchSpace& space, std::uint64_t seed);
  virtual ~Strategy() = default;

  /// The row to try next; nothing when every row was proposed or told. Never a row twice. May be
  /// called again before the last row is told: what is not told yet is not waited for.
  std::optional<std::size_t> ask();
  /// What trying the row gave: a cost to minimise, nothing when it failed. A cost that is not
  /// finite counts as failed. A row that was not asked for is learnt from too and never proposed;
  /// of several answers for a row the first counts. Throws std::out_of_range for what is no row.
  void tell(std::size_t row, std::optional<double> cost);

 protected:
  // What is remembered of the rows. But for the mutants, all of it takes constant time.

  std::size_t untried_count() const { return untried_.size(); }
  /// Whether the row was neither proposed nor told.
  bool is_untried(std::size_t row) const { return place_[row] != taken; }
  /// A random untried row; nothing when none is left.
  std::optional<std::size_t> pick();
  /// The next of a few rows to begin with: the best predicted, then rows that are predicted nearly
  /// as good and unlike those before. Nothing once they were given, or where nothing is predicted.
  std::optional<std::size_t> next_seed();
  /// Nothing for a row that failed or has no answer yet.
  std::optional<double> cost(std::size_t row) const { return costs_[row]; }
  /// Whether the row is known to cost less than another; what failed or is not known never does.
  bool is_better(std::size_t row, std::size_t other) const;
  /// Another value of the parameter: one step away as often as any other where it is ordered.
  /// A parameter with one value keeps it.
  SearchSpace::Value other_value(const SearchParameter& parameter, SearchSpace::Value value);
  /// An untried row that differs from `row` in at most that many parameters; nothing when a number
  /// of attempts has met none that is valid.
  std::optional<std::size_t> untried_mutant(std::size_t row, std::size_t parameters);

  const SearchSpace& space_;
  RandomGenerator random_;
  std::vector<std::size_t> known_;    ///< rows with a cost, in the order told
  std::vector<std::size_t> failed_;   ///< rows, in the order told
  std::vector<std::size_t> pending_;  ///< rows asked for that have no answer yet
  std::optional<std::size_t> best_;   ///< the known row of the least cost, the first told of equals

 private:
  virtual std::optional<std::size_t> propose() = 0;
  /// The row has failed, or a cost.
  virtual void learn(std::size_t /*row*/) {}
  void take(std::size_t row);

  static constexpr std::uint32_t taken = 0xffffffff;
  std::vector<std::uint32_t> untried_;
  std::vector<std::uint32_t> place_;  ///< of a row in `untried_`, or `taken`
  std::vector<std::optional<double>> costs_;
  std::vector<bool> is_answered_;
  std::optional<std::vector<std::size_t>> seeds_;  ///< still to give, the last one next
};

/// Turns costs into numbers whose differences mean the same everywhere. Where all costs are above
/// zero, or all below, it is their logarithm: a difference is then a ratio, and a time and a
/// bandwidth that was negated behave the same. Otherwise it is the costs themselves.
class CostScale {
 public:
  explicit CostScale(std::span<const double> costs);

  /// Increases with the cost. The cost must have the sign of those the scale was made for.
  double operator()(double cost) const;

 private:
  double sign_ = 0;  ///< that all costs have; 0 where they are of both
};

/// Spearman's: 1 where both order in the same way, -1 where one orders in the other's opposite; 0
/// where all numbers of one are equal. `a` and `b` are equally long.
double rank_correlation(std::span<const double> a, std::span<const double> b);

/// Ends a search that does not get better: when the last `configurations` tried have not lowered
/// the best cost by `share` of it.
struct Patience {
  std::size_t configurations = 0;
  double share = 0.01;
};

/// How long a search may go on; what is not given does not limit it.
struct Budget {
  std::optional<std::size_t> configurations;
  std::optional<double> seconds;
  std::optional<Patience> patience;
};

/// What a search has reached so far.
struct SearchProgress {
  /// After each configuration tried: its cost, nothing when it failed.
  void tell(std::optional<double> cost);

  std::vector<std::optional<double>> best_after;  ///< each configuration tried, the least cost
};

/// Why the budget is used up, `elapsed` seconds after the search began, as a sentence's predicate:
/// "stopped after 200 configurations". Patience begins with the first configuration that has a
/// cost.
std::optional<std::string> should_stop(const Budget& budget, const SearchProgress& progress,
                                       double elapsed);

/// A strategy as help texts list it.
struct StrategyDescription {
  std::string name;
  std::string summary;  ///< one line
  std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed);
};
std::span<const StrategyDescription> strategies();
/// In the order of `strategies`; for `suggest`.
std::vector<std::string> strategy_names();

/// The strategy of that name over a space that outlives it; null when there is none.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed);

/// Predicts what some rows cost, less being better; nothing for those that it cannot predict.
using PredictCosts =
    std::function<std::vector<std::optional<double>>(std::span<const std::size_t> rows)>;

/// What `most` rows at most are predicted to cost, as `SearchSpace::set_predictions` takes it: the
/// forest searches the predictions, so that among the rows are the best predicted. `predict` is
/// given a few rows at a time, the same on every machine.
std::vector<double> sample_predictions(const SearchSpace& space, std::uint64_t seed,
                                       std::size_t most, const PredictCosts& predict);

/// What is wanted of the value that is measured.
enum class Objective { minimise, maximise };

/// The value as a cost: as it is, or negated where more is better. Strategies take costs below zero
/// as they take those above, by their ratios.
constexpr double cost_of(double value, Objective objective) {
  return objective == Objective::minimise ? value : -value;
}

}  // namespace sweep
