#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/emulator/lower/kernel.h"

namespace sweep {

/// A copy that lanes of a warp have begun and that nothing has waited for: cp.async of several
/// lanes, a bulk or tensor copy of one; or arrivals at an mbarrier that wait for the copies before
/// them (cp.async.mbarrier.arrive). Its bytes move as late as the PTX ISA allows, when somebody
/// waits for them: what is read before is old, what is written before is overwritten.
struct CopyInFlight {
  /// What tells that it is done (PTX ISA, "Completion Mechanisms for Asynchronous Copy
  /// Operations").
  enum class Told : std::uint8_t { by_group, by_bulk_group, by_mbarrier };
  /// A lane's bytes that lie side by side.
  struct Row {
    std::byte* outer = nullptr;  ///< where they lie outside of that shared memory, or in it
    std::uint32_t place = 0;     ///< in the shared memory of a block: of the whole row
    std::uint32_t size = 0;      ///< of the row; the part that is not copied is filled
    std::uint32_t bytes = 0;     ///< that are copied
    std::uint16_t first = 0;     ///< of the row's bytes, that is copied
    std::uint8_t lane = 0;
  };
  struct Range {
    std::uint64_t begin = 0;  ///< in the memories of the cluster's blocks, one behind the other
    std::uint64_t bytes = 0;
  };

  Told told = Told::by_group;
  bool is_load = true;    ///< into shared memory
  bool has_read = false;  ///< a store: its source may be written again
  bool fills_nan = false;
  std::uint8_t swizzle = 0;
  ptx::Type type = ptx::Type::b32;   ///< of a reduction's elements
  const MemoryOp* memory = nullptr;  ///< null: arrivals
  std::uint32_t instruction = none;
  std::uint32_t warp = 0;         ///< of the cluster's
  std::uint32_t rank = 0;         ///< of the block that the rows' places lie in
  std::uint32_t lanes = 0;        ///< for which it is in flight
  std::uint64_t order = 0;        ///< when it began
  std::uint64_t group = 0;        ///< of the lanes' groups, in the order of their commits
  std::uint64_t mbarrier = 0;     ///< where it begins, as Range::begin
  std::uint32_t transaction = 0;  ///< bytes that the mbarrier hears of
  Range written;                  ///< of shared memory, by bulk copies
  Range read;
  std::vector<Row> rows;
  std::vector<std::byte> taken;  ///< what a store has read, before it writes
};

/// Those of the cluster under way, as they began. What is done is dropped, its memory kept for
/// others.
class CopyList {
 public:
  CopyInFlight& begin() {
    if (size_ == copies_.size()) copies_.emplace_back();
    CopyInFlight& copy = copies_[size_++];
    std::vector<CopyInFlight::Row> rows = std::exchange(copy.rows, {});
    std::vector<std::byte> taken = std::exchange(copy.taken, {});
    rows.clear();
    taken.clear();
    copy = {};
    copy.rows = std::move(rows);
    copy.taken = std::move(taken);
    return copy;
  }
  std::span<CopyInFlight> all() { return std::span(copies_).first(size_); }
  bool is_empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  bool is_full() const { return size_ == copies_.size(); }  ///< one more takes memory
  void drop_done() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (copies_[i].lanes == 0) continue;
      if (i != kept) std::swap(copies_[i], copies_[kept]);
      ++kept;
    }
    size_ = kept;
  }
  void clear() { size_ = 0; }

 private:
  std::vector<CopyInFlight> copies_;
  std::size_t size_ = 0;
};

class CopiesInFlight {
 public:
  using Groups = std::array<std::uint64_t, warp_size>;  ///< that each lane of a warp has committed

  explicit CopiesInFlight(std::uint32_t warps)
      : of_lanes_(warps), groups_(warps), bulk_groups_(warps) {}

  void reset() {
    for (CopyList& list : of_lanes_) list.clear();
    bulk_.clear();
    std::ranges::fill(groups_, Groups{});
    std::ranges::fill(bulk_groups_, Groups{});
  }
  /// cp.async of a warp.
  CopyList& of_lanes(std::uint32_t warp) { return of_lanes_[warp]; }
  /// Bulk and tensor copies, and arrivals, of the cluster's blocks. One to several blocks is in
  /// flight to each on its own.
  CopyList& bulk() { return bulk_; }
  Groups& groups(bool is_bulk, std::uint32_t warp) {
    return is_bulk ? bulk_groups_[warp] : groups_[warp];
  }

 private:
  std::vector<CopyList> of_lanes_;
  CopyList bulk_;
  std::vector<Groups> groups_;
  std::vector<Groups> bulk_groups_;
};

}  // namespace sweep
