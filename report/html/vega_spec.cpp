#include "report/html/vega_spec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/text/units.h"
#include "report/html/html_text.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int height = 300;
/// Up to so many cells of a heatmap have their figures written in them.
constexpr std::size_t most_cells_with_text = 120;

Json dashes() {
  return {{1, 0}, {6, 3}, {2, 2}, {9, 3, 2, 3}, {12, 4}, {4, 2, 1, 2}, {1, 3}, {8, 2, 2, 2, 2, 2}};
}

Json shapes() {
  return {"circle", "square",        "triangle-up",    "diamond",
          "cross",  "triangle-down", "triangle-right", "triangle-left"};
}

bool is_log(ChartScale scale) {
  return scale == ChartScale::log2 || scale == ChartScale::log10;
}

Json log_scale(ChartScale scale) {
  return {{"type", "log"}, {"base", scale == ChartScale::log2 ? 2 : 10}};
}

/// The smallest and the largest figure of a chart, intervals and references included.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double figure) {
    if (!std::isfinite(figure)) return;
    low = std::min(low, figure);
    high = std::max(high, figure);
  }
  bool is_empty() const { return low > high; }
};

Extent extent_of(const Chart& chart) {
  Extent extent;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      for (const ChartMark& mark : series.marks) {
        for (const auto& figure : {mark.figure, mark.low, mark.high}) {
          if (figure) extent.add(*figure);
        }
      }
    }
  }
  for (const ChartReference& reference : chart.references) extent.add(reference.at);
  if (extent.is_empty()) extent = {0, 1};
  return extent;
}

/// A logarithmic axis of figures goes so many times beyond them.
constexpr double log_margin = 1.1;

/// A position along an axis of categories is the place of its tick.
class PanelSpec {
 public:
  PanelSpec(const Chart& chart, std::size_t panel)
      : chart_(chart), panel_(chart.panels.at(panel)), extent_(extent_of(chart)) {}

  Json spec() const {
    const bool is_heatmap = chart_.kind == ChartKind::heatmap;
    Json params = Json::array({{{"name", "chosen"}, {"value", nullptr}}});
    add_ticks("x", chart_.x, params);
    add_ticks("y", chart_.y, params);
    Json spec = {{"width", "container"},
                 {"height", is_heatmap ? heatmap_height() : height},
                 {"description", chart_.description},
                 {"params", std::move(params)},
                 {"layer", is_heatmap ? heatmap_layers() : figure_layers()}};
    if (!is_heatmap) spec["encoding"] = {{"x", x_axis()}};
    return spec;
  }

 private:
  static void add_ticks(const std::string& axis, const ChartAxis& model, Json& params) {
    Json labels = Json::array();
    for (const ChartTick& tick : model.ticks) labels.push_back(tick.label);
    params.push_back({{"name", axis + "_places"}, {"value", places_of(model)}});
    params.push_back({{"name", axis + "_labels"}, {"value", std::move(labels)}});
  }

  static Json axis_of(const std::string& name, const ChartAxis& model) {
    Json axis = {{"title", model.label}};
    if (model.ticks.empty()) return axis;
    std::size_t letters = 0;
    for (const ChartTick& tick : model.ticks) letters += tick.label.size() + 2;
    axis["values"] = places_of(model);
    axis["labelExpr"] = name + "_labels[indexof(" + name + "_places, datum.value)]";
    axis["labelOverlap"] = model.scale == ChartScale::category ? Json(false) : Json("greedy");
    axis["labelSeparation"] = 8;
    constexpr std::size_t fits_level = 60;
    if (name == "x" && model.scale == ChartScale::category) {
      axis["labelAngle"] = letters > fits_level ? -40 : 0;
      axis["labelLimit"] = 140;
    }
    return axis;
  }

  Json x_axis() const {
    Json axis = axis_of("x", chart_.x);
    if (chart_.x.scale == ChartScale::category || chart_.kind != ChartKind::line) {
      axis["labelOverlap"] = chart_.x.ticks.size() > 24 ? Json("greedy") : Json(false);
      return {{"field", "x"},
              {"type", "ordinal"},
              {"scale", {{"domain", places_of(chart_.x)}}},
              {"axis", std::move(axis)}};
    }
    Json scale = {{"nice", false}, {"padding", 14}};
    if (is_log(chart_.x.scale)) {
      scale.update(log_scale(chart_.x.scale));
    } else {
      scale["zero"] = false;
    }
    axis["grid"] = false;
    return {{"field", "x"},
            {"type", "quantitative"},
            {"scale", std::move(scale)},
            {"axis", std::move(axis)}};
  }

