#include "engine/recording/metric_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/text/characters.h"

namespace sweep {
namespace {

template <std::size_t Count>
bool contains_any(std::string_view text, const std::array<std::string_view, Count>& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

MetricName split_origin(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos && dot > 0) {
    if (const auto origin = find_origin(text.substr(dot + 1))) {
      return {std::string(text.substr(0, dot)), *origin};
    }
  }
  return {std::string(text), Origin::measured};
}

std::optional<double> microseconds_in(std::string_view unit) {
  constexpr double nano = 1e-3;
  constexpr double milli = 1e3;
  constexpr double whole = 1e6;
  // Files are in use that spell it with one l.
  constexpr std::array<std::pair<std::string_view, double>, 15> units = {{
      {"ns", nano},
      {"nanosecond", nano},
      {"nanoseconds", nano},
      {"us", 1},
      {"µs", 1},
      {"microsecond", 1},
      {"microseconds", 1},
      {"ms", milli},
      {"millisecond", milli},
      {"milliseconds", milli},
      {"miliseconds", milli},
      {"s", whole},
      {"sec", whole},
      {"second", whole},
      {"seconds", whole},
  }};
  const std::string text = in_small_letters(std::string(unit));
  for (const auto& [name, factor] : units) {
    if (name == text) return factor;
  }
  return std::nullopt;
}

bool is_named_as_time(std::string_view name) {
  return name == "time" || name.starts_with("time_");
}

Better better_of(std::string_view name) {
  if (const MetricDefinition* known = find_metric(name)) return known->better;
  constexpr std::array<std::string_view, 6> rates = {"/s",         "/j",      "flops",
                                                     "per_second", "fitness", "throughput"};
  constexpr std::array<std::string_view, 7> costs = {"time", "energy",  "cost",  "loss",
                                                     "edp",  "latency", "cycles"};
  const std::string text = in_small_letters(std::string(name));
  if (contains_any(text, rates)) return Better::higher;
  return contains_any(text, costs) ? Better::lower : Better::neither;
}

}  // namespace sweep
