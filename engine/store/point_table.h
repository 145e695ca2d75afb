#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/metric_list_table.h"
#include "engine/store/pattern_table.h"
#include "engine/store/record.h"
#include "engine/store/sqlite.h"

namespace sweep {

/// Finds points by their key.
class PointFinder {
 public:
  /// The database and the patterns must outlive it.
  PointFinder(sqlite::Database& database, PatternTable& patterns);

  /// The newest successful point whose key is equal to this one.
  std::optional<std::int64_t> find(const PointKey& key);

 private:
  sqlite::Database& database_;
  PatternTable& patterns_;
  sqlite::Statement candidates_;
};

/// Writes points, with statements that are prepared once. Call it within a transaction, on a
/// database that is up to date.
class PointTable {
 public:
  /// The database and the patterns must outlive it.
  PointTable(sqlite::Database& database, PatternTable& patterns);

  /// Adds a point with its samples, metrics and notes, measured by `run`, and returns its id.
  std::int64_t insert(std::int64_t run, const PointRecord& point);
  /// Gives a point its place in the run.
  void place(std::int64_t run, std::int64_t ordinal, std::int64_t point);
  /// The counters that were taken for a point.
  std::string counted(std::int64_t point);
  /// Throws StoreError for an unknown point.
  std::vector<Metric> metrics_of(std::int64_t point);
  /// Replaces what the hardware's counters said of a point, and the notes on it. Throws StoreError
  /// for an unknown point.
  void set_counts(std::int64_t point, const std::string& counted,
                  const std::vector<Metric>& metrics, const std::vector<std::string>& notes);
  /// Adds metrics of an origin that the point has none of, and notes. Throws likewise.
  void add_metrics(std::int64_t point, const std::vector<Metric>& metrics,
                   const std::vector<std::string>& notes);

 private:
  void insert_notes(std::int64_t point, std::int64_t ordinal, bool on_counts,
                    const std::vector<std::string>& notes);
  std::int64_t next_note_ordinal(std::int64_t point);

  sqlite::Database& database_;
  PatternTable& patterns_;
  MetricListTable metric_lists_;
  sqlite::Statement insert_point_;
  sqlite::Statement insert_note_;
  sqlite::Statement insert_place_;
  sqlite::Statement select_counted_;
  sqlite::Statement select_metrics_;
  sqlite::Statement update_counts_;
  sqlite::Statement delete_notes_;
  sqlite::Statement next_note_;
};

}  // namespace sweep
