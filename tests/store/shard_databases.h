#pragma once

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/store/merge.h"
#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/store/example_records.h"
#include "tests/temporary_folder.h"

namespace sweep::testing {

constexpr std::uint64_t all_configurations = 12;

inline Provenance provenance_of(std::uint64_t shard, std::uint64_t shards) {
  Provenance provenance = example_provenance();
  provenance.host = "node-" + std::to_string(shard);
  provenance.device.uuid = "GPU-" + std::to_string(shard);
  provenance.share = {shard, shards, all_configurations, 0, "the space", {{"stride", "its text"}}};
  return provenance;
}

/// A point of the configuration at a place of the whole space; the same place has the same key.
inline PointRecord point_at(std::int64_t place, double bandwidth = 1000) {
  PointRecord point = example_point(place, bandwidth + static_cast<double>(place));
  point.notes = {"place " + std::to_string(place)};
  return point;
}

/// Databases of the shards of one sweep, and what they are merged into.
struct ShardDatabases {
  TemporaryFolder folder;
  std::filesystem::path output = folder.path() / "all.db";
  std::atomic<bool> stop = false;

  std::filesystem::path path(const std::string& name) const { return folder.path() / name; }

  /// A run of these places in a database, which may have others.
  std::filesystem::path write(const std::string& name, const Provenance& provenance,
                              const std::vector<PointRecord>& points,
                              const std::vector<std::int64_t>& places,
                              RunState state = RunState::finished) const {
    Store store(path(name), Store::Mode::read_write);
    const std::int64_t run = store.begin_run(provenance);
    for (std::size_t i = 0; i < points.size(); ++i) store.add_point(run, places[i], points[i]);
    store.add_note(run, "note of " + name);
    if (state != RunState::running) store.end_run(run, state);
    return path(name);
  }
  /// A shard's database: of shard 2 of 3 with the places 1, 4, 7 and 10.
  std::filesystem::path write_shard(std::uint64_t shard, std::uint64_t shards = 3) const {
    std::vector<PointRecord> points;
    std::vector<std::int64_t> places;
    for (std::uint64_t place = shard - 1; place < all_configurations; place += shards) {
      places.push_back(static_cast<std::int64_t>(place));
      points.push_back(point_at(places.back()));
    }
    // A search's order is not that of the space.
    std::ranges::reverse(points);
    std::ranges::reverse(places);
    return write("s." + std::to_string(shard) + "-of-" + std::to_string(shards) + ".db",
                 provenance_of(shard, shards), points, places);
  }
  std::vector<std::filesystem::path> write_shards(std::uint64_t shards = 3) const {
    std::vector<std::filesystem::path> paths;
    for (std::uint64_t shard = 1; shard <= shards; ++shard) {
      paths.push_back(write_shard(shard, shards));
    }
    return paths;
  }

  std::vector<std::string> merge(const std::vector<std::filesystem::path>& sources) const {
    return merge_databases({sources, output, "sweep merge", stop});
  }
  /// Why it does not come to that.
  std::string refusal(const std::vector<std::filesystem::path>& sources) const {
    try {
      merge(sources);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "merged";
  }

  RunRecord merged_run() const { return Store(output, Store::Mode::read_only).runs().back(); }
  std::vector<StoredPoint> merged_points() const {
    const Store store(output, Store::Mode::read_only);
    return store.points(store.runs().back().id);
  }
  std::size_t count_rows(const std::string& table) const {
    sqlite::Database database(output, sqlite::Access::read);
    return static_cast<std::size_t>(database.integer("SELECT count(*) FROM " + table));
  }
  void check_whole() const {
    const auto points = merged_points();
    BOOST_REQUIRE(points.size() == all_configurations);
    for (std::size_t i = 0; i < points.size(); ++i) {
      BOOST_TEST(points[i].ordinal == static_cast<std::int64_t>(i));
      BOOST_TEST((points[i].point == point_at(points[i].ordinal)));
    }
    BOOST_TEST((merged_run().state == RunState::finished));
    BOOST_TEST(count_rows("point") == all_configurations);
    sqlite::Database database(output, sqlite::Access::read);
    BOOST_TEST(database.text("PRAGMA integrity_check") == "ok");
    BOOST_TEST(database.text("PRAGMA foreign_key_check") == "");
    BOOST_TEST(database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'point_by_key'") ==
               1);
  }
};

}  // namespace sweep::testing
