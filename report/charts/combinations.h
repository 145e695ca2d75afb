#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/point_columns.h"

namespace sweep {

/// The combinations of the values of some parameters that points have: what stands along an axis,
/// in a legend, or above panels. Numbers stand in their order, other values in the order in which
/// they first appear; a point that lacks a parameter has a value of its own for it, the last.
class Combinations {
 public:
  Combinations(const std::vector<std::string>& names, const PointList& points,
               std::span<const ParameterValues> parameters);

  std::size_t size() const { return combinations_.size(); }
  std::size_t place_of(const PointRecord& point) const { return places_.at(ranks_of(point)); }

  /// The names that differ among the combinations: "T, BLOCK"; all when there is one combination.
  std::string heading() const;
  /// The values of those names: "float, 256".
  std::string values_at(std::size_t place) const { return join(place, false); }
  /// "T = float, BLOCK = 256"
  std::string described_at(std::size_t place) const { return join(place, true); }

  /// The one parameter's values where they are numbers, in order; else nothing.
  std::optional<std::vector<double>> numbers() const;

 private:
  using Ranks = std::vector<std::size_t>;

  Ranks ranks_of(const PointRecord& point) const;
  std::string join(std::size_t place, bool with_names) const;

  std::vector<ParameterValues> names_;  ///< with their values in the order of the combinations
  std::vector<bool> is_telling_;  ///< which tell combinations apart; of a single one every name
  std::vector<Ranks> combinations_;
  std::map<Ranks, std::size_t> places_;
};

}  // namespace sweep
