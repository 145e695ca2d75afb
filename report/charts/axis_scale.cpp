#include "report/charts/axis_scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sweep {
namespace {

bool is_power_of(double value, double base) {
  double power = 1;
  while (power < value) power *= base;
  return power == value;
}

bool are_powers_of(std::span<const double> values, double base) {
  return std::ranges::all_of(values, [&](double value) { return is_power_of(value, base); });
}

/// The largest gap between neighbours over the mean one: 1 where they are even.
double unevenness(const std::vector<double>& places) {
  double largest = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    largest = std::max(largest, places[i] - places[i - 1]);
  }
  return largest * static_cast<double>(places.size() - 1) / (places.back() - places.front());
}

/// Of ascending values above 0.
bool reads_better_in_logarithm(std::span<const double> values) {
  constexpr double least_factor = 16;
  if (values.size() < 3) return false;
  if (are_powers_of(values, 2)) return true;
  if (values.back() < least_factor * values.front()) return false;
  const std::vector<double> plain(values.begin(), values.end());
  std::vector<double> logarithms;
  for (const double value : values) logarithms.push_back(std::log2(value));
  return unevenness(logarithms) < unevenness(plain);
}

ChartScale logarithm_for(std::span<const double> values) {
  return are_powers_of(values, 10) && !are_powers_of(values, 2) ? ChartScale::log10
                                                                : ChartScale::log2;
}

}  // namespace

ChartScale scale_of_parameter(std::span<const double> values, ScaleChoice choice) {
  if (choice == ScaleChoice::category || values.size() < 2) return ChartScale::category;
  if (choice == ScaleChoice::linear) return ChartScale::linear;
  const auto first_positive = std::ranges::upper_bound(values, 0.0);
  const std::span<const double> positive(first_positive, values.end());
  const bool all_positive = positive.size() == values.size();
  if (choice == ScaleChoice::automatic) {
    if (!reads_better_in_logarithm(positive)) return ChartScale::linear;
    return all_positive ? logarithm_for(values) : ChartScale::category;
  }
  if (!all_positive) return ChartScale::category;
  return choice == ScaleChoice::log10 ? ChartScale::log10 : ChartScale::log2;
}

ChartScale scale_of_figures(std::span<const double> figures, ScaleChoice choice, ChartKind kind) {
  constexpr double least_factor = 100;
  constexpr double small = 0.05;
  if (figures.empty() || choice == ScaleChoice::linear) return ChartScale::linear;
  const auto [lowest, highest] = std::ranges::minmax(figures);
  if (lowest <= 0) return ChartScale::linear;
  if (choice == ScaleChoice::log2) return ChartScale::log2;
  if (choice == ScaleChoice::log10) return ChartScale::log10;
  if (kind == ChartKind::bar || highest < least_factor * lowest) return ChartScale::linear;
  const double bound = small * highest;
  const auto below = std::ranges::count_if(figures, [&](double figure) { return figure < bound; });
  return 2 * static_cast<std::size_t>(below) > figures.size() ? ChartScale::log10
                                                              : ChartScale::linear;
}

bool begins_at_zero(std::span<const double> figures, ChartKind kind) {
  constexpr double top_quarter = 0.75;
  constexpr double much_the_same = 0.97;
  if (kind == ChartKind::bar || figures.empty()) return true;
  const auto [lowest, highest] = std::ranges::minmax(figures);
  return lowest < top_quarter * highest || lowest > much_the_same * highest || lowest <= 0;
}

}  // namespace sweep
