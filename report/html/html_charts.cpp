#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/text/units.h"
#include "report/charts/draw_chart.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr int height = 300;
/// Up to so many cells of a heatmap have their figures written in them.
constexpr std::size_t most_cells_with_text = 120;

constexpr const char* dashes =
    "[[1,0], [6,3], [2,2], [9,3,2,3], [12,4], [4,2,1,2], [1,3], [8,2,2,2,2,2]]";
constexpr const char* shapes =
    R"(["circle", "square", "triangle-up", "diamond",
        "cross", "triangle-down", "triangle-right", "triangle-left"])";

/// The smallest and the largest figure of a chart, intervals and references included.
Interval extent_of(const Chart& chart) {
  std::vector<double> figures;
  for (const PlacedMark& placed : marks_of(chart)) {
    for (const auto& figure : {placed.mark->figure, placed.mark->low, placed.mark->high}) {
      if (figure) figures.push_back(*figure);
    }
  }
  for (const ChartReference& reference : chart.references) figures.push_back(reference.at);
  std::erase_if(figures, [](double figure) { return !std::isfinite(figure); });
  if (figures.empty()) return {0, 1};
  const auto [low, high] = std::ranges::minmax(figures);
  return {low, high};
}

std::vector<double> places_of(const ChartAxis& axis) {
  std::vector<double> places;
  for (const ChartTick& tick : axis.ticks) places.push_back(tick.at);
  return places;
}

/// A channel of texts or of places among the points.
Json nominal(const char* field) {
  return {{"field", field}, {"type", "nominal"}};
}

/// Series that are not the chosen one fade.
Json faded(double usual) {
  return {{"condition", {{"test", "chosen === null || datum.series === chosen"}, {"value", usual}}},
          {"value", usual / 8}};
}

/// The mark is JSON.
Json layer(const Json& data, const char* mark, Json encoding) {
  return {{"data", data}, {"mark", Json::parse(mark)}, {"encoding", std::move(encoding)}};
}

