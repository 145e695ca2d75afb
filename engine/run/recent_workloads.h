#pragma once

#include <cstddef>
#include <deque>

#include "engine/backend/backend.h"

namespace sweep {

/// The workloads that were executed last, so that what is executed again need not be compiled
/// again.
class RecentWorkloads {
 public:
  /// `index` is the configuration's place in the run's space.
  void add(std::size_t index, const Workload& workload) {
    if (bytes_of(workload) > most_program_bytes) return;
    entries_.push_front({index, workload});
    if (entries_.size() > most) entries_.pop_back();
  }
  /// Null where it is not among the last ones.
  const Workload* find(std::size_t index) const {
    for (const Entry& entry : entries_) {
      if (entry.index == index) return &entry.workload;
    }
    return nullptr;
  }

 private:
  /// As many as a sweep's small page has; a batch of programs has some hundred KiB for all of it.
  static constexpr std::size_t most = 256;
  static constexpr std::size_t most_program_bytes = std::size_t{4} << 20U;

  struct Entry {
    std::size_t index = 0;
    Workload workload;
  };

  static std::size_t bytes_of(const Workload& workload) {
    return workload.program->cubin.size() + workload.program->ptx.size();
  }

  std::deque<Entry> entries_;  ///< the newest first
};

}  // namespace sweep
