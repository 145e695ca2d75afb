#include "engine/spec/chart_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/spec/layout_names.h"
#include "engine/spec/map_reader.h"
#include "engine/text/suggestion.h"

namespace sweep {
namespace {

constexpr std::array<std::string_view, 3> kinds = {"line", "bar", "heatmap"};
constexpr std::array<std::string_view, 5> scales = {"automatic", "linear", "log2", "log10",
                                                    "category"};

using Holds = ChartKeyHolds;

constexpr ChartKey facet_key = {"facet", Holds::parameters, false,
                                "the parameters that get a panel for each of their values"};
constexpr ChartKey series_key = {"series", Holds::parameters, false,
                                 "the parameters that get a colour for each of their values"};
constexpr ChartKey x_key = {"x", Holds::parameters, true,
                            "the parameter whose values stand along the x axis"};
constexpr ChartKey metric_key = {"y", Holds::metrics, true,
                                 "a metric, for example bandwidth; of a list the first there is"};

constexpr std::array item_keys = {
    ChartKey{"line", Holds::chart, false, "lines: {x: STRIDE, y: bandwidth, series: T}"},
    ChartKey{"bar", Holds::chart, false, "bars: {x: T, y: bandwidth, series: BLOCK}"},
    ChartKey{"heatmap", Holds::chart, false, "colours: {x: STRIDE, y: BLOCK, value: bandwidth}"},
    ChartKey{"where", Holds::condition, false, "which points are drawn, for example BLOCK == 256"},
    ChartKey{"title", Holds::text, false, "the chart's title"},
};
constexpr std::array line_keys = {
    x_key,
    metric_key,
    series_key,
    facet_key,
    ChartKey{"x_scale", Holds::axis_scale, false, "how the values of x become places"},
    ChartKey{"y_scale", Holds::value_scale, false, "how figures become heights"},
};
constexpr std::array bar_keys = {
    x_key,
    metric_key,
    series_key,
    facet_key,
    ChartKey{"y_scale", Holds::value_scale, false, "how figures become heights"},
};
constexpr std::array heatmap_keys = {
    x_key,
    ChartKey{"y", Holds::parameters, true, "the parameter whose values stand along the y axis"},
    ChartKey{"value", Holds::metrics, true,
             "a metric, for example bandwidth; of a list the first there is"},
    facet_key,
    ChartKey{"value_scale", Holds::value_scale, false, "how figures become colours"},
};

std::vector<std::string> names_of(std::span<const ChartKey> keys) {
  std::vector<std::string> names;
  for (const ChartKey& key : keys) names.emplace_back(key.name);
  return names;
}

/// Reads the map under `line:`, `bar:` or `heatmap:` key by key, as the table of its kind has them.
class ChartReader {
 public:
  ChartReader(const YamlNode& node, ChartKind kind, Diagnostics& diagnostics)
      : node_(node),
        diagnostics_(diagnostics),
        reader_(node, fmt::format("'{}'", kinds[static_cast<std::size_t>(kind)]),
                names_of(chart_keys(kind)), diagnostics) {
    layout_.kind = kind;
  }

  ChartLayout read() {
    if (!node_.is_map()) return layout_;
    for (const ChartKey& key : chart_keys(layout_.kind)) {
      const YamlNode* value =
          key.required ? reader_.require(key.name, std::string(key.help)) : reader_.find(key.name);
      if (value != nullptr) read_value(key, *value);
    }
    refuse_repeated_names();
    return layout_;
  }

 private:
  void read_value(const ChartKey& key, const YamlNode& value) {
    switch (key.holds) {
      case Holds::parameters:
        read_parameters(key, value);
        break;
      case Holds::metrics:
        layout_.values = read_metric_names(value, key.name, diagnostics_);
        break;
      case Holds::axis_scale:
        layout_.x_scale = read_scale(key, value, scale_choice_names());
        break;
      default:
        layout_.value_scale = read_scale(key, value, value_scale_names());
    }
  }

  void read_parameters(const ChartKey& key, const YamlNode& value) {
    std::vector<std::string>& names = key.name == "x"        ? layout_.x
                                      : key.name == "y"      ? layout_.y
                                      : key.name == "series" ? layout_.series
                                                             : layout_.facets;
    if (key.required && value.is_sequence() && value.items.empty()) {
      diagnostics_.error(value.where, fmt::format("'{}' names no parameter", key.name),
                         std::string(key.help));
    }
    for (auto& [name, where] : read_texts(value, key.name, diagnostics_)) {
      names.push_back(std::move(name));
      layout_.places.push_back(where);
    }
  }

