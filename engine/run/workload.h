#pragma once

#include <cstddef>
#include <deque>

#include "engine/backend/backend.h"
#include "engine/jit/compiler.h"
#include "engine/run/measurer.h"
#include "engine/spec/pattern.h"

namespace sweep {

/// What a configuration's `useful` comes to. Throws InputError when an expression fails,
/// ExecutionFailure when a figure is negative.
UsefulTraffic useful_traffic_of(const Configuration& configuration);

/// Works out every size of a compiled configuration. Throws InputError when an expression fails,
/// ExecutionFailure when a size makes no sense: a negative length, an empty grid, a scalar that
/// does not fit its type.
Workload make_workload(const Configuration& configuration, const CompiledConfiguration& compiled);

/// The workloads that were executed last, so that what is executed again need not be compiled
/// again.
class RecentWorkloads {
 public:
  void add(std::size_t point_index, const Workload& workload) {
    if (bytes_of(workload) > most_program_bytes) return;
    entries_.push_front({point_index, workload});
    if (entries_.size() > most) entries_.pop_back();
  }
  /// Null where it is not among the last ones.
  const Workload* find(std::size_t point_index) const {
    for (const Entry& entry : entries_) {
      if (entry.point_index == point_index) return &entry.workload;
    }
    return nullptr;
  }

 private:
  /// As many as a sweep's small page has; a batch of programs has some hundred KiB for all of it.
  static constexpr std::size_t most = 256;
  static constexpr std::size_t most_program_bytes = std::size_t{4} << 20U;

  struct Entry {
    std::size_t point_index = 0;
    Workload workload;
  };

  static std::size_t bytes_of(const Workload& workload) {
    return workload.program->cubin.size() + workload.program->ptx.size();
  }

  std::deque<Entry> entries_;  ///< the newest first
};

}  // namespace sweep
