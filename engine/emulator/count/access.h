#pragma once

#include <array>
#include <cstdint>

namespace sweep {

/// What the caches and the memory of every NVIDIA GPU hand out and take at the least.
constexpr std::uint64_t sector_bytes = 32;

/// One warp's memory instruction: the byte address of each lane, those of lanes outside `active`
/// without meaning, and the bytes each active lane accesses (1, 2, 4, 8, 16 or 32).
struct WarpAccess {
  std::array<std::uint64_t, 32> address{};
  std::uint32_t active = 0;
  std::uint32_t width = 4;
};

/// What a memory instruction costs, summed over warps. For a global access `transactions` are the
/// memory transactions of the historic capabilities (sectors from 5.0 on), and `sectors` the
/// 32-byte units they move. Wavefronts, L1's cycles, are counted from 5.0 on and 0 before.
struct GlobalCount {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;         ///< active ones
  std::uint64_t bytes_wanted = 0;  ///< different bytes touched within a request
  std::uint64_t transactions = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;  ///< different 128-byte blocks
  std::uint64_t tag_wavefronts = 0;
  std::uint64_t data_wavefronts = 0;

  GlobalCount& operator+=(const GlobalCount& other);
  friend bool operator==(const GlobalCount&, const GlobalCount&) = default;
};

struct SharedCount {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;
  std::uint64_t bytes_wanted = 0;  ///< different bytes touched within a request
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal = 0;  ///< wavefronts without conflicts
  std::uint64_t conflicts() const { return wavefronts - ideal; }

  SharedCount& operator+=(const SharedCount& other);
  friend bool operator==(const SharedCount&, const SharedCount&) = default;
};

inline GlobalCount& GlobalCount::operator+=(const GlobalCount& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes_wanted += other.bytes_wanted;
  transactions += other.transactions;
  sectors += other.sectors;
  lines += other.lines;
  tag_wavefronts += other.tag_wavefronts;
  data_wavefronts += other.data_wavefronts;
  return *this;
}

inline SharedCount& SharedCount::operator+=(const SharedCount& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes_wanted += other.bytes_wanted;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  return *this;
}

}  // namespace sweep
