#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "engine/recording/read_recording.h"
#include "engine/recording/recorded_json.h"
#include "engine/recording/recording.h"
#include "engine/text/read_source.h"

namespace sweep {
namespace {

using Json = RecordedJson;

/// What an entry has besides its parameters and metrics: where the tuning's own time went.
constexpr std::array<std::string_view, 7> no_metrics = {
    "compile_time",   "verification_time", "benchmark_time", "strategy_time",
    "framework_time", "timestamp",         "times"};

std::string describe_failure(const std::string& name) {
  if (name == "InvalidConfig") return "the device's limits do not allow it";
  if (name == "CompilationFailedConfig") return "it does not compile";
  return name == "RuntimeFailedConfig" ? "it failed when it ran" : name;
}

/// Kernel Tuner's classes of errors, later ones too, are all called so.
bool is_failure(const Value& value) {
  const auto* word = std::get_if<std::string>(&value);
  return word != nullptr && word->ends_with("Config");
}

double unit_of(std::string_view metric) {
  return is_named_as_time(metric) ? *microseconds_in("ms") : 1;
}

class CacheEntries {
 public:
  explicit CacheEntries(std::string file) : file_(std::move(file)) {}

  void add(const std::string& key, const Json& entry) { all_.push_back(read(key, entry)); }
  Recording finish(const Json& document, bool unfinished) {
    read_origin(document);
    recording_.unfinished = unfinished;
    const std::vector<std::string> names = names_of(document);
    const std::set<std::string> is_parameter(names.begin(), names.end());
    for (Entry& entry : all_) {
      recording_.entries.push_back(with_parameters(std::move(entry), names, is_parameter));
      for (const Metric& metric : recording_.entries.back().metrics) {
        if (is_named_as_time(metric.name)) times_.insert(metric.name);
      }
    }
    for (const std::string& name : times_) {
      recording_.metrics.push_back({name, Origin::measured, "us", Better::lower});
    }
    complete(recording_);
    return std::move(recording_);
  }

 private:
  /// An entry whose parameters are not known yet as such: the file may name them after it.
  struct Entry {
    std::string key;
    std::vector<std::pair<std::string, Value>> values;  ///< in the file's order
    RecordedEntry recorded;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(fmt::format("{}: {}", file_, what), false);
  }
  Entry read(const std::string& key, const Json& entry) const {
    if (!entry.is_object()) fail(fmt::format("cache[\"{}\"]: this is no object", key));
    Entry result;
    result.key = key;
    for (const auto& [name, value] : entry.items()) {
      if (std::ranges::find(no_metrics, name) != no_metrics.end()) continue;
      result.values.emplace_back(name, recorded_value(value));
      if (value.is_number()) {
        result.recorded.metrics.push_back(
            {name, Origin::measured, value.get<double>() * unit_of(name)});
      }
    }
    return result;
  }

  std::vector<std::string> names_of(const Json& document) const {
    const Json* keys = member(&document, "tune_params_keys");
    if (keys == nullptr || !keys->is_array()) fail("it has no list 'tune_params_keys'");
    std::vector<std::string> names;
    for (const Json& name : *keys) {
      if (!name.is_string()) fail("tune_params_keys: a name is no text");
      names.push_back(name.get<std::string>());
    }
    return names;
  }

  void read_origin(const Json& document) {
    RecordingOrigin& origin = recording_.origin;
    origin.file = file_;
    origin.format = "Kernel Tuner cache";
    origin.device = text_of(member(&document, "device_name"));
    origin.kernel = text_of(member(&document, "kernel_name"));
    origin.objective = text_of(member(&document, "objective"));
    if (origin.objective.empty()) origin.objective = "time";
    const Json* size = member(&document, "problem_size");
    if (size == nullptr || size->is_null()) return;
    std::vector<std::string> lengths;
    if (size->is_array()) {
      for (const Json& length : *size) lengths.push_back(to_string(recorded_value(length)));
    } else {
      lengths.push_back(to_string(recorded_value(*size)));
    }
    origin.problem_size = fmt::format("{}", fmt::join(lengths, " x "));
  }

  RecordedEntry with_parameters(Entry entry, const std::vector<std::string>& names,
                                const std::set<std::string>& is_parameter) const {
    constexpr double old_failure = 1e20;
    RecordedEntry recorded = std::move(entry.recorded);
    for (const std::string& name : names) {
      const auto found =
          std::ranges::find(entry.values, name, &std::pair<std::string, Value>::first);
      if (found == entry.values.end()) {
        fail(fmt::format("cache[\"{}\"]: it has no value of '{}'", entry.key, name));
      }
      recorded.configuration.set(name, found->second);
    }
    for (const auto& [name, value] : entry.values) {
      if (is_parameter.contains(name) || !is_failure(value)) continue;
      recorded.status = PointStatus::failed;
      recorded.reason = describe_failure(to_string(value));
    }
    std::erase_if(recorded.metrics,
                  [&](const Metric& metric) { return is_parameter.contains(metric.name); });
    const std::string& objective = recording_.origin.objective;
    const auto figure = figure_of(recorded, objective, Origin::measured);
    if (recorded.status == PointStatus::ok && figure &&
        *figure >= old_failure * unit_of(objective)) {
      recorded.status = PointStatus::failed;
      recorded.reason = "it failed";
    }
    if (recorded.status == PointStatus::failed) recorded.metrics.clear();
    return recorded;
  }

  std::string file_;
  std::vector<Entry> all_;
  std::set<std::string> times_;  ///< names of metrics
  Recording recording_;
};

Recording read_cache(std::string_view text, const std::string& file, bool unfinished) {
  CacheEntries entries(file);
  const Json document = read_json_entries(
      text, file, "cache",
      [&](const std::string& key, const Json& entry) { entries.add(key, entry); });
  return entries.finish(document, unfinished);
}

std::string_view without_trailing(std::string_view text, std::string_view characters) {
  return text.substr(0, text.find_last_not_of(characters) + 1);
}

/// The text completed by what Kernel Tuner writes at its end, as it stands or without a last line
/// that is not whole.
std::optional<Recording> read_unfinished(std::string_view text, const std::string& file) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::string_view whole = without_trailing(text, spaces);
  const std::size_t last_line = whole.rfind('\n');
  const std::string_view fewer =
      last_line == std::string_view::npos ? std::string_view() : whole.substr(0, last_line);
  for (const std::string_view lines : {whole, fewer}) {
    const std::string_view entries = without_trailing(lines, ", \t\r\n");
    for (const std::string_view end : {"}}", "}"}) {
      try {
        return read_cache(fmt::format("{}{}", entries, end), file, true);
      } catch (const JsonError&) {
        // The next ending may do.
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Recording read_kernel_tuner_cache(std::string_view text, const std::string& file) {
  try {
    return read_cache(text, file, false);
  } catch (const JsonError& error) {
    if (error.at_end()) {
      if (auto recording = read_unfinished(text, file)) return std::move(*recording);
    }
    throw;
  }
}

}  // namespace sweep
