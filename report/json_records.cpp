#include "report/json_records.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sweep {
namespace {

struct ToJson {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(bool truth) const { return truth; }
  Json operator()(ElementType type) const { return type.name(); }
  Json operator()(const std::string& word) const { return word; }
};

std::string_view name_of(PointVerdict::Kind kind) {
  constexpr std::array<std::string_view, 5> names = {"best", "same", "slower", "not_compared",
                                                     "cut_off"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace

Json json_number(double number) {
  if (std::isnan(number)) return nullptr;
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

Json json_known(double number) {
  return number == 0 ? Json(nullptr) : json_number(number);
}

Json json_place(const std::optional<std::int64_t>& place) {
  return place ? Json(*place) : Json(nullptr);
}

Json json_text(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_interval(double low, double high) {
  if (low == 0 && high == 0) return nullptr;
  return Json::array({json_number(low), json_number(high)});
}

Json json_figure(double low, double figure, double high) {
  if (figure == 0) return nullptr;
  return Json::array({json_number(low), json_number(figure), json_number(high)});
}

Json json_parameters(const Bindings& parameters) {
  Json object = Json::object();
  for (const auto& [name, value] : parameters.entries()) {
    object[name] = std::visit(ToJson{}, value);
  }
  return object;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string key_of(const MetricColumn& column) {
  return fmt::format("{}.{}", column.name, to_string(column.origin));
}

Json json_of(const Device& device) {
  return {{"backend", device.backend},
          {"name", device.name},
          {"uuid", json_text(device.uuid)},
          {"compute_capability", json_known(device.compute_capability)},
          {"multiprocessors", json_known(device.multiprocessors)},
          {"l2_bytes", json_known(device.l2_bytes)},
          {"memory_bytes", json_known(device.memory_bytes)},
          {"memory_clock_hz", json_known(device.memory_clock_hz)},
          {"memory_bus_bits", json_known(device.memory_bus_bits)},
          {"peak_bandwidth", json_known(device.peak_bandwidth())},
          {"driver", json_text(device.driver)},
          {"cuda", json_text(device.cuda)}};
}

Json json_of(const std::vector<Metric>& metrics) {
  Json object = Json::object();
  for (const Metric& metric : metrics) {
    // Of several of one name and origin the first counts.
    object.emplace(key_of({metric.name, metric.origin}), json_number(metric.value));
  }
  return object;
}

Json json_of(const PointRecord& point) {
  return {{"pattern", point.key.pattern_name},
          {"parameters", json_parameters(point.key.parameters)},
          {"status", point.status == PointStatus::ok ? "ok" : "failed"},
          {"reason", json_text(point.reason)},
          {"stopped_by", json_text(point.stopped_by)},
          {"counted", json_text(point.collected_counters)},
          {"metrics", json_of(point.metrics)},
          {"notes", point.notes}};
}

Json json_of(const std::optional<PointVerdict>& verdict) {
  if (!verdict) return nullptr;
  Json interval = nullptr;
  if (verdict->interval) {
    interval =
        Json::array({json_number(verdict->interval->low), json_number(verdict->interval->high)});
  }
  return {{"kind", name_of(verdict->kind)},         {"words", describe_among_groups(*verdict)},
          {"slower", json_number(verdict->slower)}, {"figure", json_number(verdict->figure)},
          {"interval", std::move(interval)},        {"rounds", verdict->rounds}};
}

}  // namespace sweep
