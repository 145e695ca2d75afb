#pragma once

#include <cstdint>
#include <vector>

#include "engine/emulator/count/access.h"
#include "engine/emulator/machine/address_shape.h"

namespace sweep {

/// What one static memory instruction did, in each memory it reached.
struct SiteCount {
  GlobalCount global;
  SharedCount shared;
  GlobalCount local;

  SiteCount& operator+=(const SiteCount& other) {
    global += other.global;
    shared += other.shared;
    local += other.local;
    return *this;
  }
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
