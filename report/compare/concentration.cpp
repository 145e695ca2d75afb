#include "report/compare/concentration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/text/units.h"
#include "report/compare/comparison_words.h"

namespace sweep {
namespace {

constexpr double chance = 0.01;

/// The configurations in both runs, and which of them changed one way.
struct ChangedOnes {
  std::vector<const ConfigurationComparison*> all;
  std::vector<const ConfigurationComparison*> changed;
};

ChangedOnes find(const RunComparison& comparison, Change wanted, PairStatus status) {
  ChangedOnes found;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status == PairStatus::only_before || each.status == PairStatus::only_after) continue;
    found.all.push_back(&each);
    const bool is_meant =
        each.status == PairStatus::compared
            ? status == PairStatus::compared && overall_change(comparison, each) == wanted
            : each.status == status;
    if (is_meant) found.changed.push_back(&each);
  }
  return found;
}

std::optional<Value> value_of(const ConfigurationComparison& configuration,
                              const std::string& name) {
  if (name == "pattern") return Value(configuration.pattern);
  const Value* value = configuration.parameters.find(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// How likely `drawn` of `all` without replacement are all among `marked` of them.
double probability(std::size_t marked, std::size_t all, std::size_t drawn) {
  double result = 1;
  for (std::size_t i = 0; i < drawn; ++i) {
    result *= static_cast<double>(marked - i) / static_cast<double>(all - i);
  }
  return result;
}

/// A condition that all of the changed hold.
struct Trait {
  std::string text;
  std::size_t holders = 0;  ///< among all
};

void add_value_trait(const ChangedOnes& ones, const ParameterValues& parameter,
                     std::vector<Trait>& traits) {
  const auto value = value_of(*ones.changed.front(), parameter.name);
  const auto holds = [&](const ConfigurationComparison* each) {
    return value_of(*each, parameter.name) == value;
  };
  if (!value || !std::ranges::all_of(ones.changed, holds)) return;
  traits.push_back({fmt::format("{} = {}", parameter.name, parameter.show(*value)),
                    static_cast<std::size_t>(std::ranges::count_if(ones.all, holds))});
}

void add_range_traits(const ChangedOnes& ones, const ParameterValues& parameter,
                      std::vector<Trait>& traits) {
  std::set<std::int64_t> values;
  for (const ConfigurationComparison* each : ones.changed) {
    const auto value = value_of(*each, parameter.name);
    const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (number == nullptr) return;
    values.insert(*number);
  }
  if (values.size() < 2) return;
  const auto count = [&](auto&& holds) {
    std::size_t holders = 0;
    for (const ConfigurationComparison* each : ones.all) {
      const auto value = value_of(*each, parameter.name);
      const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
      if (number != nullptr && holds(*number)) ++holders;
    }
    return holders;
  };
  const std::int64_t least = *values.begin();
  const std::int64_t most = *values.rbegin();
  traits.push_back({fmt::format("{} >= {}", parameter.name, parameter.show(least)),
                    count([&](std::int64_t each) { return each >= least; })});
  traits.push_back({fmt::format("{} <= {}", parameter.name, parameter.show(most)),
                    count([&](std::int64_t each) { return each <= most; })});
}

void describe_traits(const ChangedOnes& ones, const std::vector<ParameterValues>& parameters,
                     std::string_view what, std::vector<std::string>& lines) {
  constexpr std::size_t fewest = 2;
  if (ones.changed.size() < fewest || ones.changed.size() == ones.all.size()) return;
  std::vector<Trait> traits;
  for (const ParameterValues& parameter : parameters) {
    add_value_trait(ones, parameter, traits);
    add_range_traits(ones, parameter, traits);
  }
  for (const Trait& trait : traits) {
    if (probability(trait.holders, ones.all.size(), ones.changed.size()) >= chance) continue;
    const std::string count = format_thousands(ones.changed.size());
    lines.push_back(trait.holders == ones.changed.size()
                        ? fmt::format("all {} that {} have {}, and all that have it do so", count,
                                      what, trait.text)
                        : fmt::format("all {} that {} have {} ({} have it)", count, what,
                                      trait.text, format_thousands(trait.holders)));
  }
}

}  // namespace

std::vector<std::string> describe_concentration(const RunComparison& comparison) {
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  const bool is_speed = !comparison.metrics.empty() && comparison.metrics.front().is_speed;
  std::vector<std::string> lines;
  describe_traits(find(comparison, Change::worse, PairStatus::compared), parameters,
                  is_speed ? "got slower" : "got worse", lines);
  describe_traits(find(comparison, Change::better, PairStatus::compared), parameters,
                  is_speed ? "got faster" : "got better", lines);
  describe_traits(find(comparison, Change::missing, PairStatus::failed_after), parameters,
                  "newly fail", lines);
  return lines;
}

}  // namespace sweep
