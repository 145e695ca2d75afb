#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backend/backend.h"

namespace sweep {

/// The programs that a worker keeps, each in a slot. The process that sends jobs chooses the slots
/// and so knows what the worker has; the worker puts what it is sent where it is told.
constexpr std::size_t program_slots = 64;

/// The sender's side: which program the worker has in which slot.
class SentPrograms {
 public:
  struct Place {
    std::uint32_t slot = 0;
    bool is_new = false;  ///< the worker does not have it: send it along
  };
  /// Where the program is for the job that is written now; a new one takes the place of the one
  /// not used for longest.
  Place place_of(const std::shared_ptr<const Program>& program);
  /// For a worker that has just started and has none.
  void clear() { *this = {}; }

 private:
  struct Slot {
    std::shared_ptr<const Program> program;
    std::uint64_t last_use = 0;  ///< 0: never
  };
  std::array<Slot, program_slots> slots_;
  std::uint64_t uses_ = 0;
};

/// The worker's side.
class KeptPrograms {
 public:
  /// Throws std::runtime_error for a slot that there is not.
  void put(std::uint32_t slot, std::shared_ptr<const Program> program);
  /// Throws std::runtime_error when the slot is empty.
  std::shared_ptr<const Program> get(std::uint32_t slot) const;

 private:
  std::array<std::shared_ptr<const Program>, program_slots> slots_;
};

}  // namespace sweep
