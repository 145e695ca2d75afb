#include "engine/search/budget.h"

#include <fmt/format.h>

#include <cmath>

namespace sweep {
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

}  // namespace sweep
