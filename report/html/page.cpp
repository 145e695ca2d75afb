#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/text/characters.h"
#include "engine/text/units.h"
#include "report/findings.h"
#include "report/html/page_parts.h"
#include "report/run_report.h"

namespace sweep {
namespace {

Json axis_data(const ChartAxis& axis) {
  constexpr std::array names = {"linear", "log2", "log10", "category"};
  Json places = Json::array();
  Json labels = Json::array();
  for (const ChartTick& tick : axis.ticks) {
    places.push_back(tick.at);
    labels.push_back(tick.label);
  }
  return {{"label", axis.label},
          {"scale", names.at(static_cast<std::size_t>(axis.scale))},
          {"places", std::move(places)},
          {"labels", std::move(labels)}};
}

/// The axis of a metric, all of whose figures, intervals and references stand at these places.
Json metric_axis_data(const ChartAxis& axis, std::vector<double> places, bool from_zero) {
  Json data = axis_data(axis);
  std::erase_if(places, [](double place) { return !std::isfinite(place); });
  if (places.empty()) places = {0, 1};
  const auto [low, high] = std::ranges::minmax(places);
  data["extent"] = {low, high};
  data["from_zero"] = from_zero;
  return data;
}

Json mark_data(const ChartMark& mark, const Chart& chart) {
  const bool is_drawn = mark.figure && std::isfinite(*mark.figure) &&
                        (!is_logarithmic(chart.figure_scale) || *mark.figure > 0);
  const bool is_cell = chart.kind == ChartKind::heatmap;
  Json data = {{"x", mark.x}, {"point", mark.point}};
  if (is_cell) data["y"] = mark.y;
  data["figure"] = is_drawn ? page_figure(*mark.figure) : Json(nullptr);
  if (is_drawn && is_cell) data["text"] = format_figure(*mark.figure);
  if (is_drawn && mark.interval) {
    data["low"] = page_figure(mark.interval->low);
    data["high"] = page_figure(mark.interval->high);
  }
  return data;
}

std::string data_script(const std::string& id, const std::string& data) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + data + "</script>\n";
}

constexpr std::string_view packed_digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::uint64_t packed_kinds = packed_digits.size();

/// Texts that many points share, each kept once.
class Texts {
 public:
  std::int64_t place_of(const std::string& text) {
    if (text.empty()) return -1;
    const auto [found, is_new] =
        places_.try_emplace(text, static_cast<std::int64_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  const Json& texts() const { return texts_; }

 private:
  Json texts_ = Json::array();
  std::map<std::string, std::int64_t> places_;
};

Json parameter_column(const ParameterValues& parameter, const std::vector<Bindings>& environments) {
  Json values = Json::array();
  Json numbers = Json::array();
  for (const Value& value : parameter.values()) {
    values.push_back(parameter.show(value));
    if (const auto* number = std::get_if<std::int64_t>(&value)) numbers.push_back(*number);
  }
  std::vector<std::int64_t> at;
  for (const Bindings& environment : environments) {
    const Value* value = environment.find(parameter.name);
    at.push_back(value != nullptr ? static_cast<std::int64_t>(parameter.rank_of(*value)) : -1);
  }
  Json column = {{"name", parameter.name},
                 {"values", std::move(values)},
                 {"varies", parameter.values().size() > 1},
                 {"at", packed_places(at)}};
  if (numbers.size() == parameter.values().size()) column["numbers"] = std::move(numbers);
  return column;
}

/// Of many points their samples would be most of the page.
void add_sample_columns(const RunAnalysis& run, Json& data) {
  if (run.points.size() > most_plain_points) {
    data["samples_left_out"] = std::ranges::any_of(
        run.points, [](const PointRecord* point) { return !point->samples.empty(); });
    return;
  }
  Json& samples = data["samples"] = Json::array();
  Json all_clocks = Json::array();
  Json all_marks = Json::array();
  for (const PointRecord* point : run.points) {
    Json times = Json::array();
    Json clocks = Json::array();
    Json marks = Json::array();
    bool has_clocks = false;
    for (std::size_t i = 0; i < point->samples.size(); ++i) {
      const Sample& sample = point->samples[i];
      times.push_back(page_figure(sample.seconds * 1e6));
      clocks.push_back(page_figure(std::round(sample.sm_clock_hz / 1e6)));
      has_clocks = has_clocks || sample.sm_clock_hz > 0;
      if (sample.mark != SampleMark::plain) marks.push_back({i, to_string(sample.mark)});
    }
    samples.push_back(std::move(times));
    all_clocks.push_back(has_clocks ? std::move(clocks) : Json(nullptr));
    all_marks.push_back(std::move(marks));
  }
  data["clocks"] = std::move(all_clocks);
  data["marks"] = std::move(all_marks);
}

/// The columns of a run's points as the page's script reads them.
struct PointColumns {
  const RunAnalysis& run;

  /// Of each point a figure or something else that JSON has.
  template <typename ValueOf>
  Json column(ValueOf value_of_point) const {
    std::vector<Json> values;
    for (std::size_t i = 0; i < run.points.size(); ++i) values.push_back(value_of_point(i));
    return packed_figures(std::move(values));
  }

  template <typename TextOf>
  Json text_column(TextOf text_of_point) const {
    Texts texts;
    std::vector<std::int64_t> at;
    for (std::size_t i = 0; i < run.points.size(); ++i)
      at.push_back(texts.place_of(text_of_point(i)));
    return {{"texts", texts.texts()}, {"at", packed_places(at)}};
  }

  /// The places of the points for which it holds.
  template <typename Holds>
  Json places_where(Holds holds) const {
    Json places = Json::array();
    for (std::size_t i = 0; i < run.points.size(); ++i) {
      if (holds(*run.points[i])) places.push_back(i);
    }
    return places;
  }

  Json metrics() const {
    // Those that a list of the points in another report shows; the verdict's own as well.
    const std::vector<MetricColumn> main = main_columns(run.points);
    std::set<MetricColumn> shown(main.begin(), main.end());
    for (const VerdictGroup& group : run.verdicts.groups) shown.insert(group.metric);
    const std::vector<CountAgreement> agreements = compare_counts(run.points);
    Json columns = Json::array();
    for (const MetricColumn& metric : metric_columns(run.points)) {
      Json& data = columns.emplace_back();
      data = {{"name", metric.name},
              {"origin", to_string(metric.origin)},
              {"unit", unit_of(metric.name)},
              {"better", to_string(better_for(metric, run.results.run.tuning))},
              {"meaning", definition_of(metric.name).meaning},
              {"shown", shown.contains(metric)},
              {"figures", column([&](std::size_t i) {
                 const auto figure = figure_of(*run.points[i], metric);
                 return figure ? page_figure(*figure) : Json(nullptr);
               })}};
      const auto agreement = std::ranges::find(agreements, metric.name, &CountAgreement::metric);
      if (metric.origin != Origin::hardware || agreement == agreements.end()) continue;
      const std::set<const PointRecord*> disagreeing(agreement->disagreeing.begin(),
                                                     agreement->disagreeing.end());
      data["tolerance"] = describe_tolerance(metric.name);
      data["disagrees"] =
          places_where([&](const PointRecord& point) { return disagreeing.contains(&point); });
    }
    return columns;
  }

  void add_outcomes(Json& data) const {
    const auto& verdicts = run.verdicts.of_points;
    const auto has_failed = [](const PointRecord& point) {
      return point.status == PointStatus::failed;
    };
    data["verdicts"] = text_column([&](std::size_t i) {
      if (verdicts[i]) return describe_among_groups(*verdicts[i]);
      return std::string(has_failed(*run.points[i]) ? "failed" : "");
    });
    data["slower"] = column([&](std::size_t i) {
      return verdicts[i] ? page_figure(verdicts[i]->slower) : Json(nullptr);
    });
    data["failed"] = places_where(has_failed);
    data["cut_off"] = places_where(is_cut_off);
    data["reasons"] = text_column([&](std::size_t i) { return run.points[i]->reason; });
    data["stopped"] = text_column([&](std::size_t i) { return run.points[i]->stopped_by; });
    Texts notes;
    Json at = column([&](std::size_t i) {
      Json places = Json::array();
      for (const std::string& note : run.points[i]->notes) places.push_back(notes.place_of(note));
      return places;
    });
    data["notes"] = {{"texts", notes.texts()}, {"at", std::move(at)}};
    data["measured_by"] = column([&](std::size_t i) {
      const std::int64_t measured_by = run.results.points[i].measured_by;
      return measured_by != run.results.run.id ? Json(measured_by) : Json(nullptr);
    });
  }
};

}  // namespace

std::string page_navigation(const Document& document) {
  std::string html = "<header class=\"bar\">\n<nav aria-label=\"Sections\">\n";
  for (const DocumentBlock& block : document) {
    const auto* section = std::get_if<Section>(&block);
    if (section == nullptr) continue;
    html += fmt::format("<a href=\"#{}\">{}{}</a>\n", section->id, to_capital(section->id[0]),
                        section->id.substr(1));
  }
  return html +
         "</nav>\n<button type=\"button\" id=\"theme\" hidden>Theme: auto</button>\n</header>\n";
}

nlohmann::ordered_json chart_data(const Chart& chart) {
  constexpr std::array kinds = {"line", "bar", "heatmap", "scatter"};
  Json references = Json::array();
  for (const ChartTick& reference : chart.references) {
    references.push_back({{"at", page_figure(reference.at)}, {"label", reference.label}});
  }
  Json slopes = Json::array();
  for (const ChartTick& slope : chart.slopes) {
    slopes.push_back({{"factor", page_figure(slope.at)}, {"label", slope.label}});
  }
  Json caches = Json::array();
  for (const ChartTick& cache : chart.caches) {
    caches.push_back({{"x", page_figure(cache.at)}, {"label", cache.label}});
  }
  Json panels = Json::array();
  for (const std::string& title : chart.panels) {
    panels.push_back({{"title", title}, {"values", Json::array()}});
  }
  for (const ChartMark& mark : chart.marks) {
    Json& values = panels[mark.panel]["values"];
    values.push_back(mark_data(mark, chart));
    values.back()["series"] = mark.series;
  }
  Json series = Json::array();
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    series.push_back({{"name", chart.series[i]}, {"symbol", series_symbol(i)}});
  }
  return {{"kind", kinds.at(static_cast<std::size_t>(chart.kind))},
          {"description", chart.description},
          {"x", chart.is_scatter()
                    ? metric_axis_data(chart.x, places_on_x_axis(chart), chart.x_from_zero)
                    : axis_data(chart.x)},
          {"y", axis_data(chart.y)},
          {"figures", metric_axis_data({chart.figure_label, chart.figure_scale},
                                       places_on_figure_axis(chart), chart.figures_from_zero)},
          {"references", std::move(references)},
          {"slopes", std::move(slopes)},
          {"caches", std::move(caches)},
          {"series_label", chart.series_label},
          {"series", std::move(series)},
          {"panels", std::move(panels)}};
}

std::string chart_figures(const std::vector<Chart>& charts, PageCharts kind) {
  constexpr std::size_t most_in_half = 36;
  const bool is_drawn_by_script = kind == PageCharts::live && !vega_script().text.empty();
  const auto needs_width = [&](const Chart& chart) {
    const bool has_places = chart.kind == ChartKind::bar || chart.is_heatmap();
    return chart.panels.size() > 1 || (has_places && chart.marks.size() > most_in_half);
  };
  std::string html;
  bool is_second = false;  // in its row
  for (std::size_t i = 0; i < charts.size(); ++i) {
    const Chart& chart = charts[i];
    const bool has_next = i + 1 < charts.size() && !needs_width(charts[i + 1]);
    const bool is_wide = needs_width(chart) || (!is_second && !has_next);
    is_second = !is_wide && !is_second;
    html +=
        fmt::format("<figure class=\"chart{}\" id=\"chart-{}\" data-chart=\"{}\">\n<h3>{}</h3>\n",
                    is_wide ? " wide" : "", i + 1, i, escape_html(chart.title));
    const std::string description = escape_html(chart.description);
    if (!is_drawn_by_script) {
      html += fmt::format("<img src=\"data:image/svg+xml;base64,{}\" alt=\"{}\">\n",
                          base64(draw_chart(chart)), description);
    }
    html += "<figcaption>";
    if (!chart.caption.empty()) html += "<p>" + escape_html(chart.caption) + "</p>";
    if (!description.empty()) html += "<p class=\"unseen\">" + description + "</p>";
    html += "</figcaption>\n</figure>\n";
  }
  return html.empty() ? html : "<div class=\"charts\">\n" + html + "</div>\n";
}

std::string charts_json(const std::vector<Chart>& charts) {
  if (charts.empty() || vega_script().text.empty()) return {};
  Json json = Json::array();
  for (const Chart& chart : charts) json.push_back(chart_data(chart));
  return script_json(json);
}

std::string summary_tiles(const RunAnalysis& run) {
  std::string html = "<dl class=\"tiles\">\n";
  const auto add = [&](const std::string& label, const std::string& figure, const std::string& unit,
                       const std::string& detail) {
    html += fmt::format(
        "<div class=\"tile\"><dt>{}</dt><dd><span class=\"large\">{}</span> {}"
        "<span class=\"detail\">{}</span></dd></div>\n",
        escape_html(label), escape_html(figure), escape_html(unit), escape_html(detail));
  };
  const auto add_point = [&](const std::string& label, const MetricColumn& metric,
                             std::size_t place, const std::string& remark = "") {
    const PointRecord& point = *run.points[place];
    add(label, format_figure(figure_of(point, metric).value()), unit_of(metric.name),
        remark + describe_in_short(run, place));
  };
  if (const auto headline = headline_of(run)) {
    add_point(headline->label, headline->metric, headline->place);
    if (headline->share_of_peak) {
      const double peak = run.results.run.provenance.device.peak_bandwidth();
      add("share of the peak", format_figure(*headline->share_of_peak), "%",
          peak > 0 ? "of " + format_figure(peak / 1e9) + " GB/s in theory" : "");
    }
    if (headline->worst) {
      add_point(headline->worst_label, headline->metric, *headline->worst, headline->distance);
    }
  }
  const std::size_t failed = run.results.count_failed();
  add("configurations", format_thousands(run.points.size()), "",
      (failed == 0 ? "none failed" : format_thousands(failed) + " failed") +
          count_partly_verified(run.results.points));
  return html + "</dl>\n";
}

std::string points_frame() {
  return R"(<noscript><p>Sorting and filtering all points needs JavaScript.</p></noscript>
<div class="controls" hidden>
<label for="filter">Filter</label>
<input id="filter" type="search" spellcheck="false" autocomplete="off" aria-describedby="filter-help filter-result"
 placeholder="words, NAME=VALUE, bandwidth &gt; 2000">
<output id="filter-result" for="filter" aria-live="polite"></output>
<details id="columns"><summary>Columns</summary><div class="choices"></div></details>
</div>
<p id="filter-help" class="caption" hidden>Words must all occur in a point. Conditions compare a column: T=float,double STRIDE&gt;=8 verdict=best; a minus before one of them turns it round. A click on a row shows all about its point.</p>
<div id="grid" class="grid" role="region" aria-label="All points" tabindex="0"></div>
<dialog id="detail" aria-labelledby="detail-heading"></dialog>
)";
}

