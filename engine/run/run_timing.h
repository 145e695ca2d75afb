#pragma once

#include "engine/run/compile_pool.h"
#include "engine/run/phase_times.h"

namespace sweep {

/// Where a run's wall time went.
struct RunTiming {
  double wall_seconds = 0;
  PhaseTimes phases;          ///< of the thread that measures; together the wall time
  double busy_seconds = 0;    ///< the device worked on points; 0 where not known
  std::size_t measured = 0;   ///< points
  std::size_t counted = 0;    ///< points whose hardware counters were read
  CompileStatistics compile;  ///< of the compilers beside that thread
};

}  // namespace sweep
