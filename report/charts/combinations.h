#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/parameter_values.h"

namespace sweep {

/// The combinations of the values of some parameters that points have: what stands along an axis,
/// in a legend, or above panels. Numbers stand in their order, other values in the order in which
/// they first appear; a point that lacks a parameter has a value of its own for it, the last.
class Combinations {
 public:
  Combinations(std::vector<std::string> names, const PointList& points,
               std::span<const ParameterValues> parameters);

  std::size_t size() const { return combinations_.size(); }
  std::size_t place_of(const PointRecord& point) const;

  /// The names that differ among the combinations: "T, BLOCK"; all when there is one combination.
  std::string heading() const;
  /// The values of those names: "float, 256".
  std::string values_at(std::size_t place) const;
  /// "T = float, BLOCK = 256"
  std::string described_at(std::size_t place) const;

  /// The one parameter's values where they are numbers, in order; else nothing.
  std::optional<std::vector<double>> numbers() const;

 private:
  using Ranks = std::vector<std::size_t>;

  struct Name {
    std::string name;
    ParameterValues values;  ///< in the order of the combinations
    bool is_numeric = false;
    bool varies = false;
  };

  Ranks ranks_of(const PointRecord& point) const;
  std::string join(std::size_t place, bool with_names) const;

  std::vector<Name> names_;
  std::vector<Ranks> combinations_;
  std::map<Ranks, std::size_t> places_;
};

}  // namespace sweep
