#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/store/stored_json.h"
#include "engine/text/characters.h"
#include "engine/text/read_source.h"

// Recordings that are JSON: results in the T4 format and caches of Kernel Tuner.

namespace sweep {
namespace {

/// Keeps the order of an object's members.
using Json = nlohmann::ordered_json;
using Event = Json::parse_event_t;

// The depths of the document's members and of their elements, as the parser's callback is told.
constexpr int member_depth = 1;
constexpr int element_depth = 2;

/// A text that is not JSON: "FILE:3:7: this is no JSON: MESSAGE", with columns in bytes; or one
/// that is JSON and yet not read: "FILE: this JSON is not read: MESSAGE".
struct JsonError : FileError {
  JsonError(const std::string& message, bool ends) : FileError(message, false), at_end(ends) {}

  bool at_end;  ///< it is not JSON only because there is no more text
};

JsonError not_read(const std::string& file, const std::string& problem) {
  return {fmt::format("{}: this JSON is not read: {}", file, problem), false};
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw FileError(file + ": " + why, false);
}

/// Reads a JSON object without its member `list`, whose elements it hands over one by one, with
/// their keys, so that a long list is never in memory as a whole. Throws JsonError for what is no
/// JSON object and for what no recording needs: whoever walks through values calls itself for each
/// level, and an object that keeps its members' order looks at all of them for each.
Json read_json_entries(std::string_view text, const std::string& file, std::string_view list,
                       const std::function<void(const std::string&, const Json&)>& take) {
  constexpr std::size_t most_members = 1000;
  constexpr int most_levels = 100;
  bool in_list = false;
  std::string key;
  std::vector<std::size_t> members;  // of the objects that have begun, by their depth
  const auto keep = [&](int depth, Event event, const Json& parsed) {
    if (depth > most_levels) {
      throw not_read(file, fmt::format("values stand more than {} levels deep", most_levels));
    }
    if (event == Event::object_start) {
      members.resize(static_cast<std::size_t>(depth));
      members.push_back(0);
    }
    if (event == Event::key) {
      // The elements of the list may be any number: each is taken away before the next.
      if ((!in_list || depth != element_depth) &&
          ++members.at(static_cast<std::size_t>(depth) - 1) > most_members) {
        throw not_read(file, fmt::format("an object has more than {} members", most_members));
      }
      if (depth == member_depth) in_list = parsed.get_ref<const std::string&>() == list;
      if (depth == element_depth && in_list) key = parsed.get_ref<const std::string&>();
      return true;
    }
    const bool begins = event == Event::object_start || event == Event::array_start;
    if (!in_list || depth != element_depth || begins) return true;
    take(key, parsed);
    return false;
  };
  try {
    Json document = Json::parse(text.begin(), text.end(), keep);
    if (!document.is_object()) {
      throw JsonError(file + ":1:1: this is no JSON: this is no JSON object", false);
    }
    return document;
  } catch (const Json::parse_error& error) {
    // The library counts bytes from 1 and names the last one that it has read.
    const std::size_t place = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const std::string_view before = text.substr(0, place);
    const auto lines = std::ranges::count(before, '\n');
    const std::size_t column = place - (before.rfind('\n') + 1);  // npos + 1 is 0
    throw JsonError(fmt::format("{}:{}:{}: this is no JSON: {}", file, lines + 1, column + 1,
                                json_problem(error)),
                    place == text.size());
  } catch (const Json::exception& error) {
    // A number that no double holds: the library does not say where it stands.
    throw not_read(file, json_problem(error));
  }
}

/// The first member of the JSON object in the text that is called "cache" or "results", going by
/// the text up to it; empty when there is none.
std::string first_list(std::string_view text) {
  using Found = std::string;
  const auto look = [](int depth, Event event, const Json& parsed) {
    const bool is_member = event == Event::key && depth == member_depth;
    if (is_member && (parsed == "cache" || parsed == "results")) {
      throw parsed.get<Found>();  // the rest does not matter
    }
    return depth == 0;
  };
  try {
    [[maybe_unused]] const Json rest = Json::parse(text.begin(), text.end(), look, false);
  } catch (const Found& found) {
    return found;
  }
  return {};
}

/// The member of that name; null without one, for what is no object, and for null.
const Json* member(const Json* json, std::string_view name) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(name);
  return found != json->end() ? &*found : nullptr;
}

/// The text that a member is; empty for anything else.
std::string text_of(const Json* json, const char* name) {
  const Json* text = member(json, name);
  return text != nullptr && text->is_string() ? text->get<std::string>() : std::string();
}

/// A parameter's value as other tuners write it. Integers and truth values are what they are; a
/// text that names an element type is that type, one that is an integer is that integer, as KTT
/// quotes them, and another text is a word. Everything else, such as a number with a fraction or an
/// integer of more than 64 bits, is the word that JSON writes it as.
Value recorded_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  const std::string text = json.is_string() ? json.get<std::string>() : json.dump();
  std::int64_t number = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  // What would be written otherwise, as "007" or "-0", is a name and no number.
  if (error == std::errc{} && std::to_string(number) == text) return number;
  if (const auto element = ElementType::find(text)) return *element;
  return text;
}

