#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

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

/// What a strategy remembers of the rows: which are untried, and what the others cost. Every
/// function takes constant time.
class TriedRows {
 public:
  explicit TriedRows(std::size_t count);

  std::size_t untried_count() const { return untried_.size(); }
  bool untried(std::size_t row) const { return place_[row] != taken; }
  /// A random untried row, which stays untried; nothing when none is left.
  std::optional<std::size_t> pick(RandomGenerator& random) const;
  /// The row is about to be proposed: it is not untried any more.
  void take(std::size_t row);

  /// Remembers the answer to a row, which is not untried afterwards. False when it had one already:
  /// the first counts. A cost that is not finite is a failure. Throws std::out_of_range.
  bool record(std::size_t row, std::optional<double> cost);
  /// Nothing for a row that failed or has no answer yet.
  std::optional<double> cost(std::size_t row) const { return costs_[row]; }
  /// Whether the row is known to cost less than another; what failed or is not known never does.
  bool better(std::size_t row, std::size_t other) const;

  /// Rows with a cost, in the order told.
  std::span<const std::size_t> known() const { return known_; }
  std::span<const std::size_t> failed() const { return failed_; }
  /// The known row of the least cost, the first told of equal ones.
  std::optional<std::size_t> best() const { return best_; }

 private:
  static constexpr std::uint32_t taken = 0xffffffff;

  std::vector<std::uint32_t> untried_;
  std::vector<std::uint32_t> place_;  ///< of a row in `untried_`, or `taken`
  std::vector<std::optional<double>> costs_;
  std::vector<bool> answered_;
  std::vector<std::size_t> known_;
  std::vector<std::size_t> failed_;
  std::optional<std::size_t> best_;
};

/// Chooses which configurations to try, one after the other: proposes untried rows, and learns from
/// the first answer to each. The same seed and the same answers give the same course, on every
/// machine.
class Strategy {
 public:
  Strategy(const SearchSpace& space, std::uint64_t seed)
      : space_(space), random_(seed), tried_(space.size()) {}
  virtual ~Strategy() = default;

  /// The row to try next; nothing when every row was proposed or told. Never a row twice. May be
  /// called again before the last row is told: what is not told yet is not waited for.
  std::optional<std::size_t> ask() {
    const std::optional<std::size_t> row = propose();
    if (row) tried_.take(*row);
    return row;
  }
  /// What trying the row gave: a cost to minimise, nothing when it failed. A cost that is not
  /// finite counts as failed. A row that was not asked for is learnt from too and never proposed;
  /// of several answers for a row the first counts. Throws std::out_of_range for what is no row.
  void tell(std::size_t row, std::optional<double> cost) {
    if (tried_.record(row, cost)) learn(row);
  }

 protected:
  const SearchSpace& space_;
  RandomGenerator random_;
  TriedRows tried_;

 private:
  virtual std::optional<std::size_t> propose() = 0;
  /// The row has failed, or a cost.
  virtual void learn(std::size_t /*row*/) {}
};

/// Another value of the parameter: one step away as often as any other where it is ordered.
/// A parameter with one value keeps it.
SearchSpace::Value other_value(const SearchParameter& parameter, SearchSpace::Value value,
                               RandomGenerator& random);

/// An untried row that differs from `row` in at most that many parameters; nothing when a number of
/// attempts has met none that is valid.
std::optional<std::size_t> untried_mutant(const SearchSpace& space, const TriedRows& tried,
                                          std::size_t row, std::size_t parameters,
                                          RandomGenerator& random);

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

}  // namespace sweep
