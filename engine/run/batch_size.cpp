#include "engine/run/batch_size.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

/// The fixed part of a batch of the size aimed at.
constexpr double fixed_share = 0.05;
/// How much less a program counts than the one after it: patterns and loads change.
constexpr double forgetting = 0.95;
/// Before sizes differ, the fixed part is taken to be that of so many configurations.
constexpr double usual_fixed = 4;
/// A batch that is this large is worth its fixed part whatever it is.
constexpr double most_for_fixed = 16;
/// How far the costs that were learnt are trusted beyond the sizes they were learnt from.
constexpr std::size_t growth = 4;

}  // namespace

void BatchSize::learn(std::size_t configurations, double seconds) {
  if (configurations == 0 || !(seconds >= 0)) return;
  const auto size = static_cast<double>(configurations);
  for (double* sum : {&weight_, &sizes_, &seconds_, &squares_, &products_}) *sum *= forgetting;
  weight_ += 1;
  sizes_ += size;
  seconds_ += seconds;
  squares_ += size * size;
  products_ += size * seconds;
  largest_seen_ = std::max(largest_seen_, configurations);
}

double BatchSize::seconds_each() const {
  if (weight_ <= 0) return 0;
  const double mean_size = sizes_ / weight_;
  const double mean_seconds = seconds_ / weight_;
  const double variance = squares_ / weight_ - mean_size * mean_size;
  // Two sizes half a configuration apart say nothing.
  if (variance < 0.25) return mean_seconds / (mean_size + usual_fixed);
  const double slope = (products_ / weight_ - mean_size * mean_seconds) / variance;
  // Noise may tilt the line; a configuration costs something, and no more than its share.
  return std::clamp(slope, 0.05 * mean_seconds / mean_size, mean_seconds / mean_size);
}

double BatchSize::fixed_seconds() const {
  if (weight_ <= 0) return 0;
  return std::max(0.0, (seconds_ - seconds_each() * sizes_) / weight_);
}

std::size_t BatchSize::next(std::size_t remaining, unsigned compilers) const {
  constexpr std::size_t doublings = 3;
  std::size_t size = std::min(unlearnt, first << std::min(begun_, doublings));
  double fixed_as_sizes = 1;
  if (const double each = seconds_each(); each > 0) {
    fixed_as_sizes = fixed_seconds() / each;
    const double wanted = std::ceil(fixed_as_sizes * (1 - fixed_share) / fixed_share);
    size = static_cast<std::size_t>(std::clamp(wanted, 1.0, static_cast<double>(largest)));
    size = std::min(std::max(size, first), std::max(unlearnt, growth * largest_seen_));
  }
  const std::size_t parts = std::max(compilers, 1U);
  const std::size_t fair = (remaining + parts - 1) / parts;
  const auto worthwhile =
      static_cast<std::size_t>(std::clamp(std::ceil(fixed_as_sizes), 1.0, most_for_fixed));
  return std::clamp<std::size_t>(std::min(size, std::max(fair, worthwhile)), 1,
                                 std::max<std::size_t>(remaining, 1));
}

}  // namespace sweep
