#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/spec/metric.h"
#include "engine/text/value.h"

namespace sweep {

/// Which of a sweep's configurations a run is about.
struct RunShare {
  std::uint64_t shard = 1;  ///< the number of its share, from 1 to `shards`
  std::uint64_t shards = 1;
  std::uint64_t configurations = 0;  ///< of all shards together; 0: not known
  std::uint64_t groups = 0;          ///< the same of a search's groups
  /// What tells the configurations of all shards from others, and of each pattern its text.
  std::string space = {};
  std::map<std::string, std::string> patterns = {};

  bool is_part() const { return shards > 1; }
  friend bool operator==(const RunShare&, const RunShare&) = default;
};

/// Where a run's results come from: everything a report says besides the points.
struct Provenance {
  std::string sweep_name;
  std::string sweep_text;
  std::string command;  ///< the command line, quoted so that a shell reads it back
  std::string engine_version;
  std::string compiler;  ///< "NVRTC 13.0"
  std::string host;
  std::string measure;  ///< the measuring rules in one line
  Device device;
  std::uint64_t seed = 0;  ///< of the order in which the points were measured
  /// Of each pattern the parameters that are computed from others: the sweep leaves them to a
  /// default that names these.
  std::map<std::string, std::vector<std::string>> derived = {};
  RunShare share = {};

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

enum class RunState { running, finished, interrupted };
std::string_view to_string(RunState state);

/// The anchor configuration, measured once more in the course of a run: shows drift.
struct AnchorRecord {
  std::int64_t ordinal = 0;  ///< the anchor configuration's place among the run's points
  double at = 0;             ///< seconds after the run's start
  double seconds = 0;        ///< median of its samples
  double seconds_low = 0;    ///< of its 95 % confidence interval; 0 without one
  double seconds_high = 0;
  double sm_clock_hz = 0;          ///< 0 where it is not known
  double temperature_celsius = 0;  ///< 0 where it is not known

  friend bool operator==(const AnchorRecord&, const AnchorRecord&) = default;
};

/// A configuration that was measured again in turn with the best ones.
struct ComparisonRecord {
  std::int64_t ordinal = 0;  ///< its place among the run's points
  int rounds = 0;
  /// The figure of the best over its own, paired by round: 1 is as fast as the best, 1.05 is 5 %
  /// slower; the best itself has 1, 1, 1.
  double slowdown_low = 1;
  double slowdown = 1;
  double slowdown_high = 1;

  friend bool operator==(const ComparisonRecord&, const ComparisonRecord&) = default;
};

/// What a search found among the configurations of one group.
struct TunedGroup {
  std::int64_t place = 0;           ///< among the groups of all of the sweep's shards
  Bindings group;                   ///< the values of the names that the groups differ in
  std::int64_t configurations = 0;  ///< that the group has, the default included
  std::int64_t tried = 0;           ///< by the search; the default, tried before it, included
  std::string ended;                ///< a sentence's predicate: "stopped after 200 configurations"

  std::optional<std::int64_t> winner;  ///< its place among the run's points
  std::string why_no_winner;  ///< though there are figures: "another process computed on this ..."
  /// The winner's figure and its 95 % confidence interval, measured anew in so many rounds; without
  /// rounds the point's own.
  int rounds = 0;
  double figure_low = 0;
  double figure = 0;
  double figure_high = 0;

  std::optional<std::int64_t> default_configuration;  ///< the place of the pattern's default
  std::string why_no_default;  ///< why there is none: "N % BLOCK == 0 does not hold"
  /// How many times as good the winner is as the default: 1.12 is 12 % more bandwidth, or a time
  /// that is 12 % longer in the default. 0 where it is not known; an interval only after rounds.
  double gain_low = 0;
  double gain = 0;
  double gain_high = 0;

  friend bool operator==(const TunedGroup&, const TunedGroup&) = default;
};

/// A run that searched for the best configurations in the place of measuring all of them.
struct TuningRecord {
  std::string metric;  ///< by which it searched
  Origin origin = Origin::measured;
  Better better = Better::higher;
  std::string strategy;
  std::uint64_t seed = 0;
  std::vector<std::string> for_each;  ///< the names that groups differ in, "pattern" among them
  std::vector<TunedGroup> groups;     ///< in the order in which they were searched