/// How many microseconds a unit of time has; nothing for what is no unit of time.
std::optional<double> microseconds_in(std::string_view unit) {
  static const std::vector<std::pair<double, std::vector<std::string_view>>> units = {
      {1e-3, {"ns", "nanosecond", "nanoseconds"}},
      {1, {"us", "µs", "microsecond", "microseconds"}},
      // Files are in use that spell it with one l.
      {1e3, {"ms", "millisecond", "milliseconds", "miliseconds"}},
      {1e6, {"s", "sec", "second", "seconds"}},
  };
  const std::string wanted = in_small_letters(std::string(unit));
  for (const auto& [factor, names] : units) {
    if (std::ranges::find(names, wanted) != names.end()) return factor;
  }
  return std::nullopt;
}

/// Whether a metric of that name is a time though its unit is not given.
bool is_named_as_time(std::string_view name) {
  return name == "time" || name.starts_with("time_");
}

/// As the engine's table says, else as the name tells.
Better recorded_better_of(std::string_view name) {
  if (const MetricDefinition* known = find_metric(name)) return known->better;
  const std::string text = in_small_letters(std::string(name));
  const auto has_any = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts,
                               [&](std::string_view part) { return text.find(part) != text.npos; });
  };
  if (has_any({"/s", "/j", "flops", "per_second", "fitness", "throughput"})) return Better::higher;
  return has_any({"time", "energy", "cost", "loss", "edp", "latency", "cycles"}) ? Better::lower
                                                                                 : Better::neither;
}

/// The sentence for a failure as the formats name it; another name is its own.
std::string describe_failure(const std::string& name) {
  static const std::map<std::string_view, std::string> sentences = {
      {"compile", "it does not compile"},
      {"runtime", "it failed when it ran"},
      {"timeout", "it ran too long"},
      {"correctness", "its result is wrong"},
      {"constraints", "it does not meet the constraints"},
      {"InvalidConfig", "the device's limits do not allow it"},
      {"CompilationFailedConfig", "it does not compile"},
      {"RuntimeFailedConfig", "it failed when it ran"},
  };
  const auto found = sentences.find(name);
  return found != sentences.end() ? found->second : name;
}

/// Results in the T4 format. What the metadata say of them may come after them.
class T4Reader {
 public:
  explicit T4Reader(const std::string& file) {
    origin_.file = file;
    origin_.format = "T4 results";
  }

