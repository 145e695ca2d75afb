#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "report/count_agreement.h"
#include "report/html/html_text.h"
#include "report/html/page_parts.h"
#include "report/metric_column.h"
#include "report/parameter_values.h"
#include "report/run_tables.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view digits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr std::uint64_t kinds = digits.size();

std::size_t digits_for(std::uint64_t largest) {
  std::size_t count = 1;
  for (std::uint64_t rest = largest / kinds; rest > 0; rest /= kinds) ++count;
  return count;
}

void append(std::string& text, std::uint64_t number, std::size_t count) {
  const std::size_t begin = text.size();
  text.resize(begin + count);
  for (std::size_t i = count; i > 0; --i) {
    text[begin + i - 1] = digits[number % kinds];
    number /= kinds;
  }
}

}  // namespace

Json packed_places(const std::vector<std::int64_t>& places) {
  if (places.size() <= most_plain_points) return places;
  const auto number = [](std::int64_t place) { return static_cast<std::uint64_t>(place + 1); };
  const std::size_t count = digits_for(number(std::ranges::max(places)));
  std::string text;
  text.reserve(places.size() * count);
  for (const std::int64_t place : places) append(text, number(place), count);
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

namespace {

using Json = nlohmann::ordered_json;
using Points = std::vector<const PointRecord*>;

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
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::int64_t> places_;
};

template <typename TextOf>
Json text_column(const Points& points, TextOf text_of) {
  Texts texts;
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < points.size(); ++i) at.push_back(texts.place_of(text_of(i)));
  return {{"texts", texts.texts()}, {"at", packed_places(at)}};
}

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

Json metric_column(const MetricColumn& metric, Better better, const Points& points, bool shown) {
  std::vector<Json> figures;
  for (const PointRecord* point : points) {
    const auto figure = figure_of(*point, metric);
    figures.push_back(figure ? page_figure(*figure) : Json(nullptr));
  }
  const MetricDefinition* definition = find_metric(metric.name);
  return {{"name", metric.name},
          {"origin", to_string(metric.origin)},
          {"unit", unit_of(metric.name)},
          {"better", to_string(better)},
          {"meaning", definition != nullptr ? definition->meaning : std::string()},
          {"shown", shown},
          {"figures", packed_figures(std::move(figures))}};
}

/// Those that a list of the points in another report shows; the verdict's own as well.
std::set<MetricColumn> shown_metrics(const Points& points, const Verdicts& verdicts) {
  const std::vector<MetricColumn> main = main_columns(points);
  std::set<MetricColumn> shown(main.begin(), main.end());
  for (const VerdictGroup& group : verdicts.groups) shown.insert(group.metric);
  return shown;
}

Json metric_columns_of(const RunResults& results, const Points& points, const Verdicts& verdicts) {
  const std::set<MetricColumn> shown = shown_metrics(points, verdicts);
  std::map<const PointRecord*, std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) places[points[i]] = i;
  std::map<std::string, CountAgreement> agreements;
  for (CountAgreement& agreement : compare_counts(points)) {
    agreements.emplace(agreement.metric, std::move(agreement));
  }
  Json columns = Json::array();
  for (const MetricColumn& metric : metric_columns(points)) {
    Json column = metric_column(metric, better_for(metric, results.run.tuning), points,
                                shown.contains(metric));
    const auto agreement = agreements.find(metric.name);
    if (metric.origin == Origin::hardware && agreement != agreements.end()) {
      column["tolerance"] = describe(tolerance_for(metric.name), metric.name);
      Json disagrees = Json::array();
      for (const PointRecord* point : agreement->second.disagreeing) {
        disagrees.push_back(places.at(point));
      }
      column["disagrees"] = std::move(disagrees);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Json notes_column(const Points& points) {
  Texts texts;
  std::vector<Json> at;
  for (const PointRecord* point : points) {
    Json places = Json::array();
    for (const std::string& note : point->notes) places.push_back(texts.place_of(note));
    at.push_back(std::move(places));
  }
  return {{"texts", texts.texts()}, {"at", packed_figures(std::move(at))}};
}

/// Of many points their samples would be most of the page.
void add_samples(Json& data, const Points& points) {
  if (points.size() > most_plain_points) {
    data["samples_left_out"] = std::ranges::any_of(
        points, [](const PointRecord* point) { return !point->samples.empty(); });
    return;
  }
  Json samples = Json::array();
  Json clocks = Json::array();
  Json marks = Json::array();
  for (const PointRecord* point : points) {
    Json times = Json::array();
    Json rates = Json::array();
    Json marked = Json::array();
    bool has_clocks = false;
    for (std::size_t i = 0; i < point->samples.size(); ++i) {
      const Sample& sample = point->samples[i];
      times.push_back(page_figure(sample.seconds * 1e6));
      rates.push_back(page_figure(std::round(sample.sm_clock_hz / 1e6)));
      has_clocks = has_clocks || sample.sm_clock_hz > 0;
      if (sample.mark != SampleMark::plain) marked.push_back({i, to_string(sample.mark)});
    }
    samples.push_back(std::move(times));
    clocks.push_back(has_clocks ? std::move(rates) : Json(nullptr));
    marks.push_back(std::move(marked));
  }
  data["samples"] = std::move(samples);
  data["clocks"] = std::move(clocks);
  data["marks"] = std::move(marks);
}

void add_outcomes(Json& data, const RunResults& results, const Points& points,
                  const Verdicts& verdicts) {
  std::vector<Json> slower;
  Json failed = Json::array();
  Json cut_off = Json::array();
  std::vector<Json> measured_by;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& verdict = verdicts.of_points[i];
    slower.push_back(verdict ? page_figure(verdict->slower) : Json(nullptr));
    if (points[i]->status == PointStatus::failed) failed.push_back(i);
    if (is_cut_off(*points[i])) cut_off.push_back(i);
    const std::int64_t run = results.points[i].measured_by;
    measured_by.push_back(run != results.run.id ? Json(run) : Json(nullptr));
  }
  data["verdicts"] = text_column(points, [&](std::size_t i) {
    const auto& verdict = verdicts.of_points[i];
    if (verdict) return describe_among_groups(*verdict);
    return std::string(points[i]->status == PointStatus::failed ? "failed" : "");
  });
  data["slower"] = packed_figures(std::move(slower));
  data["failed"] = std::move(failed);
  data["cut_off"] = std::move(cut_off);
  data["reasons"] = text_column(points, [&](std::size_t i) { return points[i]->reason; });
  data["stopped"] = text_column(points, [&](std::size_t i) { return points[i]->stopped_by; });
  data["notes"] = notes_column(points);
  data["measured_by"] = packed_figures(std::move(measured_by));
}

}  // namespace

Json points_data(const RunAnalysis& run) {
  const RunResults& results = run.results;
  const Points& points = run.points;
  std::vector<Bindings> environments;
  for (const PointRecord* point : points) environments.push_back(environment_of(*point));
  Json parameters = Json::array();
  for (const ParameterValues& parameter : run.parameters) {
    parameters.push_back(parameter_column(parameter, environments));
  }
  Json data = {{"count", points.size()},
               {"sorted_by", results.run.tuning ? "verdict" : ""},
               {"parameters", std::move(parameters)},
               {"metrics", metric_columns_of(results, points, run.verdicts)}};
  add_outcomes(data, results, points, run.verdicts);
  add_samples(data, points);
  return data;
}

}  // namespace sweep
