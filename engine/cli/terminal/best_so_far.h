#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/spec/sweep.h"
#include "engine/store/record.h"

namespace sweep {

/// Follows which point is the best so far: of a search's groups, of that of the newest point.
class BestSoFar {
 public:
  BestSoFar() = default;
  /// `telling`: the names to show of a point; `for_each`: those that groups differ in.
  BestSoFar(std::vector<TuneObjective> by, std::vector<std::string> telling,
            std::vector<std::string> for_each);
  /// Compares by the objectives of a search; without one by the first that there is of the
  /// bandwidths, the time, what the tables show, and the counts that tell access patterns apart.
  /// Shows of a point what the sweep varies.
  explicit BestSoFar(const Sweep& sweep);

  /// Points that failed or were cut off, or that lack the metric, are none. The first point that
  /// has one of the metrics decides which it is.
  void add(const PointRecord& point);

  /// "best 2738 GB/s: STRIDE=1 T=float", "best of T=float 4.000 load_sectors_per_request:
  /// STRIDE=1"; empty while there is none. Without names only what stands before the colon.
  std::string describe(bool with_names = true) const;

 private:
  struct Best {
    Bindings group;
    double figure = 0;
    std::string parameters;  ///< that tell the point from others of the group
  };

  const Metric* metric_of(const PointRecord& point);
  std::string words_of(const Bindings& environment) const;

  std::vector<TuneObjective> by_;
  std::vector<std::string> telling_;
  std::vector<std::string> for_each_;
  std::optional<TuneObjective> chosen_;
  std::vector<Best> bests_;  ///< one for each group
  std::size_t newest_ = 0;   ///< the group of the newest point
};

}  // namespace sweep