  friend bool operator==(const TuningRecord&, const TuningRecord&) = default;
};

/// What the memory accesses of a configuration cost, line by line, as the emulator sees them.
struct PatternExplanation {
  std::string pattern;
  std::int64_t ordinal = 0;  ///< the configuration's place among the run's points
  /// What it was executed with: where the configuration is too large for the emulator, some of
  /// them are the sweep's smaller values.
  Bindings parameters;
  std::string json;  ///< what `sweep explain --json` gives for these parameters

  friend bool operator==(const PatternExplanation&, const PatternExplanation&) = default;
};

/// How many times as long something takes as something else; all 0 where it is not known.
struct DeviceRatio {
  double low = 0;  ///< of its 95 % confidence interval
  double ratio = 0;
  double high = 0;

  friend bool operator==(const DeviceRatio&, const DeviceRatio&) = default;
};

/// One of several devices that a run measured on. Its points' keys have its UUID.
struct DeviceRecord {
  int index = 0;  ///< on the machine
  std::string uuid;
  DeviceRatio to_first = {};  ///< its time over the first device's, of the same configurations
  DeviceRatio to_alone = {};  ///< its time while all measure over that while it does alone

  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};

/// By which share a figure may be another on another of a run's devices, by the ends of the
/// intervals of what they take in comparison; 0 of one device.
double device_spread(const std::vector<DeviceRecord>& devices);

/// A run whose points a merged run has.
struct MergedPart {
  std::int64_t run = 0;
  std::string file;  ///< the name of the database that it was merged from
  std::uint64_t shard = 1;
  std::uint64_t shards = 1;
  std::string host;
  std::string device;  ///< name and UUID
  std::string started;
  RunState state = RunState::running;
  std::uint64_t points = 0;

  friend bool operator==(const MergedPart&, const MergedPart&) = default;
};

struct PointRecord;

struct RunRecord {
  std::int64_t id = 0;
  std::string uid = {};  ///< tells it from all others, in other databases too
  Provenance provenance;
  std::string started;   ///< UTC, "2025-01-31T12:00:00Z"
  std::string finished;  ///< empty while it runs, or when it was killed
  RunState state = RunState::running;
  std::vector<std::string> notes = {};     ///< sentences about the run: a busy GPU, ...
  std::vector<AnchorRecord> anchors = {};  ///< in the order taken
  std::vector<ComparisonRecord> comparisons = {};
  std::optional<TuningRecord> tuning = {};
  /// Of the best configuration of each pattern, in the order of the patterns' points; patterns may
  /// be missing.
  std::vector<PatternExplanation> explanations = {};
  std::vector<MergedPart> parts = {};  ///< of a run that was merged, in the order of their shards
  std::vector<DeviceRecord> devices = {};  ///< of a run on several, the first of them first

  /// Which of several devices measured a point, by its number on the machine; nothing where the run
  /// had one.
  std::optional<int> device_of(const PointRecord& point) const;
  /// Whether it was merged from this run, among others.
  bool was_merged_from(std::int64_t run) const {
    return std::ranges::any_of(parts, [&](const MergedPart& part) { return part.run == run; });
  }
};

std::string_view to_string(SampleMark mark);

/// The state, mark or direction that has this name. Each of these has three.
template <class Enum>
std::optional<Enum> find_named(std::string_view name) {
  for (const Enum each : {Enum{0}, Enum{1}, Enum{2}}) {
    if (to_string(each) == name) return each;
  }
  return std::nullopt;
}

enum class PointStatus { ok, failed };

/// What identifies a point: two points with equal keys need not both be measured.
struct PointKey {
  std::string pattern_name;
  std::string pattern_text;  ///< with that of the files it includes
  Bindings parameters;
  std::string measure;   ///< the measuring rules in one line
  std::string device;    ///< backend, name and UUID
  std::string compiler;  ///< and the engine's version

  friend bool operator==(const PointKey&, const PointKey&) = default;
};

/// The key as one text. Equal keys have equal texts and different keys different ones: every part
/// is preceded by its length.
std::string key_text(const PointKey& key);

/// The XXH3-128 of the key's text in 32 hexadecimal digits: finds a key's points quickly. Whether
/// the keys are equal is still to be checked.
std::string key_hash(const PointKey& key);

/// One configuration's results.
struct PointRecord {
  PointKey key;
  PointStatus status = PointStatus::ok;
  std::string reason;           ///< why it failed; empty when it did not
  std::string stopped_by;       ///< why sampling ended: "noise", "samples", "seconds", "cut-off"
  std::vector<Sample> samples;  ///< in the order taken
  std::vector<Metric> metrics;
  std::vector<std::string> notes = {};  ///< sentences about how the figures came about
  /// The hardware counters that were taken with success, as one canonical line; empty: none.
  std::string collected_counters = {};
  /// Those of its parameters that its run computed from others, as a report reads it: they are
  /// shown, but set no two points apart. Not part of the database's point.
  std::vector<std::string> derived = {};

