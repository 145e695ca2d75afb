#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "report/findings.h"
#include "report/html/page_parts.h"
#include "report/point_columns.h"

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

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
void add_samples(const RunAnalysis& run, Json& data) {
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
  add_samples(run, data);
  return data;
}

}  // namespace sweep
