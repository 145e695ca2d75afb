#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

/// A metric that a pattern or a sweep defines: `gflops: {value: 2 * N / time / 1e9, unit: GFLOP/s,
/// better: higher}`.
struct OwnMetric {
  std::string name;
  /// Over parameters and metrics, with real numbers. Metrics are in base units (in_base_unit),
  /// those of one's own in theirs.
  Expression value;
  std::string unit = "1";
  Better better = Better::neither;
  std::string help = {};
  Location where = {};
};

/// Reads the value of a `metrics:` key, if there is one. What can be told without knowing the
/// parameters is checked.
std::vector<OwnMetric> read_own_metrics(const YamlNode* node, Diagnostics& diagnostics);

/// Checks names, kinds and operations, where the parameters are those of `scope` and the metrics of
/// `before` are there too.
void check_own_metrics(std::span<const OwnMetric> metrics, std::span<const OwnMetric> before,
                       const Scope& scope, Diagnostics& diagnostics);

/// Makes them known to find_metric, in their order, with what follows from their formulas: where
/// their values come from and how they follow the time.
void define_own_metrics(std::span<const OwnMetric> metrics);

/// The same with those of a pattern's text, as far as it can be read.
void define_metrics_of_pattern(const std::string& pattern_text);

/// Computes metrics of one's own anew from a point's others and what its configuration's names
/// stand for, and puts them last. One that lacks an ingredient, or whose value is not finite, is
/// left out. Its origin is that of the ingredient that comes first among measured, hardware and
/// emulated, and of an ingredient with several the first; without ingredients the point's first.
void derive_metrics(std::span<const OwnMetric> own, const Bindings& environment,
                    std::vector<Metric>& metrics);

}  // namespace sweep