/// A position along an axis of categories is the place of its tick.
class PanelSpec {
 public:
  PanelSpec(const Chart& chart, std::size_t panel)
      : chart_(chart),
        panel_(chart.panels.at(panel)),
        extent_(extent_of(chart)),
        has_log_figures_(is_logarithmic(chart.figure_scale) && extent_.low > 0) {}

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
    constexpr std::size_t fits_level = 60;
    Json axis = {{"title", model.label}};
    if (model.ticks.empty()) return axis;
    const bool is_category = model.scale == ChartScale::category;
    std::size_t letters = 0;
    for (const ChartTick& tick : model.ticks) letters += tick.label.size() + 2;
    axis["values"] = places_of(model);
    axis["labelExpr"] = name + "_labels[indexof(" + name + "_places, datum.value)]";
    axis["labelOverlap"] = is_category ? Json(false) : Json("greedy");
    axis["labelSeparation"] = 8;
    if (name == "x" && is_category) {
      axis["labelAngle"] = letters > fits_level ? -40 : 0;
      axis["labelLimit"] = 140;
    }
    return axis;
  }

  static Json position(const char* field, const char* type, Json scale, Json axis) {
    return {
        {"field", field}, {"type", type}, {"scale", std::move(scale)}, {"axis", std::move(axis)}};
  }

  Json x_axis() const {
    constexpr std::size_t most_labels = 24;
    Json axis = axis_of("x", chart_.x);
    if (chart_.x.scale == ChartScale::category || chart_.kind != ChartKind::line) {
      axis["labelOverlap"] = chart_.x.ticks.size() > most_labels ? Json("greedy") : Json(false);
      return position("x", "ordinal", {{"domain", places_of(chart_.x)}}, std::move(axis));
    }
    Json scale = {{"nice", false}, {"padding", 14}};
    if (is_logarithmic(chart_.x.scale)) {
      add_logarithm(chart_.x.scale, scale);
    } else {
      scale["zero"] = false;
    }
    axis["grid"] = false;
    return position("x", "quantitative", std::move(scale), std::move(axis));
  }

  static void add_logarithm(ChartScale kind, Json& scale) {
    scale["type"] = "log";
    scale["base"] = kind == ChartScale::log2 ? 2 : 10;
  }

  Json figure_scale() const {
    const bool is_bar = chart_.kind == ChartKind::bar;
    Json scale;
    if (has_log_figures_) {
      // The axis goes a little beyond the figures. Bars begin where it does: the lowest needs some
      // height too.
      constexpr double margin = 1.1;
      scale["domain"] = {extent_.low / (is_bar ? 2 : margin), extent_.high * margin};
      add_logarithm(chart_.figure_scale, scale);
      scale["nice"] = false;  // to the next power it would leave most of the picture empty
    } else {
      const bool has_zero = is_bar || chart_.figures_from_zero;
      const double low = has_zero ? std::min(extent_.low, 0.0) : extent_.low;
      scale["domain"] = {low, extent_.high > low ? extent_.high : low + 1};
      scale["nice"] = true;
      scale["zero"] = false;  // the domain says it
    }
    return scale;
  }

  Json figure_axis(const char* field) const {
    return position(field, "quantitative", figure_scale(), {{"title", chart_.figure_label}});
  }

  /// A channel that tells the series apart; without a range in the theme's colours.
  Json by_series(const char* range = nullptr) const {
    Json places = Json::array();
    for (std::size_t i = 0; i < panel_.series.size(); ++i) places.push_back(i);
    Json channel = nominal("series");
    channel["scale"]["domain"] = std::move(places);
    if (range != nullptr) channel["scale"]["range"] = Json::parse(range);
    channel["legend"] = nullptr;
    return channel;
  }

  enum class Marks { drawn, failed, all };

  /// Those that are not drawn have no figure: a line has a gap there.
  Json values(Marks wanted) const {
    const bool is_heatmap = chart_.kind == ChartKind::heatmap;
    Json values = Json::array();
    for (std::size_t i = 0; i < panel_.series.size(); ++i) {
      for (const ChartMark& mark : panel_.series[i].marks) {
        const bool is_drawn = mark.figure && std::isfinite(*mark.figure) &&
                              (!is_logarithmic(chart_.figure_scale) || *mark.figure > 0);
        if (wanted != Marks::all && is_drawn != (wanted == Marks::drawn)) continue;
        Json value = {{"x", mark.x}, {"series", i}, {"point", mark.point}};
        if (is_heatmap) value["y"] = mark.y;
        if (is_drawn) {
          value["figure"] = page_figure(*mark.figure);
          if (is_heatmap) value["text"] = format_figure(*mark.figure);
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

  Json figure_layers() const {
    const Json drawn = values(Marks::drawn);
    const Json failed = values(Marks::failed);
    const bool with_intervals = std::ranges::any_of(
        drawn["values"], [](const Json& value) { return value.contains("low"); });
    const bool is_line = chart_.kind == ChartKind::line;
    const Json figure = figure_axis("figure");
    const Json interval = {{"y", figure_axis("low")}, {"y2", {{"field", "high"}}}};
    const Json color = by_series();
    Json layers = Json::array();
    if (is_line) {
      const Json with_gaps = values(Marks::all);
      if (with_intervals) {
        Json encoding = interval;
        encoding.update({{"color", color}, {"opacity", faded(0.2)}});
        layers.push_back(layer(with_gaps, R"({"type": "area", "tooltip": null})", encoding));
      }
      layers.push_back(layer(with_gaps, R"({"type": "line", "strokeWidth": 2, "tooltip": null})",
                             {{"y", figure},
                              {"color", color},
                              {"strokeDash", by_series(dashes)},
                              {"opacity", faded(1)}}));
      layers.push_back(layer(
          drawn, R"({"type": "point", "filled": true, "size": 50, "opacity": 1})",
          {{"y", figure}, {"color", color}, {"shape", by_series(shapes)}, {"opacity", faded(1)}}));
    } else {
      layers.push_back(bars(drawn, figure));
      if (with_intervals) {
        layers.push_back(layer(drawn, R"({"type": "rule", "style": "interval", "tooltip": null})",
                               side_by_side(interval)));
        layers.back()["transform"][0]["filter"] = "isValid(datum.low)";
      }
    }
    for (const ChartReference& reference : chart_.references) add_reference(reference, layers);
    if (!failed["values"].empty()) {
      // Crosses at the bottom.
      Json encoding = {{"y", {{"value", height - 8}}}, {"tooltip", nominal("point")}};
      layers.push_back(layer(
          failed,
          R"({"type": "text", "text": "×", "fontSize": 18, "style": "failed", "cursor": "pointer"})",
          is_line ? encoding : side_by_side(encoding)));
    }
    if (is_line) {
      // Invisible, and larger than the points: a finger finds them.
      layers.push_back(layer(
          drawn,
          R"({"type": "point", "filled": true, "size": 260, "opacity": 0, "cursor": "pointer"})",
          {{"y", figure}, {"tooltip", nominal("point")}}));
    }
    return layers;
  }

  /// Of several series the bars at one place.
  Json side_by_side(Json encoding) const {
    if (panel_.series.size() > 1) encoding["xOffset"] = by_series();
    return encoding;
  }

  Json bars(const Json& data, const Json& figure) const {
    Json encoding = {{"y", figure},
                     {"color", by_series()},
                     {"opacity", faded(1)},
                     {"tooltip", nominal("point")}};
    // A logarithm has no 0 to start from.
    if (is_logarithmic(chart_.figure_scale)) encoding["y2"] = {{"value", height}};
    return layer(data, R"({"type": "bar", "cursor": "pointer"})", side_by_side(encoding));
  }

  /// A line, and its label above it at the right.
  void add_reference(const ChartReference& reference, Json& layers) const {
    const Json value = {{"at", page_figure(reference.at)}, {"label", reference.label}};
    const Json data = {{"values", Json::array({value})}};
    layers.push_back(layer(data, R"({"type": "rule", "style": "reference", "tooltip": null})",
                           {{"x", nullptr}, {"y", figure_axis("at")}}));
    layers.push_back(
        layer(data,
              R"({"type": "text", "style": "reference-label", "align": "right",
                               "baseline": "bottom", "dx": -4, "dy": -3, "tooltip": null})",
              {{"x", {{"value", "width"}}}, {"y", figure_axis("at")}, {"text", nominal("label")}}));
  }

  int heatmap_height() const {
    constexpr int row = 34;
    const auto rows = static_cast<int>(std::min<std::size_t>(chart_.y.ticks.size(), 100));
    return std::clamp(rows * row, 120, 560);
  }

  static Json cell_place(const char* name, const ChartAxis& model,
                         const std::vector<double>& places) {
    Json axis = axis_of(name, model);
    axis["labelOverlap"] = "greedy";
    axis["ticks"] = false;
    axis["domain"] = false;
    return position(name, "ordinal", {{"domain", places}, {"padding", 0.04}}, std::move(axis));
  }

  Json heatmap_layers() const {
    const Json drawn = values(Marks::drawn);
    const Json failed = values(Marks::failed);
    std::vector<double> rows = places_of(chart_.y);
    std::ranges::reverse(rows);  // what is larger stands higher
    const Json places = {{"x", cell_place("x", chart_.x, places_of(chart_.x))},
                         {"y", cell_place("y", chart_.y, rows)}};
    const auto at_places = [&](const Json& more) {
      Json encoding = places;
      encoding.update(more);
      return encoding;
    };
    const Json tooltip = {{"tooltip", nominal("point")}};
    Json layers = Json::array();
    layers.push_back(layer(drawn, R"({"type": "rect", "cursor": "pointer"})",
                           at_places({{"color", cell_color()}, {"tooltip", nominal("point")}})));
    if (drawn["values"].size() <= most_cells_with_text) {
      const Json is_bright = {{"field", "figure"}, {"gt", bright_from()}};
      const Json dark_on_bright = {{"condition", {{"test", is_bright}, {"value", "#111"}}},
                                   {"value", "#fff"}};
      layers.push_back(layer(drawn, R"({"type": "text", "style": "cell", "tooltip": null})",
                             at_places({{"text", nominal("text")}, {"color", dark_on_bright}})));
    }
    if (!failed["values"].empty()) {
      layers.push_back(layer(failed,
                             R"({"type": "rect", "style": "failed-cell", "cursor": "pointer"})",
                             at_places(tooltip)));
      layers.push_back(layer(
          failed, R"({"type": "text", "text": "×", "style": "failed", "tooltip": null})", places));
    }
    return layers;
  }

  Json cell_color() const {
    const double high = extent_.high > extent_.low ? extent_.high : extent_.low + 1;
    Json scale = {{"scheme", "viridis"}, {"domain", {extent_.low, high}}, {"nice", false}};
    if (has_log_figures_) add_logarithm(chart_.figure_scale, scale);
    Json legend = Json::parse(
        R"({"title": "", "orient": "top", "direction": "horizontal", "gradientLength": 200})");
    legend["title"] = chart_.figure_label;
    return {{"field", "figure"},
            {"type", "quantitative"},
            {"scale", std::move(scale)},
            {"legend", std::move(legend)}};
  }

  /// From this figure on the palette is bright enough for dark letters.
  double bright_from() const {
    constexpr double share = 0.6;
    return has_log_figures_ ? extent_.low * std::pow(extent_.high / extent_.low, share)
                            : extent_.low + (extent_.high - extent_.low) * share;
  }

  const Chart& chart_;
  const ChartPanel& panel_;
  const Interval extent_;
  const bool has_log_figures_;
};

std::string swatch(const Chart& chart, std::size_t series) {
  const bool is_bar = chart.kind == ChartKind::bar;
  return fmt::format(
      "<svg class=\"swatch series-{}\" viewBox=\"-14 -6 28 12\" aria-hidden=\"true\">"
      "{}<path class=\"symbol\" d=\"{}\"/></svg>",
      series % 8, is_bar ? "" : "<path class=\"line\" d=\"M-14 0H14\"/>",
      is_bar ? "M-12-5h24v10h-24z" : series_symbol(series));
}

std::string legend(const Chart& chart) {
  if (chart.kind == ChartKind::heatmap || chart.panels.empty()) return {};
  const std::vector<ChartSeries>& all = chart.panels.front().series;
  if (all.size() < 2) return {};
  std::string html = fmt::format(
      "<div class=\"legend\" role=\"group\" aria-label=\"Series: {0}\">\n"
      "<span class=\"legend-title\">{0}</span>\n",
      escape_html(chart.series_label));
  for (std::size_t i = 0; i < all.size(); ++i) {
    html += fmt::format(
        "<button type=\"button\" aria-pressed=\"false\" data-series=\"{}\">{}{}</button>\n", i,
        swatch(chart, i), escape_html(all[i].name));
  }
  return html + "</div>\n";
}

std::string panel_frames(const Chart& chart) {
  std::string html =
      fmt::format("<div class=\"panels\" data-panels=\"{}\">\n", chart.panels.size());
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    html += "<div class=\"panel\">";
    if (!chart.panels[i].title.empty()) {
      html += "<h4>" + escape_html(chart.panels[i].title) + "</h4>";
    }
    html += fmt::format("<div class=\"plot\" data-panel=\"{}\"></div></div>\n", i);
  }
  return html + "</div>\n";
}

