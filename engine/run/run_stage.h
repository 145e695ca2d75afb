#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/runner.h"

namespace sweep {

class CountsBeside;

/// What the stages of one run work with.
struct RunStage {
  const RunRequest& request;
  CompileSettings compile;
  Measurer& measurer;
  Store& store;
  RunObserver& observer;
  const std::atomic<bool>& stop;
  RunSummary summary = {};
  PhaseStopwatch watch{summary.timing.phases, request.clock};
  CountsBeside* counts = nullptr;     ///< null: nothing counts beside the device
  MessageDeduplicator warnings = {};  ///< the compiler's, which every configuration repeats

  /// Whether there is a device that measures, and can do so again.
  bool can_time() const { return !request.replay && !measurer.device().is_emulated(); }
  const Configuration& configuration(std::size_t point_index) const {
    return request.space.configurations.at(point_index);
  }
  PointKey key_of(const Configuration& configuration) const;

  /// Records a sentence about the run and shows it.
  void note(const std::string& text);
  /// Measures; the time goes to the measurement's own phases, or to `phase` if that is given.
  Measurement measure(const Workload& workload, const MeasureRules& rules,
                      const UsefulTraffic& useful, Phase phase = Phase::other,
                      const std::function<void()>& meanwhile = nullptr);
  /// Reads the hardware's counters that the request asks for. Problems become notes of the run.
  std::vector<Observation> count(std::span<const Workload> workloads);
  /// Records a configuration's point, under its own key unless another is given; gives its id.
  std::int64_t record(std::size_t point_index, PointRecord& point,
                      std::optional<PointKey> key = std::nullopt);
  /// The point that the run has of a configuration.
  std::optional<StoredPoint> stored(std::size_t point_index) const {
    return store.point(summary.run, static_cast<std::int64_t>(point_index));
  }
};

/// A random order of `count` configurations, the same for the same seed on every machine: so what
/// changes slowly, clocks or heat, does not pass for an effect of a parameter.
std::vector<std::size_t> measuring_order(std::size_t count, std::uint64_t seed);

}  // namespace sweep
