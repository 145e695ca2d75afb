#include "report/charts/combinations.h"

#include <algorithm>
#include <set>

#include "engine/text/units.h"

namespace sweep {
namespace {

/// As reports show it, but a large round number by itself in binary units, for a label is short.
std::string show(const ParameterValues& parameter, const Value& value) {
  constexpr std::int64_t large = 65536;
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool is_round = number != nullptr && *number >= large && *number % Ki == 0;
  return is_round ? format_count(*number) : parameter.show(value);
}

}  // namespace

Combinations::Combinations(std::vector<std::string> names, const PointList& points,
                           std::span<const ParameterValues> parameters) {
  for (std::string& name : names) {
    const ParameterValues* found = find_parameter(parameters, name);
    ParameterValues values = found != nullptr ? *found : ParameterValues(name);
    const bool is_numeric = values.is_numeric();
    if (is_numeric) values.sort();
    Name entry{std::move(name), std::move(values), is_numeric, false};
    names_.push_back(std::move(entry));
  }
  std::set<Ranks> there;
  for (const PointRecord* point : points) there.insert(ranks_of(*point));
  for (const Ranks& ranks : there) {
    places_.emplace(ranks, combinations_.size());
    combinations_.push_back(ranks);
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    names_[i].varies = std::ranges::any_of(
        combinations_, [&](const Ranks& ranks) { return ranks[i] != combinations_.front()[i]; });
  }
}

Combinations::Ranks Combinations::ranks_of(const PointRecord& point) const {
  const Bindings environment = environment_of(point);
  Ranks ranks;
  for (const Name& name : names_) {
    const Value* value = environment.find(name.name);
    ranks.push_back(value != nullptr ? name.values.rank_of(*value) : name.values.values().size());
  }
  return ranks;
}

std::size_t Combinations::place_of(const PointRecord& point) const {
  return places_.at(ranks_of(point));
}

std::string Combinations::heading() const {
  std::string heading;
  for (const Name& name : names_) {
    if (!name.varies && size() > 1) continue;
    heading += (heading.empty() ? "" : ", ") + name.name;
  }
  return heading;
}

std::string Combinations::join(std::size_t place, bool with_names) const {
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Name& name = names_[i];
    if (!name.varies && size() > 1) continue;
    if (!text.empty()) text += ", ";
    if (with_names) text += name.name + " = ";
    const std::size_t rank = combinations_[place][i];
    text +=
        rank < name.values.values().size() ? show(name.values, name.values.values()[rank]) : "-";
  }
  return text;
}

std::string Combinations::values_at(std::size_t place) const {
  return join(place, false);
}

std::string Combinations::described_at(std::size_t place) const {
  return join(place, true);
}

std::optional<std::vector<double>> Combinations::numbers() const {
  if (names_.size() != 1 || !names_.front().is_numeric) return std::nullopt;
  const ParameterValues& parameter = names_.front().values;
  std::vector<double> numbers;
  for (const Ranks& ranks : combinations_) {
    if (ranks.front() >= parameter.values().size()) return std::nullopt;
    numbers.push_back(
        static_cast<double>(std::get<std::int64_t>(parameter.values()[ranks.front()])));
  }
  return numbers;
}

}  // namespace sweep
