#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sweep::testing {

/// The counters that are compared. Loads include cp.async; atomics are those with and without a
/// result. A conflict of a shared atomic is not compared: of a compare-and-swap the hardware counts
/// every other one.
constexpr std::array<const char*, 15> count_names = {
    "load_requests",           "load_sectors",           "store_requests",
    "store_sectors",           "atomic_requests",        "atomic_sectors",
    "local_load_requests",     "local_load_sectors",     "local_store_requests",
    "local_store_sectors",     "shared_load_wavefronts", "shared_load_conflicts",
    "shared_store_wavefronts", "shared_store_conflicts", "shared_atomic_wavefronts"};
/// Where the counters of each kind of access begin.
enum FirstCount : std::size_t {
  of_loads = 0,
  of_stores = 2,
  of_atomics = 4,
  of_local_loads = 6,
  of_local_stores = 8,
  of_shared_loads = 10,
  of_shared_stores = 12,
  of_shared_atomics = 14
};
using Counts = std::array<std::uint64_t, count_names.size()>;

/// What a launch of one configuration leaves behind.
struct Outcome {
  Counts counts{};
  std::vector<std::string> buffers;            ///< their names
  std::vector<std::vector<std::byte>> memory;  ///< their bytes, in that order
  std::string failure;                         ///< why there is nothing else, or empty
};

/// XXH3's 64 bits as hexadecimal digits.
std::string hash_of(std::span<const std::byte> bytes);
/// "in:0123456789abcdef out:..." of all buffers but those called "approximate", whose contents the
/// pattern's verify judges.
std::string hashes_of(const Outcome& outcome);

}  // namespace sweep::testing
