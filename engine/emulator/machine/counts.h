#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/emulator/count/model.h"

namespace sweep {

/// How the addresses of one warp instruction lie: those of `group` neighbouring lanes `delta` bytes
/// apart from lane to lane, and the groups `pitch` bytes apart; a group of 32 is the whole warp.
struct LaneStep {
  std::int64_t delta = 0;
  std::uint32_t group = 32;
  std::int64_t pitch = 0;

  friend bool operator==(const LaneStep&, const LaneStep&) = default;
};

/// What the warps' addresses of one static memory instruction looked like, over all its accesses.
/// An access has one of three forms: uniform (one address for all lanes), stepped (a LaneStep), or
/// scattered.
struct AddressShape {
  struct StepCount {
    LaneStep step;
    std::uint64_t accesses = 0;

    friend bool operator==(const StepCount&, const StepCount&) = default;
  };

  std::uint64_t accesses = 0;
  std::uint64_t uniform = 0;
  std::uint64_t stepped = 0;
  std::uint64_t scattered = 0;
  /// The first steps seen; what comes after them is in `stepped` alone.
  std::array<StepCount, 8> steps{};
  std::uint64_t off_sector = 0;           ///< accesses whose lowest address is no multiple of 32
  std::uint64_t off_line = 0;             ///< accesses whose lowest address is no multiple of 128
  std::uint64_t partial = 0;              ///< accesses of fewer than 32 lanes
  std::uint64_t lanes = 0;                ///< active lanes of all accesses
  std::uint64_t low = ~std::uint64_t{0};  ///< the lowest byte that any access reached
  std::uint64_t high = 0;                 ///< the highest

  static constexpr auto figures = std::to_array<std::uint64_t AddressShape::*>(
      {&AddressShape::accesses, &AddressShape::uniform, &AddressShape::stepped,
       &AddressShape::scattered, &AddressShape::off_sector, &AddressShape::off_line,
       &AddressShape::partial, &AddressShape::lanes});
  void note(const WarpAccess& access);
  AddressShape& operator+=(const AddressShape& other);
  /// The step seen most; no accesses when there was none.
  const StepCount& usual_step() const;

  friend bool operator==(const AddressShape&, const AddressShape&) = default;

 private:
  void add_step(const LaneStep& step, std::uint64_t count);
};

/// What one static memory instruction did, in each memory it reached.
struct SiteCount {
  GlobalCount global;
  SharedCount shared;
  GlobalCount local;

  SiteCount& operator+=(const SiteCount& other);
  friend bool operator==(const SiteCount&, const SiteCount&) = default;
};

/// What blocks did.
struct LaunchCount {
  std::vector<SiteCount> sites;      ///< by the kernel's memory ops
  std::vector<AddressShape> shapes;  ///< the same, where the launch notes them; else empty
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;

  LaunchCount& operator+=(const LaunchCount& other);
  void add_shapes(const LaunchCount& other);
  friend bool operator==(const LaunchCount&, const LaunchCount&) = default;
};

}  // namespace sweep
