#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/space/enumerate.h"

namespace sweep {

/// One of several shares of a space, each of which a process of its own measures.
struct Shard {
  std::uint64_t number = 1;  ///< from 1 to `count`
  std::uint64_t count = 1;   ///< 1: the whole space

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// The number of the shard, of `count`, that a configuration or a search's group belongs to. It
/// follows from their own names and values alone (XXH3), so that they stay where they are when the
/// space grows.
std::uint64_t shard_of(const Configuration& configuration, std::uint64_t count);
std::uint64_t shard_of(const TuningGroup& group, std::uint64_t count);

/// The indices of the shard's configurations, ascending.
std::vector<std::size_t> configurations_of(const Shard& shard, const Space& space);

/// The XXH3-128, in hexadecimal digits, of what tells spaces apart: equal ones have the same
/// configurations at the same places.
struct SpaceIdentity {
  std::string configurations;                   ///< of all names and values
  std::map<std::string, std::string> patterns;  ///< of each pattern's text, with what it includes
};
SpaceIdentity identity_of(const Space& space);

}  // namespace sweep