  Recording read(std::string_view text) {
    const Json document =
        read_json_entries(text, origin_.file, "results",
                          [&](const std::string& /*key*/, const Json& result) { add(result); });
    const Json* metadata = member(&document, "metadata");
    origin_.device = text_of(metadata, "device");
    origin_.kernel = text_of(metadata, "kernel_name");
    read_hardware(member(member(metadata, "hardware"), "hardware_description"));
    const std::string time_unit = text_of(metadata, "timeunit");
    const auto factor = microseconds_in(time_unit.empty() ? "ms" : time_unit);
    if (!factor)
      refuse(origin_.file, fmt::format("metadata: the timeunit '{}' is none", time_unit));
    for (const auto& [entry, metric] : times_without_unit_) {
      recording_.entries[entry].metrics[metric].value *= *factor;
    }
    for (const auto& [metric, unit] : units_) {
      recording_.metrics.push_back({metric.first, metric.second, unit});
    }
    complete(recording_);
    return std::move(recording_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse(origin_.file, fmt::format("results[{}]: {}", recording_.entries.size(), what));
  }

  /// The list that a member is, if there is one.
  const Json* list_of(const Json& result, const char* name) const {
    const Json* list = member(&result, name);
    if (list != nullptr && !list->is_array()) fail(fmt::format("'{}' is no list", name));
    return list;
  }

  void add(const Json& result) {
    if (!result.is_object()) fail("this is no object");
    RecordedEntry entry;
    const Json* configuration = member(&result, "configuration");
    if (configuration == nullptr || !configuration->is_object()) {
      fail("it has no object 'configuration'");
    }
    if (const Json* pattern = member(configuration, "pattern")) {
      entry.configuration.set("pattern", recorded_value(*pattern));
    }
    for (const auto& [name, value] : configuration->items()) {
      entry.configuration.set(name, recorded_value(value));
    }
    read_status(result, entry);
    if (entry.status == PointStatus::ok) {
      add_measurements(result, entry);
      if (!figure_of(entry, "time", Origin::measured)) add_runtime(result, entry);
    }
    if (origin_.objective.empty()) {
      const Json* objectives = list_of(result, "objectives");
      const bool is_named =
          objectives != nullptr && !objectives->empty() && objectives->front().is_string();
      if (is_named) origin_.objective = objectives->front().get<std::string>();
    }
    recording_.entries.push_back(std::move(entry));
  }

  void read_status(const Json& result, RecordedEntry& entry) const {
    const Json* invalidity = member(&result, "invalidity");
    if (invalidity != nullptr && !invalidity->is_string()) fail("'invalidity' is no text");
    const std::string word = text_of(&result, "invalidity");
    const Json* correctness = member(&result, "correctness");
    const bool is_wrong =
        correctness != nullptr && correctness->is_number() && correctness->get<double>() == 0;
    const bool is_valid = word.empty() || word == "correct";
    if (is_valid && !is_wrong) return;
    entry.status = PointStatus::failed;
    entry.reason = text_of(&result, "reason");
    if (entry.reason.empty()) entry.reason = describe_failure(is_valid ? "correctness" : word);
  }

  void add_measurements(const Json& result, RecordedEntry& entry) {
    const Json* measurements = list_of(result, "measurements");
    if (measurements == nullptr) return;
    for (const Json& measurement : *measurements) {
      const Json* name = member(&measurement, "name");
      if (name == nullptr || !name->is_string()) fail("a measurement has no name");
      const Json* value = member(&measurement, "value");
      // A text is a failure's name, a list is a profile.
      if (value == nullptr || !value->is_number()) continue;
      const RecordedMetric metric = recorded_metric(name->get<std::string>());
      add_metric({metric.name, metric.origin, value->get<double>()}, text_of(&measurement, "unit"),
                 entry);
    }
  }

  void add_runtime(const Json& result, RecordedEntry& entry) {
    const Json* runtimes = member(member(&result, "times"), "runtimes");
    if (runtimes == nullptr || !runtimes->is_array() || runtimes->empty()) return;
    std::vector<double> values;
    for (const Json& runtime : *runtimes) {
      if (!runtime.is_number()) fail("a runtime is no number");
      values.push_back(runtime.get<double>());
    }
    std::ranges::sort(values);
    const double median = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    add_metric({"time", Origin::measured, median}, "", entry);
  }

  void add_metric(Metric metric, const std::string& unit, RecordedEntry& entry) {
    const auto factor = microseconds_in(unit);
    if (factor) metric.value *= *factor;
    if (unit.empty() && is_named_as_time(metric.name)) {
      times_without_unit_.emplace_back(recording_.entries.size(), entry.metrics.size());
    }
    units_.insert_or_assign({metric.name, metric.origin}, factor ? "us" : unit);
    entry.metrics.push_back(std::move(metric));
  }

  /// What the writer says of the device besides its name; other tuners' files have other members.
  void read_hardware(const Json* devices) {
    if (devices == nullptr || !devices->is_array() || devices->empty()) return;
    const Json* device = &devices->front();
    const auto number_of = [&](const char* name, std::uint64_t most) {
      const Json* json = member(device, name);
      const auto number =
          json != nullptr && json->is_number_unsigned() ? json->get<std::uint64_t>() : 0;
      return number <= most ? number : 0;
    };
    origin_.is_emulated = text_of(device, "backend") == emulator_backend;
    origin_.multiprocessors =
        static_cast<int>(number_of("multiprocessors", std::numeric_limits<int>::max()));
    origin_.l2_bytes = number_of("l2_bytes", std::numeric_limits<std::int64_t>::max());
  }

  Recording recording_;
  RecordingOrigin& origin_ = recording_.origin;
  std::map<std::pair<std::string, Origin>, std::string> units_;
  std::vector<std::pair<std::size_t, std::size_t>> times_without_unit_;  ///< entry, metric
};

/// What an entry of Kernel Tuner's cache says of the time that trying it took, in ms.
constexpr std::array trial_times = {"compile_time", "verification_time", "benchmark_time"};

bool is_trial_time(std::string_view name) {
  return std::ranges::find(trial_times, name) != trial_times.end();
}

/// An entry of Kernel Tuner's cache; these are its parameters' names.
RecordedEntry cache_entry(const std::string& file, const std::string& key, const Json& entry,
                          const std::vector<std::string>& names, const std::string& objective) {
  constexpr double old_failure = 1e20;
  RecordedEntry recorded;
  for (const std::string& name : names) {
    const Json* value = member(&entry, name);
    if (value == nullptr) {
      refuse(file, fmt::format("cache[\"{}\"]: it has no value of '{}'", key, name));
    }
    recorded.configuration.set(name, recorded_value(*value));
  }
  for (const auto& [name, value] : entry.items()) {
    if (recorded.configuration.find(name) != nullptr) continue;
    std::string failure;
    if (is_trial_time(name)) {
      constexpr double seconds_in_ms = 1e-3;
      if (!value.is_number()) continue;
      recorded.seconds = recorded.seconds.value_or(0) + value.get<double>() * seconds_in_ms;
    } else if (value.is_number()) {
      const auto figure = value.get<double>();
      const bool is_failure = name == objective && figure >= old_failure;
      if (is_failure && recorded.status == PointStatus::ok) failure = "it failed";
      const double unit = is_named_as_time(name) ? *microseconds_in("ms") : 1;
      recorded.metrics.push_back({name, Origin::measured, figure * unit});
    } else if (value.is_string() && value.get_ref<const std::string&>().ends_with("Config")) {
      // Kernel Tuner's classes of errors, later ones too, are all called so.
      failure = describe_failure(value.get<std::string>());
    }
    if (failure.empty()) continue;
    recorded.status = PointStatus::failed;
    recorded.reason = failure;
  }
  if (recorded.status == PointStatus::failed) recorded.metrics.clear();
  return recorded;
}

/// A cache of Kernel Tuner that is whole JSON.
Recording read_cache(std::string_view text, const std::string& file) {
  // Besides parameters, metrics and its own time an entry says where the tuning's time went.
  constexpr std::array no_metrics = {"strategy_time", "framework_time", "timestamp", "times"};
  // The file may name the parameters after its entries.
  std::vector<std::pair<std::string, Json>> entries;
  const Json document =
      read_json_entries(text, file, "cache", [&](const std::string& key, const Json& entry) {
        if (!entry.is_object()) refuse(file, fmt::format("cache[\"{}\"]: this is no object", key));
        Json& kept = entries.emplace_back(key, Json::object()).second;
        for (const auto& [name, value] : entry.items()) {
          if (std::ranges::find(no_metrics, name) == no_metrics.end()) kept[name] = value;
        }
      });
  Recording recording;
  RecordingOrigin& origin = recording.origin;
  origin.file = file;
  origin.format = "Kernel Tuner cache";
  origin.device = text_of(&document, "device_name");
  origin.kernel = text_of(&document, "kernel_name");
  origin.objective = text_of(&document, "objective");
  if (origin.objective.empty()) origin.objective = "time";
  if (const Json* size = member(&document, "problem_size"); size != nullptr && !size->is_null()) {
    std::vector<std::string> lengths;
    for (const Json& length : size->is_array() ? *size : Json::array({*size})) {
      lengths.push_back(to_string(recorded_value(length)));
    }
    origin.problem_size = fmt::format("{}", fmt::join(lengths, " x "));
  }
  const Json* keys = member(&document, "tune_params_keys");
  if (keys == nullptr || !keys->is_array()) refuse(file, "it has no list 'tune_params_keys'");
  std::vector<std::string> names;
  for (const Json& name : *keys) {
    if (!name.is_string()) refuse(file, "tune_params_keys: a name is no text");
    names.push_back(name.get<std::string>());
  }
  for (const auto& [key, entry] : entries) {
    recording.entries.push_back(cache_entry(file, key, entry, names, origin.objective));
  }
  complete(recording);
  return recording;
}

std::string_view without_trailing(std::string_view text, std::string_view characters) {
  return text.substr(0, text.find_last_not_of(characters) + 1);
}

}  // namespace

