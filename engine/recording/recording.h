#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/store/points_view.h"
#include "engine/store/record.h"
#include "engine/text/value.h"

namespace sweep {

/// A metric that entries of a recording have.
struct RecordedMetric {
  std::string name;
  Origin origin = Origin::measured;
  std::string unit = {};  ///< empty where the file does not say
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
  /// That compiling, verifying and measuring it took; nothing where the file does not say.
  std::optional<double> seconds = {};

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

/// Fills in `metrics`, but for units already there, and leaves of the entries of one configuration
/// only the last, at the place of the first. Where the engine's table does not say which values are
/// better the name does: times, energies and costs are to be low, what is counted per second high.
void complete(Recording& recording);

/// A metric's name and its origin, which alone are set, of a text such as "load_sectors.emulated".
/// A name without an origin was measured.
RecordedMetric recorded_metric(std::string_view text);

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

/// Reads a file of recorded results, whatever its name: a results database, results in the T4
/// format or a cache of Kernel Tuner, told apart by what is in it. `run` is a database's run, by
/// default as `read_store` chooses it.
///
/// Throws FileError for a file that cannot be read or is none of these, and for a run of a file
/// that has no runs; StoreError for a database.
Recording read_recording(const std::filesystem::path& path,
                         std::optional<std::int64_t> run = std::nullopt);

/// The points of a run of a results database. Without `run` it is the run of most points, which
/// knows most of a space; of equal ones the newest, and one that has finished before one that has
/// not. Its objective is what the run searched by, or else what all its patterns are ranked by, or
/// else the time. Throws StoreError, with the fault `missing` when there is no such run.
Recording read_store(const std::filesystem::path& path, std::optional<std::int64_t> run);

/// The same of points that were read before.
Recording recording_of(const RunRecord& run, std::span<const StoredPoint> points);

// Readers of JSON. `file` is for messages, times become us, and of several results of one
// configuration the last counts. They throw FileError with the place of what is wrong.

/// Reads a cache file of Kernel Tuner, one whose tuning has not finished too: such a file lacks its
/// closing braces, and what follows its last whole entry is left out. Its times are in ms. An entry
/// has failed that has an error's name in the place of a figure, or the objective 1e20 of older
/// versions.
Recording read_kernel_tuner_cache(std::string_view text, const std::string& file);

/// Reads results in the T4 format of the auto-tuning community, as Kernel Tuner (1.0.0), KTT and
/// `write_t4` (1.1.0) write them. A time whose unit is not given is in the metadata's `timeunit`,
/// without that in ms, as Kernel Tuner's are. A result without a measured time has the median of
/// its runtimes.
Recording read_t4(std::string_view text, const std::string& file);

/// Reads either of them, told apart by which of their lists comes first.
Recording read_json_recording(std::string_view text, const std::string& file);

/// Reads the counters that Nsight Compute prints with --csv --page raw: an entry for each launch,
/// whose configuration is "pattern" (the kernel's name), "kernel" (all of its signature), "blocks",
/// "threads" (of a block), "launch" and "process" (Nsight Compute's numbers, as words). Its metrics
/// are the counters by their names in base units (bytes, seconds), and those of the engine's table
/// that follow from them. Lines of other programs around the table are passed over, and so are
/// fields without a number ("n/a"); a last row that is not whole makes it `unfinished`.
Recording read_ncu(std::string_view text, const std::string& file);

/// Why a configuration is no result, in the words of the T4 format: "compile", "constraints" (what
/// the device's limits do not allow), "timeout", "correctness" (a wrong result) or "runtime" (any
/// other failure); "correct" for a point that succeeded. It goes by the point's reason.
std::string_view t4_invalidity(const PointRecord& point);

/// Points of a run as JSON in the T4 results format of the auto-tuning community, version 1.1.0
/// (the schema T4.json of AutoTuningAssociation/autotuning_methodology), which `read_t4` reads too;
/// it is valid as Kernel Tuner's version 1.0.0 as well.
///
/// Every point is a result: its configuration with "pattern" first (element types by their names),
/// the times of its samples that count in ms, why it is invalid and the engine's own words for that
/// as "reason", all metrics with their units, and as objective what the run searched by, else what
/// the point's pattern is ranked by. Times are in ms, other metrics in the engine's units; those
/// that were not measured are named with their origin: "load_sectors.emulated". The metadata say
/// where the run comes from. Figures that are no finite numbers are left out; bytes that are not
/// UTF-8 are replaced. Ends with a line break.
std::string write_t4(const RunRecord& run, std::span<const StoredPoint> points);

}  // namespace sweep
