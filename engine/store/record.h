#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/metric.h"
#include "engine/text/value.h"

namespace sweep {

/// The device a run used, as the store remembers it. Figures that a backend does not have are 0.
struct DeviceRecord {
  std::string backend;  ///< "cuda" or "emulator"
  std::string name;
  std::string uuid;
  int compute_capability = 0;  ///< major * 10 + minor
  int multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_clock_hz = 0;
  int memory_bus_bits = 0;
  double peak_bandwidth = 0;  ///< theoretical, B/s
  std::string driver;         ///< "580.159.04"; empty without one
  std::string cuda;           ///< what the driver supports: "13.0"

  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
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
  DeviceRecord device;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

enum class RunState { running, finished, interrupted };

struct RunRecord {
  std::int64_t id = 0;
  Provenance provenance;
  std::string started;   ///< UTC, "2025-01-31T12:00:00Z"
  std::string finished;  ///< empty while it runs, or when it was killed
  RunState state = RunState::running;
};

/// What sets a sample apart from the others.
enum class SampleMark {
  plain,
  low_clock,  ///< taken below the clock of the others; not part of the figures
  outlier,    ///< far from the others; part of the figures
};
std::string_view to_string(SampleMark mark);
std::optional<SampleMark> find_sample_mark(std::string_view name);

/// One timed launch, or the mean of a batch of them.
struct SampleRecord {
  double seconds = 0;
  double sm_clock_hz = 0;  ///< of the multiprocessors meanwhile; 0 where it is not known
  SampleMark mark = SampleMark::plain;

  friend bool operator==(const SampleRecord&, const SampleRecord&) = default;
};

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

/// One configuration's results.
struct PointRecord {
  PointKey key;
  PointStatus status = PointStatus::ok;
  std::string reason;                 ///< why it failed; empty when it did not
  std::string stopped_by;             ///< why sampling ended: "noise", "samples", "seconds"
  std::vector<SampleRecord> samples;  ///< in the order taken
  std::vector<Metric> metrics;
  std::vector<std::string> notes = {};  ///< sentences about how the figures came about

  friend bool operator==(const PointRecord&, const PointRecord&) = default;
};

/// A point as a report sees it.
struct StoredPoint {
  PointRecord point;
  std::int64_t measured_by = 0;  ///< the run that measured it: an earlier one when it was reused
};

}  // namespace sweep
