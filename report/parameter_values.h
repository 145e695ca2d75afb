#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/record.h"
#include "engine/text/expression.h"
#include "engine/text/value.h"
#include "report/metric_column.h"

namespace sweep {

/// What an expression over a point may name: "pattern", a word, and the point's parameters.
Bindings environment_of(const PointRecord& point);

/// The values that one parameter takes among points, each once, in the order they first appear. A
/// value is found in little time, however many there are.
class ParameterValues {
 public:
  explicit ParameterValues(std::string parameter) : name(std::move(parameter)) {}

  std::string name;
  bool in_every_point = true;
  bool is_derived = false;  ///< computed from others wherever it is: it sets nothing apart

  const std::vector<Value>& values() const { return values_; }
  /// Adds a value, unless it is there.
  void add(const Value& value);
  /// Puts the values in ascending order.
  void sort();

  /// Whether all values are integers; false without any.
  bool is_numeric() const;
  bool varies() const { return values_.size() > 1 || !in_every_point; }
  /// The value's place among `values`, or their number when it is none of them.
  std::size_t rank_of(const Value& value) const;
  /// As a reader likes it: with binary units ("64 Mi") when all values are such large round
  /// numbers, otherwise as a user would write it.
  std::string show(const Value& value) const;

 private:
  std::vector<Value> values_;
  std::map<Value, std::size_t> ranks_;
  bool are_multiples_of_kibi_ = true;
  bool has_large_ = false;
};

/// "pattern" and then every parameter of the points, in the order they first appear.
std::vector<ParameterValues> parameters_of(std::span<const PointRecord* const> points);

/// Those that tell the points apart, none of them computed from others and none of the names
/// `without`; all when there are none.
std::vector<ParameterValues> telling_parameters(const std::vector<ParameterValues>& parameters,
                                                std::span<const std::string> without = {});

/// "STRIDE = 4, T = float" for those of the parameters that `environment` has.
std::string describe(const Bindings& environment, std::span<const ParameterValues> parameters);
/// The same of a point's environment.
std::string describe(const PointRecord& point, std::span<const ParameterValues> parameters);

/// "T = float, STRIDE = 4" for the names that groups differ in; "without PAD" where the group lacks
/// one.
std::string describe_group(const Bindings& group, std::span<const std::string> for_each,
                           std::span<const ParameterValues> parameters);

/// "BLOCK (128, 256, 512)"; of more than `most` values "BLOCK (12 values)".
std::string with_values(const ParameterValues& parameter, std::size_t most);

/// The parameter of that name, or null.
const ParameterValues* find_parameter(std::span<const ParameterValues> parameters,
                                      const std::string& name);

/// Whether a condition over "pattern" and the parameters holds for a point; false when the point
/// lacks a name, or the expression has no value.
bool holds(const Expression& condition, const PointRecord& point);

// Points that share a place, a table's cell or a chart's mark, since the report does not tell apart
// all parameters that vary.

using PointList = std::vector<const PointRecord*>;

/// The points that have all of the names and for which the condition, if there is one, holds.
PointList matching_points(std::span<const StoredPoint> points, std::span<const std::string> needed,
                          const std::optional<Expression>& where);

/// The point with the best figure, or the highest where neither is better; of equals the first.
/// Null when none succeeded with a figure that is a number.
const PointRecord* best_point(const PointList& points, const MetricColumn& metric, Better better);

/// What a place shows of several points, by the parameters that vary among them: "Each cell: the
/// best over BLOCK (128, 256) and UNROLL (1, 2)", where `place` is "cell" and `shown` is "best".
/// Empty when no place has several points.
std::string describe_choice(std::string_view place, std::string_view shown,
                            std::span<const PointList> places,
                            std::span<const ParameterValues> parameters);

}  // namespace sweep
