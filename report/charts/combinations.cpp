#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/text/units.h"
#include "report/charts/chart_parts.h"
#include "report/display_text.h"

namespace sweep {
namespace {

/// As reports show it, but a large round number by itself in binary units, for a label is short.
std::string short_text(const ParameterValues& parameter, std::size_t rank) {
  constexpr std::int64_t large = 65536;
  if (rank == parameter.values().size()) return "-";
  const Value& value = parameter.values()[rank];
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool is_round = number != nullptr && *number >= large && *number % Ki == 0;
  return is_round ? format_count(*number) : parameter.show(value);
}

using ByRanks = std::map<std::vector<std::size_t>, PointList>;

/// Labels of combinations some of whose parameters only some points have, or are switches: "copy",
/// "transpose_tiled, PAD 0, SWIZZLED" in the place of "transpose_tiled, -, 0, true". Nothing where
/// there are none of these, or two would be called the same.
std::vector<std::string> labels_by_name(const std::vector<ParameterValues>& keys,
                                        const ByRanks& by_ranks) {
  std::vector<std::string> labels;
  bool has_reason = false;
  for (const auto& [ranks, having] : by_ranks) {
    std::string& label = labels.emplace_back();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::string text;
      if (ranks[i] == keys[i].values().size()) {
        has_reason = true;
      } else if (const auto* is_on = std::get_if<bool>(&keys[i].values()[ranks[i]])) {
        has_reason = true;
        if (*is_on) text = keys[i].name;
      } else if (keys[i].is_numeric()) {
        text = keys[i].name + ' ' + short_text(keys[i], ranks[i]);
      } else {
        text = short_text(keys[i], ranks[i]);
      }
      if (!text.empty()) label += (label.empty() ? "" : ", ") + text;
    }
  }
  const std::set<std::string> different(labels.begin(), labels.end());
  if (!has_reason || different.size() < labels.size() || different.contains("")) return {};
  return labels;
}

}  // namespace

Combinations::Combinations(const std::vector<std::string>& names, const PointList& points,
                           std::span<const ParameterValues> parameters) {
  std::vector<ParameterValues> keys;
  for (const std::string& name : names) {
    const ParameterValues* found = find_parameter(parameters, name);
    ParameterValues& key = keys.emplace_back(found != nullptr ? *found : ParameterValues(name));
    if (key.is_numeric()) key.sort();
  }
  ByRanks by_ranks;
  for (const PointRecord* point : points) {
    const Bindings environment = environment_of(*point);
    std::vector<std::size_t> ranks;
    for (const ParameterValues& key : keys) {
      const Value* value = environment.find(key.name);
      ranks.push_back(value != nullptr ? key.rank_of(*value) : key.values().size());
    }
    by_ranks[ranks].push_back(point);
  }
  const bool are_numbers = keys.size() == 1 && keys[0].is_numeric() &&
                           by_ranks.rbegin()->first[0] < keys[0].values().size();
  if (are_numbers) numbers.emplace();
  for (const auto& [ranks, having] : by_ranks) {
    for (const PointRecord* point : having) places.emplace(point, labels.size());
    labels.emplace_back();
    titles.emplace_back();
    if (are_numbers) {
      const Value& value = keys[0].values()[ranks[0]];
      numbers->push_back(static_cast<double>(std::get<std::int64_t>(value)));
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_telling = size() == 1 || std::ranges::any_of(by_ranks, [&](const auto& each) {
                              return each.first[i] != by_ranks.begin()->first[i];
                            });
    if (!is_telling) continue;
    const std::string_view comma = heading.empty() ? "" : ", ";
    heading += fmt::format("{}{}", comma, keys[i].name);
    for (std::size_t place = 0; const auto& [ranks, having] : by_ranks) {
      const std::string value = short_text(keys[i], ranks[i]);
      labels[place] += fmt::format("{}{}", comma, value);
      titles[place++] += fmt::format("{}{} = {}", comma, keys[i].name, value);
    }
  }
  if (auto named = labels_by_name(keys, by_ranks); size() > 1 && !named.empty()) {
    labels = std::move(named);
  }
}

std::vector<std::string> needed_by(const ChartLayout& layout) {
  const auto compares_patterns = [](const std::vector<std::string>& names) {
    return std::ranges::find(names, "pattern") != names.end();
  };
  if (!compares_patterns(names_of(layout))) return names_of(layout);
  std::vector<std::string> needed;
  for (const auto* axis : {&layout.x, &layout.y}) {
    if (!compares_patterns(*axis)) needed.insert(needed.end(), axis->begin(), axis->end());
  }
  return needed;
}

void set_series_and_panels(const Combinations& series, const Combinations& facets, Chart& chart) {
  if (series.size() > 1) chart.series_label = series.heading;
  // A single combination needs no name.
  chart.series = series.size() > 1 ? series.labels : std::vector<std::string>(1);
  chart.panels = facets.size() > 1 ? facets.titles : std::vector<std::string>(1);
  chart.series.resize(std::min(chart.series.size(), most_series));
  chart.panels.resize(std::min(chart.panels.size(), most_panels));
}

std::string describe_limits(const Combinations& series, const Combinations& facets) {
  std::vector<std::string> parts;
  const auto add = [&](const Combinations& all, std::size_t most, std::string_view what) {
    if (all.size() <= most) return;
    parts.push_back(fmt::format("the first {} of {} {} {}", most, all.size(), what, all.heading));
  };
  add(series, most_series, "combinations of");
  add(facets, most_panels, "panels by");
  return parts.empty() ? std::string() : "Drawn are " + in_words(parts);
}

}  // namespace sweep
