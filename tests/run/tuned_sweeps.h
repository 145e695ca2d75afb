#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/run/scripted_run.h"

namespace sweep {

inline const std::string ten_samples = "measure: {samples: {min: 10, max: 10}}\n";

/// A sweep over these axes that is tuned so.
inline std::string tuned_by(const std::string& tune,
                            const std::string& axes = "K: {from: 1, to: 12}") {
  return "pattern: tuned\naxes: {" + axes + "}\n" + ten_samples + "tune: {" + tune + "}\n";
}

inline const std::string all_by_time =
    tuned_by("minimize: time, strategy: exhaustive, cut_off: off");

/// Takes 100 us where K is `best`, and 5 us more for each step away from it.
inline std::function<double(Tried)> valley(std::int64_t best) {
  return
      [best](Tried tried) { return 100e-6 + 5e-6 * static_cast<double>(std::abs(tried.k - best)); };
}

/// Numbers between -1 and 1 that look random and are always the same.
class Noise {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 33U) / static_cast<double>(1U << 30U) - 1;
  }

 private:
  std::uint64_t state_ = 1;
};

inline std::vector<Tried> range_of_k(std::int64_t from, std::int64_t to) {
  std::vector<Tried> range;
  for (std::int64_t k = from; k <= to; ++k) range.push_back({k, 0});
  return range;
}

/// The comparison of the configuration at this place of the space, if it was compared.
inline std::optional<ComparisonRecord> comparison_of(const RunRecord& record,
                                                     std::int64_t ordinal) {
  const auto found = std::ranges::find(record.comparisons, ordinal, &ComparisonRecord::ordinal);
  return found != record.comparisons.end() ? std::optional(*found) : std::nullopt;
}

}  // namespace sweep
