#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/emulator/execution/emulator_backend.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// What became of one configuration on the emulator.
struct EmulatedPoint {
  std::string verdict;  ///< "correct", or why it is not
  std::map<std::string, double> metrics;
};

/// Compiles, launches once and verifies each of the configurations, in order.
std::vector<EmulatedPoint> emulate(std::span<const Configuration> configurations,
                                   const EmulatorSettings& settings);

/// That each of them computes what its pattern says.
void check_all_correct(std::span<const Configuration> configurations,
                       const EmulatorSettings& settings);

}  // namespace sweep
