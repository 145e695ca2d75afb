#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/recording/recording.h"
#include "engine/store/ranking.h"

namespace sweep {
namespace {

struct Phrase {
  std::string_view text;
  bool begins;  ///< the reason begins with it, rather than has it anywhere
  std::string_view invalidity;
};

/// The first that fits counts. The phrases are those of the engine's own sentences.
constexpr std::array phrases = {
    Phrase{"wrong result", true, "correctness"},
    Phrase{"bad launch", true, "constraints"},
    Phrase{"too many resources", true, "constraints"},
    Phrase{"stopped after ", true, "timeout"},
    Phrase{"ran longer than", false, "timeout"},
    Phrase{": error: ", false, "compile"},
    Phrase{"error: ", true, "compile"},
};

using Json = nlohmann::ordered_json;

constexpr double milliseconds_in_second = 1e3;
constexpr double microseconds_in_millisecond = 1e3;

/// Members whose text or number is not known are left out.
template <class T>
void set_if_known(Json& object, const char* name, const T& value) {
  if (value > T()) object[name] = value;
}

Json hardware_of(const Device& device) {
  Json gpu = Json::object();
  set_if_known(gpu, "backend", device.backend);
  set_if_known(gpu, "name", device.name);
  set_if_known(gpu, "uuid", device.uuid);
  set_if_known(gpu, "compute_capability", device.compute_capability);
  set_if_known(gpu, "multiprocessors", device.multiprocessors);
  set_if_known(gpu, "l2_bytes", device.l2_bytes);
  set_if_known(gpu, "memory_bytes", device.memory_bytes);
  set_if_known(gpu, "memory_clock_hz", device.memory_clock_hz);
  set_if_known(gpu, "memory_bus_bits", device.memory_bus_bits);
  if (std::isfinite(device.peak_bandwidth())) {
    set_if_known(gpu, "peak_bandwidth_bytes_per_second", device.peak_bandwidth());
  }
  return {{"hardware_description", Json::array({std::move(gpu)})}};
}

Json environment_of(const Provenance& provenance) {
  Json versions = Json::object();
  set_if_known(versions, "driver", provenance.device.driver);
  set_if_known(versions, "cuda", provenance.device.cuda);
  Json environment = {{"device_query", versions}, {"requirements", Json::array()}};
  if (!provenance.compiler.empty()) environment["requirements"].push_back(provenance.compiler);
  return environment;
}

Json tuning_of(const TuningRecord& tuning) {
  Json result = {{"metric", display_name(tuning.metric, tuning.origin)},
                 {"strategy", tuning.strategy},
                 {"seed", tuning.seed},
                 {"for_each", tuning.for_each}};
  set_if_known(result, "note", describe_ranking(tuning));
  return result;
}

Json metadata_of(const RunRecord& run, std::span<const StoredPoint> points) {
  const Provenance& from = run.provenance;
  std::string kernels;
  std::set<std::string> known;
  for (const StoredPoint& stored : points) {
    const std::string& pattern = stored.point.key.pattern_name;
    if (known.insert(pattern).second) kernels += (kernels.empty() ? "" : ", ") + pattern;
  }
  Json metadata = Json::object();
  metadata["compute_api"] = "CUDA";
  if (from.device.backend == "cuda") metadata["platform"] = "NVIDIA CUDA";
  set_if_known(metadata, "device", from.device.name);
  metadata["autotuner"] = "sweep";
  set_if_known(metadata, "autotuner_version", from.engine_version);
  set_if_known(metadata, "timestamp", run.started);
  metadata["timeunit"] = "milliseconds";
  set_if_known(metadata, "kernel_name", kernels);
  metadata["hardware"] = hardware_of(from.device);
  metadata["environment"] = environment_of(from);
  Json origin = Json::object();
  set_if_known(origin, "name", from.sweep_name);
  set_if_known(origin, "text", from.sweep_text);
  set_if_known(origin, "command", from.command);
  set_if_known(origin, "host", from.host);
  set_if_known(origin, "measure", from.measure);
  set_if_known(origin, "seed", from.seed);
  origin["run"] = run.id;
  set_if_known(origin, "finished", run.finished);
  if (!run.notes.empty()) origin["notes"] = run.notes;
  if (run.tuning) origin["tune"] = tuning_of(*run.tuning);
  metadata["sweep"] = std::move(origin);
  return metadata;
}

/// Element types and words are texts.
Json value_to_json(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return to_string(value);
}

Json configuration_of(const PointKey& key) {
  Json configuration = Json::object();
  configuration["pattern"] = key.pattern_name;
  for (const auto& [name, value] : key.parameters.entries()) {
    if (name != "pattern") configuration[name] = value_to_json(value);
  }
  return configuration;
}

Json runtimes_of(const PointRecord& point) {
  Json runtimes = Json::array();
  for (const Sample& sample : point.samples) {
    if (sample.mark == SampleMark::low_clock || !std::isfinite(sample.seconds)) continue;
    runtimes.push_back(sample.seconds * milliseconds_in_second);
  }
  return runtimes;
}

Json measurement_of(const Metric& metric) {
  const MetricDefinition* known = find_metric(metric.name);
  const bool is_time = known != nullptr && known->unit == "us";
  const std::string unit = is_time ? "ms" : known != nullptr ? known->unit : std::string();
  return {{"name", display_name(metric.name, metric.origin)},
          {"value", is_time ? metric.value / microseconds_in_millisecond : metric.value},
          {"unit", unit}};
}

Json result_of(const RunRecord& run, const StoredPoint& stored, const Json& objectives) {
  const PointRecord& point = stored.point;
  Json result = Json::object();
  // Of a point that an earlier run measured it is not known when that was.
  if (stored.measured_by == run.id) set_if_known(result, "timestamp", run.started);
  result["configuration"] = configuration_of(point.key);
  result["objectives"] = objectives;
  result["times"] = {{"runtimes", runtimes_of(point)}};
  result["invalidity"] = t4_invalidity(point);
  result["correctness"] = point.status == PointStatus::ok ? 1 : 0;
  Json measurements = Json::array();
  for (const Metric& metric : point.metrics) {
    if (std::isfinite(metric.value)) measurements.push_back(measurement_of(metric));
  }
  result["measurements"] = std::move(measurements);
  set_if_known(result, "reason", point.reason);
  if (!point.notes.empty()) result["notes"] = point.notes;
  return result;
}

}  // namespace

std::string_view t4_invalidity(const PointRecord& point) {
  if (point.status == PointStatus::ok) return "correct";
  for (const Phrase& phrase : phrases) {
    const std::size_t place = point.reason.find(phrase.text);
    if (phrase.begins ? place == 0 : place != std::string::npos) return phrase.invalidity;
  }
  return "runtime";
}

std::string write_t4(const RunRecord& run, std::span<const StoredPoint> points) {
  std::map<std::string, std::string> objectives;  // by pattern
  for (const RankedGroup& group : ranked_groups(points)) {
    objectives[group.pattern] = group.ranked_by.metric;
  }
  const auto objectives_of = [&](const PointRecord& point) {
    if (run.tuning) return Json::array({display_name(run.tuning->metric, run.tuning->origin)});
    const auto found = objectives.find(point.key.pattern_name);
    return found != objectives.end() ? Json::array({found->second}) : Json::array();
  };
  const auto dump = [](const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{\"schema_version\": \"1.1.0\",\n\"metadata\": ";
  text += dump(metadata_of(run, points), 2) + ",\n\"results\": [";
  std::string_view separator = "\n";
  for (const StoredPoint& stored : points) {
    text += separator;
    text += dump(result_of(run, stored, objectives_of(stored.point)), -1);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace sweep
