#include "engine/run/portion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/run/stopping_rule.h"

namespace sweep {
namespace {

/// How many samples of `each` seconds fit into `seconds`.
double fitting(double seconds, double each) {
  return each > 0 ? std::max(seconds, 0.0) / each : std::numeric_limits<double>::infinity();
}

}  // namespace

int next_portion(const MeasureRules& rules, const SamplingProgress& progress) {
  constexpr double growth = 0.2;
  constexpr double longest = 0.1;
  const auto taken = static_cast<double>(progress.figures);
  const double left_of_fewest = rules.min_samples - taken;
  double portion = 0;
  const double deciding = std::min<double>(samples_to_give_up, rules.min_samples);
  if (taken < deciding && std::isfinite(rules.give_up_seconds)) {
    portion = deciding - taken;
  } else if (left_of_fewest > 0) {
    portion = left_of_fewest;
  } else {
    portion = std::min({growth * taken, rules.max_samples - taken,
                        fitting(rules.seconds - progress.elapsed, progress.seconds_per_sample)});
  }
  portion = std::min(portion, fitting(longest, progress.seconds_per_sample));
  return std::max(static_cast<int>(portion), 1);
}

}  // namespace sweep