namespace {

/// A page of sections, charts and, unless empty, points.
std::string whole_page(const std::string& title, const Document& document,
                       const std::vector<Chart>& charts, const std::string& points,
                       PageCharts kind = PageCharts::live) {
  std::string page = page_head(title, page_style(), std::array{page_script(), vega_script()});
  page += "<body>\n" + page_navigation(document) + "<main>\n" + render_html(document) + "</main>\n";
  if (!points.empty()) page += data_script("points-data", points);
  const std::string json = kind == PageCharts::live ? charts_json(charts) : "";
  if (!json.empty()) {
    page += data_script("charts-data", json);
    page.append("<script>").append(vega_script().text).append("</script>\n");
  }
  page.append("<script>").append(page_script().text).append("</script>\n");
  return page + "</body>\n</html>\n";
}

}  // namespace

std::string write_html(const RunAnalysis& run, PageCharts kind) {
  const Provenance& provenance = run.results.run.provenance;
  const std::vector<Chart> charts = charts_of(run.results);
  const Document document = run_page(run, charts, kind);
  std::string title = provenance.sweep_name;
  if (!provenance.device.name.empty()) title += " on " + provenance.device.name;
  return whole_page(title, document, charts,
                    run.points.empty() ? std::string() : script_json(points_data(run)), kind);
}

