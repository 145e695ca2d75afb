#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/metric.h"

namespace sweep {

/// A hardware counter by NVIDIA's names for it: generations of GPUs call some differently, and the
/// first that a GPU has is meant.
using CounterNames = std::vector<std::string>;

/// A metric as hardware counters give it: factor * sum of `parts` / sum of `over`, or without the
/// division where `over` is empty.
struct CounterFormula {
  std::string metric;
  std::vector<CounterNames> parts;
  std::vector<CounterNames> over = {};
  double factor = 1;
};

/// The formula of every metric of the engine's table that counters give. They mean what the
/// emulator counts under the same names.
std::span<const CounterFormula> counter_formulas();
/// The formula of a metric by today's name, or null.
const CounterFormula* find_counter_formula(std::string_view metric);

/// What one launch gave, by NVIDIA's names.
using CounterValues = std::map<std::string, double, std::less<>>;

/// Nothing where a counter has no value, or nothing was counted to divide by.
std::optional<double> evaluate(const CounterFormula& formula, const CounterValues& values);

}  // namespace sweep
