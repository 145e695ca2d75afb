#include "engine/spec/metric_guide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sweep {
namespace {

/// A group begins with its first metric.
struct Heading {
  std::string_view first;
  std::string_view name;
  bool is_measured = false;
};

constexpr std::array headings = {
    Heading{"time", "Time and bandwidth", true},
    Heading{"sm_clock", "State of the device", true},
    Heading{"load_requests", "Loads from global memory"},
    Heading{"store_requests", "Stores to global memory"},
    Heading{"efficiency", "Loads and stores together"},
    Heading{"shared_load_requests", "Shared memory"},
    Heading{"atomic_requests", "Atomics and local memory"},
    Heading{"l1_hit_rate", "Caches and device memory"},
    Heading{"instructions", "Instructions"},
};

const Heading& heading_of(const MetricDefinition& metric) {
  const Heading* current = headings.data();
  for (const MetricDefinition& each : metric_definitions()) {
    const auto* next = std::ranges::find(headings, each.name, &Heading::first);
    if (next != headings.end()) current = next;
    if (each.name == metric.name) break;
  }
  return *current;
}

/// What the hardware alone knows.
bool is_emulated(const MetricDefinition& metric) {
  return metric.name != "dram_throughput";
}

std::string sum_text(const std::vector<CounterNames>& parts) {
  std::vector<std::string> names;
  for (const CounterNames& part : parts) names.push_back(fmt::format("{}", fmt::join(part, "|")));
  const std::string sum = fmt::format("{}", fmt::join(names, " + "));
  return parts.size() > 1 ? "(" + sum + ")" : sum;
}

}  // namespace

std::vector<MetricGroup> metric_groups() {
  std::vector<MetricGroup> groups;
  for (const MetricDefinition& metric : metric_definitions()) {
    const std::string_view name = heading_of(metric).name;
    if (groups.empty() || groups.back().name != name) groups.push_back({name, {}});
    groups.back().metrics.push_back(&metric);
  }
  return groups;
}

std::string_view group_of(const MetricDefinition& metric) {
  return heading_of(metric).name;
}

std::vector<Origin> origins_of(const MetricDefinition& metric) {
  if (heading_of(metric).is_measured) return {Origin::measured};
  std::vector<Origin> origins;
  if (find_counter_formula(metric.name) != nullptr) origins.push_back(Origin::hardware);
  if (is_emulated(metric)) origins.push_back(Origin::emulated);
  return origins;
}

std::string formula_text(const CounterFormula& formula) {
  std::string text = sum_text(formula.parts);
  if (!formula.over.empty()) text += " / " + sum_text(formula.over);
  return formula.factor == 1 ? text : fmt::format("{} * {}", formula.factor, text);
}

}  // namespace sweep
