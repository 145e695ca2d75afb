#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "engine/emulator/count/model.h"

namespace sweep::testing {

/// One row of h200_shared_cases.csv or h200_global_cases.csv: a warp instruction and the two
/// counters that an H200 gave for it. calibration/measure_counts.cu writes these files.
struct GoldenCase {
  std::string text;
  std::string op;
  AccessKind kind = AccessKind::load;
  WarpAccess access;
  std::uint64_t first = 0;   ///< wavefronts or requests
  std::uint64_t second = 0;  ///< conflicts or sectors

  friend std::ostream& operator<<(std::ostream& out, const GoldenCase& row);
};

/// The rows of a file of this folder.
std::vector<GoldenCase> read_golden_cases(const std::string& name);

}  // namespace sweep::testing
