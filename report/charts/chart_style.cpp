#include "report/charts/chart_style.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

double channel(unsigned colour, unsigned shift) {
  return static_cast<double>((colour >> shift) & 0xffU);
}

}  // namespace

unsigned viridis_at(double share) {
  const double along = std::clamp(share, 0.0, 1.0) * static_cast<double>(viridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(along), viridis.size() - 2);
  const double rest = along - static_cast<double>(below);
  unsigned colour = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double mixed =
        channel(viridis[below], shift) * (1 - rest) + channel(viridis[below + 1], shift) * rest;
    colour |= static_cast<unsigned>(std::lround(mixed)) << shift;
  }
  return colour;
}

bool is_light(unsigned colour) {
  // The luma of Rec. 601.
  constexpr double middle = 150;
  return 0.299 * channel(colour, 16) + 0.587 * channel(colour, 8) + 0.114 * channel(colour, 0) >
         middle;
}

}  // namespace sweep
