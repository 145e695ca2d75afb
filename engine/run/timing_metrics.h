#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/store/record.h"

namespace sweep {

/// The bytes a configuration needs to move in one launch.
struct UsefulTraffic {
  std::uint64_t device = 0;  ///< through device memory, reads and writes together
  std::uint64_t shared = 0;  ///< through shared memory
};

/// The metrics of a point with these samples, marked. None when none is part of the figures,
/// no interval when fewer than `fewest_for_interval` are.
std::vector<Metric> timing_metrics(std::span<const SampleRecord> samples, int launches_per_sample,
                                   const UsefulTraffic& useful, const Device& device);

/// What the device was like: its clock while the samples were taken or, where that is not known,
/// after them; what else the state after them says.
std::vector<Metric> state_metrics(std::span<const SampleRecord> samples, const DeviceState& state);

/// "the device held its clocks back: power cap", nothing when it did not.
std::optional<std::string> note_on_throttling(const DeviceState& state);

}  // namespace sweep
