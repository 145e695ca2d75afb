#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "engine/store/store.h"
#include "tests/wait_until.h"

namespace sweep {

/// The points of a database's newest run.
inline std::vector<PointRecord> newest_points(const std::filesystem::path& database) {
  const Store store(database, Store::Mode::read_only);
  std::vector<PointRecord> points;
  for (StoredPoint& stored : store.points(store.runs().back().id)) {
    points.push_back(std::move(stored.point));
  }
  return points;
}

/// Waits until the newest run of a database, which need not be there yet, has a point; whether it
/// got one.
inline bool wait_for_a_point(const std::filesystem::path& database) {
  return wait_until([&] {
    try {
      const Store store(database, Store::Mode::read_only);
      const auto runs = store.runs();
      return !runs.empty() && !store.points(runs.back().id).empty();
    } catch (const StoreError&) {
      return false;  // not created yet
    }
  });
}

}  // namespace sweep
