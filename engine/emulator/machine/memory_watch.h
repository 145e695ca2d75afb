#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "engine/system/machine_memory.h"

namespace sweep {

/// The machine's memory does not suffice for what a kernel touches; the message says what is left.
class MemoryShortage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Buffers take memory only where they are touched, so what a kernel needs shows while it is
/// executed. This looks at what the machine has left each time that some more of them was touched,
/// and ends the kernel before the kernel of the machine ends the process. Threads may share it.
class MemoryWatch {
 public:
  using Source = MachineMemory (*)();
  explicit MemoryWatch(Source source) : source_(source) {}

  /// The one of this process, in which several kernels may be executed at once.
  static MemoryWatch& of_process();

  /// So many bytes are touched for the first time now. Throws MemoryShortage.
  void note(std::uint64_t bytes);
  /// So many bytes are going to be touched, all of them. Throws MemoryShortage.
  void require(std::uint64_t bytes) const;

 private:
  Source source_;
  std::atomic<std::uint64_t> noted_ = 0;  ///< since the last look
};

}  // namespace sweep
