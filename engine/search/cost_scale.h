#pragma once

#include <span>

namespace sweep {

/// Turns costs into numbers whose differences mean the same everywhere. Where all costs are above
/// zero, or all below, it is their logarithm: a difference is then a ratio, and a time and a
/// bandwidth that was negated behave the same. Otherwise it is the costs themselves.
class CostScale {
 public:
  explicit CostScale(std::span<const double> costs);

  /// Increases with the cost. The cost must have the sign of those the scale was made for.
  double operator()(double cost) const;

 private:
  enum class Kind { as_is, positive, negative };
  Kind kind_ = Kind::as_is;
};

}  // namespace sweep
