#include "engine/recording/t4_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/recording/recorded_json.h"
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
void set_if_known(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}
void set_if_known(Json& object, const char* name, std::uint64_t number) {
  if (number != 0) object[name] = number;
}

Json hardware_of(const Device& device) {
  Json gpu = Json::object();
  set_if_known(gpu, "backend", device.backend);
  set_if_known(gpu, "name", device.name);
  set_if_known(gpu, "uuid", device.uuid);
  if (device.compute_capability > 0) gpu["compute_capability"] = device.compute_capability;
  if (device.multiprocessors > 0) gpu["multiprocessors"] = device.multiprocessors;
  set_if_known(gpu, "l2_bytes", device.l2_bytes);
  set_if_known(gpu, "memory_bytes", device.memory_bytes);
  set_if_known(gpu, "memory_clock_hz", device.memory_clock_hz);
  if (device.memory_bus_bits > 0) gpu["memory_bus_bits"] = device.memory_bus_bits;
  if (std::isfinite(device.peak_bandwidth()) && device.peak_bandwidth() > 0) {
    gpu["peak_bandwidth_bytes_per_second"] = device.peak_bandwidth();
  }
  Json hardware = Json::object();
  hardware["hardware_description"] = Json::array();
  hardware["hardware_description"].push_back(std::move(gpu));
  return hardware;
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
    if (!known.insert(pattern).second) continue;
    kernels += (kernels.empty() ? "" : ", ") + pattern;
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

/// What the points of each pattern are compared by.
class Objectives {
 public:
  Objectives(const RunRecord& run, std::span<const StoredPoint> points) {
    if (run.tuning) tuned_ = display_name(run.tuning->metric, run.tuning->origin);
    for (const RankedGroup& group : ranked_groups(points)) {
      of_pattern_[group.pattern] = group.ranked_by.metric;
    }
  }

  Json of(const PointRecord& point) const {
    Json names = Json::array();
    const auto found = of_pattern_.find(point.key.pattern_name);
    if (!tuned_.empty()) {
      names.push_back(tuned_);
    } else if (found != of_pattern_.end()) {
      names.push_back(found->second);
    }
    return names;
  }

 private:
  std::string tuned_;
  std::map<std::string, std::string> of_pattern_;
};

Json result_of(const RunRecord& run, const StoredPoint& stored, const Objectives& objectives) {
  const PointRecord& point = stored.point;
  Json result = Json::object();
  // Of a point that an earlier run measured it is not known when that was.
  if (stored.measured_by == run.id) set_if_known(result, "timestamp", run.started);
  result["configuration"] = configuration_of(point.key);
  result["objectives"] = objectives.of(point);
  result["times"] = Json::object();
  result["times"]["runtimes"] = runtimes_of(point);
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

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
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
  const Objectives objectives(run, points);
  std::string text = "{\"schema_version\": \"1.1.0\",\n\"metadata\": ";
  text += dump(metadata_of(run, points), 2);
  text += ",\n\"results\": [";
  bool first = true;
  for (const StoredPoint& stored : points) {
    text += first ? "\n" : ",\n";
    text += dump(result_of(run, stored, objectives), -1);
    first = false;
  }
  text += "\n]}\n";
  return text;
}

}  // namespace sweep
