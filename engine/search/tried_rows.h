#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/search/random_generator.h"

namespace sweep {

/// What a strategy remembers of the rows: which are untried, and what the others cost. Every
/// function takes constant time.
class TriedRows {
 public:
  explicit TriedRows(std::size_t count);

  std::size_t untried_count() const { return untried_.size(); }
  bool untried(std::size_t row) const { return place_[row] != taken; }
  /// A random untried row, which stays untried; nothing when none is left.
  std::optional<std::size_t> pick(RandomGenerator& random) const;
  /// The row is about to be proposed: it is not untried any more. Returns it.
  std::size_t take(std::size_t row);

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

}  // namespace sweep
