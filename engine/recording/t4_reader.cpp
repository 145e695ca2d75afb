#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "engine/recording/read_recording.h"
#include "engine/recording/recorded_json.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

using Json = RecordedJson;

/// Why a configuration is no result, as a sentence; a word that the format does not have as it is.
std::string describe_invalidity(const std::string& word) {
  if (word == "compile") return "it does not compile";
  if (word == "runtime") return "it failed when it ran";
  if (word == "timeout") return "it ran too long";
  if (word == "correctness") return "its result is wrong";
  return word == "constraints" ? "it does not meet the constraints" : word;
}

double median_of(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The results so far. What the metadata say of them may come after them.
class T4Results {
 public:
  explicit T4Results(std::string file) : file_(std::move(file)) {}

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
      add_runtime(result, entry);
    }
    note_objective(result);
    recording_.entries.push_back(std::move(entry));
    ++number_;
  }

  Recording finish(const Json& document) {
    recording_.origin.file = file_;
    recording_.origin.format = "T4 results";
    double default_unit = *microseconds_in("ms");
    const Json* metadata = member(&document, "metadata");
    recording_.origin.device = text_of(member(metadata, "device"));
    recording_.origin.kernel = text_of(member(metadata, "kernel_name"));
    read_hardware(member(metadata, "hardware"));
    const std::string time_unit = text_of(member(metadata, "timeunit"));
    if (!time_unit.empty()) {
      const auto known = microseconds_in(time_unit);
      if (!known) {
        throw FileError(fmt::format("{}: metadata: the timeunit '{}' is none", file_, time_unit),
                        false);
      }
      default_unit = *known;
    }
    for (const Unit& time : times_) {
      const double factor = microseconds_in(time.unit).value_or(default_unit);
      recording_.entries[time.entry].metrics[time.metric].value *= factor;
    }
    for (const auto& [metric, unit] : units_) {
      recording_.metrics.push_back({metric.first, metric.second, unit, Better::neither});
    }
    complete(recording_);
    return std::move(recording_);
  }

 private:
  /// Which of an entry's metrics has which unit, as the file has it.
  struct Unit {
    std::size_t entry;
    std::size_t metric;
    std::string unit;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(fmt::format("{}: results[{}]: {}", file_, number_, what), false);
  }

  void read_status(const Json& result, RecordedEntry& entry) const {
    const Json* invalidity = member(&result, "invalidity");
    if (invalidity != nullptr && !invalidity->is_string()) fail("'invalidity' is no text");
    const std::string word = text_of(invalidity);
    const Json* correctness = member(&result, "correctness");
    const bool is_wrong =
        correctness != nullptr && correctness->is_number() && correctness->get<double>() == 0;
    if ((word.empty() || word == "correct") && !is_wrong) return;
    entry.status = PointStatus::failed;
    entry.reason = describe_invalidity(word.empty() || word == "correct" ? "correctness" : word);
    const std::string reason = text_of(member(&result, "reason"));
    if (!reason.empty()) entry.reason = reason;
  }

  void add_measurements(const Json& result, RecordedEntry& entry) {
    const Json* measurements = member(&result, "measurements");
    if (measurements == nullptr) return;
    if (!measurements->is_array()) fail("'measurements' is no list");
    for (const Json& measurement : *measurements) {
      const Json* name = member(&measurement, "name");
      if (name == nullptr || !name->is_string()) fail("a measurement has no name");
      const Json* value = member(&measurement, "value");
      // A text is a failure's name, a list is a profile.
      if (value == nullptr || !value->is_number()) continue;
      NameAndOrigin metric = split_origin(name->get<std::string>());
      entry.metrics.push_back({std::move(metric.name), metric.origin, value->get<double>()});
      set_unit(entry, text_of(member(&measurement, "unit")));
    }
  }

  void add_runtime(const Json& result, RecordedEntry& entry) {
    if (figure_of(entry, "time", Origin::measured)) return;
    const Json* runtimes = member(member(&result, "times"), "runtimes");
    if (runtimes == nullptr || !runtimes->is_array()) return;
    std::vector<double> values;
    for (const Json& runtime : *runtimes) {
      if (!runtime.is_number()) fail("a runtime is no number");
      values.push_back(runtime.get<double>());
    }
    if (values.empty()) return;
    entry.metrics.push_back({"time", Origin::measured, median_of(std::move(values))});
    set_unit(entry, {});
  }

  void note_objective(const Json& result) {
    const Json* objectives = member(&result, "objectives");
    if (!recording_.origin.objective.empty() || objectives == nullptr) return;
    if (!objectives->is_array()) fail("'objectives' is no list");
    if (!objectives->empty()) recording_.origin.objective = text_of(&objectives->front());
  }

  /// Notes the unit of the entry's last metric.
  void set_unit(const RecordedEntry& entry, const std::string& unit) {
    const Metric& metric = entry.metrics.back();
    const bool is_time =
        unit.empty() ? is_named_as_time(metric.name) : microseconds_in(unit).has_value();
    if (is_time) {
      times_.push_back({recording_.entries.size(), entry.metrics.size() - 1, unit});
    }
    units_.insert_or_assign({metric.name, metric.origin}, is_time ? "us" : unit);
  }

  /// What the writer says of the device besides its name; other tuners' files have other members.
  void read_hardware(const Json* hardware) {
    const Json* devices = member(hardware, "hardware_description");
    if (devices == nullptr || !devices->is_array() || devices->empty()) return;
    const Json* device = &devices->front();
    const auto number_of = [&](const char* name, std::uint64_t most) {
      const Json* number = member(device, name);
      const bool fits =
          number != nullptr && number->is_number_unsigned() && number->get<std::uint64_t>() <= most;
      return fits ? number->get<std::uint64_t>() : 0;
    };
    RecordingOrigin& origin = recording_.origin;
    origin.is_emulated = text_of(member(device, "backend")) == emulator_backend;
    origin.multiprocessors =
        static_cast<int>(number_of("multiprocessors", std::numeric_limits<int>::max()));
    origin.l2_bytes = number_of("l2_bytes", std::numeric_limits<std::int64_t>::max());
  }

  std::string file_;
  std::size_t number_ = 0;
  Recording recording_;
  std::map<std::pair<std::string, Origin>, std::string> units_;
  std::vector<Unit> times_;
};

}  // namespace

Recording read_t4(std::string_view text, const std::string& file) {
  T4Results results(file);
  const Json document = read_json_entries(
      text, file, "results",
      [&](const std::string& /*key*/, const Json& result) { results.add(result); });
  return results.finish(document);
}

}  // namespace sweep
