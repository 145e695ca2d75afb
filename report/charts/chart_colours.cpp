#include "report/charts/chart_colours.h"

#include <algorithm>
#include <cmath>

namespace sweep {
namespace {

unsigned channel_of(unsigned colour, unsigned shift) {
  return (colour >> shift) & 0xffU;
}

}  // namespace

std::string_view series_colour(std::size_t series) {
  constexpr std::size_t first = 5;
  return chart_colours[first + series % (chart_colours.size() - first)].first;
}

unsigned viridis_at(double share) {
  // In this order NaN becomes 0.
  const double along =
      std::max(0.0, std::min(share, 1.0)) * static_cast<double>(viridis.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(along), viridis.size() - 2);
  unsigned colour = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double mixed =
        std::lerp(channel_of(viridis[below], shift), channel_of(viridis[below + 1], shift),
                  along - static_cast<double>(below));
    colour |= static_cast<unsigned>(std::lround(mixed)) << shift;
  }
  return colour;
}

bool is_light(unsigned colour) {
  return 299 * channel_of(colour, 16) + 587 * channel_of(colour, 8) + 114 * channel_of(colour, 0) >
         150'000;
}

}  // namespace sweep
