#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search/search_space.h"

namespace sweep {

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

/// Chooses which configurations to try, one after the other. The same seed and the same answers
/// give the same course, on every machine.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The row to try next; nothing when every row was proposed or told. Never a row twice. May be
  /// called again before the last row is told: what is not told yet is not waited for.
  virtual std::optional<std::size_t> ask() = 0;
  /// What trying the row gave: a cost to minimise, nothing when it failed. A cost that is not
  /// finite counts as failed. A row that was not asked for is learnt from too and never proposed;
  /// of several answers for a row the first counts. Throws std::out_of_range for what is no row.
  virtual void tell(std::size_t row, std::optional<double> cost) = 0;
};

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

/// What is wanted of the value that is measured.
enum class Objective { minimise, maximise };

/// The value as a cost: as it is, or negated where more is better. Strategies take costs below zero
/// as they take those above, by their ratios.
constexpr double cost_of(double value, Objective objective) {
  return objective == Objective::minimise ? value : -value;
}

}  // namespace sweep