std::string write_html(const RunAnalysis& run) {
  return write_html(run, PageCharts::live);
}

std::string write_charts_page(const std::string& title, Document sections,
                              std::span<const RunResults> runs) {
  std::vector<Chart> charts;
  for (const RunResults& results : runs) {
    std::ranges::move(charts_of(results), std::back_inserter(charts));
  }
  // One of each sweep is too many.
  std::erase_if(charts, [](const Chart& chart) { return !chart.slopes.empty(); });
  if (!charts.empty()) {
    sections.emplace_back(
        Section{"charts", "Charts", {PageBlock{chart_figures(charts, PageCharts::live)}}});
  }
  return whole_page(title, sections, charts, "");
}

Json packed_places(const std::vector<std::int64_t>& places) {
  if (places.size() <= most_plain_points) return places;
  const auto number = [](std::int64_t place) { return static_cast<std::uint64_t>(place + 1); };
  std::size_t count = 1;
  for (auto rest = number(std::ranges::max(places)) / packed_kinds; rest > 0; rest /= packed_kinds)
    ++count;
  std::string text(places.size() * count, packed_digits[0]);
  std::size_t end = 0;
  for (const std::int64_t place : places) {
    end += count;
    std::size_t at = end;
    for (auto rest = number(place); rest > 0; rest /= packed_kinds)
      text[--at] = packed_digits[rest % packed_kinds];
  }
  return {{"digits", count}, {"text", std::move(text)}};
}

