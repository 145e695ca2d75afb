#include "report/charts/combinations.h"

#include <algorithm>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// As reports show it, but a large round number by itself in binary units, for a label is short.
std::string short_text(const ParameterValues& parameter, const Value& value) {
  constexpr std::int64_t large = 65536;
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool is_round = number != nullptr && *number >= large && *number % Ki == 0;
  return is_round ? format_count(*number) : parameter.show(value);
}

}  // namespace

Combinations::Combinations(const std::vector<std::string>& names, const PointList& points,
                           std::span<const ParameterValues> parameters) {
  for (const std::string& name : names) {
    const ParameterValues* found = find_parameter(parameters, name);
    names_.push_back(found != nullptr ? *found : ParameterValues(name));
    if (names_.back().is_numeric()) names_.back().sort();
  }
  for (const PointRecord* point : points) places_.emplace(ranks_of(*point), 0);
  for (auto& [ranks, place] : places_) {
    place = combinations_.size();
    combinations_.push_back(ranks);
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    is_telling_.push_back(size() <= 1 ||
                          std::ranges::any_of(combinations_, [&](const Ranks& ranks) {
                            return ranks[i] != combinations_.front()[i];
                          }));
  }
}

Combinations::Ranks Combinations::ranks_of(const PointRecord& point) const {
  const Bindings environment = environment_of(point);
  Ranks ranks;
  for (const ParameterValues& name : names_) {
    const Value* value = environment.find(name.name);
    ranks.push_back(value != nullptr ? name.rank_of(*value) : name.values().size());
  }
  return ranks;
}

std::string Combinations::heading() const {
  std::string heading;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (is_telling_[i]) heading += (heading.empty() ? "" : ", ") + names_[i].name;
  }
  return heading;
}

std::string Combinations::join(std::size_t place, bool with_names) const {
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!is_telling_[i]) continue;
    const ParameterValues& name = names_[i];
    const std::size_t rank = combinations_[place][i];
    if (!text.empty()) text += ", ";
    if (with_names) text += name.name + " = ";
    text += rank < name.values().size() ? short_text(name, name.values()[rank]) : "-";
  }
  return text;
}

std::optional<std::vector<double>> Combinations::numbers() const {
  if (names_.size() != 1 || !names_.front().is_numeric()) return std::nullopt;
  const std::vector<Value>& values = names_.front().values();
  std::vector<double> numbers;
  for (const Ranks& ranks : combinations_) {
    if (ranks.front() >= values.size()) return std::nullopt;
    numbers.push_back(static_cast<double>(std::get<std::int64_t>(values[ranks.front()])));
  }
  return numbers;
}

}  // namespace sweep