  static std::vector<double> places_of(const ChartAxis& axis) {
    std::vector<double> places;
    for (const ChartTick& tick : axis.ticks) places.push_back(tick.at);
    return places;
  }

  Json figure_domain() const {
    const double low = chart_.kind == ChartKind::bar || chart_.figures_from_zero
                           ? std::min(extent_.low, 0.0)
                           : extent_.low;
    if (is_log(chart_.figure_scale) && extent_.low > 0) {
      // Bars begin where the axis does: the lowest needs some height too.
      return {extent_.low / (chart_.kind == ChartKind::bar ? 2 : log_margin),
              extent_.high * log_margin};
    }
    return {low, extent_.high > low ? extent_.high : low + 1};
  }

  Json figure_scale() const {
    Json scale = {{"domain", figure_domain()}};
    if (is_log(chart_.figure_scale) && extent_.low > 0) {
      scale.update(log_scale(chart_.figure_scale));
      scale["nice"] = false;  // to the next power it would leave most of the picture empty
    } else {
      scale["nice"] = true;
      scale["zero"] = false;  // the domain says it
    }
    return scale;
  }

  Json figure_axis(const char* field) const {
    return {{"field", field},
            {"type", "quantitative"},
            {"scale", figure_scale()},
            {"axis", {{"title", chart_.figure_label}}}};
  }

  Json series_places() const {
    Json places = Json::array();
    for (std::size_t i = 0; i < panel_.series.size(); ++i) places.push_back(i);
    return places;
  }

  /// A channel that tells the series apart; without a range in the theme's colours.
  Json by_series(const Json& range = nullptr) const {
    Json scale = {{"domain", series_places()}};
    if (!range.is_null()) scale["range"] = range;
    return {
        {"field", "series"}, {"type", "nominal"}, {"scale", std::move(scale)}, {"legend", nullptr}};
  }

  static Json faded(double usual) {
    return {
        {"condition", {{"test", "chosen === null || datum.series === chosen"}, {"value", usual}}},
        {"value", usual / 8}};
  }

  enum class Marks { drawn, failed, all };