/// The chart as an image that the page contains.
std::string picture_of(const Chart& chart) {
  return fmt::format("<img src=\"data:image/svg+xml;base64,{}\" alt=\"{}\">\n",
                     base64(draw_chart(chart)), escape_html(chart.description));
}

/// Whether it needs the page's whole width.
bool is_wide(const Chart& chart) {
  constexpr std::size_t most_in_half = 36;
  return chart.panels.size() > 1 ||
         (chart.kind != ChartKind::line && marks_of(chart).size() > most_in_half);
}

std::string figure_of(const Chart& chart, std::size_t place, const std::string& drawing) {
  std::string html = fmt::format("<figure class=\"chart{}\" id=\"chart-{}\" data-chart=\"{}\">\n",
                                 is_wide(chart) ? " wide" : "", place + 1, place);
  html += "<h3>" + escape_html(chart.title) + "</h3>\n" + drawing + "<figcaption>";
  if (!chart.caption.empty()) html += "<p>" + escape_html(chart.caption) + "</p>";
  if (!chart.description.empty()) {
    html += "<p class=\"unseen\">" + escape_html(chart.description) + "</p>";
  }
  return html + "</figcaption>\n</figure>\n";
}

}  // namespace

nlohmann::ordered_json vega_lite_spec(const Chart& chart, std::size_t panel) {
  return PanelSpec(chart, panel).spec();
}

std::string chart_figures(const std::vector<Chart>& charts) {
  const bool is_drawn_by_script = !vega_script().text.empty();
  std::string html;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    html += figure_of(
        charts[i], i,
        is_drawn_by_script ? legend(charts[i]) + panel_frames(charts[i]) : picture_of(charts[i]));
  }
  return html.empty() ? html : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string charts_json(const std::vector<Chart>& charts) {
  if (charts.empty() || vega_script().text.empty()) return {};
  Json json = Json::array();
  for (const Chart& chart : charts) {
    Json& panels = json.emplace_back(Json::array());
    for (std::size_t i = 0; i < chart.panels.size(); ++i) {
      panels.push_back(vega_lite_spec(chart, i));
    }
  }
  return script_json(json);
}

}  // namespace sweep
