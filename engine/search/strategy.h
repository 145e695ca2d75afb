#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search/tried_rows.h"

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
