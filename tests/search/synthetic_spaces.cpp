#include "tests/search/synthetic_spaces.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

namespace sweep::testing {
namespace {

using Values = std::vector<SearchSpace::Value>;

/// A number from 0 to 1 that belongs to these values and this salt.
double chance_of(const Values& values, std::uint64_t salt) {
  std::uint64_t hash = salt * 0x9e3779b97f4a7c15U + 0x1234567;
  for (const SearchSpace::Value value : values) {
    hash = (hash ^ (value + 1U)) * 0xbf58476d1ce4e5b9U;
    hash ^= hash >> 29U;
  }
  hash *= 0x94d049bb133111ebU;
  return static_cast<double>((hash ^ (hash >> 31U)) >> 11U) * 0x1p-53;
}

double noisy(double cost, const Values& values, double share) {
  return cost * (1 + share * chance_of(values, 99));
}

/// Every combination for which `valid` holds.
SearchSpace space_of(const std::vector<SearchParameter>& parameters,
                     const std::function<bool(const Values&)>& valid) {
  Values rows;
  Values values(parameters.size());
  for (;;) {
    if (valid(values)) rows.insert(rows.end(), values.begin(), values.end());
    std::size_t p = 0;
    while (p < values.size() && ++values[p] == parameters[p].values) values[p++] = 0;
    if (p == values.size()) break;
  }
  return {parameters, rows};
}

bool any(const Values& /*values*/) {
  return true;
}

CostTable costs_of(const SearchSpace& space,
                   const std::function<std::optional<double>(const Values&)>& cost) {
  CostTable costs;
  for (std::size_t row = 0; row < space.size(); ++row) {
    const auto values = space.values(row);
    costs.push_back(cost({values.begin(), values.end()}));
  }
  return costs;
}

/// The rugged space's parameters, by what they stand for in a kernel.
struct Tile {
  double threads = 0;
  double unroll = 0;
  double vector = 0;
  double width = 0;
  double height = 0;
  int layout = 0;
  bool staged = false;

  explicit Tile(const Values& v)
      : threads(32 * (v[0] + 1)),
        unroll(v[1] + 1),
        vector(1 << v[2]),
        width(1 << v[3]),
        height(1 << v[4]),
        layout(v[5]),
        staged(v[6] == 1) {}

  double registers() const { return 16 + 3 * unroll * vector + 2 * height * (staged ? 1 : 2); }
  double shared() const { return staged ? threads * width * vector * 4 : 0; }
  /// Sectors for each useful one, as coalescing gives them.
  double sectors() const {
    const double stride = layout == 0 ? width : layout == 1 ? 1 : height;
    return staged ? 1 : std::min(8.0, std::max(1.0, stride / vector));
  }
  /// Wavefronts of shared memory for each that is needed.
  double wavefronts() const {
    if (!staged) return 1;
    return layout == 2 ? 1 : 1 + 0.25 * std::min(8.0, width) * (layout == 0 ? 1 : 0.4);
  }
  double cost() const {
    const double warps =
        std::min({64.0, std::floor(65536 / (registers() * threads)) * threads / 32,
                  shared() > 0 ? std::floor(200e3 / shared()) * threads / 32 : 64});
    if (warps < 1) return 20;
    const double in_flight = warps * unroll * vector;
    const double latency = std::max(1.0, 400 / in_flight);
    const double spill = registers() > 64 ? 1.6 : 1;
    const double reuse = 1 + 1 / (width * height) + (width > 2 * height ? 0.15 : 0);
    const double tail = 1 + 0.15 * std::abs(std::log2(threads / 192));
    // The last wave of blocks leaves most multiprocessors idle.
    const double waves = 3e5 / (warps * 32 * unroll * vector * width);
    const double quantised = std::ceil(waves) / waves;
    return sectors() * (1 + 0.3 * (wavefronts() - 1)) * latency * spill * reuse * tail * quantised;
  }
};

SearchSpace tiles() {
  const std::vector<SearchParameter> parameters = {{16, true}, {6, true},  {3, true}, {5, true},
                                                   {5, true},  {3, false}, {2, false}};
  return space_of(parameters, [](const Values& values) {
    const Tile tile(values);
    return tile.shared() <= 99e3 && tile.threads * tile.width >= 64 && chance_of(values, 1) > 0.29;
  });
}

std::optional<double> rugged_cost(const Values& values) {
  return noisy(Tile(values).cost(), values, 0.06);
}

std::string sized(const std::string& name, const SearchSpace& space) {
  return name + " (" + std::to_string(space.size()) + " rows)";
}

SyntheticSpace make(const std::string& name, SearchSpace space, CostTable costs) {
  const std::string title = sized(name, space);
  return {title, std::move(space), std::move(costs)};
}

}  // namespace

SyntheticSpace smooth_space() {
  const std::vector<double> best = {7, 2, 4, 1, 2};
  SearchSpace space = space_of({{10, true}, {8, true}, {6, true}, {5, true}, {4, true}}, any);
  CostTable costs = costs_of(space, [&](const Values& values) -> std::optional<double> {
    double distance = 0;
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double off = (values[p] - best[p]) / static_cast<double>(p == 0 ? 9 : 5);
      distance += off * off;
    }
    return noisy(std::exp(1.5 * distance), values, 0.01);
  });
  return make("smooth", std::move(space), std::move(costs));
}

SyntheticSpace rugged_space() {
  SearchSpace space = tiles();
  CostTable costs = costs_of(space, rugged_cost);
  return make("rugged", std::move(space), std::move(costs));
}

SyntheticSpace failing_space() {
  SearchSpace space = tiles();
  CostTable costs = costs_of(space, [](const Values& values) {
    return chance_of(values, 2) < 1.0 / 7 ? std::nullopt : rugged_cost(values);
  });
  return make("failing", std::move(space), std::move(costs));
}

SyntheticSpace flat_space() {
  SearchSpace space = space_of({{8, true}, {8, true}, {5, true}, {4, true}, {4, false}}, any);
  CostTable costs = costs_of(space, [](const Values& values) -> std::optional<double> {
    const double luck = chance_of(values, 3);
    return luck < 0.6 ? 1 + luck / 0.6 * 0.05 : 1.05 + (luck - 0.6) * 0.4;
  });
  return make("flat", std::move(space), std::move(costs));
}

SyntheticSpace scattered_space() {
  SearchSpace space =
      space_of({{5, false}, {5, false}, {5, false}, {4, false}, {5, false}, {5, false}}, any);
  CostTable costs = costs_of(space, [](const Values& values) -> std::optional<double> {
    double cost = 1;
    for (std::size_t p = 0; p < values.size(); p += 2) {
      const double luck = chance_of({values[p], values[p + 1]}, 10 + p);
      cost *= luck < 0.09 ? 1 + 0.5 * luck : 1.2 + 0.5 * luck;
    }
    return noisy(cost, values, 0.02);
  });
  return make("scattered", std::move(space), std::move(costs));
}

std::vector<SyntheticSpace> synthetic_spaces() {
  std::vector<SyntheticSpace> all;
  all.push_back(smooth_space());
  all.push_back(rugged_space());
  all.push_back(failing_space());
  all.push_back(flat_space());
  all.push_back(scattered_space());
  return all;
}

}  // namespace sweep::testing
