#include "report/json_records.h"

#include <fmt/format.h>

namespace sweep {
namespace {

std::string_view name_of(PointVerdict::Kind kind) {
  switch (kind) {
    case PointVerdict::Kind::best:
      return "best";
    case PointVerdict::Kind::same:
      return "same";
    case PointVerdict::Kind::slower:
      return "slower";
    case PointVerdict::Kind::not_compared:
      return "not_compared";
    case PointVerdict::Kind::cut_off:
      break;
  }
  return "cut_off";
}

}  // namespace

std::string key_of(const MetricColumn& column) {
  return fmt::format("{}.{}", column.name, to_string(column.origin));
}

Json json_of(const Device& device) {
  const auto known = [](std::uint64_t number) {
    return number == 0 ? Json(nullptr) : Json(number);
  };
  return {{"backend", device.backend},
          {"name", device.name},
          {"uuid", json_text(device.uuid)},
          {"compute_capability", json_known(std::int64_t{device.compute_capability})},
          {"multiprocessors", json_known(std::int64_t{device.multiprocessors})},
          {"l2_bytes", known(device.l2_bytes)},
          {"memory_bytes", known(device.memory_bytes)},
          {"memory_clock_hz", known(device.memory_clock_hz)},
          {"memory_bus_bits", json_known(std::int64_t{device.memory_bus_bits})},
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