  friend bool operator==(const PointRecord&, const PointRecord&) = default;
};

/// What the reasons of points that failed by the same mistake have in common: equal places and
/// equal words of messages, whatever figures stand in these. A reason that is no message is itself.
std::string mistake_of(std::string_view reason);

/// Whether a search gave the point up after its first samples, as too far from the best: its
/// figures are of a few samples only.
bool is_cut_off(const PointRecord& point);

/// How the note ends that names the other processes that computed on the device meanwhile.
constexpr std::string_view computed_meanwhile = " computed on this GPU meanwhile";
/// That note of a point; nothing for one that was measured alone.
std::optional<std::string> note_on_others(const PointRecord& point);

/// How the note begins that says why the emulator has no counts of a point.
constexpr std::string_view not_counted = "the emulator does not count it: ";
/// The note of a run that ended before the emulator had counted every point.
constexpr std::string_view too_late_to_count =
    "the emulator had no time to count every point beside the measuring; 'sweep report --count' "
    "counts what is missing, as does the same run with --exact";
/// Whether a point that succeeded has neither the emulator's counts nor the reason why there are
/// none.
bool lacks_counts(const PointRecord& point);

/// A point as a report sees it.
struct StoredPoint {
  PointRecord point;
  std::int64_t id = 0;           ///< within the database
  std::int64_t ordinal = 0;      ///< its place within the run
  std::int64_t measured_by = 0;  ///< the run that measured it: an earlier one when it was reused
};

/// What tells a configuration from all others: "pattern", a word, and then its parameters.
Bindings with_pattern(std::string_view pattern, const Bindings& parameters);

/// A point's measured figure, where it has one that is a positive number: others can neither be
/// compared by their ratio nor are they times, clocks or temperatures.
std::optional<double> measured_figure(const PointRecord& point, std::string_view metric);

// Which of several points is the best. Only figures that are positive numbers count: others cannot
// be compared by their ratio. Counts may be zero too.

/// The metric that says it, and whether more or less of it is better.
struct RankedBy {
  std::string metric;
  Better better = Better::higher;
  Origin origin = Origin::measured;

  friend bool operator==(const RankedBy&, const RankedBy&) = default;
};

/// The points that can be compared with each other.
struct RankedGroup {
  std::string pattern;              ///< of the first of them
  std::vector<std::size_t> places;  ///< in the points, ascending; never empty
  RankedBy ranked_by;
  Bindings group = {};  ///< see group_of; empty where only patterns tell groups apart
  std::optional<std::size_t> tuned = {};  ///< its place among a search's groups, if that has it
};

/// The values that a configuration has for the names that groups differ in: its parameters, and
/// "pattern", a word. What it lacks is left out, which is a value of its own.
Bindings group_of(const PointKey& key, std::span<const std::string> for_each);

/// For each point the place of its group among those of the search's record, where that has it.
std::vector<std::optional<std::size_t>> tuned_groups_of(std::span<const StoredPoint> points,
                                                        const TuningRecord& tuning);

/// The groups in the order of their first points.
///
/// Without a search these are the points of each pattern that succeeded and have a time, ranked by
/// the bandwidth if all of them have one, else by that of shared memory, else by the time. In a
/// search's run they are the points of each of its groups that succeeded and have the metric that
/// it searched by; those that are cut off are among them. `apart` names parameters in which,
/// without a search, groups differ too.
std::vector<RankedGroup> ranked_groups(std::span<const StoredPoint> points,
                                       const TuningRecord* tuning = nullptr,
                                       std::span<const std::string> apart = {});

/// "ranked by instructions, emulated: this is not speed; a GPU may prefer another configuration" of
/// a search by the emulator's counts; empty for others.
std::string describe_ranking(const TuningRecord& tuning);

/// A point's figure, or nothing when it has none.
std::optional<double> figure_of(const PointRecord& point, const RankedBy& ranked_by);

/// The figure's 95 % confidence interval, or of a predicted one what holds it with 90 %. That of a
/// time or a bandwidth follows from the time's, where it has both ends; an emulated figure is
/// exact; others have none. Nothing for a point without a figure.
std::optional<Interval> interval_of(const PointRecord& point, const RankedBy& ranked_by);

}  // namespace sweep
