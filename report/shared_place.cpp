#include "report/shared_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/display_text.h"
#include "report/parameter_values.h"

namespace sweep {
namespace {

bool have_same(const Bindings& a, const Bindings& b, const std::string& name) {
  const Value* left = a.find(name);
  const Value* right = b.find(name);
  return left == nullptr ? right == nullptr : right != nullptr && *left == *right;
}

}  // namespace

PointList matching_points(std::span<const StoredPoint> points, std::span<const std::string> needed,
                          const std::optional<Expression>& where) {
  PointList matching;
  for (const StoredPoint& stored : points) {
    const Bindings environment = environment_of(stored.point);
    const bool has_all = std::ranges::all_of(
        needed, [&](const std::string& name) { return environment.find(name) != nullptr; });
    if (has_all && (!where || holds(*where, stored.point))) matching.push_back(&stored.point);
  }
  return matching;
}

const PointRecord* best_point(const PointList& points, const MetricColumn& metric, Better better) {
  const bool lower_is_better = better == Better::lower;
  const PointRecord* best = nullptr;
  double best_figure = 0;
  for (const PointRecord* point : points) {
    const auto figure = figure_of(*point, metric);
    if (point->status != PointStatus::ok || !figure || !std::isfinite(*figure)) continue;
    if (best != nullptr && (lower_is_better ? *figure >= best_figure : *figure <= best_figure)) {
      continue;
    }
    best = point;
    best_figure = *figure;
  }
  return best;
}

std::string hidden_parameters(std::span<const PointList> places,
                              std::span<const ParameterValues> parameters) {
  std::set<std::string> varying;
  for (const PointList& points : places) {
    if (points.size() < 2) continue;
    const Bindings first = environment_of(*points.front());
    for (const PointRecord* point : points) {
      const Bindings environment = environment_of(*point);
      for (const ParameterValues& parameter : parameters) {
        if (!have_same(first, environment, parameter.name)) varying.insert(parameter.name);
      }
    }
  }
  constexpr std::size_t most_values = 8;
  std::vector<std::string> texts;
  for (const ParameterValues& parameter : parameters) {
    if (!parameter.is_derived && varying.contains(parameter.name))
      texts.push_back(with_values(parameter, most_values));
  }
  return in_words(texts);
}

std::string describe_choice(std::string_view place, std::string_view shown,
                            std::span<const PointList> places,
                            std::span<const ParameterValues> parameters) {
  const bool crowded =
      std::ranges::any_of(places, [](const PointList& points) { return points.size() > 1; });
  if (!crowded) return {};
  const std::string over = hidden_parameters(places, parameters);
  if (over.empty())
    return fmt::format("A configuration measured more than once shows its {}", shown);
  return fmt::format("Each {}: the {} over {}", place, shown, over);
}

}  // namespace sweep