void complete(Recording& recording) {
  std::vector<RecordedEntry>& entries = recording.entries;
  const RecordingLookup lookup(entries, parameter_names(entries));
  std::vector<RecordedEntry> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto places = lookup.find(entries[i].configuration);
    if (places.front() == i) kept.push_back(entries[places.back()]);
  }
  recording.replaced += entries.size() - kept.size();
  entries = std::move(kept);

  std::map<std::pair<std::string, Origin>, std::string> units;
  for (const RecordedMetric& metric : recording.metrics) {
    units[{metric.name, metric.origin}] = metric.unit;
  }
  recording.metrics.clear();
  std::set<std::pair<std::string, Origin>> seen;
  for (const RecordedEntry& entry : entries) {
    for (const auto& [name, origin, figure] : entry.metrics) {
      if (!seen.emplace(name, origin).second) continue;
      std::string& unit = units[{name, origin}];
      const MetricDefinition* known = find_metric(name);
      if (unit.empty() && is_named_as_time(name)) unit = "us";
      if (unit.empty() && known != nullptr) unit = known->unit;
      recording.metrics.push_back({name, origin, unit, recorded_better_of(name)});
    }
  }
}

Recording read_t4(std::string_view text, const std::string& file) {
  return T4Reader(file).read(text);
}

