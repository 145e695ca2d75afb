#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace sweep