  /// Those that are not drawn have no figure: a line has a gap there.
  Json values(Marks wanted) const {
    Json values = Json::array();
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      for (const ChartMark& mark : panel_.series[i].marks) {
        const bool is_drawn = mark.figure && std::isfinite(*mark.figure) &&
                              (!is_log(chart_.figure_scale) || *mark.figure > 0);
        if (wanted != Marks::all && is_drawn != (wanted == Marks::drawn)) continue;
        Json value = {{"x", mark.x}, {"series", i}, {"point", mark.point}};
        if (chart_.kind == ChartKind::heatmap) value["y"] = mark.y;
        if (is_drawn) {
          value["figure"] = page_figure(*mark.figure);
          if (chart_.kind == ChartKind::heatmap) value["text"] = format_figure(*mark.figure);
          if (mark.low && mark.high && std::isfinite(*mark.low) && std::isfinite(*mark.high) &&
              *mark.low < *mark.high) {
            value["low"] = page_figure(*mark.low);
            value["high"] = page_figure(*mark.high);
          }
        } else if (wanted == Marks::all) {
          value["figure"] = nullptr;
        }
        values.push_back(std::move(value));
      }
    }
    return {{"values", std::move(values)}};
  }

  static bool has_interval(const Json& value) { return value.contains("low"); }

  Json figure_layers() const {
    const Json drawn = values(Marks::drawn);
    const Json failed = values(Marks::failed);
    const bool with_intervals = std::ranges::any_of(drawn["values"], has_interval);
    Json layers = Json::array();
    if (chart_.kind == ChartKind::line) {
      const Json with_gaps = values(Marks::all);
      if (with_intervals) layers.push_back(band(with_gaps));
      layers.push_back(line(with_gaps));
      layers.push_back(points(drawn));
    } else {
      layers.push_back(bars(drawn));
      if (with_intervals) layers.push_back(error_bars(drawn));
    }
    for (const ChartReference& reference : chart_.references) {
      layers.push_back(reference_rule(reference));
      layers.push_back(reference_label(reference));
    }
    if (!failed["values"].empty()) layers.push_back(failures(failed));
    if (chart_.kind == ChartKind::line) layers.push_back(targets(drawn));
    return layers;
  }

  Json band(const Json& data) const {
    return {{"data", data},
            {"mark", {{"type", "area"}, {"tooltip", nullptr}}},
            {"encoding",
             {{"y", figure_axis("low")},
              {"y2", {{"field", "high"}}},
              {"color", by_series()},
              {"opacity", faded(0.2)}}}};
  }

  Json line(const Json& data) const {
    return {{"data", data},
            {"mark", {{"type", "line"}, {"strokeWidth", 2}, {"tooltip", nullptr}}},
            {"encoding",
             {{"y", figure_axis("figure")},
              {"color", by_series()},
              {"strokeDash", by_series(dashes())},
              {"opacity", faded(1)}}}};
  }

  Json points(const Json& data) const {
    return {{"data", data},
            {"mark", {{"type", "point"}, {"filled", true}, {"size", 50}, {"opacity", 1}}},
            {"encoding",
             {{"y", figure_axis("figure")},
              {"color", by_series()},
              {"shape", by_series(shapes())},
              {"opacity", faded(1)}}}};
  }

  /// Invisible, and larger than the points: a finger finds them.
  Json targets(const Json& data) const {
    return {
        {"data", data},
        {"mark",
         {{"type", "point"},
          {"filled", true},
          {"size", 260},
          {"opacity", 0},
          {"cursor", "pointer"}}},
        {"encoding",
         {{"y", figure_axis("figure")}, {"tooltip", {{"field", "point"}, {"type", "nominal"}}}}}};
  }

  Json bars(const Json& data) const {
    Json encoding = {{"y", figure_axis("figure")},
                     {"color", by_series()},
                     {"opacity", faded(1)},
                     {"tooltip", {{"field", "point"}, {"type", "nominal"}}}};
    // A logarithm has no 0 to start from.
    if (is_log(chart_.figure_scale)) encoding["y2"] = {{"value", height}};
    if (panel_.series.size() > 1) encoding["xOffset"] = by_series();
    return {{"data", data},
            {"mark", {{"type", "bar"}, {"cursor", "pointer"}}},
            {"encoding", std::move(encoding)}};
  }

  Json error_bars(const Json& data) const {
    Json encoding = {{"y", figure_axis("low")}, {"y2", {{"field", "high"}}}};
    if (panel_.series.size() > 1) encoding["xOffset"] = by_series();
    return {{"data", data},
            {"transform", Json::array({{{"filter", "isValid(datum.low)"}}})},
            {"mark", {{"type", "rule"}, {"style", "interval"}, {"tooltip", nullptr}}},
            {"encoding", std::move(encoding)}};
  }

  /// Crosses at the bottom.
  Json failures(const Json& data) const {
    Json encoding = {{"y", {{"value", height - 8}}},
                     {"tooltip", {{"field", "point"}, {"type", "nominal"}}}};
    if (chart_.kind == ChartKind::bar && panel_.series.size() > 1) {
      encoding["xOffset"] = by_series();
    }
    return {{"data", data},
            {"mark",
             {{"type", "text"},
              {"text", "×"},
              {"fontSize", 18},
              {"style", "failed"},
              {"cursor", "pointer"}}},
            {"encoding", std::move(encoding)}};
  }

  static Json reference_data(const ChartReference& reference) {
    return {
        {"values", Json::array({{{"at", page_figure(reference.at)}, {"label", reference.label}}})}};
  }

  Json reference_rule(const ChartReference& reference) const {
    return {{"data", reference_data(reference)},
            {"mark", {{"type", "rule"}, {"style", "reference"}, {"tooltip", nullptr}}},
            {"encoding", {{"x", nullptr}, {"y", figure_axis("at")}}}};
  }

  /// Above its line at the right.
  Json reference_label(const ChartReference& reference) const {
    return {{"data", reference_data(reference)},
            {"mark",
             {{"type", "text"},
              {"style", "reference-label"},
              {"align", "right"},
              {"baseline", "bottom"},
              {"dx", -4},
              {"dy", -3},
              {"tooltip", nullptr}}},
            {"encoding",
             {{"x", {{"value", "width"}}},
              {"y", figure_axis("at")},
              {"text", {{"field", "label"}, {"type", "nominal"}}}}}};
  }

  int heatmap_height() const {
    constexpr int row = 34;
    const auto rows = static_cast<int>(std::min<std::size_t>(chart_.y.ticks.size(), 100));
    return std::clamp(rows * row, 120, 560);
  }

  static Json cell_place(const std::string& axis, const ChartAxis& model,
                         const std::vector<double>& places) {
    Json drawn = axis_of(axis, model);
    drawn["labelOverlap"] = "greedy";
    drawn["ticks"] = false;
    drawn["domain"] = false;
    return {{"field", axis},
            {"type", "ordinal"},
            {"scale", {{"domain", places}, {"padding", 0.04}}},
            {"axis", std::move(drawn)}};
  }

  Json heatmap_layers() const {
    const Json drawn = values(Marks::drawn);
    const Json failed = values(Marks::failed);
    const Json x = cell_place("x", chart_.x, places_of(chart_.x));
    std::vector<double> rows = places_of(chart_.y);
    std::ranges::reverse(rows);  // what is larger stands higher
    const Json y = cell_place("y", chart_.y, rows);
    Json color = {{"field", "figure"},
                  {"type", "quantitative"},
                  {"scale", color_scale()},
                  {"legend",
                   {{"title", chart_.figure_label},
                    {"orient", "top"},
                    {"direction", "horizontal"},
                    {"gradientLength", 200}}}};
    const Json tooltip = {{"field", "point"}, {"type", "nominal"}};
    Json layers = Json::array();
    layers.push_back(
        {{"data", drawn},
         {"mark", {{"type", "rect"}, {"cursor", "pointer"}}},
         {"encoding", {{"x", x}, {"y", y}, {"color", std::move(color)}, {"tooltip", tooltip}}}});
    if (drawn["values"].size() <= most_cells_with_text) {
      layers.push_back(
          {{"data", drawn},
           {"mark", {{"type", "text"}, {"style", "cell"}, {"tooltip", nullptr}}},
           {"encoding",
            {{"x", x},
             {"y", y},
             {"text", {{"field", "text"}, {"type", "nominal"}}},
             {"color",
              {{"condition",
                {{"test", {{"field", "figure"}, {"gt", bright_from()}}}, {"value", "#111"}}},
               {"value", "#fff"}}}}}});
    }
    if (!failed["values"].empty()) {
      layers.push_back(
          {{"data", failed},
           {"mark", {{"type", "rect"}, {"style", "failed-cell"}, {"cursor", "pointer"}}},
           {"encoding", {{"x", x}, {"y", y}, {"tooltip", tooltip}}}});
      layers.push_back(
          {{"data", failed},
           {"mark", {{"type", "text"}, {"text", "×"}, {"style", "failed"}, {"tooltip", nullptr}}},
           {"encoding", {{"x", x}, {"y", y}}}});
    }
    return layers;
  }

  Json color_scale() const {
    Json scale = {{"scheme", "viridis"}, {"domain", color_domain()}, {"nice", false}};
    if (is_log(chart_.figure_scale) && extent_.low > 0) {
      scale.update(log_scale(chart_.figure_scale));
    }
    return scale;
  }

  Json color_domain() const {
    return {extent_.low, extent_.high > extent_.low ? extent_.high : extent_.low + 1};
  }

  /// From this figure on the palette is bright enough for dark letters.
  double bright_from() const {
    constexpr double share = 0.6;
    if (is_log(chart_.figure_scale) && extent_.low > 0) {
      return extent_.low * std::pow(extent_.high / extent_.low, share);
    }
    return extent_.low + (extent_.high - extent_.low) * share;
  }

  const Chart& chart_;
  const ChartPanel& panel_;
  const Extent extent_;
};

}  // namespace

nlohmann::ordered_json vega_lite_spec(const Chart& chart, std::size_t panel) {
  return PanelSpec(chart, panel).spec();
}

}  // namespace sweep
