#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/yaml.h"

namespace sweep {

enum class Comparison { less, less_equal, greater, greater_equal, equal, not_equal };

/// Whether the comparison holds. Integers compare exactly; other numbers are equal within 1e-9 of
/// the larger one, and then neither less nor greater. NaN is in no relation to anything.
bool compare(double left, Comparison comparison, double right);

struct MetricName {
  std::string name;  ///< as the table of metrics has it
};

/// What stands on one side of an expectation: a metric, a number in the metric's unit, or an
/// integer expression over a point's parameters and "pattern".
struct ExpectationSide {
  std::string text;
  std::variant<MetricName, double, Expression> value;
  bool percent = false;  ///< a number followed by %
  Location where = {};
};

/// What a sweep file's `expect:` says that every point keeps: `load_sectors_per_request <= 4`.
struct Expectation {
  std::string text;
  Location where;
  ExpectationSide left;
  Comparison comparison = Comparison::equal;
  ExpectationSide right;
  std::optional<Expression> condition;  ///< which points are meant, over the same names; or all
};

/// Reads the value of a sweep file's `expect:` key, if there is one: a comparison, {check, where},
/// or a list of these. Sides and conditions are checked where there is a scope: the parameters and
/// "pattern".
std::vector<Expectation> read_expectations(const YamlNode* node, const Scope* scope,
                                           Diagnostics& diagnostics);

}  // namespace sweep
