#include "engine/search/budget.h"

#include <fmt/format.h>

#include <cmath>

namespace sweep {
namespace {

bool out_of_patience(const Patience& patience, const SearchProgress& progress) {
  if (progress.tried() <= patience.configurations) return false;
  const std::optional<double> before =
      progress.best_after(progress.tried() - patience.configurations);
  if (!before) return false;
  const double gained = *before - *progress.best();
  return gained <= 0 || gained < patience.share * std::abs(*before);
}

std::string configurations(std::size_t count) {
  return count == 1 ? "configuration" : fmt::format("{} configurations", count);
}

}  // namespace

void SearchProgress::tell(std::optional<double> cost) {
  const std::optional<double> before = best();
  const bool better = cost && std::isfinite(*cost) && (!before || *cost < *before);
  best_after_.push_back(better ? cost : before);
}

std::optional<double> SearchProgress::best() const {
  return best_after(tried());
}

std::optional<double> SearchProgress::best_after(std::size_t tried) const {
  if (tried == 0 || tried > best_after_.size()) return std::nullopt;
  return best_after_[tried - 1];
}

std::optional<std::string> should_stop(const Budget& budget, const SearchProgress& progress,
                                       double elapsed) {
  const std::size_t tried = progress.tried();
  const std::string one = tried == 1 ? "1 " : "";
  if (budget.configurations && tried >= *budget.configurations) {
    return fmt::format("stopped after {}{}", one, configurations(tried));
  }
  if (budget.seconds && elapsed >= *budget.seconds) {
    return fmt::format("stopped after {:.3g} s ({}{})", elapsed, one, configurations(tried));
  }
  if (budget.patience && out_of_patience(*budget.patience, progress)) {
    constexpr double percent = 100;
    return fmt::format("stopped without a gain of {:.3g} % in the last {}",
                       budget.patience->share * percent,
                       configurations(budget.patience->configurations));
  }
  return std::nullopt;
}

}  // namespace sweep
