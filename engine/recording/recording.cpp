#include "engine/recording/recording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/store/record.h"
#include "engine/store/store.h"
#include "engine/text/read_source.h"

namespace sweep {

std::optional<double> figure_of(const RecordedEntry& entry, std::string_view name, Origin origin) {
  for (const Metric& metric : entry.metrics) {
    if (metric.name == name && metric.origin == origin) return metric.value;
  }
  return std::nullopt;
}

const RecordedMetric* find_metric(const Recording& recording, std::string_view name) {
  const RecordedMetric asked = recorded_metric(name);
  const bool has_origin = asked.name != name;
  const MetricDefinition* known = find_metric(asked.name);
  for (const std::string& candidate : {asked.name, known != nullptr ? known->name : asked.name}) {
    for (const Origin origin : all_origins) {
      if (has_origin && origin != asked.origin) continue;
      for (const RecordedMetric& metric : recording.metrics) {
        if (metric.name == candidate && metric.origin == origin) return &metric;
      }
    }
  }
  return nullptr;
}

RecordedMetric recorded_metric(std::string_view text) {
  const auto [name, origin] = split_origin(text);
  if (name.empty()) return {std::string(text)};
  return {name, origin.value_or(Origin::measured)};
}

RecordingLookup::RecordingLookup(std::span<const RecordedEntry> entries,
                                 std::vector<std::string> names)
    : names_(std::move(names)) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    places_[key_of(entries[i].configuration)].push_back(i);
  }
}

std::span<const std::size_t> RecordingLookup::find(const Bindings& configuration) const {
  const auto found = places_.find(key_of(configuration));
  return found != places_.end() ? std::span(found->second) : std::span<const std::size_t>();
}

/// The values with their lengths before them, so that no two lists of values give the same text.
std::string RecordingLookup::key_of(const Bindings& configuration) const {
  std::string key;
  for (const std::string& name : names_) {
    const Value* value = configuration.find(name);
    if (value == nullptr) {
      key += '-';
      continue;
    }
    const bool* truth = std::get_if<bool>(value);
    const std::string text = truth != nullptr ? std::string(*truth ? "1" : "0") : to_string(*value);
    key += fmt::format("{}:{}", text.size(), text);
  }
  return key;
}

std::vector<std::string> parameter_names(std::span<const RecordedEntry> entries) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const RecordedEntry& entry : entries) {
    for (const auto& [name, value] : entry.configuration.entries()) {
      if (known.insert(name).second) names.push_back(name);
    }
  }
  return names;
}

