#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/recording/recording.h"
#include "engine/search/comparison.h"
#include "engine/search/encoded_space.h"
#include "engine/search/strategy.h"
#include "engine/text/expression.h"

namespace sweep {

/// By what a recording's configurations are compared.
struct ComparedBy {
  std::optional<std::string> metric;   ///< by default the recording's objective, else the time
  std::optional<Objective> objective;  ///< by default what the metric says
  bool features = true;                ///< strategies are told the emulator's counts beforehand
};

/// A recording as strategies search it.
struct ComparedSpace {
  EncodedSpace encoded;
  CostTable costs;
  RecordedMetric metric;
  Objective objective = Objective::minimise;
  std::size_t with_figure = 0;
  std::size_t failed = 0;
  double best = 0;    ///< of the metric
  double median = 0;  ///< of those with a figure
};

/// Throws UsageError for a metric that the recording does not have or that does not say which
/// values are better, and CommandError for a recording that cannot be searched.
ComparedSpace compared_space(const Recording& recording, const ComparedBy& by);

/// Leaves of the recording the entries for which the condition, over "pattern" and the parameters,
/// holds. Throws InputError for a condition that fits no entry's names, CommandError where none is
/// left.
void keep_where(Recording& recording, const Expression& condition);

}  // namespace sweep