Recording read_kernel_tuner_cache(std::string_view text, const std::string& file) {
  try {
    return read_cache(text, file);
  } catch (const JsonError& error) {
    if (!error.at_end) throw;
    // Completed by what Kernel Tuner writes at its end, as it stands or without a last line that is
    // not whole.
    const std::string_view whole = without_trailing(text, " \t\r\n");
    const std::size_t last_line = whole.rfind('\n');
    for (const std::string_view lines : {whole, whole.substr(0, last_line + 1)}) {
      const std::string_view entries = without_trailing(lines, ", \t\r\n");
      for (const std::string_view end : {"}}", "}"}) {
        try {
          Recording recording = read_cache(fmt::format("{}{}", entries, end), file);
          recording.unfinished = true;
          return recording;
        } catch (const JsonError&) {
          // The next ending may do.
        }
      }
    }
    throw;
  }
}

Recording read_json_recording(std::string_view text, const std::string& file) {
  const std::string list = first_list(text);
  if (list == "cache") return read_kernel_tuner_cache(text, file);
  if (list == "results") return read_t4(text, file);
  read_json_entries(text, file, "", [](const std::string& /*key*/, const Json& /*entry*/) {});
  refuse(file,
         "this JSON has neither 'results', as the T4 format has, nor a 'cache', as Kernel "
         "Tuner's files have");
}

}  // namespace sweep