namespace {

using Json = nlohmann::ordered_json;

bool is_database(const std::filesystem::path& path) {
  const std::string header = "SQLite format 3";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(header.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == header;
}

/// The patterns of the points: "copy, transpose".
std::string patterns_of(std::span<const StoredPoint> points) {
  std::vector<std::string_view> patterns;
  for (const StoredPoint& stored : points) {
    const std::string& pattern = stored.point.key.pattern_name;
    if (std::ranges::find(patterns, pattern) == patterns.end()) patterns.push_back(pattern);
  }
  return fmt::format("{}", fmt::join(patterns, ", "));
}

std::string objective_of(const RunRecord& run, std::span<const StoredPoint> points) {
  if (run.tuning) return display_name(run.tuning->metric, run.tuning->origin);
  const std::vector<RankedGroup> groups = ranked_groups(points);
  if (groups.empty()) return {};
  const bool agree = std::ranges::all_of(groups, [&](const RankedGroup& group) {
    return group.ranked_by == groups.front().ranked_by;
  });
  return agree ? groups.front().ranked_by.metric : "time";
}

/// Adds the members that are known: no empty texts and lists, and positive numbers alone.
void add_known(Json& object, std::initializer_list<std::pair<const char*, Json>> members) {
  for (const auto& [name, value] : members) {
    const auto* text = value.get_ptr<const std::string*>();
    if (value.empty() || (text != nullptr && text->empty())) continue;
    const double number = value.is_number() ? value.get<double>() : 1;
    if (number > 0 && std::isfinite(number)) object[name] = value;
  }
}

Json known(std::initializer_list<std::pair<const char*, Json>> members) {
  Json object = Json::object();
  add_known(object, members);
  return object;
}

Json metadata_of(const RunRecord& run, std::span<const StoredPoint> points) {
  const Provenance& from = run.provenance;
  const Device& device = from.device;
  const Json gpu = known({{"backend", device.backend},
                          {"name", device.name},
                          {"uuid", device.uuid},
                          {"compute_capability", device.compute_capability},
                          {"multiprocessors", device.multiprocessors},
                          {"l2_bytes", device.l2_bytes},
                          {"memory_bytes", device.memory_bytes},
                          {"memory_clock_hz", device.memory_clock_hz},
                          {"memory_bus_bits", device.memory_bus_bits},
                          {"peak_bandwidth_bytes_per_second", device.peak_bandwidth()}});
  Json environment = {{"device_query", known({{"driver", device.driver}, {"cuda", device.cuda}})},
                      {"requirements", Json::array()}};
  if (!from.compiler.empty()) environment["requirements"].push_back(from.compiler);
  Json search;
  if (const auto& tuning = run.tuning) {
    search = {{"metric", display_name(tuning->metric, tuning->origin)},
              {"strategy", tuning->strategy},
              {"seed", tuning->seed},
              {"for_each", tuning->for_each}};
    add_known(search, {{"note", describe_ranking(*tuning)}});
  }
  return known({{"compute_api", "CUDA"},
                {"platform", device.backend == "cuda" ? "NVIDIA CUDA" : ""},
                {"device", device.name},
                {"autotuner", "sweep"},
                {"autotuner_version", from.engine_version},
                {"timestamp", run.started},
                {"timeunit", "milliseconds"},
                {"kernel_name", patterns_of(points)},
                {"hardware", {{"hardware_description", Json::array({gpu})}}},
                {"environment", environment},
                {"sweep", known({{"name", from.sweep_name},
                                 {"text", from.sweep_text},
                                 {"command", from.command},
                                 {"host", from.host},
                                 {"measure", from.measure},
                                 {"seed", from.seed},
                                 {"run", run.id},
                                 {"finished", run.finished},
                                 {"notes", run.notes},
                                 {"tune", search}})}});
}

/// Element types and words are texts.
Json json_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return to_string(value);
}

Json measurement_of(const Metric& metric) {
  constexpr double microseconds_in_millisecond = 1e3;
  const MetricDefinition* known = find_metric(metric.name);
  const bool is_time = known != nullptr && known->unit == "us";
  const std::string unit = is_time ? "ms" : known != nullptr ? known->unit : std::string();
  return {{"name", display_name(metric.name, metric.origin)},
          {"value", is_time ? metric.value / microseconds_in_millisecond : metric.value},
          {"unit", unit}};
}

Json result_of(const RunRecord& run, const StoredPoint& stored, const std::string& objective) {
  constexpr double milliseconds_in_second = 1e3;
  const PointRecord& point = stored.point;
  Json configuration = {{"pattern", point.key.pattern_name}};
  for (const auto& [name, value] : point.key.parameters.entries()) {
    if (name != "pattern") configuration[name] = json_of(value);
  }
  Json runtimes = Json::array();
  for (const Sample& sample : point.samples) {
    if (sample.mark == SampleMark::low_clock || !std::isfinite(sample.seconds)) continue;
    runtimes.push_back(sample.seconds * milliseconds_in_second);
  }
  Json measurements = Json::array();
  for (const Metric& metric : point.metrics) {
    if (std::isfinite(metric.value)) measurements.push_back(measurement_of(metric));
  }
  // Of a point that an earlier run measured it is not known when that was.
  Json result = known({{"timestamp", stored.measured_by == run.id ? run.started : ""}});
  result["configuration"] = configuration;
  result["objectives"] = objective.empty() ? Json::array() : Json::array({objective});
  result["times"] = {{"runtimes", runtimes}};
  result["invalidity"] = t4_invalidity(point);
  result["correctness"] = point.status == PointStatus::ok ? 1 : 0;
  result["measurements"] = measurements;
  add_known(result, {{"reason", point.reason}, {"notes", point.notes}});
  return result;
}

}  // namespace