  ScaleChoice read_scale(const ChartKey& key, const YamlNode& value,
                         std::span<const std::string_view> choices) {
    const auto chosen =
        read_choice(value, key.name, choices, {"a scale", "the scales are"}, diagnostics_);
    return chosen ? static_cast<ScaleChoice>(*chosen) : ScaleChoice::automatic;
  }

  void refuse_repeated_names() {
    const std::vector<std::string> names = sweep::names_of(layout_);
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
          names.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;
      }
      diagnostics_.error(layout_.places[i],
                         fmt::format("the chart has another place for '{}' already", names[i]),
                         "a parameter stands on an axis, in 'series' or in 'facet', once");
    }
  }

  const YamlNode& node_;
  Diagnostics& diagnostics_;
  MapReader reader_;
  ChartLayout layout_;
};

/// The chart's one kind; nothing, with an error, when there is none or more than one.
std::optional<ChartKind> read_kind(const YamlNode& node, const MapReader& reader,
                                   Diagnostics& diagnostics) {
  std::optional<ChartKind> kind;
  bool is_misspelt = false;
  for (const YamlEntry& entry : node.entries) {
    const auto found = std::ranges::find(kinds, entry.key.text);
    if (found == kinds.end()) {
      // The reader has told about the unknown key.
      is_misspelt = is_misspelt || std::ranges::find(item_keys, entry.key.text, &ChartKey::name) ==
                                       item_keys.end();
    } else if (kind) {
      diagnostics.error(entry.key.where, "a chart is of one kind, and this is a second",
                        "write one item of 'charts' for each");
      return std::nullopt;
    } else {
      kind = static_cast<ChartKind>(found - kinds.begin());
    }
  }
  if (!kind && !is_misspelt) {
    diagnostics.error(node.where, "a chart needs one of the keys 'line', 'bar' and 'heatmap'",
                      "{line: {x: STRIDE, y: bandwidth, series: T}}");
  }
  if (kind &&
      reader.require(kinds[static_cast<std::size_t>(*kind)],
                     std::string(item_keys[static_cast<std::size_t>(*kind)].help)) == nullptr) {
    return std::nullopt;
  }
  return kind;
}

}  // namespace

std::vector<std::string> names_of(const ChartLayout& layout) {
  std::vector<std::string> names = layout.x;
  for (const auto* more : {&layout.y, &layout.series, &layout.facets}) {
    names.insert(names.end(), more->begin(), more->end());
  }
  return names;
}

std::span<const std::string_view> chart_kind_names() {
  return kinds;
}

std::span<const std::string_view> scale_choice_names() {
  return scales;
}

std::span<const std::string_view> value_scale_names() {
  return std::span(scales).first(static_cast<std::size_t>(ScaleChoice::category));
}

std::span<const ChartKey> chart_item_keys() {
  return item_keys;
}

std::span<const ChartKey> chart_keys(ChartKind kind) {
  switch (kind) {
    case ChartKind::line:
      return line_keys;
    case ChartKind::bar:
      return bar_keys;
    case ChartKind::heatmap:
      break;
  }
  return heatmap_keys;
}

std::optional<ChartLayout> read_chart(const YamlNode& node, Diagnostics& diagnostics) {
  const MapReader reader(node, "a chart", names_of(item_keys), diagnostics);
  if (!node.is_map()) return std::nullopt;
  const auto kind = read_kind(node, reader, diagnostics);
  if (!kind) return std::nullopt;
  const YamlNode& drawn = *reader.find(kinds[static_cast<std::size_t>(*kind)]);
  ChartLayout layout = ChartReader(drawn, *kind, diagnostics).read();
  layout.location = node.where;
  layout.where = reader.expression("where");
  layout.title = reader.text("title");
  return layout;
}

void check_chart_layout(const ChartLayout& layout, const Scope& scope, Diagnostics& diagnostics) {
  check_layout_names(names_of(layout), layout.places, layout.location, scope, diagnostics);
  if (layout.where) {
    check_kind(*layout.where, scope, ValueKind::boolean, "'where'", diagnostics,
               "write a comparison");
  }
}

}  // namespace sweep
