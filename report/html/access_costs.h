#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// What one memory access of a pattern's source costs, as the emulator counted it.
struct AccessCostLine {
  std::string file;
  std::int64_t line = 0;  ///< from 1
  std::string text;       ///< "data[i * STRIDE]"
  std::string kind;       ///< "load", "store", ...
  std::string space;      ///< "global", "shared", ...
  double requests = 0;
  double cost = 0;        ///< sectors; in shared memory wavefronts
  double ideal = 0;       ///< the fewest that its bytes need
  double efficiency = 0;  ///< in %
  std::string advice;     ///< may be empty

  bool is_shared() const { return space == "shared"; }
};

/// The accesses that the JSON of `sweep explain --json` has. Empty for a text that is none; what an
/// access lacks stays empty.
std::vector<AccessCostLine> read_access_costs(std::string_view json);

}  // namespace sweep