Recording read_recording(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  if (is_database(path)) return read_store(path, run);
  const std::string name = path.string();
  if (run) throw FileError(name + ": only a results database has runs to choose from", false);
  constexpr std::uintmax_t most_bytes = 512U << 20U;  // `sweep help limits` says so
  const std::string text = read_bounded(path, most_bytes, "a recording");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') {
    const bool has_counters = text.find("\"Kernel Name\"") != text.npos;
    throw FileError(name + ": this is neither a results database nor JSON results" +
                        (has_counters ? "; 'sweep compare' takes counters of Nsight Compute" : ""),
                    false);
  }
  return read_json_recording(text, name);
}

Recording recording_of(const RunRecord& run, std::span<const StoredPoint> points) {
  Recording recording;
  for (const StoredPoint& stored : points) {
    const PointRecord& point = stored.point;
    recording.entries.push_back(
        {with_pattern(point.key.pattern_name, point.key.parameters), point.status, point.reason,
         point.status == PointStatus::ok ? point.metrics : std::vector<Metric>()});
  }
  recording.origin.format = fmt::format("results database, run {}", run.id);
  const Device& device = run.provenance.device;
  recording.origin.device = device.name;
  recording.origin.is_emulated = device.backend == emulator_backend;
  recording.origin.multiprocessors = device.multiprocessors;
  recording.origin.l2_bytes = device.l2_bytes;
  recording.origin.kernel = patterns_of(points);
  recording.origin.objective = objective_of(run, points);
  recording.unfinished = run.state != RunState::finished;
  complete(recording);
  return recording;
}

Recording read_store(const std::filesystem::path& path, std::optional<std::int64_t> run) {
  const Store store(path, Store::Mode::read_only);
  std::optional<std::pair<RunRecord, std::vector<StoredPoint>>> best;
  const auto rank = [](const auto& found) {
    const auto& [record, points] = found;
    return std::tuple(points.size(), record.state == RunState::finished, record.id);
  };
  for (const RunRecord& each : store.runs()) {
    if (run && each.id != *run) continue;
    std::pair candidate(each, store.points(each.id));
    if (!best || rank(candidate) > rank(*best)) best = std::move(candidate);
  }
  if (!best) {
    throw StoreError(run ? fmt::format("{}: there is no run {}", path.string(), *run)
                         : fmt::format("{}: there is no run in it", path.string()),
                     StoreFault::missing);
  }
  Recording recording = recording_of(best->first, best->second);
  recording.origin.file = path.string();
  return recording;
}

std::string_view t4_invalidity(const PointRecord& point) {
  if (point.status == PointStatus::ok) return "correct";
  const std::string_view reason = point.reason;
  // The phrases are those of the engine's own sentences.
  if (reason.starts_with("wrong result")) return "correctness";
  if (reason.starts_with("bad launch") || reason.starts_with("too many resources")) {
    return "constraints";
  }
  const auto says = [&](std::string_view phrase) { return reason.find(phrase) != reason.npos; };
  if (reason.starts_with("stopped after ") || says("ran longer than")) return "timeout";
  return reason.starts_with("error: ") || says(": error: ") ? "compile" : "runtime";
}

std::string write_t4(const RunRecord& run, std::span<const StoredPoint> points) {
  std::map<std::string, std::string> objectives;  // by pattern
  for (const RankedGroup& group : ranked_groups(points)) {
    objectives[group.pattern] = group.ranked_by.metric;
  }
  const auto dump = [](const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{\"schema_version\": \"1.1.0\",\n\"metadata\": ";
  text += dump(metadata_of(run, points), 2) + ",\n\"results\": [";
  std::string_view separator = "\n";
  for (const StoredPoint& stored : points) {
    const std::string objective =
        run.tuning ? objective_of(run, points) : objectives[stored.point.key.pattern_name];
    text += separator;
    text += dump(result_of(run, stored, objective), -1);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace sweep