Json packed_figures(std::vector<Json> figures) {
  // With more of them the list is not much longer.
  constexpr std::size_t most_values = 4095;
  if (figures.size() <= most_plain_points) return figures;
  std::map<std::string, std::int64_t> places;
  std::vector<std::int64_t> at;
  Json values = Json::array();
  for (const Json& figure : figures) {
    const auto [place, is_new] =
        places.emplace(figure.dump(), static_cast<std::int64_t>(values.size()));
    if (is_new) values.push_back(figure);
    if (values.size() > most_values) return figures;
    at.push_back(place->second);
  }
  return {{"values", std::move(values)}, {"places", packed_places(at)}};
}

Json points_data(const RunAnalysis& run) {
  const PointColumns columns{run};
  std::vector<Bindings> environments;
  for (const PointRecord* point : run.points) environments.push_back(environment_of(*point));
  Json parameters = Json::array();
  for (const ParameterValues& parameter : run.parameters) {
    parameters.push_back(parameter_column(parameter, environments));
  }
  Json data = {{"count", run.points.size()},
               {"sorted_by", run.results.run.tuning ? "verdict" : ""},
               {"parameters", std::move(parameters)},
               {"metrics", columns.metrics()}};
  columns.add_outcomes(data);
  add_sample_columns(run, data);
  return data;
}

}  // namespace sweep
