#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/store/record.h"
#include "engine/text/value.h"

namespace sweep {

/// A metric that entries of a recording have.
struct RecordedMetric {
  std::string name;
  Origin origin = Origin::measured;
  std::string unit;  ///< empty where the file does not say
  Better better = Better::neither;

  friend bool operator==(const RecordedMetric&, const RecordedMetric&) = default;
};

/// The backend of devices that are emulated.
constexpr std::string_view emulator_backend = "emulator";

/// Where a recording comes from, most of it in words for a report; empty, or 0, where the file does
/// not say.
struct RecordingOrigin {
  std::string file;
  std::string format;  ///< "T4 results", "Kernel Tuner cache", "results database, run 3"
  std::string device;
  std::string kernel;        ///< or the patterns
  std::string problem_size;  ///< "4096 x 4096"
  std::string objective;     ///< the metric by which its maker compared the configurations
  bool is_emulated = false;  ///< by the engine's emulator, with a sweep's values for it
  /// The figures of the device that a pattern may have for defaults (see DeviceFigures).
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
};

/// What is known of one configuration. Its metrics are in the engine's units where the engine has
/// the metric: a time is in us.
struct RecordedEntry {
  Bindings configuration;  ///< "pattern" comes first where it is known
  PointStatus status = PointStatus::ok;
  std::string reason;  ///< why it failed; empty when it did not
  std::vector<Metric> metrics = {};

  friend bool operator==(const RecordedEntry&, const RecordedEntry&) = default;
};

/// Recorded results of a space: what strategies can search over without measuring.
struct Recording {
  RecordingOrigin origin;
  std::vector<RecordedMetric> metrics;  ///< of all entries, in the order of their first appearance
  std::vector<RecordedEntry> entries;   ///< no two of the same configuration
  std::size_t replaced = 0;             ///< entries that a later one of the file stands for
  bool unfinished = false;              ///< the file ends amid its results
};

/// The entry's figure; nothing when it has none.
std::optional<double> figure_of(const RecordedEntry& entry, std::string_view name, Origin origin);

/// The recording's metric of that name, today's or nvprof's, measured before counted by the
/// hardware before emulated; "load_sectors.emulated" names the origin too. Null when there is none.
const RecordedMetric* find_metric(const Recording& recording, std::string_view name);

/// As messages and files name a metric: with its origin unless it was measured.
std::string display_name(std::string_view name, Origin origin);

/// Fills in `metrics`, but for units already there, and leaves of the entries of one configuration
/// only the last, at the place of the first.
void complete(Recording& recording);

/// A metric's name and its origin apart: "load_sectors.emulated". A name without one was measured.
struct NameAndOrigin {
  std::string name;
  Origin origin = Origin::measured;
};
NameAndOrigin split_origin(std::string_view text);

/// How many microseconds a unit of time has: "ms", "milliseconds", "us", ... Nothing for what is no
/// unit of time.
std::optional<double> microseconds_in(std::string_view unit);

/// Whether a metric of that name is a time though its unit is not given: "time", "time_min".
bool is_named_as_time(std::string_view name);

/// Which values of a metric are better: as the engine's table says, else what the name tells
/// (times, energies and costs are to be low, what is counted per second is to be high), else
/// neither.
Better better_of(std::string_view name);

/// Finds the entries of a recording by the values of chosen parameters. A truth value and the
/// numbers 0 and 1 are the same: other tuners have no truth values.
class RecordingLookup {
 public:
  RecordingLookup(std::span<const RecordedEntry> entries, std::vector<std::string> names);

  /// The places of the entries with these values, ascending: none when there is no such entry, more
  /// than one where the names do not tell entries apart. What one side has no value for, the other
  /// must not have either; other names do not count.
  std::span<const std::size_t> find(const Bindings& configuration) const;

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string key_of(const Bindings& configuration) const;

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::vector<std::size_t>> places_;
};

/// The names of all parameters that entries have, in the order of their first appearance.
std::vector<std::string> parameter_names(std::span<const RecordedEntry> entries);

}  // namespace sweep
