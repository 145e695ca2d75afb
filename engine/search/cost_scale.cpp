#include "engine/search/cost_scale.h"

#include <algorithm>
#include <cmath>

namespace sweep {

CostScale::CostScale(std::span<const double> costs) {
  if (costs.empty()) return;
  if (std::ranges::all_of(costs, [](double cost) { return cost > 0; })) kind_ = Kind::positive;
  if (std::ranges::all_of(costs, [](double cost) { return cost < 0; })) kind_ = Kind::negative;
}

double CostScale::operator()(double cost) const {
  switch (kind_) {
    case Kind::positive:
      return std::log(cost);
    case Kind::negative:
      return -std::log(-cost);
    case Kind::as_is:
      break;
  }
  return cost;
}

}  // namespace sweep
