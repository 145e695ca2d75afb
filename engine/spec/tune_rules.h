#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/search/budget.h"
#include "engine/spec/metric.h"
#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

/// A metric and what is wanted of it.
struct TuneObjective {
  std::string metric;
  Better better = Better::higher;  ///< never `neither`
  Location where = {};
};

/// The `tune:` part of a sweep file: search for the best configuration in the place of measuring
/// all of them.
struct TuneRules {
  /// The first that the device can give decides; the others, in order, decide among configurations
  /// that are the same by it.
  std::vector<TuneObjective> objectives;
  /// One winner per combination of these, which may name "pattern" too; empty: one of all.
  std::vector<std::string> for_each;
  std::vector<Location> for_each_places = {};
  std::string strategy = "forest";  ///< a name that `make_strategy` knows
  Budget budget;                    ///< of each search; without one a Patience of 100 by 1 %
  std::uint64_t seed = 1;
  /// A configuration is dropped after its first samples when it is so many times slower than the
  /// best so far; 0: never.
  double cut_off = 1.5;
};

/// Reads the value of a sweep file's `tune:` key. Metrics and the strategy are checked, the names
/// of `for_each` are not (see check_tune_rules).
TuneRules read_tune_rules(const YamlNode& node, Diagnostics& diagnostics);

/// Adds an error for each name of `for_each` that `scope` does not know.
void check_tune_rules(const TuneRules& rules, const Scope& scope, Diagnostics& diagnostics);

}  // namespace sweep
