#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Which metrics points have, in their order. Most points of a run have the same, so that each such
/// list is stored once and a point has its number, and the values alone. Remembers the lists that
/// it has read. For a database that is up to date.
class MetricListTable {
 public:
  /// The database must outlive it.
  explicit MetricListTable(sqlite::Database& database);

  /// The number of the list of these metrics, which is added when there is none. Call it within a
  /// transaction.
  std::int64_t id_of(const std::vector<Metric>& metrics);
  /// The metrics of list `id` with these values, as JSON. Throws StoreError when they do not fit.
  std::vector<Metric> metrics(std::int64_t id, const std::string& values);

 private:
  struct Entry {
    std::string name;
    Origin origin = Origin::measured;
    std::string unit;
  };
  using List = std::vector<Entry>;

  static bool is_of(const List& list, const std::vector<Metric>& metrics);
  const std::int64_t* find(const std::vector<Metric>& metrics) const;
  std::int64_t insert(const std::vector<Metric>& metrics);
  void read_new_lists();

  sqlite::Database& database_;
  sqlite::Statement select_;
  sqlite::Statement next_id_;
  sqlite::Statement insert_;
  std::map<std::int64_t, List> lists_;
};

}  // namespace sweep
